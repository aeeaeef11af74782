//! What a registry said before: for those who are offline, and against one that takes words back.
//!
//! The index of a skill only ever grows. Whoever serves one without a version that was used, or
//! with another digest for it, replays the past or rewrites it; without a memory nobody would
//! notice. Only versions that were used are held against an index, because only those were proven:
//! a line that somebody made up once must not make the true index look false for good.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};
use skillyard_catalog::private_dir;
use skillyard_format::{Digest, QualifiedName};
use url::Url;

use super::{SkillSummary, VersionInfo};

/// Most summaries that are remembered of one registry.
const MOST: usize = 20_000;

/// What was seen of one registry.
#[derive(Debug, Clone)]
pub struct RegistryMemory {
    folder: PathBuf,
    /// What the time is, as RFC 3339 writes it.
    now: String,
}

/// The index of a skill as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenIndex {
    /// When, as RFC 3339 writes it.
    pub seen: String,
    /// The versions that were used.
    pub used: Vec<UsedVersion>,
    /// Its lines.
    pub text: Vec<u8>,
}

/// A version that was used once it was proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedVersion {
    /// The version.
    pub version: Version,
    /// The digest of its archive.
    pub digest: Digest,
    /// Who signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SeenIndexHead {
    seen: String,
    #[serde(default)]
    used: Vec<UsedVersion>,
}

/// A skill as a search showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenSkill {
    /// When, as RFC 3339 writes it.
    pub seen: String,
    /// What was said about it.
    #[serde(flatten)]
    pub summary: SkillSummary,
}

impl RegistryMemory {
    /// The memory of a registry, in a folder that belongs to all of them.
    pub fn new(folder: &Path, base: &Url, now: String) -> Self {
        let hex = Digest::of(base.as_str().trim_end_matches('/').as_bytes()).to_hex();
        Self {
            folder: folder.join(&hex[..16]),
            now,
        }
    }

    /// The index of a skill as it was last seen.
    pub fn index(&self, name: &QualifiedName) -> Option<SeenIndex> {
        remembered(&self.file(name))
    }

    /// Remembers the index of a skill, and that a version of it was used.
    pub(super) fn keep_index(
        &self,
        name: &QualifiedName,
        text: &[u8],
        version: &VersionInfo,
    ) -> io::Result<()> {
        let mut used = self
            .index(name)
            .map(|before| before.used)
            .unwrap_or_default();
        used.retain(|each| each.version != version.version);
        used.push(UsedVersion {
            version: version.version.clone(),
            digest: version.digest,
            signer: version.signer.clone(),
        });
        let head = SeenIndexHead {
            seen: self.now.clone(),
            used,
        };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(text);
        replace(&self.file(name), &bytes)
    }

    /// Every skill that a search ever showed, sorted by name.
    pub fn skills(&self) -> Vec<SeenSkill> {
        // A file that cannot be read is as good as none: it is only a memory.
        let bytes = fs::read(self.folder.join("skills.json")).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Every skill that was ever seen, be it in a search or in an index, sorted by name. An index
    /// says nothing of what a skill is for.
    pub fn known(&self) -> Vec<SeenSkill> {
        let mut all = self.skills();
        let names: BTreeSet<String> = all.iter().map(|each| each.summary.name.clone()).collect();
        let mut indexes = Vec::new();
        files(&self.folder.join("index"), &mut indexes);
        let read = indexes.iter().filter_map(|file| seen_in(file));
        all.extend(read.filter(|each| !names.contains(&each.summary.name)));
        all.sort_by(|a, b| a.summary.name.cmp(&b.summary.name));
        all
    }

    /// Remembers what a search showed.
    pub(super) fn keep_skills(&self, found: &[SkillSummary]) -> io::Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let mut all = self.skills();
        all.retain(|each| !found.iter().any(|new| new.name == each.summary.name));
        all.extend(found.iter().map(|summary| SeenSkill {
            seen: self.now.clone(),
            summary: summary.clone(),
        }));
        // The oldest go first.
        all.sort_by(|a, b| b.seen.cmp(&a.seen));
        all.truncate(MOST);
        all.sort_by(|a, b| a.summary.name.cmp(&b.summary.name));
        replace(&self.folder.join("skills.json"), &serde_json::to_vec(&all)?)
    }

    /// Forgets everything; whether there was something.
    pub fn forget(&self) -> io::Result<bool> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            other => other.map(|()| true),
        }
    }

    fn file(&self, name: &QualifiedName) -> PathBuf {
        let mut file = self.folder.join("index");
        file.extend(name.index_path());
        file
    }
}

fn remembered(file: &Path) -> Option<SeenIndex> {
    let bytes = fs::read(file).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let SeenIndexHead { seen, used } = serde_json::from_slice(&bytes[..end]).ok()?;
    Some(SeenIndex {
        seen,
        used,
        text: bytes[end + 1..].to_vec(),
    })
}

/// The files in a folder and below; what cannot be read is only a memory.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

/// What an index says of its skill: the newest version that was not withdrawn.
fn seen_in(file: &Path) -> Option<SeenSkill> {
    let SeenIndex { seen, text, .. } = remembered(file)?;
    let lines = text.split(|byte| *byte == b'\n');
    let versions = lines.filter_map(|line| serde_json::from_slice::<VersionInfo>(line).ok());
    let newest = versions
        .filter(|each| !each.yanked)
        .max_by(|a, b| a.version.cmp(&b.version))?;
    Some(SeenSkill {
        seen,
        summary: SkillSummary {
            name: newest.name,
            description: String::new(),
            version: newest.version.to_string(),
            author: None,
            publisher: newest.publisher,
            downloads: 0,
            download_url: None,
            license: None,
            tags: Vec::new(),
            has_scripts: false,
            signer: newest.signer,
            deprecated: newest.deprecated,
        },
    })
}

/// Replaces a file as a whole; many may do so at once, and the last one stays.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    private_dir::create(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(bytes)?;
    beside.persist(file)?;
    Ok(())
}

/// What is wrong with an index that differs from what was seen before, if anything is.
pub(super) fn taken_back(before: &[UsedVersion], now: &[VersionInfo]) -> Option<String> {
    before.iter().find_map(|old| {
        let new = now.iter().find(|new| new.version == old.version);
        let version = &old.version;
        match new {
            None => Some(format!(
                "it had the version {version} before and has it no more; an old copy may be replayed"
            )),
            Some(new) if new.digest != old.digest => Some(format!(
                "the version {version} was {} before and is {} now",
                old.digest, new.digest
            )),
            Some(new) if new.signer != old.signer => {
                Some(format!("the version {version} has another signer than before"))
            }
            Some(_) => None,
        }
    })
}
