//! What the user can do where a source does not give what was asked for.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use skillyard_catalog::path_probe::inaccessible;
use skillyard_format::package::archive::{
    ArchiveError, EntryProblem, LimitProblem, Limits, ShapeProblem,
};
use skillyard_install::archive::UnpackError;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::git::GitError;
use skillyard_install::material::MaterialError;
use skillyard_install::tree::TreeError;

use super::InstallFailure;
use super::lock_hint::opening_hint;
use crate::error::CommandError;
use crate::text::shell::{registry_flag, shell_word};

/// Where what is locked cannot be had any more.
pub(super) fn unavailable_hint(
    name: &str,
    registry: Option<&str>,
    moved: Option<&str>,
    error: &CommandError,
) -> Option<String> {
    let name = shell_word(name);
    let failure = match error {
        CommandError::Install(failure) => failure,
        CommandError::NoSuchPath(_) => {
            return error.hint().or_else(|| {
                Some(format!(
                    "Bring it back, or say where it lies by now; `skillyard remove {name}` takes it out"
                ))
            });
        }
        _ => return error.hint(),
    };
    let git = match failure {
        InstallFailure::Git(error) => Some(error),
        InstallFailure::Material(error) => error.0.downcast_ref(),
        _ => None,
    };
    Some(match (failure, git) {
        _ if let Some(moved) = moved => {
            format!("It has moved to `{moved}`; install it from there with `--force`")
        }
        // Whoever wrote it into skills.toml has no flags for it.
        (InstallFailure::Several { names, .. }, _) => format!(
            "Name the folder of the one that you mean in skills.toml: it has {}",
            names.join(", ")
        ),
        (InstallFailure::NothingOffered(_), _) | (_, Some(GitError::NoFolder { .. })) => {
            format!("It is not there any more; `skillyard remove {name}` removes it here")
        }
        (_, Some(GitError::NoRevision { wanted, .. })) if wanted.len() >= 40 => format!(
            "Its history was rewritten, and what was locked is gone; see what is there now with `skillyard update {name} --dry-run`"
        ),
        (
            InstallFailure::NoRegistry
            | InstallFailure::RegistryAnswer(
                RegistryError::NotFound { .. }
                | RegistryError::NoVersion { .. }
                | RegistryError::NotARegistry { .. },
            ),
            _,
        ) if let Some(url) = registry => locked_from(url),
        _ => return error.hint(),
    })
}

/// Where it is locked from another registry than is set.
pub(super) fn locked_from(url: &str) -> String {
    format!(
        "It was locked from {url}; if you trust it, set it with `skillyard config set registry.url URL`"
    )
}

/// Where what came is no skill.
pub(super) fn material_hint(error: &MaterialError) -> Option<String> {
    if let Some(error) = error.0.downcast_ref() {
        return unpack_hint(error);
    }
    if let Some(error) = error.0.downcast_ref() {
        return site_hint(error);
    }
    let git = error.0.downcast_ref().and_then(git_hint);
    let inaccessible = || closed_to_us(error).map(|path| opening_hint(&path));
    git.or_else(inaccessible).or_else(|| size_hint(&*error.0))
}

/// Where an archive is not the one skill that is installed from one.
pub(super) fn unpack_hint(error: &UnpackError) -> Option<String> {
    Some(match error {
        UnpackError::FolderName { folder, .. } => format!(
            "Unpack it, and install the folder: `skillyard install {}`",
            shell_word(&format!("./{folder}"))
        ),
        UnpackError::Archive {
            source:
                ArchiveError::Shape(
                    ShapeProblem::NoSkillFile
                    | ShapeProblem::TwoSkillFiles(..)
                    | ShapeProblem::ManyRoots(..),
                ),
            ..
        } => "An archive is one skill. If this is a repository, or several skills, unpack it, and install its \
              folder: `skillyard install ./FOLDER --all`, or `--skill NAME` in place of `--all`"
            .into(),
        UnpackError::Archive {
            source: ArchiveError::Twice(_),
            ..
        } => "Unpack it, and install the folder: `skillyard install ./FOLDER`; whoever offers it should \
              compress it once, and their server not at all"
            .into(),
        UnpackError::Archive {
            source: ArchiveError::Compression(_),
            ..
        } => "Unpack it, and install the folder: `skillyard install ./FOLDER`; archives are read as `.zip`, \
              `.tar`, `.tar.gz` and `.tar.zst`"
            .into(),
        _ => return size_hint(error),
    })
}

