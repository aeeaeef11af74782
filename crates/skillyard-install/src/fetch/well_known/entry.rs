//! One entry of an index, read from hostile JSON.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;
use skillyard_format::{Digest, SkillName};
use url::Url;

use super::index::{Artifact, FileEntry, IndexEntry, IndexVersion};
use crate::fetch::below;
use crate::reference::shown::{shown, shown_url};
use crate::reference::{Nearness, SubPath, is_loopback};

/// The most files a skill may have.
const MAX_FILES: usize = 1000;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 1024;

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

/// A field that is text, else nothing.
pub(super) fn text_field<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Reads an entry, or says why it cannot be used.
pub(super) fn read(
    index: &Url,
    version: IndexVersion,
    value: &Value,
) -> Result<IndexEntry, String> {
    let name = text_field(value, "name");
    let name =
        SkillName::new(name).map_err(|problem| format!("its name is not valid: {problem}"))?;
    if name.is_disguised() {
        return Err("its name is not ASCII and may look like another".to_owned());
    }
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
            Some(url.origin().ascii_serialization())
        }
        _ => None,
    };
    Ok(IndexEntry {
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
    } else if Nearness::of(&url) == Nearness::Here && !is_loopback(index) {
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
