//! The skills of a source that were chosen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use skillyard_format::text::nearest;
use skillyard_install::candidate::{Candidate, CandidateSource};
use skillyard_install::material::{SkillOffer, SkillOffers};
use skillyard_install::origin::Origin;
use skillyard_install::reference::{LocalKind, LocalReference, Reference};
use skillyard_install::tree::Tree;

use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::pick::{Pick, PickSource};
use crate::install::resolved_reference::ResolvedReference;
use crate::install::source_resolver::SourceResolver;
use crate::install::source_resolver::unavailable::unloadable;
use crate::library::installed::Installed;
use crate::scope::{ScopeContext, whole};

impl SourceResolver<'_> {
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
        meaning: &ResolvedReference,
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
        let SkillOffers { skills, declined } = offers;
        if skills.is_empty() && declined.is_empty() && material.is_packed_in_part() {
            return Err(self.left_out(shown, meaning));
        }
        for each in &declined {
            printer.detail(&format!("{}: {}", each.path, each.reason));
        }
        let source = PickSource {
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
    fn left_out(&mut self, place: String, meaning: &ResolvedReference) -> CommandError {
        let git = match &meaning.reference {
            Reference::Hosted(hosted) => self.sources.by_git(hosted).ok().flatten(),
            _ => None,
        };
        let git = git.map(|git| Reference::Git(git).to_string());
        InstallFailure::LeftOutOfArchive { place, git }.into()
    }

    /// What the locks say. They are read once: with as many sources as skills, each of them would be
    /// read for each of those.
    fn installed(&mut self) -> Result<Arc<Installed>, CommandError> {
        let installed = match &self.installed {
            Some(installed) => Arc::clone(installed),
            None => Arc::new(Installed::readable(self.context)?),
        };
        self.installed = Some(Arc::clone(&installed));
        Ok(installed)
    }

    /// Loads the skills that were chosen.
    fn load(
        &mut self,
        reference: &Reference,
        meaning: &ResolvedReference,
        offers: &[SkillOffer],
    ) -> Result<Vec<Candidate>, CommandError> {
        let paths: Vec<String> = offers.iter().map(|offer| offer.path.clone()).collect();
        // No skill of a folder is looked for behind a link, so this is done once for all of them.
        let folders: Option<Vec<PathBuf>> = match reference {
            Reference::Local(LocalReference {
                path,
                kind: LocalKind::Folder,
            }) => {
                let folder = whole(path);
                Some(paths.iter().map(|path| below(&folder, path)).collect())
            }
            _ => None,
        };
        let installed = match &folders {
            Some(_) => self.installed()?,
            None => Arc::default(),
        };
        let origin = self.sources.open(meaning)?.origin().clone();
        let origin = self.portable_origin(origin, &meaning.reference);
        let place = self.place;
        let material = self.sources.open(meaning)?;
        // What lies around the folders is found out while their files are read.
        let (trees, known) = rayon::join(
            || material.load(&paths),
            || {
                Some(FolderFacts::of(
                    folders.as_deref()?,
                    &installed,
                    place,
                    &origin,
                ))
            },
        );
        let trees = trees.map_err(|error| unloadable(material.as_mut(), offers, error))?;
        for unasked in trees.iter().filter_map(Tree::unasked) {
            self.context.tell_unasked(unasked);
        }
        let found: Vec<CandidateSource> = if let Some(known) = known {
            let folders = folders.iter().flatten().map(PathBuf::as_path);
            if known.is_unreadable {
                installed.refuse_unreadable(self.context, folders)?;
            }
            let each = paths.iter().zip(known.skills);
            let each = each.map(|(path, (source, before))| {
                found(path, source, None, before.unwrap_or_else(|| origin.clone()))
            });
            each.collect()
        } else {
            let each = paths.iter().map(|path| {
                let (source, requested) = self.source_of(reference, Some(path))?;
                Ok(found(path, source, requested, origin.clone()))
            });
            each.collect::<Result<_, CommandError>>()?
        };
        let jobs: Vec<_> = trees.into_iter().zip(found).zip(offers).collect();
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
        Ok(candidates?)
    }
}

/// What is known of skills in folders of this machine besides what is in them.
struct FolderFacts {
    /// Whether a lock that cannot be read could name one of them.
    is_unreadable: bool,
    /// How the lock will name each, and where it came from before it was installed there: it is no less
    /// foreign here.
    skills: Vec<(String, Option<Origin>)>,
}

impl FolderFacts {
    fn of(
        folders: &[PathBuf],
        installed: &Installed,
        place: &ScopeContext,
        origin: &Origin,
    ) -> Self {
        let skills = folders.iter().map(|folder| {
            let before = installed.origin_of(folder, origin);
            (place.portable_whole(folder), before)
        });
        Self {
            skills: skills.collect(),
            is_unreadable: folders
                .iter()
                .any(|folder| installed.unreadable(folder).is_some()),
        }
    }
}

/// What is written down of a skill of a source.
fn found(path: &str, source: String, requested: Option<String>, origin: Origin) -> CandidateSource {
    let folder = path.rsplit('/').next().filter(|part| !part.is_empty());
    CandidateSource {
        folder: folder.map(str::to_owned),
        path: path.to_owned(),
        source,
        requested,
        origin,
    }
}

/// The skill of a name among those of a source, else the one in a folder of that name. Of several
/// the one is meant that lies where the name alone leads.
fn called(name: &str, mut offers: SkillOffers, place: &str) -> Result<SkillOffers, InstallFailure> {
    let folder = |path: &str| path.rsplit('/').next() == Some(name);
    let is_called = |offer: &SkillOffer| offer.name == name;
    let by_name = offers.skills.iter().any(is_called);
    let fits = |offer: &SkillOffer| is_called(offer) || (!by_name && folder(&offer.path));
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
