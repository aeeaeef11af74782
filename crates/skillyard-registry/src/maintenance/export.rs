//! A registry as plain files, for any host that can serve a folder.
//!
//! Everything that installing needs has the address it has here: the index, the archives, the
//! signed length of the log and the proofs. What is asked with words, searching and pages, is not
//! there. The signed length is written last, so that a copy that is fetched meanwhile never
//! promises what is not there yet.

use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use serde_json::json;
use skillyard_trust::signature::SigningKey;

use super::MaintenanceError;
use crate::endpoints::{index, marketplace, well_known};
use crate::error::RegistryError;
use crate::package;
use crate::registry::Registry;
use crate::store::skills::SkillRow;
use crate::store::{checkpoints, stored, upstream, versions};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// How many skills there are.
    pub skills: usize,
    /// How many versions there are.
    pub versions: usize,
    /// Files that are new or changed.
    pub written: usize,
    /// Files that were there already.
    pub unchanged: usize,
}

/// Writes everything that clients read into a folder, or brings one up to date.
pub async fn export_static(
    registry: &Registry,
    key: &SigningKey,
    url: &str,
    folder: &Path,
) -> Result<Exported, MaintenanceError> {
    let database = &registry.database;
    // What is published from here on is for the next time.
    let signed = if upstream::find(database).await?.is_some() {
        let last = checkpoints::last(database).await?;
        last.ok_or(RegistryError::NoRoute)?
    } else {
        let time = stored(registry.now());
        registry.log.checkpoint(database, key, time).await?
    };
    let size = usize::try_from(signed.checkpoint.size).unwrap_or(usize::MAX);
    let mut files = Files {
        root: folder.to_owned(),
        exported: Exported::default(),
    };
    let picture = registry.picture().await?;
    for skill in picture.all() {
        export_skill(registry, &mut files, skill, size).await?;
    }
    let mut namespaces: Vec<&str> = picture
        .all()
        .iter()
        .filter_map(SkillRow::namespace)
        .collect();
    namespaces.dedup();
    for namespace in std::iter::once(None).chain(namespaces.into_iter().map(Some)) {
        let base = namespace.map_or_else(String::new, |each| format!("@{each}/"));
        let documents = [
            (
                ".well-known/agent-skills/index.json",
                well_known::archives_document(&picture, namespace),
            ),
            (
                ".well-known/skills/index.json",
                well_known::files_document(&picture, namespace),
            ),
            (
                ".claude-plugin/marketplace.json",
                marketplace::document(&picture, url, namespace),
            ),
        ];
        for (path, document) in documents {
            files.put(&format!("{base}{path}"), &document)?;
        }
    }
    let log = registry.log.read(database).await?;
    for before in checkpoints::all(database).await? {
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

async fn export_skill(
    registry: &Registry,
    files: &mut Files,
    skill: &SkillRow,
    size: usize,
) -> Result<(), MaintenanceError> {
    let database = &registry.database;
    let Some(name) = skill.name.parse::<skillyard_format::QualifiedName>().ok() else {
        return Ok(());
    };
    files.exported.skills += 1;
    for row in versions::of(database, &skill.name).await? {
        let version = row.version.to_string();
        let log = registry.log.read(database).await?;
        let place = log.place(&skill.name, &version);
        let proof = place.and_then(|place| Some((place, log.tree.inclusion(place, size)?)));
        drop(log);
        let Some((place, proof)) = proof else {
            continue;
        };
        files.exported.versions += 1;
        let proof = json!({ "index": place, "proof": proof }).to_string();
        let path = format!("log/entries/{}/{version}", skill.name);
        files.put(&path, proof.as_bytes())?;
        let folder = format!("skills/{}/{version}", skill.name);
        let paths = [
            format!("{folder}/download"),
            format!("{folder}/archive.tar.gz"),
        ];
        // A version keeps its bytes for good, so its length tells whether it is there.
        if paths.iter().all(|path| files.has(path, row.size)) {
            files.exported.unchanged += 2;
            continue;
        }
        let archive = registry.blobs.read(row.digest).await?;
        for path in &paths {
            files.put(path, &archive)?;
        }
    }
    if skill.latest.yanked.is_none() {
        export_files(registry, files, skill).await?;
    }
    // After the archives, so that no line names what is not there yet.
    if let Some(text) = index::file(database, &skill.name).await? {
        let path = format!("index/{}", name.index_path().join("/"));
        files.put(&path, text.as_bytes())?;
    }
    Ok(())
}

/// The single files of the latest version, as discovery 0.1.0 has them.
async fn export_files(
    registry: &Registry,
    files: &mut Files,
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
struct Files {
    root: PathBuf,
    exported: Exported,
}

impl Files {
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
            let mut name = file.file_name().unwrap_or_default().to_owned();
            name.push(".part");
            let beside = folder.join(name);
            let mut writing = std::fs::File::create(&beside)?;
            writing.write_all(bytes)?;
            std::fs::rename(&beside, &file)
        };
        write().map_err(|source| MaintenanceError::Disk {
            path: file.clone(),
            source,
        })?;
        self.exported.written += 1;
        Ok(())
    }
}
