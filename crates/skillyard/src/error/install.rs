//! What can go wrong while installing, and what the user can do about it.

use std::path::PathBuf;

use skillyard_format::Digest;
use skillyard_format::nearest::nearest;
use skillyard_format::package::pack::PackError;
use skillyard_install::archive::UnpackError;
use skillyard_install::candidate::CandidateError;
use skillyard_install::dependencies::DependencyError;
use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::git::GitError;
use skillyard_install::lockfile::{Lockfile, LockfileError};
use skillyard_install::manifest::ManifestError;
use skillyard_install::material::MaterialError;
use skillyard_install::plan::{Conflict, Obstacle};
use skillyard_install::reference::ReferenceError;
use skillyard_install::store::StoreError;
use skillyard_install::target::TargetError;
use skillyard_install::transaction::TransactionError;
use skillyard_install::tree::TreeError;

use crate::install::changes::obstacle;

/// Why nothing was installed, changed or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallFailure {
    #[error("there is no home directory to install into")]
    NoHome,
    #[error("something is in the way")]
    Conflicts(Vec<Conflict>),
    #[error("there is no skill in `{0}`")]
    NothingOffered(String),
    #[error("there is no skill in `{place}` that could be loaded")]
    NoneLoadable { place: String, reason: String },
    #[error("`{0}` leads out of the source it stands in")]
    OutOfSource(String),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error("`{place}` has {count} skills, and it was not said which")]
    Several {
        place: String,
        count: usize,
        names: Vec<String>,
    },
    #[error("`{place}` has no skill `{name}`")]
    NotOffered {
        place: String,
        name: String,
        nearest: Option<String>,
    },
    #[error("`{name}` is not installed here")]
    NotInstalled {
        name: String,
        nearest: Option<String>,
    },
    #[error("`{name}` was not installed: it was written into `{}`", folder.display())]
    Written { name: String, folder: PathBuf },
    #[error("`{0}` has no revisions to choose from")]
    NoRevisions(String),
    #[error("cannot install `{name}`")]
    Candidate {
        name: String,
        source: CandidateError,
    },
    #[error("`{name}` is not what the lock says: {expected} was locked, {found} is there now")]
    NotAsLocked {
        name: String,
        expected: Digest,
        found: Digest,
    },
    #[error("the lock does not match skills.toml: {0}")]
    LockOutdated(String),
    #[error("`{0}` is not in the store, and nothing may be fetched")]
    Offline(String),
    #[error("`{alias}` is no registry, so it has no `{name}`")]
    NoNamespaces { alias: String, name: String },
    #[error(
        "`{name}` was not installed: the scanner found something that is never installed without a word from you"
    )]
    Findings {
        name: String,
        codes: Vec<String>,
        findings: Vec<String>,
    },
    #[error("`{name}` was not installed: its signature is refused")]
    Signature { name: String, reason: String },
    #[error("the question whether to go on cannot be asked here")]
    NotAsked,
    #[error("`--name` renames one skill, and there are {0}")]
    OneName(usize),
    #[error(transparent)]
    Material(#[from] MaterialError),
    #[error(transparent)]
    Dependencies(Box<DependencyError<crate::error::CommandError>>),
    #[error("no registry is set")]
    NoRegistry,
    #[error("there is no source `{alias}` in the configuration")]
    NoSource { alias: String, known: Vec<String> },
    #[error("`{0}` is not an address")]
    Address(String),
    #[error("`{0}` is part of skillyard and has no folder of its own")]
    Builtin(String),
    #[error("`{0}` is not the name of a .zip, .skill or .tar.gz")]
    ArchiveName(String),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Forge(#[from] ForgeError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    RegistryAnswer(#[from] RegistryError),
    #[error(transparent)]
    Site(#[from] WellKnownError),
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Transaction(#[from] TransactionError),
}

impl InstallFailure {
    /// A name that the lock does not have.
    pub(crate) fn not_installed(lock: &Lockfile, name: &str) -> Self {
        let names = lock.skills().iter().map(|entry| entry.name.as_str());
        Self::NotInstalled {
            name: name.to_owned(),
            nearest: nearest(name, names).map(str::to_owned),
        }
    }

    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Conflicts(conflicts) => match conflicts.first().map(|each| &each.obstacle) {
                Some(Obstacle::Edited) => {
                    "Keep your changes elsewhere, or give them up with `--force`".into()
                }
                _ => "Give it another name with `--name`, replace it with `--force`, or leave it with `--skip-existing`".into(),
            },
            Self::NothingOffered(_) => "A skill is a folder with a `SKILL.md`".into(),
            Self::Several { names, .. } => format!(
                "Choose with `--skill NAME` or take all with `--all`: {}",
                listed(names)
            ),
            Self::NotOffered { nearest: Some(name), .. }
            | Self::NotInstalled { nearest: Some(name), .. } => format!("Did you mean `{name}`?"),
            Self::Written { name, .. } => {
                format!("`skillyard remove {name} --force` deletes that folder for good")
            }
            Self::NotInstalled { .. } => "See what is installed with `skillyard list`".into(),
            Self::NotAsLocked { .. } => {
                "Somebody changed it after it was locked; look at it, then run `skillyard update` to accept it".into()
            }
            Self::LockOutdated(_) => "Run `skillyard sync` and commit the new lock".into(),
            Self::Offline(_) => "Run it once without `--offline`".into(),
            Self::Findings { codes, .. } => format!(
                "Read about it with `skillyard explain {}`; if you know it is harmless, pass `--accept {}`",
                codes.first().map_or("", String::as_str),
                deduplicated(codes).join(",")
            ),
            Self::NoneLoadable { place, .. } if std::path::Path::new(place).is_dir() => {
                format!("See all that is wrong with `skillyard validate {place}`")
            }
            Self::NotAsked => "Pass `--yes` to go on without the question".into(),
            Self::NoRegistry => {
                "Set one with `skillyard config set registry.url URL`; `install` takes a folder, `owner/repo/path` or an address without one".into()
            }
            Self::NoSource { alias, known } => {
                match nearest(alias, known.iter().map(String::as_str)) {
                    Some(name) => format!("Did you mean `{name}`?"),
                    None => format!("Add it with `skillyard config set sources.{alias}.url URL`"),
                }
            }
            Self::RegistryAnswer(RegistryError::NotFound { nearest: Some(name), .. }) => {
                format!("Did you mean `{name}`?")
            }
            Self::RegistryAnswer(
                RegistryError::NotARegistry { .. }
                | RegistryError::Index { .. }
                | RegistryError::Http(HttpError::Unreadable { .. }),
            ) => "Look whether that is the address of a registry: `skillyard config list --show-origin` says where it comes from".into(),
            Self::RegistryAnswer(RegistryError::NotFound { .. }) => {
                "Look for one with `skillyard search WORDS`".into()
            }
            Self::RegistryAnswer(RegistryError::Withdrawn { name, .. }) => {
                format!("Ask for another version, or for the newest with `skillyard install {name}`")
            }
            Self::RegistryAnswer(RegistryError::Unauthorized { .. }) => {
                "Log in with `skillyard login --token TOKEN`; see who you are with `skillyard whoami`".into()
            }
            Self::Forge(ForgeError::NotFound { authenticated: false, .. } | ForgeError::RateLimited { authenticated: false, .. }) => {
                "Set a token with `GITHUB_TOKEN`, `GITLAB_TOKEN` or `skillyard config set hosts.github.token '${NAME}'`".into()
            }
            Self::RegistryAnswer(RegistryError::Http(HttpError::Connect { .. }))
            | Self::Site(WellKnownError::Http(HttpError::Connect { .. }))
            | Self::Forge(ForgeError::Http(HttpError::Connect { .. }))
            | Self::Http(HttpError::Connect { .. }) => {
                "Look whether this machine is online, or needs a proxy (`HTTPS_PROXY`); what was installed before can be had with `skillyard sync --offline`".into()
            }
            Self::Git(error) => return git_hint(error),
            Self::Material(error) => return error.0.downcast_ref().and_then(git_hint),
            Self::Lockfile(LockfileError::Version { .. }) => "Use a newer skillyard".into(),
            Self::Lockfile(_) => "Take it from the repository, or remove it and run `skillyard sync`".into(),
            Self::Store(error) | Self::Transaction(TransactionError::Store(error))
                if error.is_damage() =>
            {
                "Find all damage with `skillyard store verify`, mend it with `skillyard store verify --fix`".into()
            }
            Self::Target(TargetError::NoSuchAgent { nearest: Some(name), .. }) => {
                format!("Did you mean `{name}`?")
            }
            Self::Target(TargetError::NoSuchAgent { .. }) => {
                "List the agents with `skillyard install --help`".into()
            }
            _ => return None,
        })
    }

    /// 1 when it was refused, 2 when it could not be tried.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::NoHome
            | Self::Reference(_)
            | Self::Address(_)
            | Self::NoRevisions(_)
            | Self::NoRegistry
            | Self::RegistryAnswer(RegistryError::NotARegistry { .. })
            | Self::NoSource { .. }
            | Self::Forge(ForgeError::RateLimited { .. })
            | Self::Git(GitError::Missing | GitError::Run(_) | GitError::Failed { .. })
            | Self::OneName(_)
            | Self::Lockfile(_)
            | Self::Manifest(_)
            | Self::Target(_)
            | Self::Store(StoreError::Disk { .. })
            | Self::Transaction(_) => 2,
            // A registry that knows no such thing has answered.
            Self::RegistryAnswer(RegistryError::Http(error))
                if matches!(error.status(), Some(400 | 404)) =>
            {
                1
            }
            Self::Http(error)
            | Self::Forge(ForgeError::Http(error))
            | Self::RegistryAnswer(RegistryError::Http(error))
            | Self::Site(WellKnownError::Http(error)) => http_code(error),
            _ => 1,
        }
    }

    /// What is known beyond the message.
    pub(super) fn causes(&self) -> Vec<String> {
        match self {
            Self::Conflicts(conflicts) => conflicts.iter().map(obstacle).collect(),
            Self::NoneLoadable { reason, .. } | Self::Signature { reason, .. } => {
                vec![reason.clone()]
            }
            Self::Findings { findings, .. } => findings.clone(),
            _ => Vec::new(),
        }
    }
}

/// A server that says no is an answer, and so are other bytes than were promised; a server that
/// cannot be reached or asked is none.
fn http_code(error: &HttpError) -> u8 {
    match error {
        HttpError::Digest { .. } => 1,
        error => match error.status() {
            Some(403 | 409 | 410 | 422) => 1,
            _ => 2,
        },
    }
}

fn git_hint(error: &GitError) -> Option<String> {
    Some(match error {
        GitError::Missing => "Install git, or name an archive instead of a repository".into(),
        GitError::NoRevision { nearest: Some(name), .. } => format!("Did you mean `{name}`?"),
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

fn deduplicated(codes: &[String]) -> Vec<String> {
    let mut codes = codes.to_vec();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let mut text = names
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text.push_str(", …");
    }
    text
}
