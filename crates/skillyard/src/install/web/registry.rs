//! Versions of skills in registries, chosen, checked against the log, and fetched.

use std::path::Path;
use std::sync::Arc;

use semver::Version;
use skillyard_format::text::nearest;
use skillyard_install::fetch::registry::{
    HttpRegistry, Registry as _, RegistryError, RegistryMemory, SearchQuery, VersionInfo,
    VersionListing, select,
};
use skillyard_install::material::Material;
use skillyard_install::origin::{Origin, OriginKind};
use skillyard_install::reference::RegistryReference;

use super::{Web, WebNote, headers_of, parsed};
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::logs;
use crate::install::remote::Remote;

/// A version that was chosen among those of a registry.
pub(crate) struct ChosenVersion {
    registry: HttpRegistry,
    listing: VersionListing,
    pub(crate) version: VersionInfo,
}

impl ChosenVersion {
    /// Refuses what calls itself otherwise than what was asked for.
    pub(crate) fn check_name(
        &self,
        reference: &RegistryReference,
        material: &mut dyn Material,
    ) -> Result<(), CommandError> {
        let asked = reference.name.name().as_str();
        let offers = material.offers("").map_err(InstallFailure::from)?;
        match offers.skills.into_iter().find(|skill| skill.name != asked) {
            None => Ok(()),
            Some(other) => Err(InstallFailure::from(RegistryError::Misnamed {
                registry: self.registry.base.to_string(),
                name: reference.name.to_string(),
                named: other.name,
            })
            .into()),
        }
    }
}

impl Web {
    /// A version of a skill in a registry.
    pub(crate) fn registry(
        &self,
        reference: &RegistryReference,
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let chosen = self.choose(reference)?;
        let ChosenVersion {
            registry, version, ..
        } = &chosen;
        self.check_log(registry, version)?;
        let kept = registry.remember(&reference.name, &chosen.listing, version);
        kept.map_err(InstallFailure::from)?;
        let fetched = registry
            .download(&self.transfer(quarantine), version)
            .map_err(InstallFailure::from)?;
        let mut material = self.opened(fetched)?;
        chosen.check_name(reference, &mut *material)?;
        Ok(material)
    }

    /// The version that a reference means, without its bytes.
    pub(crate) fn choose(
        &self,
        reference: &RegistryReference,
    ) -> Result<ChosenVersion, CommandError> {
        let registry = self.client(reference.alias.as_deref())?;
        let listing = self.listing(&registry, reference)?;
        let version = select(&reference.name, &listing.versions, &reference.requirement);
        let version = version.map_err(InstallFailure::from)?.clone();
        if let Some(seen) = &listing.seen {
            let age = age(seen, self.now);
            let note = format!("offline: `{}` as it was seen {age}", reference.name);
            self.notes.tell(&self.printer, WebNote::Plain(note));
        }
        if let Some(instead) = &version.deprecated {
            let note = format!("`{}` is deprecated: {instead}", version.name);
            self.notes.tell(&self.printer, WebNote::Warning(note));
        }
        if version.yanked {
            let reason = version.yank_reason.as_deref();
            let reason = reason.map(|reason| format!(": {reason}"));
            let note = format!(
                "{}@{} was withdrawn{}",
                version.name,
                version.version,
                reason.unwrap_or_default()
            );
            self.notes.tell(&self.printer, WebNote::Warning(note));
        }
        Ok(ChosenVersion {
            registry,
            listing,
            version,
        })
    }

    /// The versions of a skill, asked for once.
    fn listing(
        &self,
        registry: &HttpRegistry,
        reference: &RegistryReference,
    ) -> Result<VersionListing, CommandError> {
        if let Some(listing) = self.listed(reference) {
            return Ok(listing);
        }
        let listing = registry.versions(&self.http, &reference.name);
        let failed = |error| InstallFailure::from(self.with_nearest(registry, error));
        let listing = listing.map_err(failed)?;
        let key = (reference.alias.clone(), reference.name.to_string());
        self.listings.lock().insert(key, listing.clone());
        Ok(listing)
    }

