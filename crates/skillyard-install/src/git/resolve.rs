//! From what was asked for to one commit.

use std::io::{BufRead as _, BufReader};
use std::path::Path;

use super::command::{Git, GitSession, succeeded};
use super::error::GitError;
use super::watch;
use crate::reference::Requirement;

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
    let what = "list the branches and tags";
    let answer = succeeded(watch::ask(git, &mut command, what, repository)?, what)?;
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

/// What to fetch for the tag that is meant, and the version that it stands for.
///
/// A bare `1.2` may also be the name of a branch, where there is no such tag and no version fits, and
/// of a tag beside those of the skill.
pub(super) fn tag(
    refs: &[RemoteRef],
    requirement: &Requirement,
    name: &str,
) -> Option<(String, Option<String>)> {
    if let Some((version, tag)) = requirement.choose_tag(tags(refs), Some(name)) {
        let version = version.map(|version| version.to_string());
        return Some((format!("refs/tags/{tag}"), version));
    }
    let wanted = requirement.to_string();
    let named = |each: &&RemoteRef| {
        let short = each.name.strip_prefix("refs/heads/");
        short.or_else(|| each.name.strip_prefix("refs/tags/")) == Some(&wanted)
    };
    let branch = refs
        .iter()
        .find(named)
        .filter(|_| requirement.could_be_a_name());
    branch.map(|each| (each.name.clone(), None))
}

/// The highest version among the tags.
pub(super) fn newest(refs: &[RemoteRef], name: &str) -> Option<String> {
    let newest = Requirement::Latest.select_tag(tags(refs), Some(name));
    newest.map(|(version, _)| version.to_string())
}

/// The names of the tags.
pub(super) fn tags(refs: &[RemoteRef]) -> impl Iterator<Item = &str> {
    // An annotated tag comes twice, the second time with `^{}` behind it.
    let tags = refs
        .iter()
        .filter_map(|each| each.name.strip_prefix("refs/tags/"));
    tags.filter(|tag| !tag.ends_with("^{}"))
}

/// The whole hash of a commit of which only the start is known.
///
/// Anybody can make a commit whose hash starts with given digits, and can have hosts show it below
/// `refs/pull`. So only what the owners put into branches and tags counts, all of their history is
/// looked at, and of two that fit none is taken.
pub(super) fn whole_hash(
    git: &Git,
    repository: &Path,
    shown_url: &str,
    start: &str,
) -> Result<String, GitError> {
    // Only the commits, without trees and contents, where the server can leave them out.
    let what = "fetch the history";
    fetch_all(git, repository, "--filter=tree:0", what)?;
    let mut found = commits(git, repository, &start.to_ascii_lowercase())?;
    if found.len() > 1 {
        found.sort_unstable();
        return Err(GitError::Ambiguous {
            url: shown_url.to_owned(),
            wanted: start.to_owned(),
            commits: found,
        });
    }
    found.pop().ok_or_else(|| GitError::NoRevision {
        url: shown_url.to_owned(),
        wanted: start.to_owned(),
        nearest: None,
    })
}

/// Fetches what all branches and tags lead to, as far as the filter lets it pass.
pub(super) fn fetch_all(
    git: &Git,
    repository: &Path,
    filter: &str,
    what: &'static str,
) -> Result<(), GitError> {
    let mut command = git.command(repository);
    Git::allow_files(&mut command);
    command.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]);
    command.args([filter, "--", "origin"]);
    command.args([
        "+refs/heads/*:refs/all/heads/*",
        "+refs/tags/*:refs/all/tags/*",
    ]);
    watch::fetch(
        git,
        &mut command,
        Vec::new(),
        what,
        repository,
        watch::MAX_DOWNLOAD_BYTES,
    )
}

/// The branch or tag that is called so; git, too, takes tags first.
pub(super) fn named<'a>(refs: &'a [RemoteRef], name: &str) -> Option<&'a str> {
    let find = |kind: &str| {
        let is_it = |each: &&RemoteRef| each.name.strip_prefix(kind) == Some(name);
        refs.iter().find(is_it)
    };
    let found = find("refs/tags/").or_else(|| find("refs/heads/"));
    found.map(|each| each.name.as_str())
}

/// The commits of all branches and tags that start with these digits; a few are enough.
fn commits(git: &Git, repository: &Path, start: &str) -> Result<Vec<String>, GitError> {
    const MAX_COMMITS: usize = 8;
    let mut command = git.command(repository);
    command.args(["rev-list", "--glob=refs/all/*"]);
    let mut talk = GitSession::start(&mut command, Vec::new())?;
    let mut found = Vec::new();
    let mut read = || -> std::io::Result<()> {
        for line in BufReader::new(&mut talk.answer).lines() {
            let line = line?;
            if line.starts_with(start) && found.len() < MAX_COMMITS {
                found.push(line);
            }
        }
        Ok(())
    };
    let read = read().map_err(GitError::Run);
    talk.end("list the commits", read)?;
    Ok(found)
}

/// The branch or tag whose name is nearest to what was asked for.
pub(super) fn nearest(refs: &[RemoteRef], wanted: &str) -> Option<String> {
    let names = refs.iter().filter_map(|each| {
        let name = each.name.strip_prefix("refs/heads/");
        name.or_else(|| each.name.strip_prefix("refs/tags/"))
    });
    skillyard_format::text::nearest(wanted, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_fitting_tag_wins() {
        let refs: Vec<RemoteRef> = [
            "refs/tags/v1.0.0",
            "refs/tags/v1.2.0",
            "refs/tags/v1.2.0^{}",
            "refs/tags/2.0.0",
            "refs/tags/pdf-v1.9.0",
            "refs/tags/v3.0.0-rc.1",
            "refs/heads/v1.5.0",
            "refs/heads/7.x",
            "refs/heads/8",
            "refs/tags/1.0",
            "refs/heads/1.0",
        ]
        .map(|name| RemoteRef {
            object: "1".into(),
            name: name.into(),
        })
        .into();
        let best = |text: &str, name| {
            let found = tag(&refs, &text.parse().unwrap(), name);
            found.map(|(revision, _)| revision)
        };
        assert_eq!(best("^1", "x").as_deref(), Some("refs/tags/v1.2.0"));
        assert_eq!(best("^1", "pdf").as_deref(), Some("refs/tags/pdf-v1.9.0"));
        assert_eq!(best(">=1", "x").as_deref(), Some("refs/tags/2.0.0"));
        assert_eq!(best("^4", "x"), None);
        assert_eq!(best("1.0", "x").as_deref(), Some("refs/tags/1.0"));
        assert_eq!(best("8", "x").as_deref(), Some("refs/heads/8"));
        assert_eq!(newest(&refs, "x").as_deref(), Some("2.0.0"));
    }
}
