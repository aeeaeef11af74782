//! How the value of a key is read: from a file, a command line or a variable.

use std::path::PathBuf;

use skillyard_catalog::pattern_list;
use skillyard_catalog::selection::NamePattern;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::source::{ORDERABLE_KINDS, SourceOrder, SourceOrderError};
use skillyard_catalog::surroundings::PRESETS;
use skillyard_format::text::nearest;
use toml_edit::{DocumentMut, Item};

use super::address::Address;
use super::auth::Auth;
use super::schema;
use super::schema::Plain;
use super::template::Template;
use super::value::OrgFolder;
use crate::config::kind::ValueKind;
use crate::config::schema::KeyLookup;
use crate::config::value::ConfigValue;

impl ValueKind {
    /// Reads the value of a file.
    pub(crate) fn read(self, item: &Item) -> Result<ConfigValue, String> {
        let value = match self {
            Self::Switch => item.as_bool().map(ConfigValue::Switch),
            Self::Count { least, most } => item
                .as_integer()
                .and_then(|number| u64::try_from(number).ok())
                .filter(|number| (least..=most).contains(number))
                .map(ConfigValue::Count),
            Self::Paths | Self::Globs | Self::Names | Self::Arguments | Self::Keys => {
                match strings(item) {
                    Some(texts) => Some(self.list(texts)?),
                    None => None,
                }
            }
            Self::OrgFolders => org_folders(item),
            Self::Order => match (item.as_str(), strings(item)) {
                (Some(text), _) => Some(self.text(text)?),
                (None, Some(texts)) => Some(self.list(texts)?),
                (None, None) => None,
            },
            Self::Word(_)
            | Self::Question(_)
            | Self::Text
            | Self::Url
            | Self::Database
            | Self::Auth
            | Self::Token => match item.as_str() {
                Some(text) => Some(self.text(text)?),
                None => None,
            },
        };
        // What stands there may be a secret in the wrong place, so it is not quoted.
        value.ok_or_else(|| format!("it must be {self}"))
    }

    /// Reads a value of the table of keys.
    pub(crate) fn read_plain(self, value: Plain) -> Result<ConfigValue, String> {
        match value {
            Plain::Switch(value) => Ok(ConfigValue::Switch(value)),
            Plain::Count(value) => Ok(ConfigValue::Count(value)),
            Plain::Text(text) => self.text(text),
        }
    }

    /// Reads a value as written in TOML.
    fn read_toml(self, text: &str) -> Result<ConfigValue, String> {
        let unreadable = || format!("it must be {self}");
        // A second line would be a second key.
        if text.contains(['\n', '\r']) {
            return Err(unreadable());
        }
        let document = format!("value = {text}").parse::<DocumentMut>();
        let document = document.map_err(|_| unreadable())?;
        self.read(&document["value"])
    }

    /// Reads the words of a command line.
    pub(crate) fn read_words(self, words: &[String]) -> Result<ConfigValue, String> {
        if let Self::Paths | Self::Globs | Self::Names | Self::Arguments | Self::Keys = self {
            let parted = || self.list(words.iter().flat_map(|word| self.parted(word)).collect());
            return match words {
                // A list in TOML may be meant; a pattern can begin with a bracket too.
                [only] if only.starts_with('[') => self.read_toml(only).or_else(|_| parted()),
                _ => parted(),
            };
        }
        if self == Self::Order && words.len() > 1 {
            return self.list(words.to_vec());
        }
        let [word] = words else {
            return Err(format!("it takes one value: {self}"));
        };
        match self {
            Self::Switch => match word.as_str() {
                "true" | "yes" | "on" | "1" => Ok(ConfigValue::Switch(true)),
                "false" | "no" | "off" | "0" => Ok(ConfigValue::Switch(false)),
                _ => Err(format!("it must be {self}")),
            },
            Self::Count { .. } => self.read_toml(word),
            Self::Order if word.starts_with('[') => self.read_toml(word),
            Self::OrgFolders => {
                Err("it is a list of tables; write it with `skillyard config edit`".into())
            }
            _ => self.text(word),
        }
    }

