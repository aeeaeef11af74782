//! From a reference to skills with all their bytes.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skillyard_format::nearest::nearest;
use skillyard_install::candidate::{Candidate, Found};
use skillyard_install::fetch::registry::VersionInfo;
use skillyard_install::lockfile::{self, Locked};
use skillyard_install::material::{Offer, Offers};
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::{
    Aliases, Context as Reading, GitReference, Host, Hosted, Local, LocalKind, Reference,
    RegistryReference, Remote, Requirement,
};
use skillyard_install::tree::Tree;

use super::alias;
use super::meaning::{self, Meaning, at};
use super::pick::Pick;
use super::place::{Place, whole};
use super::renaming::as_locked;
use super::sources::Sources;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::sanitize::visible;

mod anchor;
mod expected;
mod supplier;
mod unavailable;

use unavailable::unloadable;

/// What stands in a repository for a file that is kept elsewhere.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The way from references to skills.
pub(crate) struct Supply<'a> {
    context: &'a Context,
    place: &'a Place,
    sources: Sources<'a>,
}

impl<'a> Supply<'a> {
    pub(crate) fn new(context: &'a Context, place: &'a Place) -> Self {
        Self {
            context,
            place,
            sources: Sources::new(context, &place.store),
        }
    }

    /// Sends these headers to the archives, sites and repositories that are typed; see [`Self::may_log_in`].
    pub(crate) fn with_headers(mut self, headers: &[String]) -> Self {
        self.sources.send(headers);
        self
    }

    /// Fetches nothing: what was seen before and what is in the store has to do.
    pub(crate) fn offline(mut self, offline: bool) -> Self {
        if offline {
            self.sources.stay_here();
        }
        self
    }

    /// Reads a reference that the user typed.
    pub(crate) fn typed(&self, text: &str) -> Result<Reference, CommandError> {
        let current = &self.context.environment.current_dir;
        let reading = Reading {
            aliases: Aliases::Any,
            exists: &|path| current.join(path).exists(),
        };
        let reference = Reference::parse(text, &reading).map_err(InstallFailure::from)?;
        let reference = self.in_registry(self.in_source(reference)?)?;
        let mut reference = self.anchored(reference, current);
        // Who names the file means the skill.
        if let Reference::Local(local) = &mut reference
            && names_skill_file(&local.path)
        {
            local.path.pop();
        }
        Ok(reference)
    }

    /// What `alias:a/b` means, by what the alias is.
    fn in_source(&self, reference: Reference) -> Result<Reference, CommandError> {
        let Reference::Hosted(
            hosted @ Hosted {
                host: Host::Alias(_),
                ..
            },
        ) = reference
        else {
            return Ok(reference);
        };
        let Host::Alias(alias) = hosted.host.clone() else {
            return Ok(Reference::Hosted(hosted));
        };
        let config = self.context.config()?;
        let source = config.source(&alias);
        match source.map_err(|error| CommandError::Configuration(vec![error]))? {
            Some(source) => alias::place(hosted, &alias, &source),
            None => Ok(Reference::Hosted(hosted)),
        }
    }

    /// The skill of a registry that an address of its pages or archives stands for.
    fn in_registry(&self, reference: Reference) -> Result<Reference, CommandError> {
        let (Reference::Archive(address)
        | Reference::WellKnown {
            address,
            skill: None,
        }) = &reference
        else {
            return Ok(reference);
        };
        let url = address.url();
        let config = self.context.config()?;
        let around = config.registry_around(url);
        let meant = around
            .and_then(|(alias, below)| RegistryReference::of_address(alias.as_deref(), below, url));
        Ok(meant.map_or(reference, Reference::Registry))
    }

