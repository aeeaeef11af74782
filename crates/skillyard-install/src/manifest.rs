//! `skills.toml`: which skills a project wants, in the words of its authors.
//!
//! ```toml
//! agents = ["claude-code", "codex"]   # optional
//!
//! [skills]
//! pdf = "github:acme/skills/pdf@^1"
//! ```
//!
//! It is edited in place, so comments and order stay.

mod comments;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::lockfile::{has_merge_conflicts, is_folder_name};
use crate::text::{text_if_there, with_line_ends_of};

/// What a project wants. Copies share it until one of them is changed.
#[derive(Debug, Clone)]
pub struct Manifest(Arc<ManifestParts>);

#[derive(Debug, Clone)]
struct ManifestParts {
    /// As it was read.
    text: String,
    document: DocumentMut,
    skills: Vec<(String, String)>,
    agents: Vec<String>,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The disk refused.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Not the format.
    #[error("`{}` cannot be used: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The agents are not a list of names.
    #[error("`{}` cannot be used: `agents` is no list of names", path.display())]
    Agents {
        /// The file.
        path: PathBuf,
        /// How they are written.
        form: String,
    },
}

/// What is wrong in a text.
#[derive(Debug)]
enum Wrong {
    /// The form of this.
    Form(String),
    /// The agents, which are written so.
    Agents(String),
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self::Form(message)
    }
}

impl From<&str> for Wrong {
    fn from(message: &str) -> Self {
        Self::Form(message.to_owned())
    }
}

impl Manifest {
    /// The text of a manifest; a missing one wants nothing.
    pub(crate) fn text_of(path: &Path) -> Result<String, ManifestError> {
        let text = text_if_there(path).map_err(|source| ManifestError::Read {
            path: path.to_owned(),
            source,
        })?;
        Ok(text.unwrap_or_default())
    }

    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, ManifestError> {
        let path = || path.to_owned();
        Self::understood(text).map_err(|wrong| match wrong {
            Wrong::Form(message) => ManifestError::Format {
                path: path(),
                message,
            },
            Wrong::Agents(form) => ManifestError::Agents { path: path(), form },
        })
    }

    fn understood(text: &str) -> Result<Self, Wrong> {
        if has_merge_conflicts(text) {
            return Err("it has merge conflicts".into());
        }
        let document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| error.to_string().trim().to_owned())?;
        let mut skills = Vec::new();
        let mut agents = Vec::new();
        for (key, item) in document.iter() {
            match key {
                "skills" => {
                    let table = item.as_table_like().ok_or("`skills` is not a table")?;
                    for (name, item) in table.iter() {
                        let reference = item.as_str().ok_or_else(|| {
                            format!("`skills.{name}` is not a text such as \"github:owner/repo/path@ref\"")
                        })?;
                        if !is_folder_name(name) {
                            let message = format!("`{name}` cannot be the name of a folder");
                            return Err(message.into());
                        }
                        skills.push((name.to_owned(), reference.to_owned()));
                    }
                }
                "agents" => agents = names_of(item)?,
                other => {
                    let message =
                        format!("`{other}` is not known; it can have `agents` and `[skills]`");
                    return Err(message.into());
                }
            }
        }
        skills.sort_unstable();
        Ok(Self(Arc::new(ManifestParts {
            text: text.to_owned(),
            document,
            skills,
            agents,
        })))
    }

    /// Names and references, sorted by name.
    pub fn skills(&self) -> &[(String, String)] {
        &self.0.skills
    }

    /// The reference of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = |(each, _): &(String, String)| each.as_str().cmp(name);
        let at = self.0.skills.binary_search_by(named).ok()?;
        Some(&self.0.skills[at].1)
    }

    /// The agents that the skills are for.
    pub fn agents(&self) -> &[String] {
        &self.0.agents
    }

    /// Wants a skill.
    pub fn put(&mut self, name: &str, reference: &str) {
        let parts = Arc::make_mut(&mut self.0);
        comments::make_room(&mut parts.document);
        let skills = parts
            .document
            .entry("skills")
            .or_insert(Item::Table(Table::new()));
        if let Some(table) = skills.as_table_like_mut() {
            match table.get_mut(name).and_then(Item::as_value_mut) {
                // What stands around the value, such as a comment, stays.
                Some(old) => {
                    let decor = old.decor().clone();
                    *old = reference.into();
                    *old.decor_mut() = decor;
                }
                None => {
                    table.insert(name, value(reference));
                }
            }
        }
        let named = |(each, _): &(String, String)| each.as_str().cmp(name);
        match parts.skills.binary_search_by(named) {
            Ok(at) => reference.clone_into(&mut parts.skills[at].1),
            Err(at) => parts
                .skills
                .insert(at, (name.to_owned(), reference.to_owned())),
        }
    }

    /// Does not want a skill any more.
    pub fn remove(&mut self, name: &str) {
        let parts = Arc::make_mut(&mut self.0);
        comments::keep(&mut parts.document, name);
        if let Some(table) = parts
            .document
            .get_mut("skills")
            .and_then(Item::as_table_like_mut)
        {
            table.remove(name);
        }
        parts.skills.retain(|(each, _)| each != name);
    }

    /// The manifest as text.
    pub fn to_text(&self) -> String {
        with_line_ends_of(&self.0.text, &self.0.document.to_string())
    }

    /// Whether it wants something else than when it was read.
    pub(crate) fn is_changed(&self) -> bool {
        let before: Result<DocumentMut, _> = self.0.text.parse();
        before.is_ok_and(|before| before.to_string() != self.0.document.to_string())
    }
}

