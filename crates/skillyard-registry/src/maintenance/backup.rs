//! A copy of everything, and a registry made from one.

use std::collections::HashSet;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use skillyard_format::Digest;

use super::copy::{copied, copy};
use super::verify::verify;
use super::{MaintenanceError, Verified};
use crate::blobs::Blobs;
use crate::database::{CopyOutcome, Database};
use crate::registry::Registry;
use crate::store::{skills, versions};

/// What was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// How many versions.
    pub versions: usize,
    /// How many archives, of which several versions may have the same.
    pub archives: usize,
    /// When the copy was made, if it says so: everything is as it was then.
    pub made: Option<Timestamp>,
}

/// The file of a copy that says when it was made.
const MADE: &str = "made";

/// Copies everything into a new folder, which can be served as it is; says how many archives.
///
/// The database is copied as it is at one moment, then the archives that it names: an archive is
/// never younger than the version that has it, and none is removed while a version has it. The
/// folder has its name only once all is there.
pub async fn back_up(registry: &Registry, folder: &Path) -> Result<usize, MaintenanceError> {
    if folder.exists() {
        return Err(MaintenanceError::Exists(folder.to_owned()));
    }
    let part = beside(folder)?;
    let copied = copy_into(registry, &part).await;
    let copied = copied.and_then(|copied| {
        std::fs::rename(&part, folder).map_err(failed(folder))?;
        Ok(copied)
    });
    if copied.is_err() {
        // What is not whole is of no use; why it is not matters more than that it stays.
        let _ = std::fs::remove_dir_all(&part);
    }
    copied
}

/// A new folder beside another: whatever is there already is not ours.
fn beside(folder: &Path) -> Result<PathBuf, MaintenanceError> {
    let mut drawn = [0; 4];
    getrandom::fill(&mut drawn).map_err(|error| failed(folder)(error.into()))?;
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", hex::encode(drawn)));
    let part = folder.with_file_name(name);
    if let Some(parent) = part.parent() {
        std::fs::create_dir_all(parent).map_err(failed(parent))?;
    }
    // It contains tokens and keys.
    let mut making = std::fs::DirBuilder::new();
    making.mode(0o700);
    making.create(&part).map_err(failed(&part))?;
    Ok(part)
}

async fn copy_into(registry: &Registry, folder: &Path) -> Result<usize, MaintenanceError> {
    let file = folder.join("registry.db");
    let began = registry.now();
    let outcome = registry.database.copy_to(&file.to_string_lossy()).await?;
    let copy_of = Database::open_file(&file).await?;
    if outcome == CopyOutcome::OtherTool {
        copy(&registry.database, &copy_of).await?;
    }
    let copies = Blobs::in_folder(&folder.join("blobs"))?;
    let digests = distinct(&copy_of).await?;
    for digest in &digests {
        let bytes = registry.blobs.read(*digest).await?;
        copies.put(*digest, bytes).await?;
    }
    copy_of.close().await;
    let made = folder.join(MADE);
    std::fs::write(&made, format!("{began}\n")).map_err(failed(&made))?;
    Ok(digests.len())
}

/// A copy that was looked through and is sound.
pub struct SoundCopy {
    registry: Registry,
    versions: usize,
    digests: HashSet<Digest>,
    made: Option<Timestamp>,
}

impl SoundCopy {
    /// Looks a copy through, of which nothing is changed.
    pub async fn open(folder: &Path) -> Result<Self, MaintenanceError> {
        let file = folder.join("registry.db");
        if !file.is_file() {
            return Err(MaintenanceError::NoCopy(folder.to_owned()));
        }
        let database = Database::open_copy(&file).await?;
        let blobs = Blobs::in_folder(&folder.join("blobs"))?;
        let clock = Arc::new(jiff::Timestamp::now);
        let registry = Registry::new(database, blobs, None, clock);
        let found = verify(&registry).await?;
        if !found.is_sound() {
            return Err(MaintenanceError::Damaged(told(&found)));
        }
        // Copies of earlier versions do not say it.
        let made = std::fs::read_to_string(folder.join(MADE)).ok();
        Ok(Self {
            made: made.and_then(|text| text.trim().parse().ok()),
            digests: distinct(&registry.database).await?,
            versions: found.entries,
            registry,
        })
    }

    /// Puts it into a registry that is empty.
    pub async fn restore(self, registry: &Registry) -> Result<Restored, MaintenanceError> {
        let from = &self.registry;
        // Archives first: a version without its archive would be a promise that cannot be kept.
        for digest in &self.digests {
            let bytes = from.blobs.read(*digest).await?;
            registry.blobs.put(*digest, bytes).await?;
        }
        let mut change = copied(&from.database, &registry.database).await?;
        // Mirrors may know sequence numbers of changes that were made after this backup, and are
        // undone: every skill counts as changed now, under a number that no mirror has seen.
        skills::renumber(&mut change, registry.now().as_millisecond()).await?;
        change.commit().await?;
        from.database.close().await;
        Ok(Restored {
            versions: self.versions,
            archives: self.digests.len(),
            made: self.made,
        })
    }
}

fn told(found: &Verified) -> Vec<String> {
    let damaged = found
        .damaged
        .iter()
        .map(|(name, version, damage)| format!("{name}@{version} is {}", damage.as_str()));
    damaged
        .chain(found.problems.iter().cloned())
        .take(5)
        .collect()
}

async fn distinct(database: &Database) -> Result<HashSet<Digest>, MaintenanceError> {
    let digests = versions::digests(database).await?;
    Ok(digests.into_iter().map(|(_, _, digest)| digest).collect())
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> MaintenanceError + use<> {
    let path: PathBuf = path.to_owned();
    move |source| MaintenanceError::Disk {
        path: path.clone(),
        source,
    }
}
