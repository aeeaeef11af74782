//! What can go wrong around a registry, here or far away.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use skillyard_format::package::archive::{ArchiveError, ShapeProblem};
use skillyard_format::package::pack::PackError;
use skillyard_format::qualified::QualifiedProblem;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::tree::TreeError;
use skillyard_registry::blobs::BlobError;
use skillyard_registry::database::DatabaseError;
use skillyard_registry::maintenance::MaintenanceError;
use skillyard_registry::mirror::MirrorError;
use skillyard_registry::package::Refusal;
use skillyard_registry::token::ScopeError;

use super::certificate_hint::certificate_hint;
use crate::text::shell::{registry_flag, shell_path, shell_word};

/// Why a command about a registry failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryFailure {
    #[error("the skill cannot be published")]
    Refused {
        /// The folder that was to be published.
        folder: PathBuf,
        source: Box<Refusal>,
    },
    #[error("the skill cannot be packed")]
    Pack(#[from] PackError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("the question whether to publish cannot be asked here")]
    NotAsked,
    #[error("`{0}` names no version")]
    NoVersion(String),
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("`{0}` is not an address to listen on")]
    Host(String),
    #[error("anybody who reaches {0} could read tokens on their way")]
    Exposed(SocketAddr),
    #[error("`{0}` is no address where clients could reach a registry")]
    Url(String),
    #[error("the server cannot be started")]
    Start(#[source] io::Error),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Blobs(#[from] BlobError),
    #[error(transparent)]
    Maintenance(#[from] MaintenanceError),
    #[error(transparent)]
    Scope(#[from] ScopeError),
    #[error("`{0}` is no name for an account: use letters, digits, `-`, `_` and `.`")]
    Account(String),
    #[error("there is no account `{account}` yet, and `{other}`, which looks like it")]
    AccountAlike { account: String, other: String },
    #[error("there is no token `{0}` that could be revoked")]
    NoToken(String),
    #[error("no random numbers can be had")]
    Random(#[from] getrandom::Error),
    #[error("the time is out of range")]
    Time(#[from] jiff::Error),
    #[error(transparent)]
    Name(#[from] QualifiedProblem),
    #[error(
        "`{0}` can be no tag: use small letters, digits and hyphens, such as `beta`, and nothing that reads as a version, such as `v1` or `x`"
    )]
    Tag(String),
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    #[error("`{}` is not the key that the log of this registry was signed with", .0.display())]
    OtherLogKey(PathBuf),
    #[error("the key that the log of this registry was signed with is not here: there is no `{}`", .0.display())]
    NoLogKey(PathBuf),
    #[error("nobody asked for the name `{name}` as `{account}`")]
    NotHeld { name: String, account: String },
    #[error("a token is needed")]
    NothingToLogInWith,
    #[error("that is not a token of a registry")]
    NotAToken,
    #[error("{0} refuses this token")]
    TokenRefused(String),
    #[error("the registry of this run is {in_use}, and a login is kept for {meant}")]
    LoginElsewhere {
        in_use: String,
        meant: String,
        place: String,
        is_locked: bool,
    },
    #[error("whether `{name}` was published is not known")]
    MaybePublished {
        name: String,
        source: Box<HttpError>,
    },
    #[error("`{}` is the name of a skill and not its folder", name.display())]
    NotAFolder { name: PathBuf, folder: PathBuf },
    #[error("`{user}` was given nothing")]
    NotGiven {
        user: String,
        source: Box<RegistryError>,
    },
    #[error("`{name}` was not published")]
    NotPublished {
        name: String,
        /// The registry, unless it is the default one.
        alias: Option<String>,
        source: Box<RegistryError>,
    },
    #[error("{0} wants a token")]
    Stranger(String),
}

impl RegistryFailure {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Refused { folder, source } => return refused(folder, source),
            Self::Pack(PackError::Refused(ArchiveError::Shape(ShapeProblem::TwoSkillFiles(..)))) => {
                TWO_SKILL_FILES.into()
            }
            Self::NotAsked => "Pass `--yes` to publish, or `--dry-run` to see what would be".into(),
            Self::NoVersion(text) if let Some((alias, version)) = text.split_once(':') => format!(
                "Name the registry apart: `{} --registry {}`",
                shell_word(version),
                shell_word(alias)
            ),
            Self::NoVersion(_) => "Write NAME@VERSION, such as `pdf@1.2.0`".into(),
            Self::Listen { .. } => "Choose another port with `--port`".into(),
            Self::TokenRefused(_) => {
                "It may have ended or been revoked; whoever runs the registry makes another with `skillyard registry token create`".into()
            }
            Self::MaybePublished { .. } => {
                "Run it again: the same files again change nothing, and you are told which it was".into()
            }
            Self::NotPublished { name, alias, source } => {
                return not_published(name, &registry_flag(alias.as_deref()), source);
            }
            Self::Stranger(url) => format!(
                "Name it, and log in: `skillyard config set sources.NAME.url {}`, then `skillyard login --registry NAME --token TOKEN`",
                shell_word(url)
            ),
            Self::NotGiven { user, .. } => format!(
                "Look how they are spelled; whoever runs the registry makes an account with its first token: `skillyard registry token create --user {} --scope publish`",
                shell_word(user)
            ),
            Self::AccountAlike { account, other } => format!(
                "Write `--user {}`, or pass `--new` if `{account}` is somebody else",
                shell_word(other)
            ),
            Self::NotAFolder { folder, .. } => {
                format!("Publish it with `skillyard publish {}`", folder.display())
            }
            Self::Maintenance(MaintenanceError::Exists(_)) => {
                "Name a folder that is not there yet".into()
            }
            Self::Exposed(_) => {
                "Put a proxy with TLS before it and name its address with `--url https://…`".into()
            }
            Self::Url(_) => {
                "Write where the proxy is reached, such as `--url https://skills.example.com`".into()
            }
            Self::Maintenance(MaintenanceError::NotEmpty) => {
                "Name another place with `--database` and `--blobs`".into()
            }
            Self::Mirror(MirrorError::NotAMirror(_) | MirrorError::OtherMirror { .. }) => {
                "Mirror into a place of its own with `--database` and `--blobs`".into()
            }
            Self::Maintenance(MaintenanceError::MostUnused { .. }) => {
                "Look whether `--database` and `--blobs` belong together; if they do, pass `--force`".into()
            }
            Self::Database(DatabaseError::Absent(_)) => {
                "Name the registry's database with `--database`; `skillyard registry serve` makes a new one".into()
            }
            Self::Database(error) if error.is_of_disk() => {
                "Look whether the disk of the database is full".into()
            }
            Self::Database(error @ DatabaseError::Open { .. }) => return certificate_hint(error),
            Self::OtherLogKey(_) => {
                "Name the right one with `--log-key` of `skillyard registry serve`; copies that `registry backup` made have it as `log.pem`. Where it is lost for good, `skillyard registry serve --replace-log-key` goes on with another one".into()
            }
            Self::NoLogKey(path) => format!(
                "Put it there from a copy that `registry backup` made, with `cp COPY/log.pem {}`, or name it with `--log-key` of `skillyard registry serve`. Where it is lost for good, `skillyard registry serve --replace-log-key` goes on with a new one",
                shell_path(path)
            ),
            Self::NotHeld { .. } => "List them with `skillyard registry name list`".into(),
            Self::NoToken(_) => "List them with `skillyard registry token list`".into(),
            Self::NothingToLogInWith => {
                "Pass `--token TOKEN`, or `--token -` to read it from stdin".into()
            }
            Self::LoginElsewhere { place, is_locked: true, .. } => {
                format!("Yours does not count: take it out, and its login, with `skillyard config unset {place}`")
            }
            Self::LoginElsewhere { place, .. } if place == "registry.url" => {
                "Make it yours with `skillyard config set registry.url URL`, or pass its token in SKILLYARD_REGISTRY_AUTH".into()
            }
            Self::LoginElsewhere { place, .. } => {
                format!("Make it yours with `skillyard config set {place} URL`")
            }
            Self::NotAToken => {
                "One begins with `sky_`; whoever runs the registry makes it with `skillyard registry token create`".into()
            }
            _ => return None,
        })
    }

    /// 1 when it was refused, 2 when it could not be tried.
    pub(super) fn code(&self) -> u8 {
        match self {
            // A registry that is busy has not answered.
            Self::NotPublished { source, .. }
                if let RegistryError::Http(error) = &**source
                    && error
                        .status()
                        .is_some_and(|status| status >= 500 && status != 501) =>
            {
                2
            }
            Self::Refused { .. }
            | Self::Pack(_)
            | Self::Tree(_)
            | Self::NoToken(_)
            | Self::AccountAlike { .. }
            | Self::NotHeld { .. }
            | Self::OtherLogKey(_)
            | Self::NoLogKey(_)
            | Self::Mirror(
                MirrorError::Log(_) | MirrorError::Entry { .. } | MirrorError::Checkpoint(_),
            )
            | Self::Maintenance(
                MaintenanceError::Damaged(_)
                | MaintenanceError::MostUnused { .. }
                | MaintenanceError::NotEmpty
                | MaintenanceError::Exists(_)
                | MaintenanceError::NoCopy(_),
            )
            | Self::NotAsked
            | Self::TokenRefused(_)
            | Self::Stranger(_)
            | Self::NotGiven { .. }
            | Self::NotPublished { .. } => 1,
            _ => 2,
        }
    }
}

