//! The skills that a server publishes (SEP-2640): listed without a read, believed file by file.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use skillyard_format::render::one_line;
use skillyard_format::{Digest, Document};
use unicode_normalization::UnicodeNormalization as _;

use crate::connection::Connection;
use crate::error::McpError;
use crate::limits::Limits;

const EXTENSION: &str = "/extensions/io.modelcontextprotocol~1skills";
const SCHEME: &str = "skill://";
const SKILL_FILE: &str = "SKILL.md";
/// The longest path of a file.
const LONGEST_PATH: usize = 512;

/// The skills of a server.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    /// Those that can be checked.
    pub skills: Vec<PublishedSkill>,
    /// Those that cannot be used, and why.
    pub rejected: Vec<Rejected>,
}

/// A skill that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its address, shortened.
    pub uri: String,
    /// Why.
    pub reason: String,
}

/// A skill that a server publishes.
#[derive(Debug, Clone)]
pub struct PublishedSkill {
    /// The server's name here.
    pub server: String,
    /// The address of its `SKILL.md`.
    pub uri: String,
    /// Its own name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its frontmatter, as listed.
    pub frontmatter: Map<String, Value>,
    /// Its files.
    pub manifest: Manifest,
    /// The whole entry, as listed.
    pub entry: Value,
}

/// The files of a skill, by their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The files, in the order of their paths.
    pub files: BTreeMap<String, PublishedFile>,
}

/// A file as it was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFile {
    /// Its path in the skill.
    pub path: String,
    /// Its address.
    pub uri: String,
    /// What it must consist of.
    pub digest: Digest,
    /// How large it must be.
    pub size: u64,
}

impl Skills {
    /// What a server lists; nobody who does not publish skills is asked for any.
    pub(crate) fn list(
        connection: &Connection,
        server: &str,
        cancel: &AtomicBool,
    ) -> Result<Self, McpError> {
        let mut found = Self::default();
        if !connection.can(EXTENSION) {
            return Ok(found);
        }
        let most = connection.limits().skills;
        let listed = connection.list("skills/list", "skills", most, cancel)?;
        let mut names = HashSet::new();
        for entry in listed {
            let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
            let uri: String = one_line(uri).chars().take(200).collect();
            let skill = if found.skills.len() >= most {
                Err(format!("only the first {most} skills are used"))
            } else {
                PublishedSkill::of(server, &entry, connection.limits())
            };
            match skill {
                Ok(skill) if !names.insert(skill.name.clone()) => {
                    let reason = format!("the server has two skills named `{}`", skill.name);
                    found.rejected.push(Rejected { uri, reason });
                }
                Ok(skill) => found.skills.push(skill),
                Err(reason) => found.rejected.push(Rejected { uri, reason }),
            }
        }
        Ok(found)
    }
}

impl PublishedSkill {
    /// Understands an entry of a list, or says why it cannot be used.
    pub fn of(server: &str, entry: &Value, limits: &Limits) -> Result<Self, String> {
        published(server, entry, limits)
    }

    /// The name under which it is known here: never that of a skill of this machine.
    pub fn known_as(&self) -> String {
        format!("{}:{}", self.server, self.name)
    }

    /// What it consists of, as listed: another digest means another skill.
    pub fn fingerprint(&self) -> Digest {
        let files = self.manifest.files.values();
        let lines = files.map(|file| format!("{} {} {}\n", file.digest, file.size, file.path));
        let head = format!("{}\n{}\n", self.server, self.uri);
        Digest::of((head + &lines.collect::<String>()).as_bytes())
    }

    /// Reads every file, and believes none that is not what was listed.
    pub(crate) fn fetch(
        &self,
        connection: &Connection,
        cancel: &AtomicBool,
    ) -> Result<Vec<(PublishedFile, Vec<u8>)>, McpError> {
        let mut files = Vec::new();
        for file in self.manifest.files.values() {
            let bytes = read(connection, file, cancel)?;
            if file.path == SKILL_FILE {
                self.compare(file, &bytes)?;
            }
            files.push((file.clone(), bytes));
        }
        Ok(files)
    }

    /// What was listed as the frontmatter must be the frontmatter.
    fn compare(&self, file: &PublishedFile, bytes: &[u8]) -> Result<(), McpError> {
        let document = Document::parse(bytes);
        let written = document
            .mapping()
            .map(skillyard_format::yaml::Mapping::to_json);
        let listed = Value::Object(self.frontmatter.clone());
        if !written.is_some_and(|written| is_alike(&Value::Object(written), &listed)) {
            return Err(McpError::Unverified {
                uri: file.uri.clone(),
                problem: "its frontmatter differs".into(),
            });
        }
        Ok(())
    }
}

