//! From what was asked for to one commit.

use std::path::Path;

use semver::{Version, VersionReq};

use super::command::{Git, GitError, run};

/// Which commit is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The newest of the default branch.
    Newest,
    /// The one with this hash, whole or its start.
    Commit(String),
    /// A branch or a tag.
    Name(String),
    /// The highest version among the tags that fits.
    Version(VersionReq),
}

/// A reference of a remote repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteRef {
    pub(super) object: String,
    pub(super) name: String,
}

/// What the remote repository calls its branches and tags.
pub(super) fn remote_refs(git: &Git, repository: &Path) -> Result<Vec<RemoteRef>, GitError> {
    let mut command = git.command(repository);
    Git::allow_files(&mut command);
    command.args(["ls-remote", "--quiet", "origin"]);
    let answer = run(&mut command, "list the branches and tags")?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(object, name)| RemoteRef {
            object: object.to_owned(),
            name: name.to_owned(),
        })
        .collect())
}

/// The tag with the highest version that fits; tags may be `v1.2.3`, `1.2.3`, `name-v1.2.3`
/// or `name@1.2.3`, where `name` is the skill's.
pub(super) fn highest<'a>(
    refs: &'a [RemoteRef],
    requirement: &VersionReq,
    skill: Option<&str>,
) -> (Option<(Version, &'a RemoteRef)>, Option<Version>) {
    let versions = || {
        refs.iter().filter_map(|each| {
            let tag = each.name.strip_prefix("refs/tags/")?;
            // An annotated tag comes twice; the line with `^{}` names its commit.
            let tag = tag.strip_suffix("^{}").unwrap_or(tag);
            Some((version_of(tag, skill)?, each))
        })
    };
    let fitting = versions().filter(|(version, _)| requirement.matches(version));
    let best = fitting.max_by(|a, b| {
        let peeled = |each: &RemoteRef| each.name.ends_with("^{}");
        (&a.0, peeled(a.1)).cmp(&(&b.0, peeled(b.1)))
    });
    (best, versions().map(|(version, _)| version).max())
}

fn version_of(tag: &str, skill: Option<&str>) -> Option<Version> {
    let rest = skill
        .and_then(|skill| tag.strip_prefix(skill)?.strip_prefix(['-', '@', '/']))
        .unwrap_or(tag);
    Version::parse(rest.strip_prefix('v').unwrap_or(rest)).ok()
}

/// The whole hash of a commit of which only the start is known.
pub(super) fn whole_hash(
    git: &Git,
    repository: &Path,
    shown_url: &str,
    start: &str,
) -> Result<String, GitError> {
    let refs = remote_refs(git, repository)?;
    if let Some(tip) = refs.iter().find(|each| each.object.starts_with(start)) {
        return Ok(tip.object.clone());
    }
    // Only the commits, without trees and contents, where the server can leave them out.
    let mut command = git.command(repository);
    Git::allow_files(&mut command);
    command.args([
        "fetch",
        "--quiet",
        "--no-tags",
        "--filter=tree:0",
        "--",
        "origin",
    ]);
    command.args([
        "+refs/heads/*:refs/all/heads/*",
        "+refs/tags/*:refs/all/tags/*",
    ]);
    run(&mut command, "fetch the history")?;
    let mut command = git.command(repository);
    command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
    command.arg(format!("{start}^{{commit}}"));
    match run(&mut command, "find the commit") {
        Ok(hash) => Ok(String::from_utf8_lossy(&hash).trim().to_owned()),
        Err(GitError::Failed { .. }) => Err(GitError::NoRevision {
            url: shown_url.to_owned(),
            wanted: start.to_owned(),
            nearest: None,
        }),
        Err(error) => Err(error),
    }
}

/// The branch or tag whose name is nearest to what was asked for.
pub(super) fn nearest(refs: &[RemoteRef], wanted: &str) -> Option<String> {
    let names = refs.iter().filter_map(|each| {
        let name = each.name.strip_prefix("refs/heads/");
        name.or_else(|| each.name.strip_prefix("refs/tags/"))
    });
    skillyard_format::nearest::nearest(wanted, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_fitting_tag_wins() {
        let refs: Vec<RemoteRef> = [
            ("1", "refs/tags/v1.0.0"),
            ("2", "refs/tags/v1.2.0"),
            ("3", "refs/tags/v1.2.0^{}"),
            ("4", "refs/tags/2.0.0"),
            ("5", "refs/tags/pdf-v1.9.0"),
            ("6", "refs/tags/v3.0.0-rc.1"),
            ("7", "refs/heads/v1.5.0"),
        ]
        .map(|(object, name)| RemoteRef {
            object: object.into(),
            name: name.into(),
        })
        .into();
        let best = |requirement: &str, skill| {
            let requirement = VersionReq::parse(requirement).unwrap();
            highest(&refs, &requirement, skill)
                .0
                .map(|(_, each)| each.object.as_str())
        };
        assert_eq!(best("^1", None), Some("3"));
        assert_eq!(best("^1", Some("pdf")), Some("5"));
        assert_eq!(best(">=1", None), Some("4"));
        assert_eq!(best("^4", None), None);
    }
}
