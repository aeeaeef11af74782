//! `locked`: keys that the organisation keeps to itself.

use std::path::{Path, PathBuf};

use super::Config;
use super::final_block::unused;
use super::layer::{Layer, Setting};
use crate::config::value::ConfigValue;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::config_error::ConfigProblem;
use crate::error::config_origin::{LayerKind, SettingOrigin};
use crate::files::private;
use crate::files::private::Owner;

/// The keys, and tables of keys, that are locked, each with the file that says so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locks(Vec<(String, PathBuf)>);

impl Locks {
    /// Those of the organisation's file, whatever is wrong with the other layers. One that cannot be
    /// read locks nothing, and lets no command do anything.
    pub(crate) fn read(environment: &Environment) -> Self {
        let path = &environment.org_config;
        let file = private::read(path, Owner::User);
        let text = file.map(|file| file.text).unwrap_or_default();
        Self::of(&Layer::of_file(LayerKind::Org, path, &text).settings)
    }

    /// Refuses to give a locked key a value.
    pub(crate) fn refuse(&self, key: &str) -> Result<(), ConfigProblem> {
        let mut locks = self.0.iter();
        match locks.find(|(lock, _)| covers(lock, key)) {
            None => Ok(()),
            Some((_, by)) => Err(ConfigProblem::Locked {
                key: key.to_owned(),
                by: by.clone(),
            }),
        }
    }

    fn of(settings: &[Setting]) -> Self {
        let locks = locks(settings).map(|(key, by)| (key.to_owned(), by.to_owned()));
        Self(locks.collect())
    }
}

impl Config {
    /// Sets aside what the organisation has locked, and says so.
    pub(super) fn lock(&mut self) {
        let locks = Locks::of(&self.said);
        for setting in std::mem::take(&mut self.said) {
            match locks.refuse(&setting.key) {
                Err(problem) if setting.origin.layer() > LayerKind::Org => {
                    self.warnings.push(unused(&setting, problem));
                    self.unused.push(setting);
                }
                _ => self.said.push(setting),
            }
        }
        self.keep_locked_blocks();
    }

    /// Who locked a key, if somebody did.
    pub(crate) fn lock_of(&self, key: &str) -> Option<&Path> {
        let mut locks = locks(&self.said);
        let lock = locks.find(|(lock, _)| covers(lock, key));
        lock.map(|(_, by)| by)
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

/// What is locked, and by which file.
fn locks(settings: &[Setting]) -> impl Iterator<Item = (&str, &Path)> {
    let locked = settings.iter().filter(|setting| setting.key == "locked");
    let locked = locked.filter_map(|setting| match (&setting.value, &setting.origin) {
        (ConfigValue::List(keys), SettingOrigin::File { path, .. }) => Some((keys, path.as_path())),
        _ => None,
    });
    locked.flat_map(|(keys, path)| keys.iter().map(move |key| (key.as_str(), path)))
}

/// Whether a lock is on the key, on a table around it, or on what the key would undo: what is
/// switched on is not switched off any more.
fn covers(lock: &str, key: &str) -> bool {
    let is_on = |key: &str| {
        let rest = key.strip_prefix(lock);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    is_on(key) || key == "skills.enabled" && is_on("skills.disabled")
}
