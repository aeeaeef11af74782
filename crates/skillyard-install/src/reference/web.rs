//! Addresses as they stand in a browser: of GitHub, GitLab, archives and sites.

use super::address::Address;
use super::error::ReferenceError;
use super::forge::{Host, Hosted};
use super::git::{
    GitReference, Remote, names_repository, split_revision, split_revision_behind_git,
};
use super::registry::parse_name;
use super::revision::Revision;
use super::shown::shown;
use super::sub_path::SubPath;
use super::{AliasKind, ArchiveKind, Reference, ReferenceContext};

/// Reads an address that starts with `https://` or `http://`.
pub(super) fn parse(
    text: &str,
    context: &ReferenceContext<'_>,
) -> Result<Reference, ReferenceError> {
    let (base, fragment) = match text.split_once('#') {
        Some((base, fragment)) => (base, Some(fragment)),
        None => (text, None),
    };
    let (base, revision) = split_revision_behind_git(base);
    let address = Address::parse(base)?;
    let path = address.url().path().trim_end_matches('/').to_owned();
    let address = address.with_path(&path);
    if ArchiveKind::of(&path).is_some() && revision.is_none() {
        if fragment.is_some() {
            return Err(ReferenceError::Address {
                text: shown(text),
                problem: "nothing may follow `#` behind an archive".to_owned(),
            });
        }
        return Ok(Reference::Archive(address));
    }
    if let Some((host, groups)) = forge_of(&address, context) {
        let (path, behind) = split_revision(&path);
        let revision = revision.or(behind).or(fragment);
        let page = ForgePage {
            host,
            groups,
            text,
            path: path.trim_matches('/'),
        };
        let hosted = page.parse(&address, revision)?;
        return Ok(match address.credentials() {
            None => Reference::Hosted(hosted),
            Some(_) => Reference::Git(with_credentials(address, hosted)),
        });
    }
    if names_repository(&path) || revision.is_some() {
        let remote = Remote::Address(address);
        return GitReference::new(remote, fragment.unwrap_or_default(), revision)
            .map(Reference::Git);
    }
    if let Some((project, rest)) = path.split_once("/-/") {
        let (revision, path) = web_path(rest, text)?;
        let remote = Remote::at(address.with_path(&format!("{project}.git")));
        return Ok(Reference::Git(GitReference {
            remote,
            subdir: path,
            revision,
        }));
    }
    well_known(address, &path, fragment, text)
}

/// Whether a forge has groups inside groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groups {
    Flat,
    Nested,
}

fn forge_of(address: &Address, context: &ReferenceContext<'_>) -> Option<(Host, Groups)> {
    let url = address.url();
    let host = url.host_str()?;
    if url.port().is_none() {
        match host {
            "github.com" | "www.github.com" | "raw.githubusercontent.com" => {
                return Some((Host::GitHub, Groups::Flat));
            }
            "gitlab.com" | "www.gitlab.com" => return Some((Host::GitLab, Groups::Nested)),
            _ => {}
        }
    }
    let host = url
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let of_host = |alias: &&super::Alias| alias.host.as_deref() == Some(host.as_str());
    let alias = context.known_aliases().iter().find(of_host)?;
    let groups = match alias.kind {
        AliasKind::GitHub => Groups::Flat,
        AliasKind::GitLab => Groups::Nested,
        AliasKind::Registry => return None,
    };
    Some((Host::Alias(alias.name.clone()), groups))
}

/// A page of a forge.
struct ForgePage<'a> {
    host: Host,
    groups: Groups,
    /// The whole address, for messages.
    text: &'a str,
    path: &'a str,
}

