//! A registry as plain files, for any host that can serve a folder.
//!
//! Everything that installing needs has the address it has here: the index, the archives, the
//! signed length of the log and the proofs. What is asked with words, searching and pages, is not
//! there. The signed length is written last, so that a copy that is fetched meanwhile never
//! promises what is not there yet.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use serde_json::json;
use skillyard_format::{Namespace, QualifiedName};
use skillyard_trust::signature::SigningKey;

use super::MaintenanceError;
use crate::documents::Kind;
use crate::endpoints::index;
use crate::error::RegistryError;
use crate::package;
use crate::registry::Registry;
use crate::store::skills::SkillRow;
use crate::store::{checkpoints, skills, stored, upstream, versions};

/// How many skills are read at once.
const AT_ONCE: usize = 100;

/// The documents over all skills, and where they are.
const DOCUMENTS: [(Kind, &str); 3] = [
    (Kind::Archives, ".well-known/agent-skills/index.json"),
    (Kind::Files, ".well-known/skills/index.json"),
    (Kind::Marketplace, ".claude-plugin/marketplace.json"),
];

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
    let names = skills::latest_numbers(database).await?;
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    for some in names.chunks(AT_ONCE) {
        for skill in skills::named(database, some).await? {
            export_skill(registry, &mut files, &skill, size).await?;
        }
    }
    let namespaces = names.iter().filter_map(|name| namespace_of(name));
    let namespaces: BTreeSet<Namespace> = namespaces.collect();
    for namespace in std::iter::once(None).chain(namespaces.iter().map(Some)) {
        let base = namespace.map_or_else(String::new, |each| format!("{each}/"));
        for (kind, path) in DOCUMENTS {
            let pieces = kind.of(namespace).pieces(database.clone(), url.to_owned());
            let whole: Vec<Bytes> = pieces.try_collect().await?;
            files.put(&format!("{base}{path}"), &whole.concat())?;
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

fn namespace_of(name: &str) -> Option<Namespace> {
    name.parse::<QualifiedName>().ok()?.namespace().cloned()
}

async fn export_skill(
    registry: &Registry,
    files: &mut Files,
    skill: &SkillRow,
    size: usize,
) -> Result<(), MaintenanceError> {
    let database = &registry.database;
    let Some(name) = skill.name.parse::<QualifiedName>().ok() else {
        return Ok(());
    };
    files.exported.skills += 1;
    for row in versions::of(database, &skill.name).await? {
        let version = row.version.to_string();
        let log = registry.log.read(database).await?;
        let place = log.place(row.sequence);
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
