//! What can go wrong while installing.

mod conflict_hint;
mod exit_code;
mod hint;
mod lock_hint;
mod refused;
mod source_hint;
mod stale;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

use skillyard_format::Digest;
use skillyard_format::package::pack::PackError;
use skillyard_format::text::nearest;
use skillyard_install::archive::UnpackError;
use skillyard_install::candidate::CandidateError;
use skillyard_install::dependencies::DependencyError;
use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::git::GitError;
use skillyard_install::lockfile::{Gap, Lockfile, LockfileError};
use skillyard_install::manifest::ManifestError;
use skillyard_install::material::MaterialError;
use skillyard_install::plan::Conflict;
use skillyard_install::reference::{ReferenceError, is_loopback};
use skillyard_install::scope::ScopeKind;
use skillyard_install::store::StoreError;
use skillyard_install::target::TargetError;
use skillyard_install::transaction::TransactionError;
use skillyard_install::tree::TreeError;
use url::Url;

pub(crate) use conflict_hint::{line_ends_hint, obstacle, source_changed_hint, unreachable_hint};
pub(crate) use hint::agents_line;
pub(crate) use lock_hint::{lock_hint, opening_hint};
pub(crate) use source_hint::{closed_source, is_missing};

pub(crate) use self::refused::Refused;
pub(crate) use self::stale::{Fault, Stale};
use super::CommandError;
pub(crate) use crate::error::install::refused::{CompanionSkill, SelectedBy, SignatureRemedy};
use crate::error::install::source_hint::limit_hint;
use crate::text::counted;

/// Most skills that are named.
const MAX_NAMES: usize = 12;

