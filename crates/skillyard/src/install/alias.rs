//! What follows the name of a source of the configuration in a reference.

use skillyard_install::reference::{
    Alias, AliasKind, Aliases, Host, Hosted, Reference, ReferenceContext as Reading, ReferenceError,
};
use url::{Position, Url};

use crate::config::source::{SourceConfig, SourceKind};
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::resolved_reference::{at, joined, written};

/// The one repository that a source is; nothing where it is something else, such as a whole forge.
pub(super) fn repository(
    alias: &str,
    source: &SourceConfig<'_>,
) -> Result<Option<Reference>, CommandError> {
    let base = source.url.trim_end_matches('/');
    let kind = match source.kind {
        SourceKind::Git if base.starts_with("git://") => return written(base).map(Some),
        SourceKind::Git => return written(&format!("git+{base}")).map(Some),
        SourceKind::Github => AliasKind::GitHub,
        SourceKind::Gitlab => AliasKind::GitLab,
        SourceKind::Registry | SourceKind::WellKnown | SourceKind::Archive => return Ok(None),
    };
    let host = Url::parse(base).ok();
    let host = host.map(|url| url[Position::BeforeHost..Position::AfterPort].to_owned());
    let aliases = [Alias {
        name: alias.to_owned(),
        kind,
        host,
    }];
    let reading = Reading {
        aliases: Aliases::Known(&aliases),
        exists: &|_| false,
    };
    Ok(match Reference::parse(base, &reading) {
        Ok(Reference::Hosted(hosted)) => Some(Reference::Hosted(Hosted {
            // Its own login is used, also on a forge that everybody knows.
            host: Host::Alias(alias.to_owned()),
            ..hosted
        })),
        Ok(reference @ Reference::Git(_)) => Some(reference),
        _ => None,
    })
}

/// What `alias:a/b` means, which reads like a repository of a forge whatever the alias is.
pub(super) fn place(
    hosted: Hosted,
    alias: &str,
    source: &SourceConfig<'_>,
) -> Result<Reference, CommandError> {
    let wrong = |kind, form| {
        InstallFailure::Reference(ReferenceError::AliasForm {
            alias: alias.to_owned(),
            kind,
            form,
        })
    };
    let path = hosted
        .path
        .as_ref()
        .map(|path| format!("/{}", path.as_str()));
    let folder = format!(
        "{}/{}{}",
        hosted.owner,
        hosted.repository,
        path.unwrap_or_default()
    );
    let meant = match (source.kind, repository(alias, source)?) {
        (_, Some(Reference::Hosted(own)))
            if (&own.owner, &own.repository) == (&hosted.owner, &hosted.repository) =>
        {
            return Ok(Reference::Hosted(hosted));
        }
        (_, Some(own)) => {
            let inner = joined(own.path(), &folder);
            let inner = inner.ok_or_else(|| InstallFailure::OutOfSource(folder.clone()))?;
            own.in_folder(&inner).map_err(InstallFailure::from)?
        }
        (SourceKind::Archive, None) => written(&format!(
            "{}/{folder}.zip",
            source.url.trim_end_matches('/')
        ))?,
        (SourceKind::WellKnown, None) => return Err(wrong("a site", "name").into()),
        (SourceKind::Registry, None) => {
            return Err(wrong("a registry", "name` or `@namespace/name").into());
        }
        (SourceKind::Git | SourceKind::Github | SourceKind::Gitlab, None) => {
            return Ok(Reference::Hosted(hosted));
        }
    };
    match &hosted.revision {
        None => Ok(meant),
        Some(_) if !meant.has_revisions() => {
            Err(InstallFailure::NoRevisions(hosted.to_string()).into())
        }
        Some(revision) => at(meant, Some(&revision.to_string())),
    }
}