const TWO_SKILL_FILES: &str = "A registry has skills without a folder around them, where tools disagree whose the second is: \
     call it otherwise, or put it two folders down";

/// What to do where a folder cannot be published as it is.
fn refused(folder: &Path, source: &Refusal) -> Option<String> {
    let folder = shell_path(folder);
    Some(match source {
        Refusal::NoVersion => {
            "Write it into the frontmatter:\nmetadata:\n  version: \"1.0.0\"".into()
        }
        Refusal::Invalid(_) => format!("See all of it with `skillyard validate {folder}`"),
        Refusal::Findings(_) => format!("See all of it with `skillyard scan {folder}`"),
        Refusal::Signature(_) => format!("Sign it again with `skillyard sign {folder}`"),
        Refusal::Version(_) => "Write three numbers, such as `1.0.0`".into(),
        Refusal::Archive(ArchiveError::Shape(ShapeProblem::TwoSkillFiles(..)))
        | Refusal::Pack(PackError::Refused(ArchiveError::Shape(ShapeProblem::TwoSkillFiles(..)))) => {
            TWO_SKILL_FILES.into()
        }
        _ => return None,
    })
}

/// What to do where a registry does not take a skill.
fn not_published(name: &str, registry_flag: &str, source: &RegistryError) -> Option<String> {
    let RegistryError::Http(error) = source else {
        return None;
    };
    match error.status()? {
        403 => Some(format!(
            "See who may publish it with `skillyard owner list {name}{registry_flag}`, and what your token allows with `skillyard whoami -v{registry_flag}`"
        )),
        // What is published may be new; the namespace must be there.
        404 => {
            let (namespace, _) = name.split_once('/')?;
            let create = "Make the namespace with `skillyard owner create";
            namespace
                .starts_with('@')
                .then(|| format!("{create} {namespace}{registry_flag}`"))
        }
        413 => Some(
            "See with `--dry-run` which files are large; whoever runs the registry says how much it takes".into(),
        ),
        409 if error.kind() == Some("confusable-name") => {
            Some("Choose another name: those that look alike are one to a registry".into())
        }
        409 if error.kind() == Some("held-name") => {
            Some("Choose another name, or ask whoever runs the registry to let it pass".into())
        }
        405 | 501 => Some("It may be plain files, which take no changes: publish to the registry that they were made from".into()),
        409 => {
            Some("Raise `metadata.version` if the skill is yours, or choose another name".into())
        }
        _ => None,
    }
}