/// Why nothing was installed, changed or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallFailure {
    #[error("there is no home directory to install into")]
    NoHome,
    #[error("something is in the way")]
    Conflicts(Vec<Conflict>),
    /// The same where the rest was done, or would be.
    #[error("something is in the way")]
    LeftOut(Vec<Conflict>),
    #[error("something is in the way of `{name}`, which `{}` {}", by.join("`, `"), if by.len() == 1 { "needs" } else { "need" })]
    NeededName {
        name: String,
        by: Vec<String>,
        conflicts: Vec<Conflict>,
    },
    #[error("there is no skill in `{0}`")]
    NothingOffered(String),
    #[error("there is no skill in `{place}`")]
    Misplaced {
        place: String,
        /// Where its source has one that is called so.
        meant: Vec<String>,
    },
    #[error(
        "there is no skill in `{place}`: its repository keeps files out of what the forge packs (`export-ignore`)"
    )]
    LeftOutOfArchive {
        place: String,
        /// The same for git, which has all files.
        git: Option<String>,
    },
    #[error("there is no skill in `{place}` that could be loaded")]
    NoneLoadable {
        place: String,
        reason: String,
        /// What opens it, where it is closed to the user.
        opening: Option<String>,
    },
    #[error("the skill `{name}` of `{place}` cannot be loaded")]
    NotLoadable {
        place: String,
        name: String,
        reason: String,
        /// The same.
        opening: Option<String>,
    },
    #[error("`{0}` leads out of the source it stands in")]
    OutOfSource(String),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error("skills.toml does not say in a way that can be understood where `{name}` comes from")]
    WantedFrom {
        name: String,
        source: ReferenceError,
    },
    #[error("`{place}` has {count} skills, and it was not said which")]
    Several {
        place: String,
        count: usize,
        names: Vec<String>,
    },
    #[error("`{place}` has {} skills called `{name}`", paths.len())]
    SameName {
        place: String,
        name: String,
        paths: Vec<String>,
    },
    #[error("of several skills of one name only one can be installed")]
    SameNames(Vec<(String, Vec<String>)>),
    #[error("no folder can be called `{}`", .0.join("`, `"))]
    FolderNames(Vec<String>),
    #[error("`{place}` has no skill `{name}`")]
    NotOffered {
        place: String,
        name: String,
        nearest: Option<String>,
        names: Vec<String>,
    },
    #[error("`{name}` is not installed here")]
    NotInstalled {
        name: String,
        nearest: Option<String>,
        /// The other scope, where that has it.
        elsewhere: Option<ScopeKind>,
        /// The folder of an agent that has it, and that no variable names any more.
        left: Option<PathBuf>,
        /// Another project around this one that has it.
        around: Option<PathBuf>,
    },
    #[error("`{name}` was not installed: it was written into {}", all(folders))]
    Written { name: String, folders: Vec<PathBuf> },
    #[error("`{0}` has no revisions to choose from")]
    NoRevisions(String),
    #[error("cannot install `{name}`")]
    Candidate {
        name: String,
        source: CandidateError,
    },
    #[error(
        "`{name}` is not what the lock says: {expected} was locked, {found} is there now{}",
        if line_ends.is_some() { ", with other ends of lines, as git writes them with `core.autocrlf`" } else { "" }
    )]
    NotAsLocked {
        name: Box<str>,
        expected: Digest,
        found: Digest,
        /// The registry that it was locked from, where another one was asked.
        registry: Option<Box<str>>,
        /// The folder of the project that it is in, where only its lines end otherwise there.
        line_ends: Option<Box<str>>,
    },
    #[error(
        "`{name}` is locked from {locked}, and what {asked} has under this name may be something else"
    )]
    OtherRegistry {
        name: String,
        locked: String,
        asked: String,
    },
    #[error(
        "nothing was removed: an interrupted change cannot be finished; it is written in `{}`",
        journal.display()
    )]
    Unfinished {
        journal: PathBuf,
        source: std::io::Error,
    },
    #[error("the lock does not match skills.toml: {0}")]
    LockOutdated(String),
    /// Whoever checks the project out anew cannot have what is locked.
    #[error("the lock does not match what lies in the project: {}", stale_in(.0))]
    Stale(Vec<Stale>),
    #[error("another command changed `{0}` meanwhile; nothing was done")]
    ChangedMeanwhile(String),
    #[error("there is no lock to go by: `{}` does not exist", file.display())]
    NoLock {
        file: PathBuf,
        /// Whether skills.toml names skills that could be locked.
        is_wanted: bool,
    },
    #[error("`{name}` is needed by `{}`", dependants.join("`, `"))]
    StillNeeded {
        name: String,
        dependants: Vec<String>,
        /// What `remove` takes away all of it with.
        words: Vec<String>,
    },
    #[error("`{name}` is not installed into `{}`", folders.join("`, `"))]
    NotInFolders {
        name: String,
        /// The folders of the agents that were named.
        folders: Vec<String>,
        /// Those that it is in.
        targets: Vec<String>,
    },
    #[error("skills.toml wants all skills in `{0}`")]
    WantedInFolder(String),
    #[error(
        "`{name}` lies in `{gone}` and in `{kept}` only once: one of them is a link to the other"
    )]
    OneFolder {
        name: String,
        gone: String,
        kept: String,
    },
    #[error("`{0}` is not in the store, and nothing may be fetched")]
    Offline(String),
    #[error("the lock contradicts itself: {0}")]
    Gap(Gap),
    #[error("`{0}` is not locked, and nothing may be looked up")]
    NotLocked(String),
    #[error("`{name}` cannot be had from `{reference}`")]
    Unavailable {
        name: String,
        reference: String,
        /// The registry that it was locked from, where that is not the one that was asked.
        registry: Option<String>,
        /// Whether it is installed only because others need it.
        is_needed: bool,
        /// Where it is now.
        moved: Option<String>,
        source: Box<CommandError>,
    },
    #[error("`{name}` cannot be installed")]
    Unloadable {
        name: String,
        /// Those that were to be installed with it.
        others: Vec<String>,
        source: MaterialError,
    },
    #[error("`{alias}` is no registry, so it has no `{name}`")]
    NoNamespaces { alias: String, name: String },
    #[error(
        "`{name}` was not {deed}: the scanner found something that is never installed without a word from you"
    )]
    Findings {
        name: String,
        codes: Vec<String>,
        findings: Vec<String>,
        deed: Operation,
    },
    #[error(
        "nothing was installed: the scanner found something in {} that is never installed without a word from you",
        counted(.0.len(), "skill")
    )]
    FindingsAmong(Vec<Refused>, SelectedBy),
    #[error("nothing is found as `{code}`, so it cannot be accepted")]
    NoSuchCode {
        code: String,
        nearest: Option<&'static str>,
    },
    #[error(
        "`{name}` was not {deed}: it has a skill `{inner}` inside of it, in `{folder}`, and there is another one in `{}`",
        taken.display()
    )]
    InnerName {
        name: String,
        /// The name of the skill inside of it.
        inner: Box<str>,
        /// Where in it that lies.
        folder: Box<str>,
        /// The folder of the other skill of that name.
        taken: PathBuf,
        /// The agents in use that look into skills.
        readers: Box<str>,
        deed: Operation,
    },
    #[error("`{name}` was not {deed}: its signature is refused")]
    Signature {
        name: String,
        reason: String,
        /// What can be done about it.
        way_out: SignatureRemedy,
        deed: Operation,
    },
    #[error("`{name}` was not {deed}: it is revoked")]
    Revoked {
        name: String,
        reason: String,
        deed: Operation,
        /// What can be done where it is locked.
        hint: Option<String>,
    },
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
    #[error("`{alias}` is a source of the type `{kind}`, and only a registry can be asked this")]
    NotARegistry { alias: String, kind: &'static str },
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
    /// skills.toml names an agent that there is not, and may have meant these.
    #[error("{error}, which skills.toml names")]
    ManifestAgents {
        error: TargetError,
        meant: Option<Vec<String>>,
    },
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
            elsewhere: None,
            left: None,
            around: None,
        }
    }

    /// What is known beyond the message.
    pub(super) fn causes(&self) -> Vec<String> {
        match self {
            Self::Conflicts(conflicts)
            | Self::LeftOut(conflicts)
            | Self::NeededName { conflicts, .. } => {
                // What is in the way of a whole folder is so for each skill.
                let mut told = BTreeSet::new();
                let causes = conflicts.iter().map(obstacle);
                causes.filter(|each| told.insert(each.clone())).collect()
            }
            Self::SameNames(names) => names
                .iter()
                .map(|(name, folders)| format!("`{name}` is in `{}`", folders.join("`, `")))
                .collect(),
            Self::NoneLoadable { reason, .. }
            | Self::NotLoadable { reason, .. }
            | Self::Signature { reason, .. }
            | Self::Revoked { reason, .. } => vec![reason.clone()],
            Self::Findings { findings, .. } => findings.clone(),
            Self::FindingsAmong(refused, _) => refused.iter().flat_map(Refused::lines).collect(),
            Self::InnerName { readers, .. } => vec![format!(
                "{readers} would offer both, or the one for the other"
            )],
            _ => Vec::new(),
        }
    }
}

