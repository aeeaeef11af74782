//! References that begin with the name of a source of the configuration, and keep it: where that
//! source is may change, and its login with it.

use skillyard_install::reference::{Host, Hosted, Reference, RegistryReference};

use crate::config::source::SourceKind;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::alias;
use crate::install::resolved_reference::written;
use crate::install::source_resolver::SourceResolver;

impl SourceResolver<'_> {
    /// What a reference says, by what the source that it names is.
    pub(super) fn in_source(&self, reference: Reference) -> Result<Reference, CommandError> {
        match reference {
            Reference::Hosted(hosted) => {
                let placed = self.placed(&hosted)?;
                // What lies in a repository of git or in a folder of archives goes on being written so.
                Ok(match placed {
                    Some(placed @ Reference::Hosted(_)) => placed,
                    _ => Reference::Hosted(hosted),
                })
            }
            Reference::Registry(named) if self.is_of_registry(&named)? => {
                let named = named.in_registry().map_err(InstallFailure::from)?;
                Ok(Reference::Registry(named))
            }
            other => Ok(other),
        }
    }

    /// Where `alias:a/b` leads, if that is a place in the one source that the alias is.
    pub(super) fn placed(&self, hosted: &Hosted) -> Result<Option<Reference>, CommandError> {
        let Host::Alias(alias) = &hosted.host else {
            return Ok(None);
        };
        let config = self.context.config()?;
        let source = config.source(alias);
        let source = source.map_err(|error| CommandError::Configuration(vec![error]))?;
        let placed = source.map(|source| alias::place(hosted.clone(), alias, &source));
        placed.transpose()
    }

    /// Whether the source that a name is of is a registry.
    fn is_of_registry(&self, named: &RegistryReference) -> Result<bool, CommandError> {
        let Some(alias) = &named.alias else {
            return Ok(true);
        };
        let config = self.context.config()?;
        let source = config.source(alias);
        let source = source.map_err(|error| CommandError::Configuration(vec![error]))?;
        Ok(source.is_some_and(|source| source.kind == SourceKind::Registry))
    }

    /// The reference to a folder of the same source, by its path from the source's root.
    pub(super) fn in_folder(
        &self,
        reference: &Reference,
        path: &str,
    ) -> Result<Reference, CommandError> {
        let plain = || Ok(reference.in_folder(path).map_err(InstallFailure::from)?);
        let Reference::Hosted(hosted) = reference else {
            return plain();
        };
        let (Host::Alias(alias), Some(placed)) = (&hosted.host, self.placed(hosted)?) else {
            return plain();
        };
        match placed {
            Reference::Git(_) => {}
            Reference::Hosted(_) => return plain(),
            // One archive is one place.
            _ => return Ok(reference.clone()),
        }
        let root = self.root_of(alias)?;
        let below = path.strip_prefix(&root).unwrap_or(path);
        let mut found = written(&format!("{alias}:{}", below.trim_start_matches('/')))?;
        if let Reference::Hosted(found) = &mut found {
            found.revision.clone_from(&hosted.revision);
        }
        Ok(found)
    }

    /// The folder of its repository that an alias stands for.
    fn root_of(&self, alias: &str) -> Result<String, CommandError> {
        let config = self.context.config()?;
        let source = config.source(alias);
        let source = source.map_err(|error| CommandError::Configuration(vec![error]))?;
        let own = source.map(|source| alias::repository(alias, &source));
        let own = own.transpose()?.flatten();
        Ok(own.map_or_else(String::new, |own| own.path().to_owned()))
    }

    /// Whether two references that are written otherwise lead to one place.
    pub(crate) fn lead_alike(&self, first: &str, second: &str) -> bool {
        let place = |text: &str| match self.written(text).ok()? {
            Reference::Hosted(hosted) => {
                let placed = self.placed(&hosted).ok()?;
                Some(placed.unwrap_or(Reference::Hosted(hosted)))
            }
            other => Some(other),
        };
        let first = place(first);
        first.is_some() && first == place(second)
    }
}
