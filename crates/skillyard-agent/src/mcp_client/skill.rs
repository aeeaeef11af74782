//! The skills that a server publishes (SEP-2640): listed without reading a file, verified by digest when
//! they are fetched.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use skillyard_format::name::SkillName;
use skillyard_format::skill::{offer, switch};
use skillyard_format::text::one_line;
use skillyard_format::{Digest, Document};
use unicode_normalization::UnicodeNormalization as _;

use super::config::McpLimits;
use super::connection::Connection;
use super::error::McpError;
use super::listing::size;

/// The capability of servers that publish skills, as a JSON pointer.
const CAPABILITY: &str = "/extensions/io.modelcontextprotocol~1skills";
const SKILL_FILE: &str = "SKILL.md";
const SCHEME: &str = "skill://";
/// Bytes of a file's path.
const MAX_PATH: usize = 512;

/// The skills of a server.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    /// The skills whose files can be verified.
    pub skills: Vec<PublishedSkill>,
    /// The entries that are not usable.
    pub rejected: Vec<Rejected>,
}

/// An entry that is not usable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its URI, shortened.
    pub uri: String,
    /// The reason.
    pub reason: String,
}

/// A skill that a server publishes.
#[derive(Debug, Clone)]
pub struct PublishedSkill {
    /// The configured name of the server.
    pub server: String,
    /// The URI of its `SKILL.md`.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its description.
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
    /// The files, sorted by path.
    pub files: BTreeMap<String, PublishedFile>,
}

/// A file as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFile {
    /// Its path in the skill.
    pub path: String,
    /// Its URI.
    pub uri: String,
    /// The digest that it must have.
    pub digest: Digest,
    /// The size that it must have.
    pub size: u64,
}

impl Skills {
    /// Lists the skills of a server that publishes skills.
    pub(super) fn list(
        connection: &Connection,
        server: &str,
        cancel: &AtomicBool,
    ) -> Result<Self, McpError> {
        let mut found = Self::default();
        if !connection.can(CAPABILITY) {
            return Ok(found);
        }
        let most = connection.limits().skills;
        let listed = connection.list("skills/list", "skills", most, cancel)?;
        let mut names = HashSet::new();
        for entry in listed.entries {
            let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
            let uri: String = one_line(uri).chars().take(200).collect();
            match PublishedSkill::parse(server, &entry, connection.limits()) {
                Ok(skill) if !names.insert(skill.name.clone()) => {
                    let reason = format!("the server has two skills named `{}`", skill.name);
                    found.rejected.push(Rejected { uri, reason });
                }
                Ok(skill) => found.skills.push(skill),
                Err(reason) => found.rejected.push(Rejected { uri, reason }),
            }
        }
        found.rejected.extend(listed.cut.map(|reason| Rejected {
            uri: "…".into(),
            reason,
        }));
        Ok(found)
    }
}

impl PublishedSkill {
    /// Parses an entry of a list and returns the reason if it is not usable.
    pub fn parse(server: &str, entry: &Value, limits: &McpLimits) -> Result<Self, String> {
        parse_entry(server, entry, limits)
    }