fn read(
    connection: &Connection,
    file: &PublishedFile,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, McpError> {
    let not = |problem: &str| McpError::Unverified {
        uri: file.uri.clone(),
        problem: problem.to_owned(),
    };
    let answer = connection.ask("resources/read", json!({ "uri": file.uri }), cancel)?;
    let contents = answer.get("contents").and_then(Value::as_array);
    let same = |each: &&Value| each.get("uri").and_then(Value::as_str) == Some(&file.uri);
    let content = contents.and_then(|all| all.iter().find(same));
    let content = content.ok_or_else(|| not("it was not given"))?;
    let bytes = match (content.get("text"), content.get("blob")) {
        (Some(Value::String(text)), None) => text.as_bytes().to_vec(),
        (None, Some(Value::String(blob))) => BASE64_STANDARD
            .decode(blob)
            .map_err(|_| not("it is no Base64"))?,
        _ => return Err(not("it is neither text nor bytes")),
    };
    if bytes.len() as u64 != file.size {
        return Err(not("its size differs"));
    }
    if Digest::of(&bytes) != file.digest {
        return Err(not("its digest differs"));
    }
    Ok(bytes)
}

fn published(server: &str, entry: &Value, limits: &Limits) -> Result<PublishedSkill, String> {
    let uri = entry.get("uri").and_then(Value::as_str);
    let uri = uri.ok_or("it has no address")?;
    let root = uri
        .strip_suffix(&format!("/{SKILL_FILE}"))
        .filter(|root| root.starts_with(SCHEME))
        .ok_or("its address is not that of a `SKILL.md`")?;
    let Some(Value::Object(frontmatter)) = entry.get("frontmatter") else {
        return Err("it has no frontmatter".into());
    };
    let text = |key: &str| frontmatter.get(key).and_then(Value::as_str);
    let name = text("name").ok_or("it has no name")?;
    let name = skillyard_format::name::SkillName::new(name)
        .map_err(|problem| format!("its name cannot be used: {problem}"))?;
    let last = root.rsplit('/').next().unwrap_or_default();
    if percent_decode_str(last).decode_utf8_lossy() != name.as_str() {
        return Err("its address ends with another name".into());
    }
    let description = text("description").filter(|text| !text.trim().is_empty());
    let description = description.ok_or("it has no description")?;
    let manifest = manifest(root, entry.get("resources"), limits)?;
    Ok(PublishedSkill {
        server: server.to_owned(),
        uri: uri.to_owned(),
        name: name.as_str().to_owned(),
        description: description.chars().take(1_024).collect(),
        frontmatter: frontmatter.clone(),
        manifest,
        entry: entry.clone(),
    })
}

fn manifest(root: &str, listed: Option<&Value>, limits: &Limits) -> Result<Manifest, String> {
    let listed = match listed {
        Some(Value::Array(listed)) => listed,
        Some(Value::String(word)) if word == "dynamic" => {
            return Err("its files are not listed, so they cannot be checked".into());
        }
        _ => return Err("its files are not listed".into()),
    };
    if listed.len() > limits.files {
        return Err(format!("it has more than {} files", limits.files));
    }
    let (mut files, mut folded, mut total) = (BTreeMap::new(), HashSet::new(), 0u64);
    for entry in listed {
        let file = file(root, entry)?;
        total = total.saturating_add(file.size);
        // Names that a file system takes for one are two files that overwrite each other.
        if !folded.insert(file.path.nfc().collect::<String>().to_lowercase()) {
            return Err(format!("`{}` is there twice", one_line(&file.path)));
        }
        files.insert(file.path.clone(), file);
    }
    if total > limits.skill_bytes {
        return Err(format!(
            "its files have more than {} bytes",
            limits.skill_bytes
        ));
    }
    if !files.contains_key(SKILL_FILE) {
        return Err("its `SKILL.md` is not listed".into());
    }
    Ok(Manifest { files })
}

fn file(root: &str, entry: &Value) -> Result<PublishedFile, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let uri = text("uri");
    let outside = || format!("`{}` is not in the skill", one_line(uri));
    let below = uri
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    let below = below
        .filter(|below| !below.contains(['?', '#']))
        .ok_or_else(outside)?;
    let path = percent_decode_str(below)
        .decode_utf8()
        .map_err(|_| outside())?;
    if !is_safe(&path) {
        return Err(outside());
    }
    let digest = text("digest")
        .parse()
        .map_err(|_| format!("`{}` has no SHA-256", one_line(&path)))?;
    let size = entry.get("size").and_then(Value::as_u64);
    let size = size.ok_or_else(|| format!("`{}` has no size", one_line(&path)))?;
    Ok(PublishedFile {
        path: path.into_owned(),
        uri: uri.to_owned(),
        digest,
        size,
    })
}

/// Whether two values are the same, although one reader takes `1.0` for a number and another for
/// a text.
fn is_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, value): (&String, &Value)| {
                b.get(key).is_some_and(|other| is_alike(value, other))
            };
            a.len() == b.len() && a.iter().all(same)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_alike(a, b))
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        _ => plain(a) == plain(b),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Whether a path stays where it is put.
fn is_safe(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..");
    path.len() <= LONGEST_PATH
        && !path.contains(|c: char| c == '\\' || c.is_control())
        && path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_skill_are_refused() {
        let entry = |uri: &str| {
            let digest = format!("sha256:{}", "a".repeat(64));
            file(
                "skill://x/pdf",
                &json!({ "uri": uri, "digest": digest, "size": 1 }),
            )
        };
        assert_eq!(entry("skill://x/pdf/a%20b/c.md").unwrap().path, "a b/c.md");
        for uri in [
            "skill://x/pdf/../evil",
            "skill://x/pdf/%2e%2e/evil",
            "skill://x/pdf//etc/passwd",
            "skill://x/pdf/%2fetc/passwd",
            "skill://x/pdf/a%5cb",
            "skill://x/pdf/a%00b",
            "skill://x/pdf/a?b",
            "skill://x/pdfs/a",
            "skill://x/pdf",
            "skill://x/pdf/",
            "file:///etc/passwd",
        ] {
            assert!(entry(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn frontmatter_is_compared_by_what_it_says() {
        assert!(is_alike(
            &json!({ "a": "1.0", "b": [true] }),
            &json!({ "b": ["true"], "a": 1.0 })
        ));
        assert!(!is_alike(
            &json!({ "a": "x" }),
            &json!({ "a": "x", "allowed-tools": "Bash" })
        ));
        assert!(!is_alike(&json!({ "a": "x" }), &json!({ "a": "y" })));
    }
}