    /// Lets the headers that were given go where a typed reference leads. What a skill needs may
    /// lie on any host that its author likes, and those get none.
    pub(crate) fn may_log_in(&mut self, reference: &Reference) -> Result<(), CommandError> {
        let meaning = self.meaning(reference)?;
        match &meaning.reference {
            Reference::Archive(address)
            | Reference::WellKnown { address, .. }
            | Reference::Git(GitReference {
                remote: Remote::Address(address),
                ..
            }) if matches!(address.url().scheme(), "https" | "http") => {
                self.sources.send_to(address.url().origin());
            }
            _ if self.sources.has_headers() => {
                let shown = self.shown(reference);
                let note = format!(
                    "warning: `--header` is not sent for `{shown}`: it is for archives, sites and repositories at https addresses"
                );
                self.context.printer.note(&visible(&note));
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads a reference of `skills.toml`, the lock or a skill.
    pub(crate) fn written(&self, text: &str) -> Result<Reference, CommandError> {
        let reference = self.in_source(meaning::written(text)?)?;
        Ok(self.anchored(reference, &self.place.scope.root))
    }

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
    fn chosen(
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
        for each in &declined {
            printer.detail(&format!("{}: {}", each.path, each.reason));
        }
        let picked = pick.choose(&printer, &shown, skills, &declined)?;
        self.load(reference, meaning, &picked)
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
        let origin = self.portable_origin(origin, &meaning.reference);
        // No skill of a folder is looked for behind a link, so this is done once for all of them.
        let folder = match reference {
            Reference::Local(Local {
                path,
                kind: LocalKind::Folder,
            }) => Some(whole(path)),
            _ => None,
        };
        let found: Result<Vec<Found>, CommandError> = paths
            .iter()
            .map(|path| {
                let (source, requested) = match &folder {
                    Some(folder) => (self.place.portable_whole(&below(folder, path)), None),
                    None => self.source_of(reference, path)?,
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
                    origin: origin.clone(),
                })
            })
            .collect();
        for (tree, offer) in trees.iter().zip(offers) {
            self.tell_of_pointers(&offer.name, tree);
        }
        let jobs: Vec<_> = trees.into_iter().zip(found?).zip(offers).collect();
        let candidates: Result<Vec<Candidate>, InstallFailure> = jobs
            .into_par_iter()
            .map(|((tree, mut found), offer)| {
                found.folder = found.folder.or_else(|| Some(offer.name.clone()));
                Candidate::new(tree.delivered(), found).map_err(|source| {
                    InstallFailure::Candidate {
                        name: offer.name.clone(),
                        source,
                    }
                })
            })
            .collect();
        Ok(candidates?)
    }

    /// A repository can hold pointers to large files that only its own host gives.
    fn tell_of_pointers(&self, name: &str, tree: &Tree) {
        let files = tree.files().iter();
        let pointers = files.filter(|file| file.bytes.starts_with(LFS_POINTER));
        let paths: Vec<&str> = pointers.map(|file| file.path.as_str()).collect();
        if !paths.is_empty() {
            let text = format!(
                "warning: `{name}` comes without the content of {}, which Git LFS keeps elsewhere",
                paths.join(", ")
            );
            self.context.printer.note(&visible(&text));
        }
    }

    /// The one skill that a reference of the lock or of `skills.toml` means.
    pub(crate) fn one(&mut self, reference: &Reference) -> Result<Candidate, CommandError> {
        let mut candidates = self.candidates(reference, &Pick::Only)?;
        candidates
            .pop()
            .ok_or_else(|| InstallFailure::NothingOffered(self.shown(reference)).into())
    }

    /// How a reference of `skills.toml` is written in the lock.
    pub(crate) fn canonical(&self, text: &str) -> Result<String, CommandError> {
        let (source, requested) = self.source_written(text)?;
        Ok(lockfile::reference(&source, requested.as_deref()))
    }

    /// The same in two parts: what it is about, and the state that is asked for.
    pub(crate) fn source_written(
        &self,
        text: &str,
    ) -> Result<(String, Option<String>), CommandError> {
        let reference = self.written(text)?;
        self.source_of(&reference, reference.path())
    }

    /// The reference of a skill at a state of its source.
    pub(crate) fn source_at(
        &self,
        source: &str,
        state: Option<&str>,
    ) -> Result<Reference, CommandError> {
        at(self.written(source)?, state)
    }

    /// The skill of an entry of the lock, at the state it was found in.
    pub(crate) fn locked(&mut self, entry: &Locked) -> Result<Candidate, CommandError> {
        let reference = self.written(&entry.source)?;
        let mut meaning = self.meaning(&reference)?;
        let state = match entry.origin {
            OriginKind::Git => entry.commit.clone(),
            _ => None,
        };
        let version = entry.version.as_deref().map(semver::Version::parse);
        meaning.reference = match (meaning.reference, version) {
            // Whoever locked a version goes on getting it, also when it was withdrawn.
            (Reference::Registry(mut named), Some(Ok(version))) => {
                named.requirement = Requirement::Locked(version);
                Reference::Registry(named)
            }
            (reference, _) => at(reference, state.as_deref())?,
        };
        let mut found = self.chosen(&reference, &meaning, &Pick::Only)?;
        let found = found
            .pop()
            .ok_or_else(|| InstallFailure::NothingOffered(self.shown(&reference)))?;
        as_locked(found, entry)
    }

    /// The version of an installed skill, if it was withdrawn, as its registry said when it was
    /// asked for the skill.
    pub(crate) fn withdrawn(&mut self, entry: &Locked) -> Option<VersionInfo> {
        let version = entry.version.as_deref().map(semver::Version::parse)?.ok()?;
        let reference = self.written(&entry.source).ok()?;
        match self.meaning(&reference).ok()?.reference {
            Reference::Registry(named) => self.sources.web().ok()?.withdrawn(&named, &version),
            _ => None,
        }
    }

    /// What a reference stands for: an alias can name a repository, a site or an archive.
    fn meaning(&mut self, reference: &Reference) -> Result<Meaning, CommandError> {
        let Reference::Registry(RegistryReference {
            alias: Some(alias),
            name,
            requirement,
        }) = reference
        else {
            return Ok(Meaning {
                alias: self.sources.around(reference)?,
                ..Meaning::plain(reference.clone())
            });
        };
        let Some((meant, named)) = self.sources.web()?.meaning(alias, name)? else {
            return Ok(Meaning::plain(reference.clone()));
        };
        let meant = match requirement {
            Requirement::Latest => meant,
            Requirement::Range { .. } if !meant.has_revisions() => {
                return Err(InstallFailure::NoRevisions(reference.to_string()).into());
            }
            wanted => at(meant, Some(&wanted.to_string()))?,
        };
        Ok(Meaning {
            alias: Some(alias.clone()),
            named,
            ..Meaning::plain(meant)
        })
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

fn names_skill_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) && path.is_file()
}

/// A folder in a folder; the folder itself where nothing is named.
fn below(folder: &Path, path: &str) -> PathBuf {
    match path {
        "" => folder.to_owned(),
        path => folder.join(path),
    }
}