/// The names of agents.
fn names_of(item: &Item) -> Result<Vec<String>, Wrong> {
    let list = item.as_array();
    let names = list.and_then(|list| {
        let names = list.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<_>>>()
    });
    names.ok_or_else(|| {
        // What was meant, where names stand there without being a list.
        let words = item.as_str().unwrap_or_default();
        let words = words.split([',', ' ']).filter(|word| !word.is_empty());
        let mut meant: Array = words.collect();
        if meant.is_empty() {
            meant = ["claude-code", "codex"].into_iter().collect();
        }
        Wrong::Agents(format!("agents = {meant}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_comments() {
        let mut manifest =
            Manifest::understood("# ours\n[skills]\nb = \"x/y\" # why\na = \"./a\"\n").unwrap();
        manifest.put("b", "x/z");
        manifest.put("c", "q/r");
        manifest.remove("a");
        assert_eq!(
            manifest.to_text(),
            "# ours\n[skills]\nb = \"x/z\" # why\nc = \"q/r\"\n"
        );
        assert_eq!(manifest.get("b"), Some("x/z"));
    }

    #[test]
    fn a_new_table_stands_below_what_is_there() {
        for (before, after) in [
            ("", "[skills]\na = \"./a\"\n"),
            (
                "# Owned by @ops\n",
                "# Owned by @ops\n\n[skills]\na = \"./a\"\n",
            ),
            (
                "# ours\nagents = [\"codex\"]\n# and later more",
                "# ours\nagents = [\"codex\"]\n# and later more\n\n[skills]\na = \"./a\"\n",
            ),
            (
                "agents = [\"codex\"]\n\n# below\n\n",
                "agents = [\"codex\"]\n\n# below\n\n[skills]\na = \"./a\"\n",
            ),
            (
                "agents = [\"codex\"]\n",
                "agents = [\"codex\"]\n\n[skills]\na = \"./a\"\n",
            ),
        ] {
            let mut manifest = Manifest::understood(before).unwrap();
            manifest.put("a", "./a");
            assert_eq!(manifest.to_text(), after);
            assert!(Manifest::understood(after).is_ok());
        }
    }

    #[test]
    fn headings_stay_when_what_is_below_them_goes() {
        let text = "[skills]\n# --- documents ---\na = \"./a\"\nb = \"./b\"\n\n# --- data ---\n\n# only for c\nc = \"./c\"\n# only for d\nd = \"./d\"\n# the end\n";
        let without = |names: &[&str]| {
            let mut manifest = Manifest::understood(text).unwrap();
            for name in names {
                manifest.remove(name);
            }
            manifest.to_text()
        };
        assert_eq!(without(&["a"]), text.replace("a = \"./a\"\n", ""));
        assert_eq!(without(&["b"]), text.replace("b = \"./b\"\n", ""));
        // What stands directly above one alone is about it.
        assert_eq!(
            without(&["c"]),
            text.replace("# only for c\nc = \"./c\"\n", "")
        );
        assert_eq!(
            without(&["d"]),
            text.replace("# only for d\nd = \"./d\"\n", "")
        );
        assert_eq!(
            without(&["c", "d"]),
            "[skills]\n# --- documents ---\na = \"./a\"\nb = \"./b\"\n\n# --- data ---\n\n# the end\n"
        );
    }

    #[test]
    fn edits_keep_line_ends() {
        let mut manifest = Manifest::understood("# ours\r\n[skills]\r\na = \"./a\"\r\n").unwrap();
        manifest.put("a", "./a");
        assert!(!manifest.is_changed());
        manifest.put("b", "./b");
        assert!(manifest.is_changed());
        assert_eq!(
            manifest.to_text(),
            "# ours\r\n[skills]\r\na = \"./a\"\r\nb = \"./b\"\r\n"
        );
    }

    #[test]
    fn wrong_manifests_say_what_is_wrong() {
        for (text, reason) in [
            ("skills = 1", "not a table"),
            ("[skills]\na = 1", "`skills.a` is not a text"),
            ("[skill]\na = \"b\"", "`skill` is not known"),
            ("[skills]\n\"../a\" = \"b\"", "cannot be the name"),
            ("[skills", "TOML parse error"),
            ("<<<<<<< HEAD\n[skills]\n", "merge conflicts"),
        ] {
            let error = Manifest::understood(text).unwrap_err();
            assert!(
                matches!(&error, Wrong::Form(message) if message.contains(reason)),
                "{error:?}"
            );
        }
    }

    #[test]
    fn agents_that_are_no_list_are_told_as_one() {
        for (text, form) in [
            ("\"codex\"", "[\"codex\"]"),
            ("\"codex, goose\"", "[\"codex\", \"goose\"]"),
            ("3", "[\"claude-code\", \"codex\"]"),
            ("[3]", "[\"claude-code\", \"codex\"]"),
            ("{}", "[\"claude-code\", \"codex\"]"),
        ] {
            let error = Manifest::understood(&format!("agents = {text}")).unwrap_err();
            assert!(
                matches!(&error, Wrong::Agents(found) if *found == format!("agents = {form}")),
                "{error:?}"
            );
        }
    }
}
