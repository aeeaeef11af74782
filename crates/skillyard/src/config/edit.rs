//! Changes to a configuration file that keep the rest of it as it is.

use std::path::{Path, PathBuf};

use skillyard_install::text::with_line_ends_of;
use toml_edit::{Array, Document, DocumentMut, Item, Table, value};

use super::insertion::{entry, insert};
use super::layer::Layer;
use super::lock::Locks;
use super::removal::removed;
use crate::config::spellings;
use crate::config::value::ConfigValue;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::LayerKind;
use crate::files::private;
use crate::files::private::Owner;

/// A file to be changed.
#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Whose it is.
    pub(crate) owner: Owner,
    /// Held by who changes it.
    pub(crate) lock: PathBuf,
    /// What the organisation keeps to itself.
    pub(crate) locks: Locks,
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyChange {
    /// It has a value now.
    Added,
    /// It has another value.
    Changed,
    /// It had this value already.
    None,
}

impl ConfigFile {
    /// The user's file.
    pub(crate) fn user(environment: &Environment) -> Self {
        let path = environment.config_file();
        Self {
            lock: path.with_extension("lock"),
            locks: Locks::read(environment),
            owner: Owner::User,
            path,
        }
    }

    /// A project's file. The lock is the user's own, so that no project gets a file for it.
    pub(crate) fn project(path: PathBuf, environment: &Environment) -> Self {
        Self {
            path,
            owner: Owner::Project,
            ..Self::user(environment)
        }
    }

    /// Refuses to write a key that the organisation has locked: the value would not count.
    pub(crate) fn refuse_locked(&self, key: &str) -> Result<(), CommandError> {
        self.locks.refuse(key).map_err(not)
    }

    /// Gives a key, under its own name, a value.
    pub(crate) fn set(&self, key: &str, new: &ConfigValue) -> Result<KeyChange, CommandError> {
        self.refuse_locked(key)?;
        let Some(new) = new.written() else {
            return Ok(KeyChange::None);
        };
        let mut change = KeyChange::None;
        self.change(|text| {
            let mut result = text.to_owned();
            change = KeyChange::Added;
            for spelling in spellings(key).iter().skip(1) {
                if let Some(without) = removed(&self.path, &result, spelling)? {
                    change = KeyChange::Changed;
                    result = without;
                }
            }
            let mut document = self.document(&result)?;
            if insert(&mut document, key, new)? {
                change = KeyChange::Changed;
            }
            let result = with_line_ends_of(text, &document.to_string());
            if result == text {
                change = KeyChange::None;
            }
            Ok(result)
        })?;
        Ok(change)
    }

    /// Takes a key, or all keys of a table, out of the file; tells which were there.
    pub(crate) fn unset(&self, key: &str) -> Result<Vec<String>, CommandError> {
        let mut gone = Vec::new();
        self.change(|text| {
            let (result, keys) = self.without(text, key)?;
            gone = keys;
            Ok(result)
        })?;
        Ok(gone)
    }

    /// A text of the file without a key, or without all keys of a table, and which were there.
    pub(crate) fn without(
        &self,
        text: &str,
        key: &str,
    ) -> Result<(String, Vec<String>), CommandError> {
        let document = self.document(text)?;
        let mut keys = Vec::new();
        leaves(document.as_table(), key, &mut keys);
        // What another tool calls differently goes too; no layer is too weak for that.
        let layer = Layer::of_file(LayerKind::Org, &self.path, text);
        for setting in layer.settings {
            if setting.key == key || setting.key.starts_with(&format!("{key}.")) {
                keys.extend(spellings(&setting.key));
            }
        }
        let (mut result, mut gone) = (text.to_owned(), Vec::new());
        for key in keys {
            if let Some(without) = removed(&self.path, &result, &key)? {
                result = without;
                gone.push(key);
            }
        }
        Ok((result, gone))
    }

    /// Puts `name` into the list of a key, or takes it out; tells whether that changed anything.
    pub(crate) fn set_member(
        &self,
        key: &str,
        name: &str,
        member: bool,
    ) -> Result<bool, CommandError> {
        self.refuse_locked(key)?;
        let mut changed = false;
        self.change(|text| {
            let mut document = self.document(text)?;
            let list = entry(&mut document, key)?.or_insert(value(Array::new()));
            let list = list.as_array_mut().ok_or_else(|| {
                not(ConfigProblem::Value {
                    key: key.to_owned(),
                    problem: "it must be a list".into(),
                })
            })?;
            let at = list.iter().position(|each| each.as_str() == Some(name));
            match (member, at) {
                (true, None) => list.push(name),
                (false, Some(_)) if list.len() == 1 => {
                    changed = true;
                    return Ok(removed(&self.path, text, key)?.unwrap_or_default());
                }
                (false, Some(at)) => {
                    list.remove(at);
                }
                _ => return Ok(text.to_owned()),
            }
            changed = true;
            Ok(with_line_ends_of(text, &document.to_string()))
        })?;
        Ok(changed)
    }

    /// Reads, changes and replaces the file while nobody else does.
    pub(crate) fn change(
        &self,
        change: impl FnOnce(&str) -> Result<String, CommandError>,
    ) -> Result<(), CommandError> {
        let _lock = private::lock(&self.lock)?;
        let text = private::read(&self.path, self.owner)?.text;
        let new = change(&text)?;
        if new == text {
            return Ok(());
        }
        private::write(&self.path, new.as_bytes(), self.owner)
    }

    fn document(&self, text: &str) -> Result<DocumentMut, CommandError> {
        parsed(&self.path, text).map(Document::into_mut)
    }
}

pub(super) fn parsed<'a>(path: &Path, text: &'a str) -> Result<Document<&'a str>, CommandError> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let line = text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
        CommandError::Config {
            path: path.to_owned(),
            message: format!("line {line}: {}", error.message()),
        }
    })
}

pub(super) fn not(problem: ConfigProblem) -> CommandError {
    CommandError::Setting(ConfigError::here(problem))
}

/// The keys with values at or below a key.
fn leaves(table: &Table, key: &str, found: &mut Vec<String>) {
    fn below(item: &Item, key: &str, found: &mut Vec<String>) {
        match item.as_table_like() {
            Some(table) => {
                for (name, item) in table.iter() {
                    below(item, &format!("{key}.{name}"), found);
                }
            }
            None => found.push(key.to_owned()),
        }
    }
    let mut names = key.split('.');
    let first = names.next().and_then(|name| table.get(name));
    let item = names.fold(first, |item, name| item?.as_table_like()?.get(name));
    if let Some(item) = item {
        below(item, key, found);
    }
}
