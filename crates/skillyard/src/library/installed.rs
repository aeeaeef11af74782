//! What the locks say about the folders of skills.

mod elsewhere;
mod told;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::package::Digest;
use skillyard_install::lockfile::{Locked, Lockfile, LockfileError};
use skillyard_install::origin as install;
use skillyard_install::origin::OriginKind;
use skillyard_install::records::Records;
use skillyard_install::scope::{Scope, ScopeKind};
use skillyard_install::store::Store;
use skillyard_install::tree::{Ignored, Tree};
use skillyard_install::under_way;
use skillyard_trust::provenance::{Origin, Provenance};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::library::installed::elsewhere::Elsewhere;
use crate::library::installed::told::LockEntry;
use crate::library::revoked_remedy::{RevokedRemedies, RevokedRemedy};
use crate::scope;
use crate::text::shell::shell_word;

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
        let scopes = scope::deciding(context);
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
        for scope in scope::deciding(context) {
            match records_of(&scope) {
                Ok(records) => locks.extend(records),
                Err(_) if !scope::is_among_own(context, &scope) => continue,
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
        let scopes = scope::deciding(context).into_iter();
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
            project: scope::project(context),
            locks: Vec::new(),
            elsewhere: Some(Elsewhere::than(scopes, &environment.skillyard_home)),
            store: Some(scope::store(context)),
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
        let root = scope::whole(&scope.root);
        let is_other = scope.kind == ScopeKind::Project
            && self.project.as_deref().map(scope::whole).as_ref() != Some(&root);
        is_other.then_some(root)
    }

    /// What the user can do about a revoked skill in a folder, and the name of what was installed
    /// there; nothing where nobody installed it.
    pub(crate) fn way_out(&self, folder: &Path) -> Option<(String, RevokedRemedy)> {
        let LockEntry { scope, entry, .. } = self.told(folder)?;
        let (store, records) = (scope.store(), Records::default());
        let way_out = RevokedRemedies::of_scope(&scope, &store, &records, self.typed_scope(folder));
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

/// What is written down about a scope: its lock, and what was put there and is not locked any more.
fn records_of(scope: &Scope) -> Result<Vec<(Scope, Lockfile)>, LockfileError> {
    let records = Records::default();
    let lock = records.lock(scope)?;
    let placed = records.placed(scope).filter(|placed| *placed != lock);
    let dropped = placed.map(|placed| still_there(scope, &lock, placed));
    let all = std::iter::once(lock).chain(dropped);
    Ok(all.map(|lock| (scope.clone(), lock)).collect())
}

/// Whether anything is written down about a scope.
pub(crate) fn has_records(scope: &Scope) -> bool {
    // A link in the place of a lock is none that can be read.
    let is_there = |file: PathBuf| file.symlink_metadata().is_ok();
    is_there(scope.lock_file()) || scope.placed_file().is_some_and(is_there)
}

/// What others took out of a lock is not less foreign for that, as long as it is what was put there.
/// Who made something else of it has made it their own.
fn still_there(scope: &Scope, lock: &Lockfile, mut placed: Lockfile) -> Lockfile {
    let is_there = |entry: &Locked| {
        entry.targets.iter().any(|target| {
            let folder = scope.target(target).join(&entry.name);
            digest_of(&folder).is_some_and(|now| {
                now == entry.digest || shown_as(scope, entry.digest, &folder).contains(&now)
            })
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
        Self::hint_with(
            name,
            match scope {
                Some(ScopeKind::User) => "`skillyard sync --scope user`",
                _ => "`skillyard sync`",
            },
        )
    }

    /// The same, where the lock is of a project that `sync` does not mean here.
    fn hint_in(name: &str, root: &Path) -> String {
        Self::hint_with(name, &format!("`skillyard sync` in `{}`", root.display()))
    }

    fn hint_with(name: &str, sync: &str) -> String {
        let name = shell_word(name);
        format!(
            "Put it right with {sync} (`--force` gives up what was changed here), or look at the changes and approve them with `skillyard trust {name} --scripts`"
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
    let found = Provenance {
        url: Some(url.cloned().unwrap_or_else(|| source.to_owned())),
        revision: origin.version.clone().or_else(|| origin.commit.clone()),
        signer,
        ..Provenance::of(kind)
    };
    // What was taken from a place of this machine is local, too: what was said there of where it is
    // from may have come with it. A lock writes such a place as a path.
    let is_copy = is_from_strangers(&found) && source.starts_with(['/', '.']);
    Provenance {
        place: is_copy.then_some(Origin::LocalFolder),
        ..found
    }
}

/// Whether something came from people of whom nothing is known.
pub(crate) fn is_from_strangers(provenance: &Provenance) -> bool {
    matches!(
        provenance.origin,
        Origin::Git | Origin::HttpsArchive | Origin::WellKnown | Origin::Mcp
    )
}

impl Installed {
    /// What was installed into a folder, or with the skill that it lies in, if the files there are
    /// something else now, and nobody is changing just that.
    pub(crate) fn altered(&self, folder: &Path, now: Digest) -> Option<Altered> {
        let altered = self.altered_or_changing(folder, now)?;
        let told = self.told(folder)?;
        let folder = told.around.as_deref().unwrap_or(folder);
        let is_changing = under_way::puts(&told.scope, folder, altered.now)
            // What was looked at before the change, compared with the lock after it.
            || digest_of(folder) == Some(altered.installed);
        (!is_changing).then_some(altered)
    }

    /// The same, also while somebody changes it.
    pub(crate) fn altered_or_changing(&self, folder: &Path, now: Digest) -> Option<Altered> {
        let told = self.told(folder)?;
        let installed = told.entry.digest;
        let (folder, now) = match &told.around {
            None => (folder, now),
            // What cannot be compared is another: a digest is never that of nothing.
            Some(around) => (
                around.as_path(),
                digest_of(around).unwrap_or_else(|| Digest::of(b"")),
            ),
        };
        let is_sound = installed == now || shown_as(&told.scope, installed, folder).contains(&now);
        (!is_sound).then_some(Altered { now, installed })
    }

    /// The digests that the files in a folder may have while they are what was installed into exactly
    /// this folder, that of the lock first.
    pub(crate) fn expected(&self, folder: &Path) -> Option<Vec<Digest>> {
        let told = self.told(folder).filter(|told| told.around.is_none())?;
        let installed = told.entry.digest;
        let shown = shown_as(&told.scope, installed, folder);
        Some(std::iter::once(installed).chain(shown).collect())
    }

    /// Whether the files in a folder are what was installed into exactly this folder.
    pub(crate) fn is_as_installed(&self, folder: &Path) -> bool {
        let expected = self.expected(folder);
        expected.is_some_and(|expected| {
            digest_of(folder).is_some_and(|digest| expected.contains(&digest))
        })
    }

    /// What was installed into exactly this folder where no executable bits are kept; nothing elsewhere.
    pub(crate) fn behind(&self, folder: &Path) -> Option<Tree> {
        let told = self.told(folder).filter(|told| told.around.is_none())?;
        told.scope.store().behind(told.entry.digest, folder)
    }
}

/// What a folder consists of.
fn digest_of(folder: &Path) -> Option<Digest> {
    digest(&SkillRoot::open(folder).ok()?).ok()
}

/// The digests that a skill has in a folder where no executable bits are kept.
fn shown_as(scope: &Scope, installed: Digest, folder: &Path) -> Vec<Digest> {
    scope.store().shown_as(installed, folder)
}
