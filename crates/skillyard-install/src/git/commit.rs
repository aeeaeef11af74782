//! The commit that is wanted, found and fetched.

use std::path::Path;

use super::command::{Git, run};
use super::error::GitError;
use super::place::RemoteLocation;
use super::quarantine::{self, BlobSource};
use super::repository::RepositoryRequest;
use super::{resolve, watch};
use crate::reference::Revision;
use crate::tags::Tags;

/// Where the fetched commit is kept.
const FETCHED: &str = "refs/skillyard/fetched";

/// A commit that was fetched.
pub(super) struct FetchedCommit {
    /// Its hash.
    pub(super) commit: String,
    /// The version it has.
    pub(super) version: Option<String>,
    /// The tags that it was chosen among, where a range of versions was asked for.
    pub(super) tags: Option<Tags>,
}

/// Fetches the commit that is wanted into `folder`, which is new.
pub(super) fn fetch(
    git: &Git,
    folder: &Path,
    request: &RepositoryRequest<'_>,
    place: &RemoteLocation<'_>,
) -> Result<FetchedCommit, GitError> {
    let contents = quarantine::prepare(folder, place).map_err(GitError::Run)?;
    let (revision, version, tags) = revision(git, folder, request, place)?;
    let url = request.remote.to_git();
    match fetch_commit(git, folder, &url, contents, &revision) {
        Err(error) if is_refused(&error) => fetch_with_all(git, folder, &url, &revision)?,
        other => other?,
    }
    Ok(FetchedCommit {
        commit: commit_of(git, folder, &revision)?,
        version,
        tags,
    })
}

/// What to fetch, the version it has, and the tags that it was chosen among.
fn revision(
    git: &Git,
    folder: &Path,
    request: &RepositoryRequest<'_>,
    place: &RemoteLocation<'_>,
) -> Result<(String, Option<String>, Option<Tags>), GitError> {
    match request.revision {
        None => Ok(("HEAD".into(), None, None)),
        Some(Revision::Name(name)) => Ok((name.clone(), None, None)),
        Some(revision @ Revision::Commit(hash)) if revision.is_full_commit() => {
            Ok((hash.clone(), None, None))
        }
        Some(Revision::Commit(start)) => {
            let refs = resolve::remote_refs(git, folder)?;
            if let Some(name) = resolve::named(&refs, start) {
                return Ok((name.to_owned(), None, None));
            }
            // Apart from the rest: git would not fetch again what it has here without its trees.
            let history = folder.join("history");
            quarantine::prepare(&history, place).map_err(GitError::Run)?;
            let hash = resolve::whole_hash(git, &history, &request.remote.to_git(), start)?;
            let _ = std::fs::remove_dir_all(&history);
            Ok((hash, None, None))
        }
        Some(Revision::Requirement(requirement)) => {
            let refs = resolve::remote_refs(git, folder)?;
            let found = resolve::tag(&refs, requirement, request.tag_name);
            let (revision, version) = found.ok_or_else(|| GitError::NoVersion {
                url: request.remote.to_git(),
                wanted: requirement.to_string(),
                newest: resolve::newest(&refs, request.tag_name),
            })?;
            let tags = Tags::new(requirement, resolve::tags(&refs), request.tag_name);
            Ok((revision, version, Some(tags)))
        }
    }
}

fn fetch_commit(
    git: &Git,
    folder: &Path,
    shown_url: &str,
    contents: BlobSource,
    revision: &str,
) -> Result<(), GitError> {
    let mut command = git.command(folder);
    Git::allow_files(&mut command);
    command.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]);
    if contents == BlobSource::Fetched {
        command.args(["--depth=1", "--filter=blob:none"]);
    }
    command.args(["--", "origin"]);
    command.arg(format!("+{revision}:{FETCHED}"));
    let what = "fetch the repository";
    let fetched = watch::fetch(
        git,
        &mut command,
        Vec::new(),
        what,
        folder,
        watch::MAX_DOWNLOAD_BYTES,
    );
    let Err(error) = fetched else {
        return Ok(());
    };
    let unknown = matches!(&error, GitError::Failed { message, .. }
        if message.contains("couldn't find remote ref") || message.contains("not our ref"));
    if !unknown {
        return Err(error);
    }
    let refs = resolve::remote_refs(git, folder).unwrap_or_default();
    Err(GitError::NoRevision {
        url: shown_url.to_owned(),
        wanted: revision.to_owned(),
        nearest: resolve::nearest(&refs, revision),
    })
}

/// Whether a server gives out nothing but its branches and tags, as those do that speak only the
/// first protocol of git.
pub(super) fn is_refused(error: &GitError) -> bool {
    matches!(error, GitError::Failed { message, .. } if message.contains("unadvertised object"))
}

/// Fetches a commit by fetching all that branches and tags lead to, with the contents of files.
pub(super) fn fetch_with_all(
    git: &Git,
    folder: &Path,
    shown_url: &str,
    commit: &str,
) -> Result<(), GitError> {
    // Git would not fetch again what it has here without contents or history.
    let _ = std::fs::remove_file(folder.join("shallow"));
    let _ = std::fs::remove_dir_all(folder.join("refs/skillyard"));
    let pack = folder.join("objects/pack");
    std::fs::remove_dir_all(&pack).map_err(GitError::Run)?;
    std::fs::create_dir(&pack).map_err(GitError::Run)?;
    resolve::fetch_all(git, folder, "--no-filter", "fetch the repository")?;
    let mut command = git.command(folder);
    command.args(["cat-file", "-e", &format!("{commit}^{{commit}}")]);
    let what = "find the commit";
    let gone = |_| GitError::NoRevision {
        url: shown_url.to_owned(),
        wanted: commit.to_owned(),
        nearest: None,
    };
    run(&mut command, what).map_err(gone)?;
    let mut command = git.command(folder);
    command.args(["update-ref", FETCHED, commit]);
    run(&mut command, what).map(|_| ())
}

/// The commit that was fetched, also when it was an annotated tag; a tag can also name files.
fn commit_of(git: &Git, folder: &Path, revision: &str) -> Result<String, GitError> {
    let mut command = git.command(folder);
    command.args(["rev-parse", "--verify", "--end-of-options"]);
    command.arg(format!("{FETCHED}^{{commit}}"));
    let found = run(&mut command, "find the commit");
    let hash = found.map_err(|error| match error {
        GitError::Failed { message, .. } if message.contains("expected commit type") => {
            let name = revision.strip_prefix("refs/tags/").unwrap_or(revision);
            GitError::NotACommit(name.to_owned())
        }
        error => error,
    })?;
    Ok(String::from_utf8_lossy(&hash).trim().to_owned())
}
