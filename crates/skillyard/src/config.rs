//! The configuration: layers put together, each value knowing who said it.
//!
//! `keys` is the table of all keys, `schema` looks one up, with `key_pattern`, `chosen_name` and
//! `spelling` for the names in it. `kind` and `value` say what stands behind one, with `template`,
//! `auth` and `address` for what may hold a secret, and `reading` reads it. `layer` is one layer,
//! `origin` names it, `load` puts them together, `lock` drops what the organisation forbids,
//! `final_block` what would let an approval lift a block that is final,
//! `problem` is what can be wrong.
//! `edit`, `insertion`, `removal` and `private_file` change files.
//! `discovery`, `limits`, `sources` with `source`, `hosts`, `sessions`, `mcp` and `install` are what
//! the commands ask for.
//!
//! Files: `/etc/skillyard/config.toml` (the organisation's), `$SKILLYARD_HOME/config.toml`
//! (the user's, mode 0600) and `.skillyard/config.toml` at a project's root, which has no say
//! before the project is trusted and never may loosen.

pub(crate) mod address;
mod auth;
mod chosen_name;
pub(crate) mod denied_tools;
pub(crate) mod discovery;
pub(crate) mod edit;
mod final_block;
pub(crate) mod hosts;
mod insertion;
pub(crate) mod install;
mod key_pattern;
pub(crate) mod keys;
mod kind;
pub(crate) mod layer;
mod limits;
mod load;
pub(crate) mod lock;
pub(crate) mod login;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod origin;
pub(crate) mod private_file;
pub(crate) mod problem;
pub(crate) mod project;
pub(crate) mod provenances;
mod reading;
mod removal;
pub(crate) mod schema;
mod sessions;
pub(crate) mod source;
mod sources;
pub(crate) mod spelling;
pub(crate) mod telemetry;
mod template;
pub(crate) mod value;

use skillyard_catalog::ProjectTrust;

use layer::Setting;
pub(crate) use load::loosened;
use origin::LayerKind;
use schema::Layers;
use value::Value;

use crate::environment::Environment;
use crate::redactor::Redactor;

/// All layers together.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// What holds without any configuration.
    defaults: &'static [Setting],
    /// What was said, the strongest last.
    said: Vec<Setting>,
    /// What was said and does not count, because the organisation has locked it.
    unused: Vec<Setting>,
    /// What the user should know about their files.
    pub(crate) warnings: Vec<String>,
    /// Whether the project at hand has a say.
    pub(crate) project_trust: ProjectTrust,
    environment: Environment,
    redactor: Redactor,
}

impl Config {
    /// What a key is without the project, the environment and flags.
    pub(crate) fn below_project(&self, key: &str) -> Option<&Setting> {
        let weaker = self.said.iter().rev();
        let mut weaker = weaker.filter(|each| each.origin.layer() < LayerKind::Project);
        weaker
            .find(|each| each.key == key)
            .or_else(|| self.default_of(key))
    }

    /// Every value that counts: for each key the strongest, or all where they count together.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.said.iter().enumerate().filter_map(|(at, setting)| {
            let is_together = setting.entry.layers == Layers::Together;
            let overridden = self.said[at + 1..]
                .iter()
                .any(|each| each.key == setting.key);
            (is_together || !overridden).then_some(setting)
        })
    }

    /// Every value that holds without any configuration, unless something was said.
    pub(crate) fn unsaid_defaults(&self) -> impl Iterator<Item = &Setting> {
        let is_said = |key: &str| self.said.iter().any(|each| each.key == key);
        self.defaults
            .iter()
            .filter(move |setting| !is_said(&setting.key))
    }

    /// The value of a key under its own name.
    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        let said = self.said.iter().rev().find(|setting| setting.key == key);
        said.or_else(|| self.default_of(key))
    }

    /// What each layer says about a key, the strongest last.
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &Setting> {
        self.said.iter().filter(move |setting| setting.key == key)
    }

    /// The word that a key is set to.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The number that a key is set to.
    pub(crate) fn count(&self, key: &str) -> Option<usize> {
        match self.get(key)?.value {
            Value::Count(count) => usize::try_from(count).ok(),
            _ => None,
        }
    }

    /// The list that a key is set to.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<String>> {
        match &self.get(key)?.value {
            Value::List(texts) => Some(texts.clone()),
            _ => None,
        }
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|setting| matches!(setting.value, Value::Switch(true)))
    }

    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    fn default_of(&self, key: &str) -> Option<&Setting> {
        self.defaults.iter().find(|setting| setting.key == key)
    }
}
