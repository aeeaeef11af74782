//! What the locks say about the folders of skills.

mod altered;
mod compared;
mod elsewhere;
mod provenance;
mod records;
mod told;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillyard_format::package::Digest;
use skillyard_install::lockfile::{Locked, Lockfile, LockfileError};
use skillyard_install::origin as install;
use skillyard_install::records::Records;
use skillyard_install::scope::{Scope, ScopeKind};
use skillyard_install::store::Store;
use skillyard_install::tree::Ignored;
use skillyard_trust::provenance::Provenance;

pub(crate) use self::altered::Altered;
use self::elsewhere::Elsewhere;
pub(crate) use self::provenance::{is_from_strangers, provenance, provenance_of};
pub(crate) use self::records::has_records;
use self::records::records_of;
use self::told::Told;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::place;
use crate::install::revoked_remedy::{WayOut, Ways};

/// The locks of the user and of the projects around the current folder, each with what was put
/// there and is not locked any more, and the locks of other projects where a skill lies in one.
///
/// The lock that a folder was installed by decides about it, wherever one stands.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    current: PathBuf,
    /// The root of the project at hand.
    project: Option<PathBuf>,
    locks: Vec<(Scope, Lockfile)>,
    elsewhere: Option<Elsewhere>,
    store: Option<Store>,
    /// Folders whose owner vouches for what is in them, whatever is locked there.
    vouched: Vec<PathBuf>,
}

impl Installed {
    /// What is locked and lies in none of its folders, as after a clone.
    pub(crate) fn missing(&self) -> BTreeSet<&str> {
        let all = self.locks.iter();
        let all = all.flat_map(|(scope, lock)| lock.skills().iter().map(move |each| (scope, each)));
        let is_there = |(scope, entry): &(&Scope, &Locked)| {
            let mut places = entry.targets.iter().map(|target| scope.target(target));
            places.any(|place| place.join(&entry.name).symlink_metadata().is_ok())
        };
        let (there, away): (Vec<_>, Vec<_>) = all.partition(is_there);
        let mut missing: BTreeSet<&str> = away.iter().map(|(_, each)| each.name.as_str()).collect();
        for (_, entry) in there {
            missing.remove(entry.name.as_str());
        }
        missing
    }

    /// Reads the locks. One of the user or of the project at hand that cannot be read could say
    /// anything about any skill, so that none can be believed to be the user's own.
    pub(crate) fn read(context: &Context) -> Result<Self, CommandError> {
        let scopes = place::deciding(context);
        let mut locks = Vec::new();
        for scope in &scopes {
            locks.extend(records_of(scope).map_err(InstallFailure::from)?);
        }
        Ok(Self {
            locks,
            ..Self::elsewhere(context, &scopes)
        })
    }

    /// The same around the locks of projects that cannot be read, whose folders
    /// [`unreadable`](Self::unreadable) tells. They name nothing that lies elsewhere, so that a
    /// checkout takes nobody's own skills from them. In the home folder it is otherwise.
    pub(crate) fn readable(context: &Context) -> Result<Self, CommandError> {
        let (mut locks, mut scopes) = (Vec::new(), Vec::new());
        for scope in place::deciding(context) {
            match records_of(&scope) {
                Ok(records) => locks.extend(records),
                Err(_) if !place::is_among_own(context, &scope) => continue,
                Err(error) => return Err(InstallFailure::from(error).into()),
            }
            scopes.push(scope);
        }
        Ok(Self {
            locks,
            ..Self::elsewhere(context, &scopes)
        })
    }

    /// Why locks of the user or of the project at hand cannot be read.
    pub(crate) fn unread(context: &Context) -> Vec<LockfileError> {
        let scopes = place::deciding(context).into_iter();
        scopes
            .filter_map(|scope| records_of(&scope).err())
            .collect()
    }

    /// The same as [`readable`](Self::readable) for what is said of certain folders; a lock that could
    /// name one of them and cannot be read is an error.
    pub(crate) fn about<'a>(
        context: &Context,
        folders: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self, CommandError> {
        let readable = Self::readable(context)?;
        readable.refuse_unreadable(context, folders)?;
        Ok(readable)
    }