/// The folder of this machine, or the file in it, that the user may not read.
pub(super) fn closed_to_us(error: &MaterialError) -> Option<PathBuf> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&*error.0);
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(TreeError::Read { path, source })
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                return Some(inaccessible(path).unwrap_or_else(|| path.clone()));
            }
            _ => cause = error.source(),
        }
    }
    None
}

/// The same where a source could not be had for that reason.
pub(crate) fn closed_source(error: &CommandError) -> Option<PathBuf> {
    match error {
        CommandError::Install(InstallFailure::Material(error)) => closed_to_us(error),
        CommandError::Install(InstallFailure::Unavailable { source, .. }) => closed_source(source),
        _ => None,
    }
}

/// Where a skill is larger than may be installed.
pub(super) fn size_hint(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // What is passed on as it is names itself, and not what it is.
        let tree = match (error.downcast_ref(), error.downcast_ref()) {
            (Some(UnpackError::Tree(tree)), _) | (_, Some(GitError::Tree(tree))) => Some(tree),
            _ => error.downcast_ref::<TreeError>(),
        };
        let archive = error.downcast_ref::<ArchiveError>().and_then(archive_key);
        let key = match tree {
            Some(TreeError::Files(_)) => Some("max_files"),
            Some(TreeError::Bytes(_)) => Some("max_bytes"),
            _ => archive,
        };
        let Some(key) = key else {
            cause = error.source();
            continue;
        };
        return Some(limit_hint(key));
    }
    None
}

/// How a limit of skills is raised.
pub(super) fn limit_hint(key: &str) -> String {
    format!(
        "If it has to be so large, raise the limit with `skillyard config set limits.{key} NUMBER`, \
         or with `--config limits.{key}=NUMBER` this once"
    )
}

/// The limit whose key lets a larger archive in. How large a whole repository may be is not set.
fn archive_key(error: &ArchiveError) -> Option<&'static str> {
    let fixed = Limits::repository();
    match error {
        ArchiveError::Limit(problem) => match *problem {
            LimitProblem::Files { limit } if limit != fixed.files => Some("max_files"),
            LimitProblem::Entries { limit } if limit != fixed.entries => Some("max_files"),
            LimitProblem::NamesBytes { limit } if limit != fixed.names_bytes => Some("max_files"),
            LimitProblem::TotalBytes { limit } if limit != fixed.total_bytes => Some("max_bytes"),
            LimitProblem::ArchiveBytes { limit } if limit != fixed.archive_bytes => {
                Some("max_bytes")
            }
            _ => None,
        },
        ArchiveError::ArchiveEntry {
            problem: EntryProblem::FileTooLarge { limit, .. },
            ..
        } if *limit != fixed.file_bytes => Some("max_bytes"),
        _ => None,
    }
}

/// Where a registry does not have it.
pub(super) fn registry_hint(error: &RegistryError) -> Option<String> {
    Some(match error {
        RegistryError::NotFound {
            nearest: Some(name),
            ..
        } => format!("Did you mean `{name}`?"),
        // Only what is not released yet is left.
        RegistryError::NoVersion {
            name,
            requirement,
            versions,
        } if requirement == "latest" => {
            let version = versions.first()?;
            let reference = shell_word(&format!("{name}@{version}"));
            format!("Ask for one that is there: `skillyard install {reference}`")
        }
        RegistryError::Misnamed { .. } => {
            "Whoever published it has to give it one name; until then ask them which skill it is".into()
        }
        RegistryError::NeverSeen { .. } => "Run it once without `--offline`".into(),
        RegistryError::NotFound {
            alias: Some(alias), ..
        } => {
            let alias = shell_word(alias);
            format!("Look for one with `skillyard search WORDS --from {alias}`")
        }
        RegistryError::NotFound { .. } => "Look for one with `skillyard search WORDS`".into(),
        RegistryError::NotARegistry { .. }
        | RegistryError::Index { .. }
        | RegistryError::Http(HttpError::Unreadable { .. }) => {
            "Look whether that is the address of a registry: `skillyard config list --show-origin` \
             says where it comes from"
                .into()
        }
        RegistryError::TakenBack { registry, .. } | RegistryError::Log { registry, .. } => format!(
            "Ask its operator what happened; if it is meant, `skillyard registry forget {}` forgets what it said before",
            shell_word(registry)
        ),
        RegistryError::Http(error)
            if error.status() == Some(403) && error.to_string().contains("allow `tokens`") =>
        {
            "Log in with a token that has the scope `tokens`; whoever runs the registry makes one with `skillyard registry token create --user NAME --scope tokens`".into()
        }
        RegistryError::Http(HttpError::Unknown(_)) => {
            "Look whether it was done, or run it again: what was done already stays as it is".into()
        }
        RegistryError::Withdrawn {
            has_others: false, ..
        } => "Its owners withdrew all versions; ask them for another one".into(),
        RegistryError::Withdrawn { name, .. } => {
            format!("Ask for another version, or for the newest with `skillyard install {name}`")
        }
        RegistryError::Unauthorized { alias, .. } => {
            let which = registry_flag(alias.as_deref());
            format!("Log in with `skillyard login{which} --token TOKEN`")
        }
        _ => return None,
    })
}

