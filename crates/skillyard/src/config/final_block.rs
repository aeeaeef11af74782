//! Blocks that no approval lifts, and who would make one that an approval does.
//!
//! `scripts = "blocked"` is final unless `ask` is `opt-in`. By itself `opt-in` is the tightest of
//! all questions; beside a block it is the loosest. So what a project, or anybody below an
//! organisation's lock, may say is judged by the pair.

use super::Config;
use super::layer::Setting;
use crate::config::value::ConfigValue;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::LayerKind;

impl Config {
    /// Why the setting of this layer is not used, if it would let an approval lift a block that
    /// is final for it.
    pub(crate) fn lifted_by(&self, setting: &Setting, layer: LayerKind) -> Option<ConfigProblem> {
        let row = setting.key.strip_prefix("trust.")?.strip_suffix(".ask")?;
        if !is(Some(setting), "opt-in") {
            return None;
        }
        let scripts = format!("trust.{row}.scripts");
        let counts = |each: &&Setting| match layer {
            // What holds without the project is the user's last word.
            LayerKind::Project => each.origin.layer() != LayerKind::Project,
            // What holds without the user is the organisation's, where it is locked.
            _ => each.origin.layer() <= LayerKind::Org,
        };
        if layer != LayerKind::Project && self.lock_of(&scripts).is_none() {
            return None;
        }
        let value = |key: &str| {
            let said = self.said.iter().rev().filter(counts);
            let mut of_key = said.filter(|each| each.key == key);
            of_key.next().or_else(|| self.default_of(key))
        };
        let block = value(&scripts).filter(|block| is(Some(block), "blocked"))?;
        (!is(value(&setting.key), "opt-in")).then(|| ConfigProblem::LiftsBlock {
            key: setting.key.clone(),
            block: format!("`{scripts}` ({})", block.origin.described()),
        })
    }

    /// Drops what would let an approval lift a block that the organisation locked, and says so.
    pub(super) fn keep_locked_blocks(&mut self) {
        let lifts = |setting: &Setting| {
            let layer = setting.origin.layer();
            let problem = self.lifted_by(setting, LayerKind::User)?;
            (layer > LayerKind::Org).then(|| unused(setting, problem))
        };
        let found: Vec<Option<String>> = self.said.iter().map(lifts).collect();
        let mut verdicts = found.iter();
        self.said
            .retain(|_| verdicts.next().is_none_or(Option::is_none));
        self.warnings.extend(found.into_iter().flatten());
    }
}

/// What is said of a setting that is not used.
pub(super) fn unused(setting: &Setting, problem: ConfigProblem) -> String {
    let at = Some(setting.origin.clone());
    format!("{}, so this is not used", ConfigError { at, problem })
}

fn is(setting: Option<&Setting>, word: &str) -> bool {
    setting.is_some_and(|setting| matches!(&setting.value, ConfigValue::Text(text) if text == word))
}
