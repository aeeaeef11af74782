//! A value, as it is kept, shown and written.

use std::fmt;
use std::path::PathBuf;

use serde_json::json;

use super::address::Address;
use super::auth::Auth;
use super::template::Template;

/// A value that fits its key.
#[derive(Debug, Clone)]
pub(crate) enum ConfigValue {
    /// Yes or no.
    Switch(bool),
    /// A number.
    Count(u64),
    /// A word.
    Text(String),
    /// An address.
    Address(Address),
    /// How to log in.
    Auth(Auth),
    /// A token.
    Token(Template),
    /// Several texts.
    List(Vec<String>),
    /// The organisation's folders.
    OrgFolders(Vec<OrgFolder>),
}

/// A folder of the organisation, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OrgFolder {
    /// The folder.
    pub(crate) path: PathBuf,
    /// Whether its skills win over all others.
    pub(crate) pinned: bool,
}

impl ConfigValue {
    /// The value for people and programs, without its secrets.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Switch(value) => json!(value),
            Self::Count(value) => json!(value),
            Self::Text(text) => json!(text),
            Self::Address(address) => json!(address.to_string()),
            Self::Auth(auth) => json!(auth.to_string()),
            Self::Token(token) => json!(token.to_string()),
            Self::List(texts) => json!(texts),
            Self::OrgFolders(folders) => folders
                .iter()
                .map(|folder| json!({ "path": folder.path.to_string_lossy(), "pinned": folder.pinned }))
                .collect(),
        }
    }

    /// The value as a program would take it: one line an entry, no quotes.
    pub(crate) fn plain(&self) -> String {
        match self.to_json() {
            serde_json::Value::String(text) => text,
            serde_json::Value::Array(entries) => {
                let lines = entries.iter().map(|entry| {
                    entry
                        .as_str()
                        .map_or_else(|| entry.to_string(), str::to_owned)
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            other => other.to_string(),
        }
    }

    /// The value as a file keeps it, with its secrets; tables have no such form.
    pub(crate) fn written(&self) -> Option<toml_edit::Value> {
        Some(match self {
            Self::Switch(value) => (*value).into(),
            Self::Count(value) => i64::try_from(*value).unwrap_or(i64::MAX).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Address(address) => address.written().into(),
            Self::Auth(auth) => auth.written().into(),
            Self::Token(token) => token.written().into(),
            Self::List(texts) => texts.iter().collect::<toml_edit::Array>().into(),
            Self::OrgFolders(_) => return None,
        })
    }

    /// Whether the file would hold a secret itself, and not the name of a variable.
    pub(crate) fn holds_secret(&self) -> bool {
        match self {
            Self::Address(address) => address.holds_secret(),
            Self::Auth(auth) => auth.template().holds_secret(),
            Self::Token(token) => token.holds_secret(),
            _ => false,
        }
    }
}

/// As written in TOML, without the secrets.
impl fmt::Display for ConfigValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OrgFolders(folders) => {
                let tables = folders.iter().map(|folder| {
                    let path = toml_edit::Value::from(folder.path.to_string_lossy().into_owned());
                    format!("{{ path = {path}, pinned = {} }}", folder.pinned)
                });
                write!(formatter, "[{}]", tables.collect::<Vec<_>>().join(", "))
            }
            Self::List(texts) => {
                let texts = texts
                    .iter()
                    .map(|text| toml_edit::Value::from(text).to_string());
                write!(formatter, "[{}]", texts.collect::<Vec<_>>().join(", "))
            }
            other => match other.to_json() {
                serde_json::Value::String(text) => {
                    write!(formatter, "{}", toml_edit::Value::from(text))
                }
                other => write!(formatter, "{other}"),
            },
        }
    }
}