impl ForgePage<'_> {
    fn parse(self, address: &Address, revision: Option<&str>) -> Result<Hosted, ReferenceError> {
        let revision = revision.map(Revision::parse).transpose()?;
        let (project, rest) = match self.path.split_once("/-/") {
            Some((project, rest)) => (project.split('/').collect(), Some(rest)),
            None if self.groups == Groups::Nested => (self.path.split('/').collect(), None),
            None => {
                let mut parts = self.path.splitn(3, '/');
                let project: Vec<&str> = parts.by_ref().take(2).collect();
                (project, parts.next())
            }
        };
        let is_raw = address.url().host_str() == Some("raw.githubusercontent.com");
        let (found, path) = match rest {
            Some(rest) if is_raw => revision_and_path(rest)?,
            Some(rest) => web_path(rest, self.text)?,
            None => (None, None),
        };
        Hosted::new(self.host, &project, path, revision.or(found), self.text)
    }
}

/// A token in the address can only be used by git itself; a forge has its own in the configuration.
fn with_credentials(address: Address, hosted: Hosted) -> GitReference {
    let project = format!("/{}/{}.git", hosted.owner, hosted.repository);
    GitReference {
        remote: Remote::at(address.with_path(&project)),
        subdir: hosted.path,
        revision: hosted.revision,
    }
}

/// What follows the project: `tree/main/path`, `blob/main/path/SKILL.md`, `commit/abc`, `releases/tag/v1`.
fn web_path(rest: &str, text: &str) -> Result<(Option<Revision>, Option<SubPath>), ReferenceError> {
    let rest = rest.trim_end_matches('/');
    match rest.split_once('/') {
        Some(("tree" | "blob" | "raw" | "commit" | "commits", rest)) => revision_and_path(rest),
        Some(("releases", rest)) => {
            let tag = rest.strip_prefix("tag/").unwrap_or(rest);
            Ok((Some(decoded(tag).parse()?), None))
        }
        Some(("tags", tag)) => Ok((Some(decoded(tag).parse()?), None)),
        _ => Err(ReferenceError::Address {
            text: shown(text),
            problem: format!(
                "`{}` is not a page of files; open the folder of the skill and copy that address",
                shown(rest)
            ),
        }),
    }
}

fn revision_and_path(rest: &str) -> Result<(Option<Revision>, Option<SubPath>), ReferenceError> {
    let rest = rest
        .strip_prefix("refs/heads/")
        .or_else(|| rest.strip_prefix("refs/tags/"))
        .unwrap_or(rest);
    let (revision, path) = rest.split_once('/').unwrap_or((rest, ""));
    let folder = match path.rsplit_once('/') {
        Some((folder, file)) if is_skill_file(file) => folder,
        None if is_skill_file(path) => "",
        _ => path,
    };
    Ok((Some(decoded(revision).parse()?), SubPath::parse(folder)?))
}

fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

/// A site, perhaps given by the address of its index or of one skill in it.
fn well_known(
    address: Address,
    path: &str,
    fragment: Option<&str>,
    text: &str,
) -> Result<Reference, ReferenceError> {
    let mut skill = fragment
        .filter(|fragment| !fragment.is_empty())
        .map(parse_name)
        .transpose()?;
    let mut base = path;
    if let Some((before, rest)) = path.split_once("/.well-known/") {
        base = before;
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            ["agent-skills" | "skills"] | ["agent-skills" | "skills", "index.json"] => {}
            ["agent-skills" | "skills", name] | ["agent-skills" | "skills", name, "SKILL.md"] => {
                skill = Some(parse_name(name)?);
            }
            _ => base = path,
        }
    }
    let base = base.trim_end_matches('/');
    let error = |problem: &str| ReferenceError::Address {
        text: shown(text),
        problem: problem.to_owned(),
    };
    if ArchiveKind::of(base).is_some() || names_repository(base) {
        return Err(error("an archive or repository lists no skills"));
    }
    if base.rsplit('/').next().is_some_and(is_skill_file) {
        return Err(error(
            "one file is not fetched by itself; name the repository, an archive, or the site that lists it",
        ));
    }
    let address = address.with_path(base);
    Ok(Reference::WellKnown { address, skill })
}