/// Where a site does not list it.
pub(super) fn site_hint(error: &WellKnownError) -> Option<String> {
    match error {
        WellKnownError::TooMany { .. } | WellKnownError::Http(HttpError::TooLarge { .. }) => Some(
            "If it is a registry of Skillyard, it can be asked for one skill: \
             `skillyard config set sources.NAME.url URL`, then `skillyard install NAME:SKILL`"
                .into(),
        ),
        WellKnownError::Nothing { url, .. } => {
            Some(format!("If it is a git repository, write `git+{url}`"))
        }
        WellKnownError::ForeignHost {
            archive: Some(archive),
            ..
        } => Some(format!(
            "If you trust that host, install the archive itself: `skillyard install {}`",
            shell_word(archive)
        )),
        WellKnownError::ForeignHost {
            name,
            archive: None,
            ..
        } => Some(format!(
            "If you trust that host, save its file as `{name}/SKILL.md`, and install the folder: `skillyard install ./{name}`"
        )),
        WellKnownError::Misnamed { .. } => Some(
            "Whoever runs the site has to give it one name; until then ask them which skill it is"
                .into(),
        ),
        _ => None,
    }
}

/// Where git does not bring it.
pub(super) fn git_hint(error: &GitError) -> Option<String> {
    Some(match error {
        GitError::Missing => "Install git, or name an archive instead of a repository".into(),
        GitError::NoRevision { nearest: Some(name), .. } => format!("Did you mean `{name}`?"),
        GitError::NoRevision { wanted, .. } if wanted == "HEAD" => {
            "It is empty, or the branch that it offers is gone; name another one with `--ref`".into()
        }
        GitError::NoRevision { wanted, .. } if is_start_of_commit(wanted) => {
            "Only commits of branches and tags are found by their first digits; name others by all 40".into()
        }
        GitError::Link { folder: Some(folder), .. } => {
            format!("Name the folder itself: `#{folder}` behind the repository")
        }
        GitError::Submodule(_) => {
            "Name that repository itself; `.gitmodules` says where it is".into()
        }
        GitError::NotACommit(_) => "Name another tag, a branch or a commit".into(),
        GitError::Elsewhere(there) => {
            format!("Name that repository itself, if it may have your login: `git+{there}`")
        }
        GitError::Ambiguous { .. } => "Write more digits of the one that you mean".into(),
        GitError::NoVersion { newest: Some(version), .. } => format!("The newest is {version}"),
        GitError::NoVersion { newest: None, .. } => {
            "It has no tags such as `v1.2.3`; name a branch or a commit".into()
        }
        GitError::Failed { message, .. } if message.contains("could not read Username") => {
            "It is private or does not exist; set up git's credentials for it, or use its ssh address".into()
        }
        _ => return None,
    })
}

fn is_start_of_commit(wanted: &str) -> bool {
    (7..40).contains(&wanted.len()) && wanted.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the skill is not where it was, and nothing keeps it from being looked for.
pub(crate) fn is_missing(error: &CommandError) -> bool {
    match error {
        CommandError::NoSuchPath(_)
        | CommandError::Install(
            InstallFailure::NothingOffered(_)
            | InstallFailure::LeftOutOfArchive { .. }
            | InstallFailure::NoneLoadable { .. },
        ) => true,
        CommandError::Install(InstallFailure::Material(error)) => {
            matches!(error.0.downcast_ref(), Some(GitError::NoFolder { .. }))
        }
        _ => false,
    }
}
