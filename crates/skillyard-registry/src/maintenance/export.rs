//! A registry as plain files, for any host that can serve a folder.
//!
//! Everything that installing needs has the address it has here: the index, the archives, the
//! signed length of the log and the proofs. What is asked with words, searching and pages, is not
//! there. The signed length is written last, so that a copy that is fetched meanwhile never
//! promises what is not there yet.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use semver::Version;
use serde_json::json;
use skillyard_format::{Namespace, QualifiedName};
use skillyard_trust::signature::SigningKey;

use super::MaintenanceError;
use crate::blobs::BlobError;
use crate::documents::DocumentKind;

use crate::error::RegistryError;
use crate::package;
use crate::registry::Registry;
use crate::skill_index;
use crate::store::skills::SkillRow;
use crate::store::versions::VersionRow;
use crate::store::{checkpoints, skills, stored, tags, upstream, versions};

/// How many skills are read at once.
const BATCH_SIZE: usize = 100;

/// The documents over all skills, and where they are.
const DOCUMENTS: [(DocumentKind, &str); 3] = [
    (
        DocumentKind::Archives,
        ".well-known/agent-skills/index.json",
    ),
    (DocumentKind::Files, ".well-known/skills/index.json"),
    (DocumentKind::Marketplace, ".claude-plugin/marketplace.json"),
];

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// How many skills there are.
    pub skills: usize,
    /// How many versions there are.
    pub versions: usize,
    /// `ExportFiles` that are new or changed.
    pub written: usize,
    /// `ExportFiles` that were there already.
    pub unchanged: usize,
    /// Versions that could not be written: their skills, their numbers, and why.
    pub left_out: Vec<(String, String, String)>,
}

/// Writes everything that clients read into a folder, or brings one up to date; only a mirror needs no
/// key of its own.
pub async fn export_static(
    registry: &Registry,
    key: Option<&SigningKey>,
    url: &str,
    folder: &Path,
) -> Result<Exported, MaintenanceError> {
    let database = &registry.database;
    // What is published from here on is for the next time.
    let signed = if upstream::find(database).await?.is_some() {
        let last = checkpoints::last(database).await?;
        last.ok_or(RegistryError::NoRoute)?
    } else {
        let key = key.ok_or(RegistryError::NoRoute)?;
        let time = stored(registry.now());
        registry.log.checkpoint(database, key, time).await?
    };
    let size = usize::try_from(signed.checkpoint.size).unwrap_or(usize::MAX);
    let mut files = ExportFiles {
        root: folder.to_owned(),
        exported: Exported::default(),
    };
    // What each document says of each skill; the one over bare names is there in any case.
    let mut said: BTreeMap<Option<Namespace>, [Vec<String>; DOCUMENTS.len()]> = BTreeMap::new();
    said.entry(None).or_default();
    let names = skills::latest_numbers(database.pool()).await?;
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    for some in names.chunks(BATCH_SIZE) {
        for skill in skills::named(database, some).await? {
            let Ok(name) = skill.name.parse::<QualifiedName>() else {
                continue;
            };
            let Some(skill) = export_skill(registry, &mut files, &name, skill, size).await? else {
                continue;
            };
            let namespace = name.namespace();
            let said = said.entry(namespace.cloned()).or_default();
            if skill.latest.yanked.is_none() {
                for ((kind, _), said) in DOCUMENTS.iter().zip(said) {
                    said.push(kind.of(namespace).entry(&skill, url)?);
                }
            }
        }
    }
    for (namespace, said) in &said {
        let namespace = namespace.as_ref();
        let base = namespace.map_or_else(String::new, |each| format!("{each}/"));
        for ((kind, path), said) in DOCUMENTS.iter().zip(said) {
            let whole = kind.of(namespace).whole(url, said)?;
            files.put(&format!("{base}{path}"), whole.as_bytes())?;
        }
    }
    let log = registry.log.read(database).await?;
    for before in checkpoints::all(database.pool()).await? {
        let from = before.checkpoint.size;
        let length = usize::try_from(from).unwrap_or(usize::MAX);
        if let Some(proof) = log.tree.consistency(length, size) {
            let path = format!("log/consistency/{from}/{size}");
            files.put(&path, json!({ "proof": proof }).to_string().as_bytes())?;
        }
    }
    drop(log);
    files.put("log/checkpoint", json!(signed).to_string().as_bytes())?;
    Ok(files.exported)
}

