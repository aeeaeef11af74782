//! Paths of this machine: whole while a command runs, and written down so that they mean the same
//! wherever the next command is started.

use std::path::{Path, PathBuf};

use skillyard_install::origin::Origin;
use skillyard_install::reference::{GitReference, LocalKind, LocalReference, Reference, Remote};

use crate::error::CommandError;
use crate::install::source_resolver::SourceResolver;
use crate::install::source_resolver::chosen::below;

impl SourceResolver<'_> {
    /// A reference whose path, if it has one, is whole.
    pub(super) fn anchored(&self, mut reference: Reference, base: &Path) -> Reference {
        let home = self.context.environment.home.as_deref();
        if let Some(path) = path_of(&mut reference) {
            *path = match (path.strip_prefix("~"), home) {
                (Ok(below), Some(home)) => home.join(below),
                // Without the `.` of `./x`, which would only show in messages.
                _ => base.join(&*path).components().collect(),
            };
        }
        reference
    }

    /// How a reference to one skill is written down, and the state that was asked for; `path` is its
    /// folder within the source, where the reference does not lead to it alone.
    pub(crate) fn source_of(
        &self,
        reference: &Reference,
        path: Option<&str>,
    ) -> Result<(String, Option<String>), CommandError> {
        let (identity, requested) = reference.identity();
        let identity = match identity {
            Reference::Local(local) => {
                let path = match local.kind {
                    LocalKind::Folder => below(&local.path, path.unwrap_or_default()),
                    LocalKind::Archive(_) => local.path,
                };
                return Ok((self.place.portable(&path), requested));
            }
            other => match path {
                Some(path) => self.in_folder(&other, path)?,
                None => other,
            },
        };
        Ok((self.portable(identity).to_string(), requested))
    }

    /// A reference as messages show it.
    pub(super) fn shown(&self, reference: &Reference) -> String {
        match reference {
            Reference::Local(local) => self.place.portable(&local.path),
            other => self.portable(other.clone()).to_string(),
        }
    }

    /// Where a skill came from, as the lock says it: the path of a repository as in its source.
    pub(super) fn portable_origin(&self, origin: Origin, reference: &Reference) -> Origin {
        match reference {
            Reference::Git(GitReference {
                remote: Remote::Path(path),
                ..
            }) => Origin {
                url: self.place.portable_named(path),
                ..origin
            },
            _ => origin,
        }
    }

    /// A reference whose path of a repository, if it has one, is written as the lock has it.
    fn portable(&self, mut reference: Reference) -> Reference {
        if let Reference::Git(GitReference {
            remote: Remote::Path(path),
            ..
        }) = &mut reference
        {
            *path = self.place.portable_named(path).into();
        }
        reference
    }
}

/// The path of this machine that a reference names.
fn path_of(reference: &mut Reference) -> Option<&mut PathBuf> {
    match reference {
        Reference::Local(LocalReference { path, .. })
        | Reference::Git(GitReference {
            remote: Remote::Path(path),
            ..
        }) => Some(path),
        _ => None,
    }
}
