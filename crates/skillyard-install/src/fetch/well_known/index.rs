//! The index of a site, read from hostile JSON.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use skillyard_format::nearest::nearest;
use skillyard_format::{Digest, SkillName};
use url::Url;

use super::error::WellKnownError;
use crate::fetch::below;
use crate::fetch::http::Body;
use crate::reference::shown::{shown, shown_url};
use crate::reference::{SubPath, is_loopback};

/// The format of version 0.2.0.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// The most entries an index may have.
const MAX_ENTRIES: usize = 10_000;
/// The most files a skill may have.
const MAX_FILES: usize = 1000;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 1024;

/// The skills that a site lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Where the index came from in the end.
    pub url: Url,
    /// Its format.
    pub version: IndexVersion,
    /// The skills, in the order of the site.
    pub skills: Vec<Entry>,
    /// What is listed but cannot be used.
    pub skipped: Vec<Skipped>,
}

/// A format of indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexVersion {
    /// Lists of files, without digests.
    V0_1,
    /// One SKILL.md or archive each, with its digest.
    V0_2,
}

/// A skill that a site lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: SkillName,
    /// What the site says about it.
    pub description: String,
    /// How it is fetched.
    pub artifact: Artifact,
    /// The host it is on, if that is not the index's.
    pub foreign_host: Option<String>,
}

/// How a skill is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Artifact {
    /// A SKILL.md and nothing else.
    SkillFile {
        /// Where it is.
        url: Url,
        /// Its digest.
        digest: Digest,
    },
    /// An archive with SKILL.md at its root.
    Archive {
        /// Where it is.
        url: Url,
        /// Its digest.
        digest: Digest,
    },
    /// Files, one by one.
    Files(Vec<FileEntry>),
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in the skill.
    pub path: SubPath,
    /// Where it is.
    pub url: Url,
    /// Its digest, where the index has it.
    pub digest: Option<Digest>,
}

/// An entry that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The name, as far as there is one.
    pub name: String,
    /// Why.
    pub reason: String,
}

#[derive(Deserialize)]
struct WireIndex {
    #[serde(rename = "$schema")]
    schema: Option<String>,
    skills: Vec<Value>,
}

#[derive(Deserialize)]
struct WireArtifact {
    r#type: String,
    url: String,
    digest: String,
}

#[derive(Deserialize)]
struct WireFiles {
    files: Vec<WireFile>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireFile {
    Path(String),
    /// As a draft between the two versions had it.
    Digested {
        path: String,
        digest: String,
    },
}

impl Index {
    /// The entry of a name.
    pub fn find(&self, name: &SkillName) -> Result<&Entry, WellKnownError> {
        if let Some(entry) = self.skills.iter().find(|entry| entry.name == *name) {
            return Ok(entry);
        }
        if let Some(skipped) = self
            .skipped
            .iter()
            .find(|skipped| skipped.name == name.as_str())
        {
            return Err(WellKnownError::Skipped {
                name: skipped.name.clone(),
                reason: skipped.reason.clone(),
            });
        }
        let names = self.skills.iter().map(|entry| entry.name.as_str());
        Err(WellKnownError::NoSuchSkill {
            url: shown_url(&self.url),
            name: name.to_string(),
            nearest: nearest(name.as_str(), names).map(str::to_owned),
        })
    }

    pub(super) fn parse(body: &Body) -> Result<Self, WellKnownError> {
        let wire: WireIndex = body.json()?;
        let version = version(&body.url, wire.schema.as_deref())?;
        if wire.skills.len() > MAX_ENTRIES {
            return Err(WellKnownError::Malformed {
                url: shown_url(&body.url),
                problem: format!(
                    "it has {} entries, and at most {MAX_ENTRIES} are allowed",
                    wire.skills.len()
                ),
            });
        }
        // What follows `?` may be a secret, and no address is relative to it.
        let mut url = body.url.clone();
        url.set_query(None);
        let mut index = Self {
            url,
            version,
            skills: Vec::new(),
            skipped: Vec::new(),
        };
        for value in wire.skills {
            match entry(&index.url, version, &value) {
                Ok(entry) => index.skills.push(entry),
                Err(reason) => index.skipped.push(Skipped {
                    name: shown(text_field(&value, "name")),
                    reason,
                }),
            }
        }
        index.skip_repeated();
        Ok(index)
    }

