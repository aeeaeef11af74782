//! What the locks say about the folders of skills.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::package::Digest;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::origin::{self as install, OriginKind};
use skillyard_install::records::Records;
use skillyard_install::scope::{Scope, ScopeKind};
use skillyard_trust::provenance::{Origin, Provenance};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::place;

/// The locks of the user and of the project, then what was put there and is not locked any more.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    locks: Vec<(Scope, Lockfile)>,
}

impl Installed {
    /// Reads the locks. One that cannot be read could say anything about any skill, so that none
    /// can be believed to be the user's own.
    pub(crate) fn read(context: &Context) -> Result<Self, CommandError> {
        let mut scopes = place::scopes(context);
        // With a link a project can name the user's folders as its own. The user's lock knows better.
        scopes.sort_by_key(|scope| scope.kind != ScopeKind::User);
        let (mut locks, mut dropped) = (Vec::new(), Vec::new());
        for scope in scopes {
            let records = Records::default();
            let lock = records.lock(&scope).map_err(InstallFailure::from)?;
            if let Some(placed) = records.placed(&scope).filter(|placed| *placed != lock) {
                let placed = still_there(&scope, &lock, placed);
                dropped.push((scope.clone(), placed));
            }
            locks.push((scope, lock));
        }
        locks.append(&mut dropped);
        Ok(Self { locks })
    }

    /// The entry of the lock for a folder.
    pub(crate) fn entry(&self, folder: &Path) -> Option<&Locked> {
        self.told(folder).map(|(_, entry)| entry)
    }

    /// The entry of the lock for a folder, and whose lock it is.
    fn told(&self, folder: &Path) -> Option<(ScopeKind, &Locked)> {
        let name = folder.file_name()?.to_str()?;
        self.locks.iter().find_map(|(scope, lock)| {
            let entry = lock.get(name)?;
            let places = entry
                .targets
                .iter()
                .map(|target| scope.target(target).join(name));
            places
                .into_iter()
                .any(|place| same(&place, folder))
                .then_some((scope.kind, entry))
        })
    }

    /// Whose lock names a folder.
    pub(crate) fn scope(&self, folder: &Path) -> Option<ScopeKind> {
        self.told(folder).map(|(whose, _)| whose)
    }

    /// What was installed into a folder, if its files are something else now.
    pub(crate) fn altered(&self, folder: &Path, now: Digest) -> Option<Altered> {
        let installed = self.entry(folder)?.digest;
        (installed != now).then_some(Altered { now, installed })
    }

    /// The places of this machine that skills came from, as the locks write them.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        let skills = self.locks.iter().flat_map(|(_, lock)| lock.skills());
        let named = skills.flat_map(|entry| [Some(&entry.source), entry.url.as_ref()]);
        let local = named.flatten().filter_map(|place| {
            let path = place.strip_prefix("file://").unwrap_or(place);
            (path.starts_with('/') || path.starts_with("~/")).then(|| PathBuf::from(path))
        });
        let unique: BTreeSet<PathBuf> = local.collect();
        unique.into_iter().collect()
    }

    /// Where the skill in a folder came from, and whose lock says so.
    pub(crate) fn provenance(&self, folder: &Path) -> Option<(ScopeKind, Provenance)> {
        let (whose, entry) = self.told(folder)?;
        Some((whose, provenance_of(entry)))
    }
}

/// What others took out of a lock is not less foreign for that, as long as it is what was put there.
/// Who made something else of it has made it their own.
fn still_there(scope: &Scope, lock: &Lockfile, mut placed: Lockfile) -> Lockfile {
    let is_there = |entry: &Locked| {
        entry.targets.iter().any(|target| {
            let root = SkillRoot::open(&scope.target(target).join(&entry.name));
            root.is_ok_and(|root| digest(&root).is_ok_and(|now| now == entry.digest))
        })
    };
    let names = placed.skills().iter();
    let gone = names.filter(|entry| lock.get(&entry.name).is_some() || !is_there(entry));
    let gone: Vec<String> = gone.map(|entry| entry.name.clone()).collect();
    for name in gone {
        placed.remove(&name);
    }
    placed
}

/// The files of a skill are not those that were installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Altered {
    /// What they are.
    pub(crate) now: Digest,
    /// What the lock says that it is.
    pub(crate) installed: Digest,
}

impl Altered {
    /// What the user can do about it, where the lock is of this scope.
    pub(crate) fn hint(name: &str, scope: Option<ScopeKind>) -> String {
        // In a project, `sync` means the project's skills.
        let scope = match scope {
            Some(ScopeKind::User) => " --scope user",
            _ => "",
        };
        format!(
            "Put it right with `skillyard sync{scope}` (`--force` gives up what was changed here), or look at the changes and approve them with `skillyard trust {name} --scripts`"
        )
    }
}

impl fmt::Display for Altered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { now, installed } = self;
        write!(formatter, "its files are {now}, and {installed} is locked")
    }
}

/// Where a skill came from, as an entry of a lock says.
pub(crate) fn provenance_of(entry: &Locked) -> Provenance {
    let origin = install::Origin {
        kind: entry.origin,
        url: entry.url.clone().unwrap_or_default(),
        commit: entry.commit.clone(),
        version: entry.version.clone(),
    };
    provenance(&origin, &entry.source, entry.signer.clone())
}

/// What an origin means for trust.
pub(crate) fn provenance(
    origin: &install::Origin,
    source: &str,
    signer: Option<String>,
) -> Provenance {
    let kind = match origin.kind {
        OriginKind::LocalFolder => Origin::LocalFolder,
        OriginKind::LocalArchive => Origin::LocalArchive,
        OriginKind::Git => Origin::Git,
        OriginKind::Archive => Origin::HttpsArchive,
        OriginKind::WellKnown => Origin::WellKnown,
        OriginKind::Registry => Origin::Registry,
    };
    let url = Some(&origin.url).filter(|url| !url.is_empty());
    Provenance {
        url: Some(url.cloned().unwrap_or_else(|| source.to_owned())),
        revision: origin.version.clone().or_else(|| origin.commit.clone()),
        signer,
        ..Provenance::of(kind)
    }
}

fn same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| -> Option<PathBuf> {
        // The folder itself may be a link to the store; only what leads to it is resolved.
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    one == other || whole(one).is_some_and(|one| whole(other) == Some(one))
}