/// Writes the versions of a skill that are in the log of this length; says how it stands with
/// these, if there are any.
async fn export_skill(
    registry: &Registry,
    files: &mut ExportFiles,
    name: &QualifiedName,
    mut skill: SkillRow,
    size: usize,
) -> Result<Option<SkillRow>, MaintenanceError> {
    let database = &registry.database;
    // All of it as it is at one moment: a tag stands for a version that is among these.
    let mut moment = database.snapshot().await?;
    let rows = versions::of(&mut *moment, &skill.name).await?;
    let mut tags = tags::of(&mut *moment, &skill.name).await?;
    let standing = skills::standing(&mut *moment, &skill.name).await?;
    drop(moment);
    let mut here = Vec::new();
    for row in rows {
        let log = registry.log.read(database).await?;
        let place = log.place(row.sequence);
        let proof = place.and_then(|place| Some((place, log.tree.inclusion(place, size)?)));
        drop(log);
        let Some((place, proof)) = proof else {
            continue;
        };
        let proof = json!({ "index": place, "proof": proof }).to_string();
        match export_version(registry, files, &skill.name, &row, &proof).await {
            Ok(()) => here.push(row),
            Err(error) => {
                let reason = passed_over(error)?;
                let left_out = (skill.name.clone(), row.version.to_string(), reason);
                files.exported.left_out.push(left_out);
            }
        }
    }
    let numbers: Vec<(Version, bool)> = here
        .iter()
        .map(|row| (row.version.clone(), row.yanked.is_some()))
        .collect();
    let set = tags.iter().find(|(tag, _)| tag == "latest");
    let Some(latest) = skills::chosen(&numbers, set.map(|(_, version)| version.as_str())) else {
        return Ok(None);
    };
    let latest = here.iter().find(|row| row.version == *latest);
    skill.latest = latest.cloned().unwrap_or(skill.latest);
    files.exported.skills += 1;
    files.exported.versions += here.len();
    if skill.latest.yanked.is_none() {
        export_files(registry, files, &skill).await?;
    }
    tags.retain(|(_, of)| here.iter().any(|row| row.version.to_string() == *of));
    // After the archives, so that no line names what is not there yet.
    let text = skill_index::text(&skill.name, &here, &tags, &standing);
    let path = format!("index/{}", name.index_path().join("/"));
    files.put(&path, text.as_bytes())?;
    Ok(Some(skill))
}

async fn export_version(
    registry: &Registry,
    files: &mut ExportFiles,
    skill: &str,
    row: &VersionRow,
    proof: &str,
) -> Result<(), MaintenanceError> {
    let version = &row.version;
    files.put(&format!("log/entries/{skill}/{version}"), proof.as_bytes())?;
    let folder = format!("skills/{skill}/{version}");
    let paths = [
        format!("{folder}/download"),
        format!("{folder}/archive.tar.gz"),
    ];
    // A version keeps its bytes for good, so its length tells whether it is there.
    if paths.iter().all(|path| files.has(path, row.size)) {
        files.exported.unchanged += 2;
        return Ok(());
    }
    let archive = registry.blobs.read(row.digest).await?;
    for path in &paths {
        files.put(path, &archive)?;
    }
    Ok(())
}

/// Why one version is left out, where that is no reason to leave out all others.
fn passed_over(error: MaintenanceError) -> Result<String, MaintenanceError> {
    match error {
        MaintenanceError::Disk { source, .. } if source.kind() == ErrorKind::InvalidFilename => {
            Ok("no file can have its version as a name".to_owned())
        }
        MaintenanceError::Blob(missing @ BlobError::Missing(_)) => Ok(missing.to_string()),
        error => Err(error),
    }
}

/// The single files of the latest version, as discovery 0.1.0 has them.
async fn export_files(
    registry: &Registry,
    files: &mut ExportFiles,
    skill: &SkillRow,
) -> Result<(), MaintenanceError> {
    let archive = registry.blobs.read(skill.latest.digest).await?;
    let base = skill
        .namespace()
        .map_or_else(String::new, |each| format!("@{each}/"));
    let zip = package::zipped(&archive).map_err(RegistryError::internal)?;
    let version = &skill.latest.version;
    files.put(
        &format!("skills/{}/{version}/archive.zip", skill.name),
        &zip,
    )?;
    let unpacked = package::unpacked(&archive, |_| true).map_err(RegistryError::internal)?;
    for file in unpacked {
        let path = format!(
            "{base}.well-known/skills/{}/{}",
            skill.own_name(),
            file.path
        );
        files.put(&path, &file.bytes)?;
    }
    Ok(())
}

/// The folder that is written to.
struct ExportFiles {
    root: PathBuf,
    exported: Exported,
}

impl ExportFiles {
    fn has(&self, path: &str, size: u64) -> bool {
        let found = std::fs::metadata(self.root.join(path));
        found.is_ok_and(|found| found.is_file() && found.len() == size)
    }

    /// Writes a file whole, unless it is there already.
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), MaintenanceError> {
        let is_plain = |part| matches!(part, Component::Normal(_));
        if !Path::new(path).components().all(is_plain) {
            let reason = format!("`{path}` is no path below a folder");
            return Err(RegistryError::internal(reason).into());
        }
        let file = self.root.join(path);
        if std::fs::read(&file).is_ok_and(|found| found == bytes) {
            self.exported.unchanged += 1;
            return Ok(());
        }
        let write = || -> std::io::Result<()> {
            let folder = file.parent().unwrap_or(&self.root);
            std::fs::create_dir_all(folder)?;
            let beside = folder.join(".part");
            let mut writing = std::fs::File::create(&beside)?;
            writing.write_all(bytes)?;
            let moved = std::fs::rename(&beside, &file);
            if moved.is_err() {
                // Why it could not be moved matters more than that it stays.
                let _ = std::fs::remove_file(&beside);
            }
            moved
        };
        write().map_err(|source| MaintenanceError::Disk {
            path: file.clone(),
            source,
        })?;
        self.exported.written += 1;
        Ok(())
    }
}
