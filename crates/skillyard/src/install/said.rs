//! What registries said of skills that were asked for: given up, or taken back.

use serde_json::{Value, json};
use skillyard_install::lockfile::Locked;

use super::deprecated::Deprecated;
use super::supply::Supply;
use super::withdrawn::Withdrawn;
use crate::context::Context;

/// What registries said of some skills. It is for programs; people were warned when a registry was
/// asked.
#[derive(Debug, Default)]
pub(crate) struct Said {
    deprecated: Vec<Deprecated>,
    withdrawn: Vec<Withdrawn>,
}

impl Said {
    /// What was said of those whose registries were asked.
    pub(crate) fn of(context: &Context, supply: &mut Supply<'_>, entries: &[Locked]) -> Self {
        if !context.printer.is_json() {
            return Self::default();
        }
        Self {
            deprecated: Deprecated::among(supply, entries.iter()),
            withdrawn: Withdrawn::among(supply, entries.iter()),
        }
    }

    /// Adds it to an answer.
    pub(crate) fn add(&self, answer: &mut Value) {
        answer["deprecated"] = json!(self.deprecated);
        answer["withdrawn"] = json!(self.withdrawn);
    }
}
