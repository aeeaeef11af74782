//! What a skill says about its own scripts, in the `sandbox-…` words of its `metadata`.
//!
//! A skill can only ask for less than the policy grants. Values that are not understood are reported, and
//! count as a restriction where the author clearly meant one.

use std::time::Duration;

use serde_json::{Map, Value as Json};

use crate::text::nearest;

/// What all keys begin with.
const PREFIX: &str = "sandbox-";
/// The keys that there are.
const KEYS: [&str; 4] = [TIMEOUT, MEMORY, NETWORK, WORKSPACE];
const TIMEOUT: &str = "sandbox-timeout";
const MEMORY: &str = "sandbox-memory";
const NETWORK: &str = "sandbox-network";
const WORKSPACE: &str = "sandbox-workspace";

/// What a skill asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRequest {
    /// The time that is enough.
    pub timeout: Option<Duration>,
    /// The memory that is enough, in megabytes.
    pub memory: Option<u64>,
    /// The hosts that are enough; the network is not needed if there are none.
    pub hosts: Option<Vec<String>>,
    /// The use of the workspace that is enough.
    pub workspace: Option<WorkspaceRequest>,
    /// What was not understood, one sentence each.
    pub unread: Vec<String>,
}

/// How much of a workspace a script needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceRequest {
    /// Nothing.
    None,
    /// To read it.
    Read,
}

impl SandboxRequest {
    /// Reads all words of a `metadata`.
    pub fn of(metadata: &Map<String, Json>) -> Self {
        let mut wish = Self::default();
        for (key, value) in metadata {
            wish.take(key, value);
        }
        wish
    }

    /// Takes one entry of a `metadata`; most are about other things.
    pub fn take(&mut self, key: &str, value: &Json) {
        if !key.starts_with(PREFIX) {
            return;
        }
        let words = words(value);
        match key {
            TIMEOUT => match words.first().and_then(|text| seconds(text)) {
                Some(seconds) => self.timeout = Some(Duration::from_secs(seconds)),
                None => self.wrong(key, value, "seconds, such as \"10\""),
            },
            MEMORY => match words.first().and_then(|text| megabytes(text)) {
                Some(megabytes) => self.memory = Some(megabytes),
                None => self.wrong(key, value, "megabytes, such as \"256\""),
            },
            NETWORK => self.network(value, &words),
            WORKSPACE => match words.first().map_or("", |word| word) {
                word if is_none(word) => self.workspace = Some(WorkspaceRequest::None),
                "read" | "read-only" | "readonly" | "ro" => {
                    self.workspace = Some(WorkspaceRequest::Read);
                }
                "write" | "read-write" | "rw" => {}
                _ => {
                    self.workspace = Some(WorkspaceRequest::Read);
                    self.wrong(key, value, "`none` or `read`, so it counts as `read`");
                }
            },
            _ => {
                let meant = nearest(key, KEYS);
                let meant = meant.map_or_else(
                    || format!("there are `{}`", KEYS.join("`, `")),
                    |meant| format!("did you mean `{meant}`?"),
                );
                self.unread.push(format!("`{key}` is not known: {meant}"));
            }
        }
    }

    fn network(&mut self, value: &Json, words: &[String]) {
        let named: Vec<String> = words
            .iter()
            .flat_map(|text| text.split([' ', ',']))
            .filter(|word| !word.is_empty() && !is_none(word))
            .map(str::to_owned)
            .collect();
        let (hosts, others): (Vec<String>, Vec<String>) =
            named.into_iter().partition(|word| is_host(word));
        if words.is_empty() || !others.is_empty() {
            self.wrong(NETWORK, value, "`none` or hosts with blanks between them");
        }
        self.hosts = Some(hosts);
    }

    fn wrong(&mut self, key: &str, value: &Json, expected: &str) {
        let value = match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let told = format!("`{key}: {value}` is not understood: it must be {expected}");
        self.unread.push(told);
    }
}

