//! Versions of skills in registries.

use std::path::Path;

use skillyard_install::fetch::registry::{
    HttpRegistry, Listing, Registry as _, VersionInfo, select,
};
use skillyard_install::material::Material;
use skillyard_install::origin::{Origin, OriginKind};
use skillyard_install::reference::RegistryReference;

use super::Web;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::logs;
use crate::sanitize::visible;

/// A version that was chosen among those of a registry.
pub(crate) struct Chosen {
    registry: HttpRegistry,
    listing: Listing,
    pub(crate) version: VersionInfo,
}

impl Web {
    /// A version of a skill in a registry.
    pub(crate) fn registry(
        &self,
        reference: &RegistryReference,
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let chosen = self.choose(reference)?;
        let Chosen {
            registry, version, ..
        } = &chosen;
        self.check_log(registry, version)?;
        let kept = registry.remember(&reference.name, &chosen.listing, version);
        kept.map_err(InstallFailure::from)?;
        let fetched = registry
            .download(&self.transfer(quarantine), version)
            .map_err(InstallFailure::from)?;
        self.opened(fetched)
    }

    /// The version that a reference means, without its bytes.
    pub(crate) fn choose(&self, reference: &RegistryReference) -> Result<Chosen, CommandError> {
        let source = self.registry_source(reference.alias.as_deref())?;
        let registry = self.client(&source)?;
        let failed = InstallFailure::from;
        let listing = registry.versions(&self.http, &reference.name);
        let listing = listing.map_err(failed)?;
        let version = select(&reference.name, &listing.versions, &reference.requirement);
        let version = version.map_err(failed)?.clone();
        if let Some(seen) = &listing.seen {
            let age = age(seen, self.now);
            let note = format!("offline: `{}` as it was seen {age}", reference.name);
            self.printer.note(&visible(&note));
        }
        if version.yanked {
            let reason = version.yank_reason.as_deref();
            let reason = reason.map(|reason| format!(": {reason}"));
            let note = format!(
                "warning: {}@{} was withdrawn{}",
                version.name,
                version.version,
                reason.unwrap_or_default()
            );
            self.printer.note(&visible(&note));
        }
        Ok(Chosen {
            registry,
            listing,
            version,
        })
    }

    /// Where a version that is taken from the store was published.
    pub(crate) fn origin(chosen: &Chosen) -> Origin {
        Origin {
            kind: OriginKind::Registry,
            url: chosen.registry.shown(),
            commit: None,
            version: Some(chosen.version.version.to_string()),
        }
    }

    /// Refuses a version that is not in the registry's log, and a log that lost something.
    fn check_log(
        &self,
        registry: &HttpRegistry,
        version: &VersionInfo,
    ) -> Result<(), CommandError> {
        let name = registry.base.as_str();
        let seen = logs::seen(&self.logs, name)?;
        let now = registry.check_log(&self.http, version, seen.as_ref());
        match now.map_err(InstallFailure::from)? {
            Some(now) => logs::remember(&self.logs, name, now),
            None => Ok(()),
        }
    }
}

/// How long ago something was, in words.
pub(crate) fn age(seen: &str, now: jiff::Timestamp) -> String {
    let Ok(seen) = seen.parse::<jiff::Timestamp>() else {
        return "at a time that cannot be read".to_owned();
    };
    let seconds = now.as_second() - seen.as_second();
    let (count, unit) = match seconds {
        ..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}