    /// Two entries of one name could be two skills, so neither is taken.
    fn skip_repeated(&mut self) {
        let mut counts: HashMap<SkillName, usize> = HashMap::new();
        for entry in &self.skills {
            *counts.entry(entry.name.clone()).or_default() += 1;
        }
        self.skills.retain(|entry| counts[&entry.name] == 1);
        let mut repeated: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
        repeated.sort();
        self.skipped
            .extend(repeated.into_iter().map(|(name, count)| Skipped {
                name: name.to_string(),
                reason: format!("it is listed {count} times"),
            }));
    }
}

/// Without a schema it is the first version, whatever else it says.
fn version(url: &Url, schema: Option<&str>) -> Result<IndexVersion, WellKnownError> {
    match schema {
        Some(SCHEMA) => Ok(IndexVersion::V0_2),
        None => Ok(IndexVersion::V0_1),
        Some(unknown) => Err(WellKnownError::UnknownSchema {
            url: shown_url(url),
            schema: shown(unknown),
        }),
    }
}

fn text_field<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn entry(index: &Url, version: IndexVersion, value: &Value) -> Result<Entry, String> {
    let name = text_field(value, "name");
    if !name.is_ascii() {
        return Err("its name is not ASCII and may look like another".to_owned());
    }
    let name =
        SkillName::new(name).map_err(|problem| format!("its name is not valid: {problem}"))?;
    let description = text_field(value, "description")
        .chars()
        .take(MAX_DESCRIPTION)
        .collect();
    let artifact = match version {
        IndexVersion::V0_1 => files(index, &name, value)?,
        IndexVersion::V0_2 => artifact(index, value)?,
    };
    let foreign_host = match &artifact {
        Artifact::SkillFile { url, .. } | Artifact::Archive { url, .. }
            if url.origin() != index.origin() =>
        {
            url.host_str().map(str::to_owned)
        }
        _ => None,
    };
    Ok(Entry {
        name,
        description,
        artifact,
        foreign_host,
    })
}

fn artifact(index: &Url, value: &Value) -> Result<Artifact, String> {
    let wire = WireArtifact::deserialize(value).map_err(|error| shown(&error.to_string()))?;
    let digest: Digest = wire.digest.parse().map_err(|error| format!("{error}"))?;
    let url = artifact_url(index, &wire.url)?;
    match wire.r#type.as_str() {
        "skill-md" => Ok(Artifact::SkillFile { url, digest }),
        "archive" => Ok(Artifact::Archive { url, digest }),
        unknown => Err(format!("its type `{}` is not known", shown(unknown))),
    }
}

fn artifact_url(index: &Url, text: &str) -> Result<Url, String> {
    let url = index
        .join(text)
        .map_err(|error| format!("its address `{}` is not valid: {error}", shown(text)))?;
    let problem = if !matches!(url.scheme(), "https" | "http")
        || (index.scheme() == "https" && url.scheme() == "http")
    {
        "is not on https"
    } else if is_loopback(&url) && !is_loopback(index) {
        "is on this machine"
    } else if !url.username().is_empty() || url.password().is_some() {
        "names a user"
    } else {
        return Ok(url);
    };
    Err(format!("its address `{}` {problem}", shown_url(&url)))
}

fn files(index: &Url, name: &SkillName, value: &Value) -> Result<Artifact, String> {
    let wire = WireFiles::deserialize(value).map_err(|error| shown(&error.to_string()))?;
    if wire.files.len() > MAX_FILES {
        return Err(format!(
            "it has {} files, and at most {MAX_FILES} are allowed",
            wire.files.len()
        ));
    }
    let folder = skill_folder(index, name);
    let mut files = Vec::new();
    for file in wire.files {
        let (path, digest) = match file {
            WireFile::Path(path) => (path, None),
            WireFile::Digested { path, digest } => (path, Some(digest)),
        };
        let path = SubPath::new(&path).map_err(|error| error.to_string())?;
        let digest = digest
            .map(|digest| digest.parse().map_err(|error| format!("{error}")))
            .transpose()?;
        let parts: Vec<&str> = path.as_str().split('/').collect();
        let url = below(&folder, &parts);
        files.push(FileEntry { path, url, digest });
    }
    check_paths(&files)?;
    Ok(Artifact::Files(files))
}

/// The folder of a skill, which is next to the index.
fn skill_folder(index: &Url, name: &SkillName) -> Url {
    let mut folder = index.clone();
    if let Ok(mut path) = folder.path_segments_mut() {
        path.pop().push(name.as_str());
    }
    folder
}

/// There must be a SKILL.md, and no two files in one place on any system.
fn check_paths(files: &[FileEntry]) -> Result<(), String> {
    if !files.iter().any(|file| file.path.as_str() == "SKILL.md") {
        return Err("it has no SKILL.md".to_owned());
    }
    let lower = |path: &SubPath| path.as_str().to_lowercase();
    let mut taken = HashSet::new();
    for file in files {
        if !taken.insert(lower(&file.path)) {
            return Err(format!("`{}` is listed twice", shown(file.path.as_str())));
        }
    }
    for file in files {
        let path = lower(&file.path);
        let inside = path
            .match_indices('/')
            .find(|(at, _)| taken.contains(&path[..*at]));
        if inside.is_some() {
            return Err(format!("`{}` is inside a file", shown(file.path.as_str())));
        }
    }
    Ok(())
}
