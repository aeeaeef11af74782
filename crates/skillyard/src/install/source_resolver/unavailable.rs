//! Why a skill that is installed, or is to be, cannot be had, and what became of it.

use skillyard_format::text::nearest;
use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::git::GitError;
use skillyard_install::lockfile::Locked;
use skillyard_install::material::{Material, MaterialError, SkillOffer};
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::Reference;

use crate::error::CommandError;
use crate::error::install::{InstallFailure, is_missing};
use crate::install::pick;
use crate::install::source_resolver::SourceResolver;

impl SourceResolver<'_> {
    /// The reason with the skill and its source; `entry` is what the lock has of it.
    pub(crate) fn unavailable(
        &mut self,
        name: &str,
        reference: &Reference,
        entry: Option<&Locked>,
        error: CommandError,
    ) -> CommandError {
        // What is wrong here is wrong for every skill.
        if !matches!(
            error,
            CommandError::Install(_) | CommandError::NoSuchPath(_)
        ) {
            return error;
        }
        let moved = if is_missing(&error) {
            self.whereabouts(name, reference)
        } else {
            None
        };
        InstallFailure::Unavailable {
            name: name.to_owned(),
            reference: self.shown(reference),
            registry: entry.and_then(|entry| self.other_registry(entry, reference)),
            is_needed: entry.is_some_and(|entry| entry.dependency),
            moved,
            source: Box::new(error),
        }
        .into()
    }

    /// The registry that a skill was locked from, unless that is the one that a reference means here.
    fn other_registry(&mut self, entry: &Locked, reference: &Reference) -> Option<String> {
        let asked = match self.meaning(reference).ok()?.reference {
            Reference::Registry(named) => self.sources.web().ok()?.remote(named.alias.as_deref()),
            _ => return None,
        };
        // Where there is none, it is another one, too.
        let asked = asked.ok().map(|remote| remote.registry.shown());
        let locked = entry.other_registry(OriginKind::Registry, asked.as_deref());
        locked.map(str::to_owned)
    }

    /// Where in the same state of its source a skill of this name is.
    fn whereabouts(&mut self, name: &str, reference: &Reference) -> Option<String> {
        let meaning = self.meaning(reference).ok()?;
        let offers = self.sources.open(&meaning).ok()?.offers("").ok()?;
        let offer = offers.skills.into_iter().find(|offer| offer.name == name)?;
        let moved = self.in_folder(reference, &offer.path).ok()?;
        Some(self.shown(&moved))
    }

    /// The same error, or where only the folder was wrong one that names those that were meant.
    pub(crate) fn misplaced(&mut self, reference: &Reference, error: CommandError) -> CommandError {
        let is_nowhere = is_nowhere(&error);
        let meant = is_nowhere.then(|| self.meant_folders(reference));
        match meant.flatten() {
            Some(meant) if !meant.is_empty() => InstallFailure::Misplaced {
                place: self.shown(reference),
                meant,
            }
            .into(),
            _ => error,
        }
    }

    /// The skills of a source that are called, or lie in a folder that is called, as the folder that
    /// was asked for; else the one that is nearly called so.
    fn meant_folders(&mut self, reference: &Reference) -> Option<Vec<String>> {
        let meaning = self.meaning(reference).ok()?;
        let wanted = last_part(meaning.reference.path())?.to_owned();
        let offers = self.sources.open(&meaning).ok()?.offers("").ok()?.skills;
        let is_called = |offer: &&SkillOffer, word: &str| {
            offer.name == word || last_part(&offer.path) == Some(word)
        };
        let mut meant: Vec<&SkillOffer> = offers.iter().collect();
        meant.retain(|offer| is_called(offer, &wanted));
        if meant.is_empty() {
            let near = nearest(&wanted, offers.iter().map(|offer| offer.name.as_str()))?;
            meant.extend(offers.iter().filter(|offer| is_called(offer, near)));
        }
        let folders = meant.into_iter().map(|offer| {
            let folder = self.in_folder(reference, &offer.path);
            folder.map(|folder| self.shown(&folder))
        });
        folders.collect::<Result<_, _>>().ok()
    }
}

/// Whether a source has nothing at all in the folder that was asked for.
fn is_nowhere(error: &CommandError) -> bool {
    let is_left_out = |failure: &InstallFailure| {
        matches!(
            failure,
            InstallFailure::LeftOutOfArchive { .. } | InstallFailure::NoneLoadable { .. }
        )
    };
    is_missing(error) && !matches!(error, CommandError::Install(failure) if is_left_out(failure))
}

/// The last part of a path that has one.
fn last_part(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|part| !part.is_empty())
}

/// Whether the source is there, and the commit that was asked for is not, as after a rewritten history.
pub(crate) fn is_rewritten(error: &CommandError) -> bool {
    match error {
        CommandError::Install(
            InstallFailure::Git(GitError::NoRevision { .. })
            | InstallFailure::Forge(ForgeError::NoRevision { .. }),
        ) => true,
        CommandError::Install(InstallFailure::Material(error)) => {
            matches!(error.0.downcast_ref(), Some(GitError::NoRevision { .. }))
        }
        _ => false,
    }
}

/// Which of several skills it is that keeps them from being loaded.
pub(super) fn unloadable(
    material: &mut dyn Material,
    offers: &[SkillOffer],
    error: MaterialError,
) -> InstallFailure {
    if offers.len() < 2 {
        return error.into();
    }
    let mut bad = Vec::new();
    let mut parts = vec![offers];
    while let Some(part) = parts.pop() {
        let paths: Vec<String> = part.iter().map(|offer| offer.path.clone()).collect();
        match (material.load(&paths), part) {
            (Ok(_), _) | (_, []) => {}
            (Err(error), [offer]) => bad.push((offer, error)),
            (Err(_), more) => {
                let (first, second) = more.split_at(more.len() / 2);
                parts.extend([second, first]);
            }
        }
    }
    let is_bad = |offer: &&SkillOffer| bad.iter().any(|(each, _)| each.path == offer.path);
    let others = offers.iter().filter(|offer| !is_bad(offer));
    let others = others.map(|offer| pick::word_for(offer, offers)).collect();
    match bad.into_iter().next() {
        Some((offer, source)) => InstallFailure::Unloadable {
            name: pick::word_for(offer, offers),
            others,
            source,
        },
        None => error.into(),
    }
}
