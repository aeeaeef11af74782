//! Installed versions that their owners took back.

use skillyard_install::lockfile::Locked;

use crate::context::Context;
use crate::install::source_resolver::SourceResolver;
use crate::text::sanitize::visible;

/// An installed version that was withdrawn.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Withdrawn {
    name: String,
    version: String,
    /// What its owners say.
    reason: Option<String>,
}

impl Withdrawn {
    /// Those among some installed skills that were asked for.
    pub(crate) fn among<'a>(
        supply: &mut SourceResolver<'_>,
        entries: impl Iterator<Item = &'a Locked>,
    ) -> Vec<Self> {
        let withdrawn = |entry: &Locked| {
            let version = supply.version(entry).filter(|version| version.yanked)?;
            Some(Self {
                name: entry.name.clone(),
                version: version.version.to_string(),
                reason: version.yank_reason,
            })
        };
        entries.filter_map(withdrawn).collect()
    }

    pub(crate) fn tell(&self, context: &Context) {
        let reason = self.reason.as_ref();
        let reason = reason.map(|reason| format!(": {reason}"));
        let line = format!(
            " ! {}: {}, which is installed, was withdrawn{}",
            self.name,
            self.version,
            reason.unwrap_or_default()
        );
        context.printer.people(&visible(&line));
    }
}