/// What lies in the project otherwise than it is locked.
fn stale_in(skills: &[Stale]) -> String {
    let told = skills.iter().take(MAX_NAMES);
    let mut told: Vec<String> = told.map(ToString::to_string).collect();
    if skills.len() > MAX_NAMES {
        told.push(format!("and {} more", skills.len() - MAX_NAMES));
    }
    told.join(", ")
}

/// All of some paths.
fn all(paths: &[PathBuf]) -> String {
    let quoted: Vec<String> = paths
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    quoted.join(" and ")
}

impl From<TransactionError> for CommandError {
    fn from(error: TransactionError) -> Self {
        Self::Install(error.into())
    }
}

/// What a refusal kept from being done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Operation {
    /// It was to come here.
    #[default]
    Installed,
    /// It is here, and was to become another edition.
    Updated,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Installed => "installed",
            Self::Updated => "updated",
        })
    }
}

impl InstallFailure {
    /// The skill that may not come here, if that is what is wrong.
    pub(crate) fn refused(&self) -> Option<&str> {
        match self {
            Self::Findings { name, .. }
            | Self::InnerName { name, .. }
            | Self::Signature { name, .. }
            | Self::Revoked { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Says of a skill that is installed that it was not updated.
    pub(crate) fn beside(mut self, lock: &Lockfile) -> Self {
        let is_there = self.refused().is_some_and(|name| lock.get(name).is_some());
        if let Self::Findings { deed, .. }
        | Self::InnerName { deed, .. }
        | Self::Signature { deed, .. }
        | Self::Revoked { deed, .. } = &mut self
            && is_there
        {
            *deed = Operation::Updated;
        }
        self
    }
}

/// Where no connection comes about, or too much comes over it.
fn http_hint(failure: &InstallFailure) -> Option<String> {
    let (InstallFailure::RegistryAnswer(RegistryError::Http(error))
    | InstallFailure::Site(WellKnownError::Http(error))
    | InstallFailure::Forge(ForgeError::Http(error))
    | InstallFailure::Http(error)) = failure
    else {
        return None;
    };
    Some(match (error, failure) {
        (HttpError::Connect { url, source }, _) => unreached_hint(url, source),
        (HttpError::Certificate { .. }, _) => {
            "If it is one of your own organisation, name the file of its authority in `SSL_CERT_FILE`".into()
        }
        (HttpError::TooLarge { .. }, InstallFailure::Forge(_)) => {
            "Name it for git, which fetches only what is needed: `git+https://HOST/OWNER/REPOSITORY#FOLDER`".into()
        }
        (
            HttpError::TooLarge { .. },
            InstallFailure::Http(_) | InstallFailure::RegistryAnswer(_),
        ) => limit_hint("max_bytes"),
        _ => return None,
    })
}

/// What is missing where nobody answers: on this machine what should, elsewhere perhaps the way there.
fn unreached_hint(url: &str, source: &(dyn Error + 'static)) -> String {
    if Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
        if !is_refused(source) {
            return "Something answers there, but not as a server of that address: look whether it is `http` or `https`, and its port".into();
        }
        return "Nothing on this machine answers there; a registry of yours is started with `skillyard registry serve`".into();
    }
    "Look whether this machine is online, or needs a proxy (`HTTPS_PROXY`); what was installed before can be had with `skillyard sync --offline`".into()
}

/// Whether nobody listens where a connection was tried.
fn is_refused(error: &(dyn Error + 'static)) -> bool {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let mut system = chain.filter_map(|error| error.downcast_ref::<io::Error>());
    system.any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}
