//! The skills that a skill needs.

use skillyard_format::{QualifiedName, SkillName};
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{Supplier, is_neighbour};
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::{LocalKind, LocalReference, Reference};

use super::Supply;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::meaning::{at, is_range, joined};
use crate::install::renaming::under;

impl Supplier for Supply<'_> {
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

impl Supply<'_> {
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
