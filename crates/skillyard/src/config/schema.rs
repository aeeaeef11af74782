//! What is known about a key, and how one is looked up.
//!
//! Files, the command line, the environment, completions and `docs/configuration.md` all go by
//! the one table in `keys`. A segment in capitals stands for a name that the user chooses.

use skillyard_format::text::nearest;

use super::keys::entries;
use crate::config::kind::ValueKind;
use crate::config::{
    ALIASES, PROVENANCES, is_placeholder, is_table_of, matched, own_name, refused,
};

/// One key.
#[derive(Debug)]
pub(crate) struct KeySpec {
    /// Its name, with a segment in capitals where the user chooses.
    pub(crate) key: &'static str,
    /// What its value may be.
    pub(crate) kind: ValueKind,
    /// The value without any configuration.
    pub(crate) default: Option<Plain>,
    /// What a project's file may do with it.
    pub(crate) project: Project,
    /// What several layers amount to.
    pub(crate) layers: Layers,
    /// What it is for, in a sentence.
    pub(crate) doc: &'static str,
}

/// A value that stands in the table itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plain {
    /// Yes or no.
    Switch(bool),
    /// A number.
    Count(u64),
    /// A word or a URL.
    Text(&'static str),
}

/// What a project's file may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Project {
    /// Say what it likes.
    Free,
    /// Only make it tighter than the user has it.
    Tighten,
    /// Nothing, for this reason.
    Never(&'static str),
}

/// What several layers amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layers {
    /// The strongest layer that says something wins.
    Strongest,
    /// All of them count.
    Together,
    /// Only the organisation's file may say it.
    OrgOnly,
}

impl KeySpec {
    /// Whether the user chooses a part of the name.
    pub(crate) fn has_choice(&self) -> bool {
        self.key.split('.').any(is_placeholder)
    }
}

/// The value that every key has without any configuration.
pub(crate) fn defaults() -> impl Iterator<Item = (String, &'static KeySpec, Plain)> {
    entries().flat_map(|entry| {
        let mut found = Vec::new();
        if let Some(default) = entry.default.filter(|_| !entry.has_choice()) {
            found.push((entry.key.to_owned(), entry, default));
        }
        if let Some(cell) = entry.key.strip_prefix("trust.PROVENANCE.") {
            found.extend(PROVENANCES.iter().map(|row| {
                let value = match cell {
                    "tier" => row.tier,
                    "scripts" => row.scripts,
                    _ => row.ask,
                };
                let key = format!("trust.{}.{cell}", row.name);
                (key, entry, Plain::Text(value))
            }));
        }
        found
    })
}

/// The keys of a table, with its own name for what the user chooses; none where it is no table.
pub(crate) fn below(table: &str) -> Vec<String> {
    let own = own_name(table);
    let names = own.split('.').count();
    let entries = entries().filter(|entry| is_table_of(&own, entry.key));
    let keys = entries.map(|entry| {
        let rest: Vec<&str> = entry.key.split('.').skip(names).collect();
        format!("{own}.{}", rest.join("."))
    });
    keys.collect()
}

/// What a key turned out to be.
#[derive(Debug)]
pub(crate) enum KeyLookup {
    /// A key, under its own name.
    Key(String, &'static KeySpec),
    /// A table that holds keys.
    Table,
    /// A name in it may not be chosen, and why.
    BadName(String),
    /// Nothing known, and what may have been meant.
    Unknown(Option<String>),
}

/// Looks a key up, by its own name or another tool's.
pub(crate) fn find(key: &str) -> KeyLookup {
    let own = own_name(key);
    let mut bad_name = None;
    for entry in entries() {
        if let Some(names) = matched(entry.key, &own) {
            match names
                .iter()
                .find_map(|(placeholder, name)| refused(placeholder, name))
            {
                None => return KeyLookup::Key(own, entry),
                Some(problem) => bad_name = Some(problem),
            }
        }
    }
    if let Some(problem) = bad_name {
        return KeyLookup::BadName(problem);
    }
    let patterns = entries().map(|entry| entry.key);
    let spellings = ALIASES.iter().map(|(spelling, _)| *spelling);
    if patterns
        .chain(spellings)
        .any(|pattern| is_table_of(key, pattern))
    {
        return KeyLookup::Table;
    }
    KeyLookup::Unknown(meant(key))
}

/// The known key that is nearest to this one.
fn meant(key: &str) -> Option<String> {
    let segments: Vec<&str> = key.split('.').collect();
    let candidates: Vec<String> = entries()
        .map(|entry| {
            let parts = entry
                .key
                .split('.')
                .enumerate()
                .map(|(at, part)| match segments.get(at) {
                    Some(name) if is_placeholder(part) => name,
                    _ => part,
                });
            parts.collect::<Vec<_>>().join(".")
        })
        .collect();
    let near = nearest(key, candidates.iter().map(String::as_str)).map(str::to_owned);
    near.or_else(|| {
        // Only the last word was written, or it stands in another table.
        let last = segments.last()?;
        let last_is_chosen =
            |entry: &KeySpec| entry.key.rsplit('.').next().is_some_and(is_placeholder);
        let mut same = candidates
            .iter()
            .zip(entries())
            .filter(|(each, entry)| each.rsplit('.').next() == Some(last) && !last_is_chosen(entry))
            .map(|(each, _)| each);
        let only = same.next().filter(|each| !each.contains(is_upper));
        only.filter(|_| same.next().is_none()).cloned()
    })
}

fn is_upper(c: char) -> bool {
    c.is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, expected: &str) {
        let found = match find(key) {
            KeyLookup::Key(own, entry) => format!("{own} ({})", entry.key),
            KeyLookup::Table => "table".into(),
            KeyLookup::BadName(problem) => problem,
            KeyLookup::Unknown(meant) => format!("unknown, {meant:?}"),
        };
        assert_eq!(found, expected, "{key}");
    }

    #[test]
    fn keys_are_found() {
        check("registry.url", "registry.url (registry.url)");
        check(
            "sources.internal.url",
            "sources.internal.url (sources.NAME.url)",
        );
        check(
            "skills.sources.internal.auth",
            "sources.internal.auth (sources.NAME.auth)",
        );
        check("skills.allow_scripts", "scripts.allow (scripts.allow)");
        check("app.skills.enabled", "server.skills (server.skills)");
        for table in [
            "sources",
            "sources.x",
            "skills",
            "skills.sources",
            "app",
            "app.skills",
            "trust.git",
        ] {
            check(table, "table");
        }
    }

    #[test]
    fn what_was_meant_is_told() {
        check("registy.url", r#"unknown, Some("registry.url")"#);
        check(
            "sources.internal.uri",
            r#"unknown, Some("sources.internal.url")"#,
        );
        check("max_depth", r#"unknown, Some("discovery.max_depth")"#);
        check("nothing.like.this", "unknown, None");
        check("registry.url.more", "unknown, None");
        check("", "unknown, None");
    }

    #[test]
    fn names_that_may_not_be_chosen() {
        check(
            "sources.github.url",
            "no source may be called `github`: references with `github:` have a meaning already",
        );
        check(
            "sources.A b.url",
            "`A b` is no name for a source: use lowercase letters, digits, `-` and `_`",
        );
        let names: Vec<&str> = PROVENANCES.iter().map(|each| each.name).collect();
        let names = names.join(", ");
        check(
            "trust.gti.scripts",
            &format!("`gti` is no provenance: it can be {names}; did you mean `git`?"),
        );
    }
}