    /// What was said of a skill when it was asked for.
    fn listed(&self, reference: &RegistryReference) -> Option<VersionListing> {
        let key = (reference.alias.clone(), reference.name.to_string());
        self.listings.lock().get(&key).cloned()
    }

    /// A version, as was said when the skill was asked for.
    pub(crate) fn version(
        &self,
        reference: &RegistryReference,
        version: &Version,
    ) -> Option<VersionInfo> {
        let mut versions = self.listed(reference)?.versions.into_iter();
        versions.find(|info| info.version == *version)
    }

    /// Adds to a name that a registry does not have the one that was probably meant, unless there
    /// is no registry at all.
    fn with_nearest(&self, registry: &HttpRegistry, error: RegistryError) -> RegistryError {
        let RegistryError::NotFound {
            registry: shown,
            name,
            alias,
            ..
        } = error
        else {
            return error;
        };
        let query = SearchQuery {
            words: &name,
            limit: 20,
            ..SearchQuery::default()
        };
        let found = match registry.search(&self.http, &query) {
            Ok(found) => found.skills,
            // One that consists of plain files cannot search, but it has a log.
            Err(error @ RegistryError::NotARegistry { .. }) if !registry.has_log(&self.http) => {
                return error;
            }
            // It was only to help: the first answer stands when this one fails.
            Err(_) => Vec::new(),
        };
        let near = nearest(&name, found.iter().map(|skill| skill.name.as_str()));
        RegistryError::NotFound {
            nearest: near.map(str::to_owned),
            registry: shown,
            name,
            alias,
        }
    }

    /// Where a version that is taken from the store was published.
    pub(crate) fn origin(chosen: &ChosenVersion) -> Origin {
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

    /// The registry itself, for commands that do more than install.
    pub(crate) fn remote(&self, alias: Option<&str>) -> Result<Remote, CommandError> {
        Ok(Remote {
            registry: self.client(alias)?,
            http: Arc::clone(&self.http),
        })
    }

    /// Forgets what a registry said, by its address or by an alias; its address, and whether
    /// anything was known.
    pub(crate) fn forget(&self, place: Option<&str>) -> Result<(String, bool), CommandError> {
        let registry = match place {
            Some(address) if address.contains("://") => self.at(address)?.registry,
            alias => self.remote(alias)?.registry,
        };
        let memory = RegistryMemory::new(&self.memory, &registry.base, self.now.to_string());
        let had_log = logs::forget(&self.logs, registry.base.as_str())?;
        let had_index = memory.forget().map_err(|source| CommandError::Write {
            path: self.memory.clone(),
            source,
        })?;
        Ok((registry.shown(), had_log || had_index))
    }

    /// A registry by its address or by an alias, of which nothing is remembered. One that is in the
    /// configuration has the login that is kept for it.
    pub(crate) fn at(&self, place: &str) -> Result<Remote, CommandError> {
        let mut remote = if place.contains("://") {
            let base = parsed(place)?;
            let own = self
                .config
                .registries_around(&base)
                .find(|(_, below)| matches!(*below, "" | "/"))
                .map(|(alias, _)| alias);
            match own {
                Some(alias) => self.remote(alias.as_deref())?,
                None => Remote {
                    registry: HttpRegistry {
                        base,
                        alias: None,
                        headers: Vec::new(),
                        memory: None,
                        mode: self.mode,
                    },
                    http: Arc::clone(&self.http),
                },
            }
        } else {
            self.remote(Some(place))?
        };
        remote.registry.memory = None;
        Ok(remote)
    }

    /// The client of a registry, with what is remembered of it.
    fn client(&self, alias: Option<&str>) -> Result<HttpRegistry, CommandError> {
        let source = self.registry_source(alias)?;
        let base = parsed(&source.url)?;
        Ok(HttpRegistry {
            memory: Some(RegistryMemory::new(
                &self.memory,
                &base,
                self.now.to_string(),
            )),
            mode: self.mode,
            base,
            alias: alias.map(str::to_owned),
            headers: headers_of(&source)?,
        })
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
