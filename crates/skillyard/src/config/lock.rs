//! `locked`: keys that the organisation keeps to itself.

use std::path::{Path, PathBuf};

use super::Config;
use super::final_block::unused;
use super::origin::{LayerKind, Origin};
use super::problem::Problem;
use super::value::Value;
use crate::error::CommandError;

impl Config {
    /// Drops what the organisation has locked, and says so.
    pub(super) fn lock(&mut self) {
        let locks: Vec<(String, PathBuf)> = self
            .all("locked")
            .filter_map(|setting| match (&setting.value, &setting.origin) {
                (Value::List(keys), Origin::File { path, .. }) => Some((keys, path)),
                _ => None,
            })
            .flat_map(|(keys, path)| keys.iter().map(|key| (key.clone(), path.clone())))
            .collect();
        let warnings = &mut self.warnings;
        self.said.retain(|setting| {
            let lock = locks.iter().find(|(lock, _)| covers(lock, &setting.key));
            match lock {
                Some((_, by)) if setting.origin.layer() > LayerKind::Org => {
                    let problem = Problem::Locked {
                        key: setting.key.clone(),
                        by: by.clone(),
                    };
                    warnings.push(unused(setting, problem));
                    false
                }
                _ => true,
            }
        });
        self.keep_locked_blocks();
    }

    /// Who locked a key, if somebody did.
    pub(crate) fn lock_of(&self, key: &str) -> Option<&Path> {
        self.all("locked")
            .find_map(|setting| match (&setting.value, &setting.origin) {
                (Value::List(keys), Origin::File { path, .. }) => keys
                    .iter()
                    .any(|lock| covers(lock, key))
                    .then_some(path.as_path()),
                _ => None,
            })
    }

    /// Refuses what would be other than a locked key says: a flag that stands for it, or an agent
    /// that has its own.
    pub(crate) fn keep_locked(
        &self,
        key: &'static str,
        said: impl Into<String>,
        value: &str,
    ) -> Result<(), CommandError> {
        let Some(by) = self.lock_of(key) else {
            return Ok(());
        };
        let locked = self.get(key).map(|setting| setting.value.plain());
        if locked.as_deref().unwrap_or_default() == value {
            return Ok(());
        }
        Err(CommandError::Locked {
            key,
            by: by.to_owned(),
            said: said.into(),
            locked,
        })
    }
}

/// Whether a lock is on the key or on a table around it.
fn covers(lock: &str, key: &str) -> bool {
    key.strip_prefix(lock)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
