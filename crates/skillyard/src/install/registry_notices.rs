//! What registries said of skills that were asked for: given up, or taken back.

use serde_json::{Value, json};
use skillyard_install::lockfile::Locked;

use crate::context::Context;
use crate::install::deprecated::Deprecated;
use crate::install::source_resolver::SourceResolver;
use crate::install::withdrawn::Withdrawn;

/// What registries said of some skills. It is for programs; people were warned when a registry was
/// asked.
#[derive(Debug, Default)]
pub(crate) struct RegistryNotices {
    deprecated: Vec<Deprecated>,
    withdrawn: Vec<Withdrawn>,
}

impl RegistryNotices {
    /// What was said of those whose registries were asked.
    pub(crate) fn of(
        context: &Context,
        supply: &mut SourceResolver<'_>,
        entries: &[Locked],
    ) -> Self {
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