    /// Its qualified name, which no local skill can have.
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.server, self.name)
    }

    /// The text of the catalog: its description and `when_to_use`.
    pub fn offer(&self) -> Cow<'_, str> {
        let when = self.frontmatter.get("when_to_use");
        offer(&self.description, when.and_then(Value::as_str))
    }

    /// Whether models may activate it, as its frontmatter says.
    pub fn is_model_invocable(&self) -> bool {
        // An invalid value disables it for models, as it does in local files.
        let is_on = |value: &Value| match value {
            Value::String(text) => switch(text).unwrap_or(true),
            value => switch(&value.to_string()).unwrap_or(true),
        };
        let metadata = self.frontmatter.get("metadata");
        let metadata = metadata.and_then(|it| it.get("skillyard.disable-model-invocation"));
        let own = self.frontmatter.get("disable-model-invocation");
        !own.into_iter().chain(metadata).any(is_on)
    }

    /// The digest of its listing.
    pub fn fingerprint(&self) -> Digest {
        let files = self.manifest.files.values();
        let lines = files.map(|file| format!("{} {} {}\n", file.digest, file.size, file.path));
        let head = format!("{}\n{}\n", self.server, self.uri);
        Digest::of((head + &lines.collect::<String>()).as_bytes())
    }

    /// Reads every file and rejects those that differ from the listing.
    pub(super) fn fetch(
        &self,
        connection: &Connection,
        cancel: &AtomicBool,
    ) -> Result<Vec<(PublishedFile, Vec<u8>)>, McpError> {
        let mut files = Vec::new();
        for file in self.manifest.files.values() {
            let bytes = read_file(connection, file, cancel)?;
            if file.path == SKILL_FILE {
                self.verify_frontmatter(file, &bytes)?;
            }
            files.push((file.clone(), bytes));
        }
        Ok(files)
    }

    /// Compares the frontmatter with the listed one.
    fn verify_frontmatter(&self, file: &PublishedFile, bytes: &[u8]) -> Result<(), McpError> {
        let document = Document::parse(bytes);
        let written = document
            .mapping()
            .map(skillyard_format::yaml::Mapping::to_json);
        let listed = Value::Object(self.frontmatter.clone());
        if !written.is_some_and(|written| is_equivalent(&Value::Object(written), &listed)) {
            return Err(McpError::Unverified {
                uri: file.uri.clone(),
                problem: "its frontmatter differs".into(),
            });
        }
        Ok(())
    }
}

fn read_file(
    connection: &Connection,
    file: &PublishedFile,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, McpError> {
    let not = |problem: &str| McpError::Unverified {
        uri: file.uri.clone(),
        problem: problem.to_owned(),
    };
    let answer = connection.request("resources/read", json!({ "uri": file.uri }), cancel)?;
    let contents = answer.get("contents").and_then(Value::as_array);
    let same = |each: &&Value| each.get("uri").and_then(Value::as_str) == Some(&file.uri);
    let content = contents.and_then(|all| all.iter().find(same));
    let content = content.ok_or_else(|| not("it was not given"))?;
    let bytes = match (content.get("text"), content.get("blob")) {
        (Some(Value::String(text)), None) => text.as_bytes().to_vec(),
        (None, Some(Value::String(blob))) => BASE64_STANDARD
            .decode(blob)
            .map_err(|_| not("it is not valid Base64"))?,
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

/// Whether two values are equal up to the types of scalars: one YAML reader takes `1.0` for a number,
/// another for a text.
fn is_equivalent(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, value): (&String, &Value)| {
                b.get(key).is_some_and(|other| is_equivalent(value, other))
            };
            a.len() == b.len() && a.iter().all(same)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equivalent(a, b))
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

/// Checks an entry of the list and returns the reason if it is not usable.
fn parse_entry(server: &str, entry: &Value, limits: &McpLimits) -> Result<PublishedSkill, String> {
    if size(entry) > limits.entry {
        return Err(format!("its entry has more than {} bytes", limits.entry));
    }
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
    let name =
        SkillName::new(name).map_err(|problem| format!("its name cannot be used: {problem}"))?;
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

fn manifest(root: &str, listed: Option<&Value>, limits: &McpLimits) -> Result<Manifest, String> {
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
        // A file system may treat such names as one file.
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

/// Whether a path stays inside the folder of the skill.
fn is_safe(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..");
    path.len() <= MAX_PATH
        && !path.contains(|c: char| c == '\\' || c.is_control())
        && path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_is_compared_by_meaning() {
        assert!(is_equivalent(
            &json!({ "a": "1.0", "b": [true] }),
            &json!({ "b": ["true"], "a": 1.0 })
        ));
        assert!(!is_equivalent(
            &json!({ "a": "x" }),
            &json!({ "a": "x", "allowed-tools": "Bash" })
        ));
        assert!(!is_equivalent(&json!({ "a": "x" }), &json!({ "a": "y" })));
    }

    #[test]
    fn paths_outside_the_skill_are_rejected() {
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
}