    /// Refuses a lock of the user or of the project at hand that cannot be read and could name one of
    /// these folders.
    pub(crate) fn refuse_unreadable<'a>(
        &self,
        context: &Context,
        folders: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), CommandError> {
        let mut folders = folders.into_iter();
        if folders.any(|folder| self.unreadable(folder).is_some()) {
            Self::read(context)?;
        }
        Ok(())
    }

    /// What the locks of others say, and nothing of these.
    pub(crate) fn elsewhere(context: &Context, scopes: &[Scope]) -> Self {
        let environment = &context.environment;
        Self {
            current: environment.current_dir.clone(),
            project: place::project(context),
            locks: Vec::new(),
            elsewhere: Some(Elsewhere::than(scopes, &environment.skillyard_home)),
            store: Some(place::store(context)),
            vouched: Vec::new(),
        }
    }

    /// Asks no locks of others about what lies in these folders.
    pub(crate) fn vouched(self, folders: Vec<PathBuf>) -> Self {
        Self {
            vouched: folders,
            ..self
        }
    }

    /// The entry of the lock for a folder, or for the skill that it lies in.
    pub(crate) fn entry(&self, folder: &Path) -> Option<Cow<'_, Locked>> {
        self.told(folder).map(|told| told.entry)
    }

    /// The entry of the lock for exactly this folder.
    pub(crate) fn own_entry(&self, folder: &Path) -> Option<Cow<'_, Locked>> {
        let told = self.told(folder)?;
        told.around.is_none().then_some(told.entry)
    }

    /// The entry of the lock for the skill that a folder lies in, and where that skill is.
    pub(crate) fn around_of(&self, folder: &Path) -> Option<(PathBuf, Cow<'_, Locked>)> {
        let told = self.told(folder)?;
        let around = told.around?;
        Some((around, told.entry))
    }

    /// What is installed here and has exactly these bytes, wherever it lies.
    pub(crate) fn same(&self, digest: &Digest) -> Option<&Locked> {
        let mut entries = self.locks.iter().flat_map(|(_, lock)| lock.skills());
        entries.find(|entry| entry.digest == *digest)
    }

    /// The folders that skills were installed into by the locks that are known, with their names.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.locks.iter().flat_map(|(scope, lock)| {
            lock.skills().iter().flat_map(move |entry| {
                let folder = |target: &String| scope.target(target).join(&entry.name);
                let folders = entry.targets.iter().map(folder);
                folders.map(|folder| (entry.name.as_str(), folder))
            })
        })
    }

    /// Whether a folder belongs to the store, in which nobody writes skills of their own.
    pub(crate) fn is_in_store(&self, folder: &Path) -> bool {
        let Some(store) = &self.store else {
            return false;
        };
        self.paths(folder)
            .any(|folder| store.folder_around(&folder).is_some())
    }

    /// A lock of a project that could name a folder and cannot be read.
    pub(crate) fn unreadable(&self, folder: &Path) -> Option<PathBuf> {
        self.paths(folder).find_map(|folder| {
            let around = self.around(&folder)?;
            let level = around.all_levels().find(|level| level.records().is_err())?;
            Some(level.file().to_owned())
        })
    }

    /// Whether another project could have a say about a folder.
    pub(crate) fn is_elsewhere(&self, folder: &Path) -> bool {
        self.paths(folder).any(|folder| {
            let around = self.around(&folder);
            around.is_some_and(|around| around.all_levels().any(|level| level.has_records))
        })
    }

    /// Whether the locks of others are still what they were.
    pub(crate) fn is_current(&self) -> bool {
        self.elsewhere.as_ref().is_none_or(Elsewhere::is_current)
    }

    /// What to type behind a command so that it means the scope of the skill in a folder.
    pub(crate) fn typed_scope(&self, folder: &Path) -> &'static str {
        // In a project, commands mean the project's skills.
        let is_users = || {
            let told = self.told(folder);
            told.is_some_and(|told| told.scope.kind == ScopeKind::User)
        };
        if self.project.is_some() && is_users() {
            " --scope user"
        } else {
            ""
        }
    }

    /// The root of the project whose lock names the skill in a folder, where commands that are run here
    /// do not mean that project.
    pub(crate) fn root_elsewhere(&self, folder: &Path) -> Option<PathBuf> {
        let scope = self.told(folder)?.scope;
        let root = place::whole(&scope.root);
        let is_other = scope.kind == ScopeKind::Project
            && self.project.as_deref().map(place::whole).as_ref() != Some(&root);
        is_other.then_some(root)
    }

    /// What the user can do about a revoked skill in a folder, and the name of what was installed
    /// there; nothing where nobody installed it.
    pub(crate) fn way_out(&self, folder: &Path) -> Option<(String, Ways)> {
        let Told { scope, entry, .. } = self.told(folder)?;
        let (store, records) = (scope.store(), Records::default());
        let way_out = WayOut::of_scope(&scope, &store, &records, self.typed_scope(folder));
        Some((entry.name.clone(), way_out.of(&entry)))
    }

    /// What the user can do about a skill that was altered.
    pub(crate) fn remedy(&self, name: &str, folder: &Path) -> String {
        match self.root_elsewhere(folder) {
            Some(root) => Altered::hint_in(name, &root),
            None => Altered::hint(name, self.told(folder).map(|told| told.scope.kind)),
        }
    }

    /// What git ignores in a folder that was not installed; what was came as a whole, whatever the
    /// project around it ignores.
    pub(crate) fn ignored_in(&self, context: &Context, folder: &Path) -> Ignored {
        match self.entry(folder) {
            Some(_) => Ignored::default(),
            None => context.ignored_in(folder),
        }
    }

    /// The same for who hands the folder on; where git cannot be asked, that is refused.
    pub(crate) fn surely_ignored_in(
        &self,
        context: &Context,
        folder: &Path,
    ) -> Result<Ignored, CommandError> {
        match self.entry(folder) {
            Some(_) => Ok(Ignored::default()),
            None => context.surely_ignored_in(folder),
        }
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

    /// Where a folder of this machine came from before it was here: what was installed into it, or
    /// with the skill that it lies in, came from there. `here` is the folder itself.
    pub(crate) fn origin_of(
        &self,
        folder: &Path,
        here: &install::Origin,
    ) -> Option<install::Origin> {
        let told = self.told(folder)?;
        let entry = &told.entry;
        // A project's lock can only make a skill less trusted, and nobody saw the address in it.
        if told.scope.kind == ScopeKind::Project {
            let counts = is_from_strangers(&provenance_of(entry));
            return counts.then(|| install::Origin {
                kind: entry.origin,
                ..here.clone()
            });
        }
        entry.origin.is_remote().then(|| install::Origin {
            kind: entry.origin,
            url: entry.url.clone().unwrap_or_else(|| entry.source.clone()),
            commit: entry.commit.clone(),
            version: entry.version.clone(),
        })
    }

    /// Where the skill in a folder came from, and whose lock says so.
    pub(crate) fn provenance(&self, folder: &Path) -> Option<(ScopeKind, Provenance)> {
        let told = self.told(folder)?;
        Some((told.scope.kind, provenance_of(&told.entry)))
    }
}
