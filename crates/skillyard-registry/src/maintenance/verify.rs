//! Looking a registry through: every archive, and the log over all of them.

use std::collections::HashSet;

use skillyard_format::Digest;
use skillyard_trust::transparency::{MerkleTree, SignedCheckpoint, leaf};

use super::MaintenanceError;
use crate::blobs::BlobError;
use crate::package;
use crate::registry::Registry;
use crate::store::versions::StoredRow;
use crate::store::{checkpoints, skills, tags, versions};

/// What looking through a registry found.
#[derive(Debug, Default)]
pub struct Verified {
    /// Versions whose archives are as they were published.
    pub sound: usize,
    /// Versions whose archives are not, and why.
    pub damaged: Vec<(String, String, Damage)>,
    /// Entries whose versions a mirror could not have.
    pub absent: usize,
    /// How many entries the log has.
    pub entries: usize,
    /// The root over them.
    pub root: Option<Digest>,
    /// How many signed lengths of the log were compared.
    pub checkpoints: usize,
    /// Where the log or what points into it is not what it was.
    pub problems: Vec<String>,
}

impl Verified {
    /// Whether everything is as it was published.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.problems.is_empty()
    }
}

/// What is wrong with an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It is not there.
    Missing,
    /// It has another digest.
    Changed,
    /// It has another length than was noted.
    Length,
    /// Its files are others than was noted.
    Files,
}

impl Damage {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Length => "of another length",
            Self::Files => "of other files",
        }
    }
}

/// Reads every archive and compares it with its row, and rebuilds the log and compares
/// it with every length of it that was ever signed.
pub async fn verify(registry: &Registry) -> Result<Verified, MaintenanceError> {
    // All rows as they are at one moment: others may publish while archives are read.
    let mut moment = registry.database.snapshot().await?;
    let rows = versions::stored(&mut *moment).await?;
    let signed = checkpoints::all(&mut *moment).await?;
    let tags = tags::all(&mut *moment).await?;
    let latest = skills::latest_numbers(&mut *moment).await?;
    drop(moment);
    let mut verified = Verified::default();
    let mut tree = MerkleTree::default();
    let mut known = HashSet::new();
    for row in rows {
        tree.push(leaf(
            &row.skill,
            &row.version,
            row.digest,
            row.signer.as_deref(),
        ));
        if !row.is_here {
            verified.absent += 1;
            continue;
        }
        match damage(registry, &row).await? {
            None => verified.sound += 1,
            Some(damage) => {
                let (skill, version) = (row.skill.clone(), row.version.clone());
                verified.damaged.push((skill, version, damage));
            }
        }
        known.insert((row.skill, row.version));
    }
    verified.entries = tree.size();
    verified.root = tree.root(tree.size());
    check_log(&signed, &tree, &mut verified);
    for (skill, tag, version) in tags {
        if !known.contains(&(skill.clone(), version.clone())) {
            let problem =
                format!("the tag `{tag}` of `{skill}` stands for {version}, which is not there");
            verified.problems.push(problem);
        }
    }
    for (skill, latest) in latest {
        if !known.contains(&(skill.clone(), latest.clone())) {
            let problem =
                format!("the latest version of `{skill}` is {latest}, which is not there");
            verified.problems.push(problem);
        }
    }
    Ok(verified)
}

fn check_log(signed: &[SignedCheckpoint], tree: &MerkleTree, verified: &mut Verified) {
    let mut key: Option<String> = None;
    for signed in signed {
        verified.checkpoints += 1;
        let size = signed.checkpoint.size;
        match signed.check(key.as_deref()) {
            Ok(found) => key = Some(found),
            Err(error) => {
                let problem = format!("the checkpoint of {size} entries: {error}");
                verified.problems.push(problem);
                continue;
            }
        }
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let problem = match tree.root(length) {
            Some(root) if root == signed.checkpoint.root => continue,
            Some(_) => format!("the first {size} entries are not those that were signed"),
            None => format!("{size} entries were signed, and there are {}", tree.size()),
        };
        verified.problems.push(problem);
    }
}

async fn damage(registry: &Registry, row: &StoredRow) -> Result<Option<Damage>, MaintenanceError> {
    let bytes = match registry.blobs.read(row.digest).await {
        Ok(bytes) => bytes,
        Err(BlobError::Missing(_)) => return Ok(Some(Damage::Missing)),
        Err(error) => return Err(error.into()),
    };
    if Digest::of(&bytes) != row.digest {
        return Ok(Some(Damage::Changed));
    }
    if bytes.len() as u64 != row.size {
        return Ok(Some(Damage::Length));
    }
    Ok(match package::tree_of(&bytes) {
        Ok(found) if found == row.tree => None,
        _ => Some(Damage::Files),
    })
}
