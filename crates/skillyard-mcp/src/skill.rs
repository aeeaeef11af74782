//! The skills that a server publishes (SEP-2640): listed without a read, believed file by file.

mod entry;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use skillyard_format::skill::{offer, switch};
use skillyard_format::text::one_line;
use skillyard_format::{Digest, Document};

use entry::published;

use crate::connection::Connection;
use crate::error::McpError;
use crate::limits::Limits;

const EXTENSION: &str = "/extensions/io.modelcontextprotocol~1skills";
const SKILL_FILE: &str = "SKILL.md";

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
        for entry in listed.entries {
            let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
            let uri: String = one_line(uri).chars().take(200).collect();
            match PublishedSkill::of(server, &entry, connection.limits()) {
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
    /// Understands an entry of a list, or says why it cannot be used.
    pub fn of(server: &str, entry: &Value, limits: &Limits) -> Result<Self, String> {
        published(server, entry, limits)
    }

    /// The name under which it is known here: never that of a skill of this machine.
    pub fn known_as(&self) -> String {
        format!("{}:{}", self.server, self.name)
    }

    /// What models are told of it: its description, and when to use it where its frontmatter says so.
    pub fn offer(&self) -> Cow<'_, str> {
        let when = self.frontmatter.get("when_to_use");
        offer(&self.description, when.and_then(Value::as_str))
    }

    /// Whether models may choose it by themselves, as its frontmatter says.
    pub fn is_model_invocable(&self) -> bool {
        // What cannot be read keeps models away, as it does in files of this machine.
        let is_on = |value: &Value| match value {
            Value::String(text) => switch(text).unwrap_or(true),
            value => switch(&value.to_string()).unwrap_or(true),
        };
        let metadata = self.frontmatter.get("metadata");
        let metadata = metadata.and_then(|it| it.get("skillyard.disable-model-invocation"));
        let own = self.frontmatter.get("disable-model-invocation");
        !own.into_iter().chain(metadata).any(is_on)
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

#[cfg(test)]
mod tests {
    use super::*;

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
