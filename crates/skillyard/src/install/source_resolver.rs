//! From a reference to skills with all their bytes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use skillyard_format::{QualifiedName, SkillName};
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{Supplier, is_neighbour};
use skillyard_install::fetch::registry::VersionInfo;
use skillyard_install::git::Ignoring;
use skillyard_install::lockfile;
use skillyard_install::lockfile::Locked;
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::{
    Aliases, GitReference, Host, Reference, ReferenceContext as Reading, RegistryReference, Remote,
    Requirement,
};
use skillyard_install::reference::{LocalKind, LocalReference};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::pick::Pick;
use crate::install::renaming::{as_locked, under};
use crate::install::resolved_reference;
use crate::install::resolved_reference::{ResolvedReference, at, is_range, joined};
use crate::install::sources::Sources;
use crate::library::installed::Installed;
use crate::scope::ScopeContext;

mod aliased;
mod anchor;
mod chosen;
pub(crate) mod unavailable;

/// The way from references to skills.
pub(crate) struct SourceResolver<'a> {
    context: &'a Context,
    place: &'a ScopeContext,
    sources: Sources<'a>,
    /// What the locks say, once somebody asked.
    installed: Option<Arc<Installed>>,
}

impl<'a> SourceResolver<'a> {
    pub(crate) fn new(context: &'a Context, place: &'a ScopeContext) -> Self {
        Self {
            context,
            place,
            sources: Sources::new(context, &place.store),
            installed: None,
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

    /// Who says what git ignores on this machine.
    pub(crate) fn ignoring(&self) -> Ignoring {
        self.context.ignoring()
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
                    "`--header` is not sent for `{shown}`: it is for archives, sites and repositories at https addresses"
                );
                self.context.printer.warn(&note);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads a reference of `skills.toml`, the lock or a skill.
    pub(crate) fn written(&self, text: &str) -> Result<Reference, CommandError> {
        let reference = self.in_source(resolved_reference::written(text)?)?;
        Ok(self.anchored(reference, &self.place.scope.root))
    }

    /// Reads a reference of `skills.toml` that was never followed: a folder of the project must not be
    /// mistaken for somebody's repository.
    pub(crate) fn wanted(&self, text: &str) -> Result<Reference, CommandError> {
        let root = &self.place.scope.root;
        resolved_reference::written_beside(text, &|path| root.join(path).exists())?;
        self.written(text)
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

    /// Whether an entry of the lock is what a reference says, as [`Self::canonical`] has it. Older
    /// versions wrote the whole path of what lies in the same repository, and the address of what lies
    /// in a source of the configuration.
    pub(crate) fn is_of(&self, entry: &Locked, canonical: &str) -> bool {
        let locked = entry.reference();
        let is_whole = || Path::new(&locked).is_absolute();
        locked == canonical
            || is_whole() && self.canonical(&locked).is_ok_and(|each| each == canonical)
            || self.lead_alike(&locked, canonical)
    }

    /// The same in two parts: what it is about, and the state that is asked for.
    pub(crate) fn source_written(
        &self,
        text: &str,
    ) -> Result<(String, Option<String>), CommandError> {
        self.source_of(&self.written(text)?, None)
    }

    /// The reference of a skill at a state of its source.
    pub(crate) fn source_at(
        &self,
        source: &str,
        state: Option<&str>,
    ) -> Result<Reference, CommandError> {
        self.at_state(self.written(source)?, state)
    }

    /// A reference in another state of its source.
    pub(crate) fn at_state(
        &self,
        reference: Reference,
        state: Option<&str>,
    ) -> Result<Reference, CommandError> {
        self.in_source(at(reference, state)?)
    }

    /// The skill of an entry of the lock, at the state it was found in.
    pub(crate) fn locked(&mut self, entry: &Locked) -> Result<Candidate, CommandError> {
        let (reference, meaning) = self.as_locked(entry)?;
        let mut found = self.chosen(&reference, &meaning, &Pick::Only)?;
        let found = found
            .pop()
            .ok_or_else(|| InstallFailure::NothingOffered(self.shown(&reference)))?;
        as_locked(found, entry)
    }

    /// The reference of an entry of the lock, and what that stands for at the state it was found in.
    fn as_locked(
        &mut self,
        entry: &Locked,
    ) -> Result<(Reference, ResolvedReference), CommandError> {
        let reference = self.written(&entry.source)?;
        let mut meaning = self.meaning(&reference)?;
        let state = match entry.origin {
            // What is taken from where it was installed has no other states.
            OriginKind::Git if meaning.reference.has_revisions() => entry.commit.clone(),
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
        Ok((reference, meaning))
    }

    /// The skill that a reference means in a version that is locked here, if it is.
    pub(crate) fn pinned(
        &mut self,
        reference: &Reference,
        version: &semver::Version,
    ) -> Result<Option<Candidate>, CommandError> {
        let (source, requested) = self.source_of(reference, None)?;
        let version = version.to_string();
        let lock = self.place.lock()?;
        let mut entries = lock.skills().iter();
        let entry = entries
            .find(|entry| entry.source == source && entry.version.as_deref() == Some(&version));
        let Some(entry) = entry else {
            return Ok(None);
        };
        let mut candidate = self.locked(entry)?;
        candidate.requested = requested;
        Ok(Some(candidate))
    }

    /// What its registry said of the version of an installed skill, if it was asked for the skill.
    pub(crate) fn version(&mut self, entry: &Locked) -> Option<VersionInfo> {
        let version = entry.version.as_deref().map(semver::Version::parse)?.ok()?;
        let reference = self.written(&entry.source).ok()?;
        match self.meaning(&reference).ok()?.reference {
            Reference::Registry(named) => self.sources.web().ok()?.version(&named, &version),
            _ => None,
        }
    }

    /// What a reference stands for: an alias can name a repository, a site or an archive.
    fn meaning(&mut self, reference: &Reference) -> Result<ResolvedReference, CommandError> {
        let reference = &self.in_source(reference.clone())?;
        if let Reference::Hosted(hosted) = reference
            && let Host::Alias(alias) = &hosted.host
            && let Some(placed) = self.placed(hosted)?
        {
            return Ok(ResolvedReference {
                alias: Some(alias.clone()),
                ..ResolvedReference::plain(placed)
            });
        }
        let Reference::Registry(RegistryReference {
            alias: Some(alias),
            name,
            requirement,
        }) = reference
        else {
            return Ok(ResolvedReference {
                alias: self.sources.around(reference)?,
                ..ResolvedReference::plain(reference.clone())
            });
        };
        let Some((meant, named)) = self.sources.web()?.meaning(alias, name)? else {
            return Ok(ResolvedReference::plain(reference.clone()));
        };
        let meant = match requirement {
            Requirement::Latest => meant,
            _ if !meant.has_revisions() => {
                return Err(InstallFailure::NoRevisions(reference.to_string()).into());
            }
            wanted => at(meant, Some(&wanted.to_string()))?,
        };
        Ok(ResolvedReference {
            alias: Some(alias.clone()),
            named,
            ..ResolvedReference::plain(meant)
        })
    }
}

fn names_skill_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) && path.is_file()
}

impl SourceResolver<'_> {
    /// Tells each source which skills will be asked for, so that it is not asked for one after the
    /// other, and opens those on the network at once.
    pub(crate) fn expect(&mut self, references: &[Reference]) {
        let folders = references.iter().filter_map(|reference| match reference {
            Reference::Local(LocalReference {
                path,
                kind: LocalKind::Folder,
            }) if path.is_dir() => Some(path.clone()),
            _ => None,
        });
        self.sources.ask_git(folders.collect());
        // What is wrong is said when it is asked for.
        let meanings = references.iter().filter_map(|each| self.meaning(each).ok());
        let meanings: Vec<ResolvedReference> = meanings.collect();
        self.expect_meanings(meanings);
    }

    /// The same of skills as they are locked.
    pub(crate) fn expect_locked(&mut self, entries: &[&Locked]) {
        let meanings = entries.iter().filter_map(|each| self.as_locked(each).ok());
        let meanings: Vec<ResolvedReference> = meanings.map(|(_, meaning)| meaning).collect();
        self.expect_meanings(meanings);
    }

    fn expect_meanings(&mut self, meanings: Vec<ResolvedReference>) {
        self.sources.open_together(meanings.iter());
        let mut sources: HashMap<String, Vec<ResolvedReference>> = HashMap::new();
        for meaning in meanings {
            if let Ok(key) = meaning.source() {
                sources.entry(key).or_default().push(meaning);
            }
        }
        for meanings in sources.into_values().filter(|each| each.len() > 1) {
            // A range can mean several states of one source.
            let mut states: HashMap<_, Vec<ResolvedReference>> = HashMap::new();
            for meaning in meanings {
                if let Ok(at) = self.sources.position(&meaning) {
                    states.entry(at).or_default().push(meaning);
                }
            }
            for meanings in states.into_values().filter(|each| each.len() > 1) {
                let paths = meanings.iter().map(|each| each.reference.path().to_owned());
                let paths: Vec<String> = paths.collect();
                if let Ok(material) = self.sources.open(&meanings[0]) {
                    material.expect(&paths);
                }
            }
        }
    }
}

impl Supplier for SourceResolver<'_> {
    type Error = CommandError;

