//! The skills of a source that were chosen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use skillyard_format::nearest::nearest;
use skillyard_install::candidate::{Candidate, Found};
use skillyard_install::material::{Offer, Offers};
use skillyard_install::reference::{Local, LocalKind, Reference};
use skillyard_install::tree::Tree;

use super::Supply;
use super::unavailable::unloadable;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::meaning::Meaning;
use crate::install::pick::{Pick, Source};
use crate::install::place::whole;
use crate::installed::Installed;

impl Supply<'_> {
    /// The skills of a source that `pick` chooses.
    pub(crate) fn candidates(
        &mut self,
        reference: &Reference,
        pick: &Pick,
    ) -> Result<Vec<Candidate>, CommandError> {
        let meaning = self.meaning(reference)?;
        self.chosen(reference, &meaning, pick)
    }

    /// The skills that `pick` chooses, of the source that a reference stands for.
    pub(super) fn chosen(
        &mut self,
        reference: &Reference,
        meaning: &Meaning,
        pick: &Pick,
    ) -> Result<Vec<Candidate>, CommandError> {
        let shown = self.shown(reference);
        let printer = self.context.printer.clone();
        let material = self.sources.open(meaning)?;
        let offers = material.offers(meaning.reference.path());
        let mut offers = offers.map_err(InstallFailure::from)?;
        if let Some(name) = &meaning.named {
            offers = called(name, offers, meaning.alias.as_deref().unwrap_or_default())?;
        }
        let Offers { skills, declined } = offers;
        if skills.is_empty() && declined.is_empty() && material.is_packed_in_part() {
            return Err(self.left_out(shown, meaning));
        }
        for each in &declined {
            printer.detail(&format!("{}: {}", each.path, each.reason));
        }
        let source = Source {
            shown: &shown,
            folder: match reference {
                Reference::Local(local) => Some(&*local.path),
                _ => None,
            },
            below: meaning.reference.path(),
        };
        let picked = pick.choose(&printer, &source, skills, &declined)?;
        self.load(reference, meaning, &picked)
    }

    /// That there is no skill in what a forge packed, and where it can be.
    fn left_out(&mut self, place: String, meaning: &Meaning) -> CommandError {
        let git = match &meaning.reference {
            Reference::Hosted(hosted) => self.sources.by_git(hosted).ok().flatten(),
            _ => None,
        };
        let git = git.map(|git| Reference::Git(git).to_string());
        InstallFailure::LeftOutOfArchive { place, git }.into()
    }

    /// What the locks say of folders. They are read once: with as many sources as skills, each of them
    /// would be read for each of those.
    fn installed_about(&mut self, folders: &[PathBuf]) -> Result<Arc<Installed>, CommandError> {
        let installed = match &self.installed {
            Some(installed) => Arc::clone(installed),
            None => Arc::new(Installed::readable(self.context)?),
        };
        self.installed = Some(Arc::clone(&installed));
        installed.refuse_unreadable(self.context, folders.iter().map(PathBuf::as_path))?;
        Ok(installed)
    }

    /// Loads the skills that were chosen.
    fn load(
        &mut self,
        reference: &Reference,
        meaning: &Meaning,
        offers: &[Offer],
    ) -> Result<Vec<Candidate>, CommandError> {
        let paths: Vec<String> = offers.iter().map(|offer| offer.path.clone()).collect();
        let material = self.sources.open(meaning)?;
        let trees = material.load(&paths);
        let trees = trees.map_err(|error| unloadable(material.as_mut(), offers, error))?;
        let origin = material.origin().clone();
        for doubt in trees.iter().filter_map(Tree::doubt) {
            self.context.tell_unasked(&doubt.unasked);
        }
        let origin = self.portable_origin(origin, &meaning.reference);
        // No skill of a folder is looked for behind a link, so this is done once for all of them.
        let folder = match reference {
            Reference::Local(Local {
                path,
                kind: LocalKind::Folder,
            }) => Some(whole(path)),
            _ => None,
        };
        let installed = match &folder {
            Some(folder) => {
                let folders: Vec<PathBuf> = paths.iter().map(|path| below(folder, path)).collect();
                self.installed_about(&folders)?
            }
            None => Arc::default(),
        };
        let found: Result<Vec<Found>, CommandError> = paths
            .iter()
            .map(|path| {
                let folder = folder.as_ref().map(|folder| below(folder, path));
                // What was installed there came from elsewhere, and is no less foreign here.
                let before = folder
                    .as_ref()
                    .and_then(|folder| installed.origin_of(folder, &origin));
                let (source, requested) = match &folder {
                    Some(folder) => (self.place.portable_whole(folder), None),
                    None => self.source_of(reference, Some(path))?,
                };
                Ok(Found {
                    folder: path
                        .rsplit('/')
                        .next()
                        .filter(|part| !part.is_empty())
                        .map(str::to_owned),
                    path: path.clone(),
                    source,
                    requested,
                    origin: before.unwrap_or_else(|| origin.clone()),
                })
            })
            .collect();
        let jobs: Vec<_> = trees.into_iter().zip(found?).zip(offers).collect();
        let candidates: Result<Vec<Candidate>, InstallFailure> = jobs
            .into_par_iter()
            .map(|((tree, mut found), offer)| {
                found.folder = found.folder.or_else(|| Some(offer.name.clone()));
                let candidate = Candidate::new(tree.delivered(), found);
                candidate.map_err(|source| InstallFailure::Candidate {
                    name: offer.name.clone(),
                    source,
                })
            })
            .collect();
        self.with_what_is_locked(candidates?)
    }
}

/// The skill of a name among those of a source, else the one in a folder of that name. Of several
/// the one is meant that lies where the name alone leads.
fn called(name: &str, mut offers: Offers, place: &str) -> Result<Offers, InstallFailure> {
    let folder = |path: &str| path.rsplit('/').next() == Some(name);
    let is_called = |offer: &Offer| offer.name == name;
    let by_name = offers.skills.iter().any(is_called);
    let fits = |offer: &Offer| is_called(offer) || (!by_name && folder(&offer.path));
    offers.declined.retain(|each| folder(&each.path));
    if !offers.skills.iter().any(fits) && offers.declined.is_empty() {
        let names = offers.skills.iter().map(|offer| offer.name.as_str());
        return Err(InstallFailure::NotOffered {
            place: place.to_owned(),
            name: name.to_owned(),
            nearest: nearest(name, names.clone()).map(str::to_owned),
            names: names.map(str::to_owned).collect(),
        });
    }
    offers.skills.retain(fits);
    if let Some(at) = offers.skills.iter().position(|offer| offer.path == name) {
        offers.skills = vec![offers.skills.swap_remove(at)];
    }
    Ok(offers)
}

/// A folder in a folder; the folder itself where nothing is named.
pub(super) fn below(folder: &Path, path: &str) -> PathBuf {
    match path {
        "" => folder.to_owned(),
        path => folder.join(path),
    }
}
