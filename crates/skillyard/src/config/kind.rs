//! What the value of a key may be, and which of two values is the tighter.

use std::fmt;

use skillyard_catalog::source::ORDERABLE_KINDS;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::PRESETS;
use skillyard_trust::tier::Ask;

use crate::config::value::ConfigValue;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// `true` or `false`; `false` is the tighter.
    Switch,
    /// A whole number; the smaller is the tighter.
    Count {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// One of these words, where that matters the loosest first.
    Word(&'static [&'static str]),
    /// When the user is asked, one of these words: they are not in a line, because a question at
    /// one time does not stand for a question at another.
    Question(&'static [&'static str]),
    /// The name of an order of sources, or their kinds in an order of one's own.
    Order,
    /// A text.
    Text,
    /// An address.
    Url,
    /// The address of a database, or nothing.
    Database,
    /// How to log in.
    Auth,
    /// A token.
    Token,
    /// Folders.
    Paths,
    /// Patterns of names.
    Globs,
    /// Names; of those that are allowed, fewer is the tighter.
    Names,
    /// What a program is told, word by word.
    Arguments,
    /// Keys of the configuration.
    Keys,
    /// Tables with `path` and `pinned`.
    OrgFolders,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch => formatter.write_str("`true` or `false`"),
            Self::Count { least, most } => {
                write!(formatter, "a whole number from {least} to {most}")
            }
            Self::Word(words) | Self::Question(words) => {
                let (last, first) = words.split_last().unwrap_or((&"", &[]));
                write!(formatter, "`{}` or `{last}`", first.join("`, `"))
            }
            Self::Order => {
                let presets = PRESETS.map(|(name, _)| name).join("`, `");
                let kinds = ORDERABLE_KINDS.map(SourceKind::as_str).join("`, `");
                write!(formatter, "one of `{presets}`, or a list of `{kinds}`")
            }
            Self::Text => formatter.write_str("a text"),
            Self::Url => formatter.write_str("a URL"),
            Self::Database => formatter.write_str("`postgres://${USER}:${PASSWORD}@HOST/NAME`"),
            Self::Auth => formatter
                .write_str("`bearer:${VARIABLE}`, `token:${VARIABLE}` or `header:Name: value`"),
            Self::Token => formatter.write_str("a token, best as `${VARIABLE}`"),
            Self::Paths => formatter.write_str("a list of folders"),
            Self::Globs => formatter.write_str("a list of patterns"),
            Self::Names => formatter.write_str("a list of names"),
            Self::Arguments => formatter.write_str("a list of words"),
            Self::Keys => formatter.write_str("a list of keys or tables of keys"),
            Self::OrgFolders => formatter.write_str("tables with `path` and `pinned`"),
        }
    }
}

impl ValueKind {
    /// Whether `value` leaves at least as little freedom as `other`.
    pub(crate) fn is_as_tight(self, value: &ConfigValue, other: &ConfigValue) -> bool {
        match (self, value, other) {
            (Self::Switch, ConfigValue::Switch(value), ConfigValue::Switch(other)) => {
                value <= other
            }
            (Self::Count { .. }, ConfigValue::Count(value), ConfigValue::Count(other)) => {
                value <= other
            }
            (Self::Word(words), ConfigValue::Text(value), ConfigValue::Text(other)) => {
                let rank = |word: &str| words.iter().position(|each| *each == word);
                rank(value) >= rank(other)
            }
            (Self::Question(_), ConfigValue::Text(value), ConfigValue::Text(other)) => {
                match (ask(value), ask(other)) {
                    (Some(value), Some(other)) => value.is_as_strict_as(other),
                    _ => false,
                }
            }
            // Of what is allowed, fewer is tighter.
            (Self::Names, ConfigValue::List(value), ConfigValue::List(other)) => {
                value.iter().all(|name| other.contains(name))
            }
            _ => false,
        }
    }
}

fn ask(word: &str) -> Option<Ask> {
    serde_json::from_value(word.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_question_is_no_tighter_one() {
        let kind = ValueKind::Question(&["never", "first-run", "install", "opt-in"]);
        let tight = |value: &str, other: &str| {
            kind.is_as_tight(
                &ConfigValue::Text(value.into()),
                &ConfigValue::Text(other.into()),
            )
        };
        assert!(tight("first-run", "never") && tight("opt-in", "install"));
        assert!(!tight("install", "first-run") && !tight("never", "first-run"));
    }

    const WORD: ValueKind = ValueKind::Word(&["sandboxed", "blocked"]);
    const COUNT: ValueKind = ValueKind::Count { least: 1, most: 64 };

    #[test]
    fn what_is_tighter() {
        let tight = |kind: ValueKind, value: &str, other: &str| {
            let read = |text: &str| kind.read_words(&[text.to_owned()]).unwrap();
            kind.is_as_tight(&read(value), &read(other))
        };
        assert!(
            tight(ValueKind::Switch, "false", "true") && !tight(ValueKind::Switch, "true", "false")
        );
        assert!(tight(COUNT, "3", "6") && tight(COUNT, "6", "6") && !tight(COUNT, "7", "6"));
        assert!(tight(WORD, "blocked", "sandboxed") && !tight(WORD, "sandboxed", "blocked"));
    }
}