    /// Reads the value of an environment variable, where lists are separated by commas, and
    /// folders as in `PATH`.
    pub(crate) fn read_variable(self, text: &str) -> Result<ConfigValue, String> {
        let parts: Vec<&str> = match self {
            Self::Paths => text.split(':').collect(),
            Self::Arguments => text.split(',').collect(),
            Self::Globs => pattern_list::split(text).collect(),
            Self::Names | Self::Keys => names(text).collect(),
            _ => return self.read_words(&[text.to_owned()]),
        };
        let parts = parts.into_iter().map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).map(str::to_owned);
        self.list(parts.collect())
    }

    /// The entries of a list in one word. No name has a comma; what a program is told, and a path,
    /// may have some.
    fn parted(self, word: &str) -> Vec<String> {
        let parts: Vec<String> = match self {
            Self::Names | Self::Keys => names(word).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        // What has no entry in it is refused where a list is made.
        if parts.is_empty() {
            return vec![word.to_owned()];
        }
        parts
    }

    fn text(self, text: &str) -> Result<ConfigValue, String> {
        match self {
            Self::Word(words) | Self::Question(words) if words.contains(&text) => {
                Ok(ConfigValue::Text(text.to_owned()))
            }
            Self::Word(words) | Self::Question(words) => {
                Err(format!("it must be {self}{}", meant(text, words)))
            }
            Self::Order => self.order(text),
            Self::Text if text.trim().is_empty() => Err("it must not be empty".into()),
            Self::Text => Ok(ConfigValue::Text(text.to_owned())),
            Self::Url => Address::parse(text).map(ConfigValue::Address),
            // So that a stronger layer can take it back.
            Self::Database if text.is_empty() => Ok(ConfigValue::Text(String::new())),
            Self::Database => Address::of_database(text).map(ConfigValue::Address),
            Self::Auth => Auth::parse(text).map(ConfigValue::Auth),
            _ => Template::parse(text).map(ConfigValue::Token),
        }
    }

    /// The name of an order, or its kinds with commas between them.
    fn order(self, text: &str) -> Result<ConfigValue, String> {
        let presets = PRESETS.map(|(name, _)| name);
        if presets.contains(&text) {
            return Ok(ConfigValue::Text(text.to_owned()));
        }
        let kinds = ORDERABLE_KINDS.map(SourceKind::as_str);
        let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        match &words[..] {
            [word] if !kinds.contains(&word.as_str()) => {
                let meant = meant(word, &[&presets[..], &kinds].concat());
                Err(format!("it must be {self}{meant}"))
            }
            _ => self.list(words),
        }
    }

    fn list(self, mut texts: Vec<String>) -> Result<ConfigValue, String> {
        let is_empty = |text: &String| match self {
            Self::Globs => pattern_list::split(text).next().is_none(),
            _ => text.trim().is_empty(),
        };
        if texts.iter().any(is_empty) {
            return Err("it has an empty entry".into());
        }
        if self == Self::Globs {
            // No name has a comma, so that a pattern with one would mean nothing, wherever it stands.
            let parts = texts.iter().flat_map(|text| pattern_list::split(text));
            texts = parts.map(str::to_owned).collect();
        }
        for text in &texts {
            match self {
                Self::Globs => drop(NamePattern::new(text).map_err(|error| error.to_string())?),
                // A lock with a typo would lock nothing.
                Self::Keys => match schema::find(text) {
                    KeyLookup::Key(..) | KeyLookup::Table => {}
                    _ => return Err(format!("there is no key `{text}`")),
                },
                _ => {}
            }
        }
        if self == Self::Order {
            SourceOrder::new(texts.iter().map(String::as_str)).map_err(|error| match &error {
                SourceOrderError::Unknown(word) => {
                    let kinds = ORDERABLE_KINDS.map(SourceKind::as_str);
                    let list = kinds.join("`, `");
                    format!("{error}: those are `{list}`{}", meant(word, &kinds))
                }
                _ => error.to_string(),
            })?;
        }
        Ok(ConfigValue::List(texts))
    }
}

/// The names in a text, which commas part; one in `Bash(a,b)` is part of a name.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// What may have been meant by a word that is none of these.
fn meant(word: &str, known: &[&str]) -> String {
    let meant = nearest(word, known.iter().copied());
    meant.map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

fn strings(item: &Item) -> Option<Vec<String>> {
    let texts = item.as_array()?.iter();
    texts.map(|each| each.as_str().map(str::to_owned)).collect()
}

fn org_folders(item: &Item) -> Option<ConfigValue> {
    let folders = item.as_array_of_tables()?.iter().map(|table| {
        let is_known = |(key, _): (&str, &Item)| matches!(key, "path" | "pinned");
        if !table.iter().all(is_known) {
            return None;
        }
        Some(OrgFolder {
            path: PathBuf::from(table.get("path")?.as_str()?),
            pinned: match table.get("pinned") {
                Some(pinned) => pinned.as_bool()?,
                None => false,
            },
        })
    });
    folders
        .collect::<Option<Vec<_>>>()
        .map(ConfigValue::OrgFolders)
}

#[cfg(test)]
mod tests;