    fn supply(&mut self, reference: &str, by: &Candidate) -> Result<Candidate, CommandError> {
        let meant = self.meant(reference, by)?;
        let found = self.one(&meant);
        let Some(commit) = by.origin.commit.as_deref() else {
            return found;
        };
        let is_beside = |found: &Candidate| found.origin.commit.as_deref() == Some(commit);
        if !is_neighbour(reference)
            || !is_range(by.requested.as_deref())
            || found.as_ref().is_ok_and(is_beside)
        {
            return found;
        }
        // By tags of its own a neighbour would come from elsewhere than the skill that names it, and
        // the two were made for each other.
        match meant {
            Reference::Git(_) | Reference::Hosted(_) => self.one(&at(meant, Some(commit))?),
            _ => found,
        }
    }

    fn at(&mut self, candidate: &Candidate, requested: &str) -> Result<Candidate, CommandError> {
        let reference = self.source_at(&candidate.source, Some(requested))?;
        let found = self.one(&reference)?;
        under(found, &candidate.name, &candidate.source)
    }
}

impl SourceResolver<'_> {
    /// What a reference in a skill means: `./x` and `../x` are folders of the same source, and a
    /// name is one of the registry that the skill is of.
    fn meant(&self, reference: &str, by: &Candidate) -> Result<Reference, CommandError> {
        if !is_neighbour(reference) {
            return self.named(reference, by);
        }
        let own = self.written(&by.source)?;
        if let Reference::Local(local) = own {
            return Ok(Reference::Local(LocalReference {
                path: local.path.join(reference),
                kind: LocalKind::Folder,
            }));
        }
        let outside = || InstallFailure::OutOfSource(reference.to_owned());
        let folder = joined(&by.path, reference).ok_or_else(outside)?;
        if let Reference::Registry(mut registry) = own {
            // The neighbours of `alias:name` are the other names of the alias.
            let name = folder.rsplit('/').next().unwrap_or_default();
            let name = SkillName::new(name).map_err(|_| outside())?;
            registry.name = QualifiedName::new(registry.name.namespace().cloned(), name);
            return at(Reference::Registry(registry), by.requested.as_deref());
        }
        at(self.in_folder(&own, &folder)?, by.requested.as_deref())
    }

    /// What a reference to something else means. The default registry may be anybody's, and have
    /// another skill of that name; who means it all the same writes `registry:name`.
    fn named(&self, reference: &str, by: &Candidate) -> Result<Reference, CommandError> {
        let mut meant = self.written(reference)?;
        if by.origin.kind == OriginKind::Registry
            && !reference.starts_with("registry:")
            && let Reference::Registry(named) = &mut meant
            && named.alias.is_none()
            && let Reference::Registry(own) = self.written(&by.source)?
        {
            named.alias = own.alias;
        }
        Ok(meant)
    }
}