/// The words of a value, in lower case: a text, or a list of texts.
fn words(value: &Json) -> Vec<String> {
    let lower = |text: &str| text.trim().to_lowercase();
    match value {
        Json::String(text) => vec![lower(text)],
        Json::Number(number) => vec![number.to_string()],
        Json::Bool(false) => vec!["none".to_owned()],
        Json::Array(items) => items.iter().filter_map(Json::as_str).map(lower).collect(),
        _ => Vec::new(),
    }
}

fn is_none(word: &str) -> bool {
    matches!(word, "none" | "no" | "off" | "false")
}

/// Whether a word can be a host; `full` and `all` cannot.
fn is_host(word: &str) -> bool {
    word == "localhost" || word.contains(['.', ':'])
}

fn seconds(text: &str) -> Option<u64> {
    scaled(
        text,
        &[
            ("minutes", 60),
            ("min", 60),
            ("m", 60),
            ("seconds", 1),
            ("sec", 1),
            ("s", 1),
        ],
    )
}

fn megabytes(text: &str) -> Option<u64> {
    scaled(
        text,
        &[
            ("gib", 1024),
            ("gb", 1024),
            ("g", 1024),
            ("mib", 1),
            ("mb", 1),
            ("m", 1),
        ],
    )
}

/// A whole number above 0, with one of these units or with none.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let mut units = units.iter();
    let unit = units.find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((text, 1));
    let number = number.trim_end().parse::<u64>().ok()?;
    Some(number.saturating_mul(factor)).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wish(metadata: &Json) -> SandboxRequest {
        SandboxRequest::of(metadata.as_object().unwrap())
    }

    #[test]
    fn what_is_clear_is_taken() {
        let wish = wish(&json!({
            "sandbox-timeout": "10s", "sandbox-memory": "1 GB", "sandbox-network": "None",
            "sandbox-workspace": "Read-Only", "author": "sandbox-tester",
        }));
        let expected = SandboxRequest {
            timeout: Some(Duration::from_secs(10)),
            memory: Some(1024),
            hosts: Some(Vec::new()),
            workspace: Some(WorkspaceRequest::Read),
            unread: Vec::new(),
        };
        assert_eq!(wish, expected);
    }

    #[test]
    fn plain_words_and_lists() {
        let wish = wish(&json!({
            "sandbox-timeout": 90, "sandbox-memory": "256MB", "sandbox-workspace": false,
            "sandbox-network": ["a.example", "*.b.example:443"],
        }));
        assert_eq!(wish.timeout, Some(Duration::from_secs(90)));
        assert_eq!(wish.memory, Some(256));
        assert_eq!(wish.workspace, Some(WorkspaceRequest::None));
        assert_eq!(wish.hosts.unwrap(), ["a.example", "*.b.example:443"]);
        assert!(wish.unread.is_empty(), "{:?}", wish.unread);
    }

    #[test]
    fn what_is_not_understood_is_told_and_widens_nothing() {
        let wish = wish(&json!({
            "sandbox-memory": [], "sandbox-network": "full", "sandbox-netwrk": "none",
            "sandbox-timeout": "-1", "sandbox-workspace": "look",
        }));
        assert_eq!((wish.timeout, wish.memory), (None, None));
        assert_eq!(wish.hosts, Some(Vec::new()));
        assert_eq!(wish.workspace, Some(WorkspaceRequest::Read));
        assert_eq!(
            wish.unread,
            [
                "`sandbox-memory: []` is not understood: it must be megabytes, such as \"256\"",
                "`sandbox-network: full` is not understood: it must be `none` or hosts with blanks between them",
                "`sandbox-netwrk` is not known: did you mean `sandbox-network`?",
                "`sandbox-timeout: -1` is not understood: it must be seconds, such as \"10\"",
                "`sandbox-workspace: look` is not understood: it must be `none` or `read`, so it counts as `read`",
            ]
        );
    }
}
