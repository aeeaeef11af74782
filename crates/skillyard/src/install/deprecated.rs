//! Installed skills that their owners gave up. People are told when a registry is asked.

use skillyard_install::lockfile::Locked;

use crate::install::source_resolver::SourceResolver;

/// An installed skill that was given up.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Deprecated {
    pub(crate) name: String,
    /// What to use instead, in the words of its owners.
    pub(crate) instead: String,
}

impl Deprecated {
    /// Those among some installed skills that were asked for.
    pub(crate) fn among<'a>(
        supply: &mut SourceResolver<'_>,
        entries: impl Iterator<Item = &'a Locked>,
    ) -> Vec<Self> {
        let deprecated = |entry: &Locked| {
            Some(Self {
                name: entry.name.clone(),
                instead: supply.version(entry)?.deprecated?,
            })
        };
        entries.filter_map(deprecated).collect()
    }
}
