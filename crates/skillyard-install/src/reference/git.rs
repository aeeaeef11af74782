//! Remotes of git, with a folder behind `#` and a revision behind `@`.

use std::fmt;
use std::path::{Path, PathBuf};

use super::address::{Address, Credentials};
use super::error::ReferenceError;
use super::revision::{Revision, RevisionOwner};
use super::shown::shown;
use super::sub_path::SubPath;

/// Where a repository is cloned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remote {
    /// An address: `https`, `http`, `ssh`, `git` or `file`.
    Address(Address),
    /// The short form of ssh, whose path starts at the user's home on the host.
    Scp {
        /// The user on the host, without whom it would read as an alias.
        user: String,
        /// The host.
        host: String,
        /// The path.
        path: String,
    },
    /// A repository on this machine.
    Path(PathBuf),
}

impl Remote {
    /// A repository at an address, in the one way it is written.
    pub(super) fn at(address: Address) -> Self {
        // An `@` that belongs to the path must not be read as a revision.
        let path = match address.url().path() {
            // Nor must one that follows the host be read as its user.
            "" => "/".to_owned(),
            path => path.replace('@', "%40"),
        };
        Self::Address(address.with_path(&path).without_query())
    }

    /// What `git` is given, without secrets.
    pub fn to_git(&self) -> String {
        match self {
            Self::Address(address) => address.to_string(),
            Self::Scp { user, host, path } => format!("{user}@{host}:{path}"),
            Self::Path(path) => path.display().to_string(),
        }
    }

    /// The user and password that stood in the address.
    pub fn credentials(&self) -> Option<&Credentials> {
        match self {
            Self::Address(address) => address.credentials(),
            Self::Scp { .. } | Self::Path(_) => None,
        }
    }

    /// Whether it is on this machine's disk.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Address(address) => address.url().scheme() == "file",
            Self::Scp { .. } => false,
            Self::Path(_) => true,
        }
    }

    /// Whether somebody on the way could change what is sent, and nobody would notice.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Address(address) if !address.is_private())
    }

    /// The name of the repository, without `.git`.
    pub fn repository_name(&self) -> &str {
        let path = match self {
            Self::Address(address) => address.url().path(),
            Self::Scp { path, .. } => path,
            Self::Path(path) => path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default(),
        };
        let path = path.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".git").unwrap_or(name)
    }
}

/// A repository of git, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitReference {
    /// Where it is.
    pub remote: Remote,
    /// A folder in it; without one, all of it.
    pub subdir: Option<SubPath>,
    /// The state that is wanted; without one, that of the default branch.
    pub revision: Option<Revision>,
}

impl GitReference {
    /// The name that tags of this skill may start with.
    pub fn tag_name(&self) -> &str {
        match &self.subdir {
            Some(subdir) => subdir.file_name(),
            None => self.remote.repository_name(),
        }
    }

    pub(super) fn new(
        remote: Remote,
        subdir: &str,
        revision: Option<&str>,
    ) -> Result<Self, ReferenceError> {
        if let Remote::Address(address) = &remote
            && address.request_url().query().is_some()
        {
            return Err(ReferenceError::Address {
                text: address.to_string(),
                problem: "a repository of git has no `?`".to_owned(),
            });
        }
        let remote = match remote {
            Remote::Address(address) => Remote::at(address),
            Remote::Scp { .. } | Remote::Path(_) => remote,
        };
        Ok(Self {
            remote,
            subdir: SubPath::parse(subdir)?,
            revision: revision.map(Revision::parse).transpose()?,
        })
    }

    /// Reads `ssh://…`, `git://…`, `file://…` and whatever had `git+` before it.
    pub(super) fn parse_address(text: &str) -> Result<Self, ReferenceError> {
        let (base, subdir) = text.split_once('#').unwrap_or((text, ""));
        let (base, revision) = split_revision(base);
        Self::new(Remote::Address(Address::parse(base)?), subdir, revision)
    }

    /// Reads `user@host:path`, if the text has that form.
    pub(super) fn parse_scp(text: &str) -> Option<Result<Self, ReferenceError>> {
        let (authority, rest) = text.split_once(':')?;
        let (user, host) = authority.split_once('@')?;
        if authority.contains(['/', '#']) || rest.starts_with("//") {
            return None;
        }
        let (base, subdir) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, revision) = split_revision(base);
        let remote = Self::scp(text, user, host, path);
        Some(remote.and_then(|remote| Self::new(remote, subdir, revision)))
    }

    fn scp(text: &str, user: &str, host: &str, path: &str) -> Result<Remote, ReferenceError> {
        let plain = |word: &str, more: &[u8]| {
            !word.is_empty()
                && !word.starts_with('-')
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
        };
        if !plain(host, b".-_") || !plain(user, b".-_") || !plain(path, b".-_~/+") {
            return Err(ReferenceError::Address {
                text: shown(text),
                problem: "`user@host:path` has letters, digits, `.`, `_` and `-` only".to_owned(),
            });
        }
        Ok(Remote::Scp {
            user: user.to_owned(),
            host: host.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Reads a path that ends in `.git`, perhaps with a revision and folder, if the text has that form.
    pub(super) fn parse_path(text: &str) -> Option<Result<Self, ReferenceError>> {
        let end = text
            .match_indices(".git")
            .map(|(at, found)| at + found.len())
            .find(|end| text[*end..].is_empty() || text[*end..].starts_with(['@', '#']))?;
        let (path, rest) = text.split_at(end);
        // `./.git` is the inside of a working copy.
        if Path::new(path)
            .file_name()
            .is_none_or(|name| name == ".git")
        {
            return None;
        }
        let (revision, subdir) = rest.split_once('#').unwrap_or((rest, ""));
        let remote = Remote::Path(PathBuf::from(path));
        Some(Self::new(remote, subdir, revision.strip_prefix('@')))
    }
}

impl fmt::Display for GitReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Remote::Address(address) = &self.remote
            && matches!(address.url().scheme(), "http" | "https")
        {
            f.write_str("git+")?;
        }
        let remote = self.remote.to_git();
        f.write_str(&remote)?;
        if let Some(revision) = &self.revision {
            let before = if names_repository(&remote) {
                RevisionOwner::End
            } else {
                RevisionOwner::Path
            };
            write!(f, "@{}", revision.escaped(before))?;
        }
        match &self.subdir {
            Some(subdir) => write!(f, "#{}", subdir.escaped()),
            None => Ok(()),
        }
    }
}

/// Whether the end of a path says that a repository of git is there.
pub(super) fn names_repository(path: &str) -> bool {
    path.strip_suffix(".git").is_some()
}

/// Splits `@revision` off an address or path.
///
/// A revision may have slashes, so an `@` behind `.git` counts before the last one of the last part.
/// Elsewhere its slashes are escaped: `@` may be part of a folder's name.
pub(super) fn split_revision(text: &str) -> (&str, Option<&str>) {
    let (base, revision) = split_revision_behind_git(text);
    if revision.is_some() || base.contains('?') {
        return (base, revision);
    }
    let path = path_start(text);
    let last = text[path..].rfind('/').map_or(path, |slash| path + slash);
    match text[last..].rfind('@') {
        Some(at) => (&text[..last + at], Some(&text[last + at + 1..])),
        None => (text, None),
    }
}

/// Splits off what stands behind `.git@`.
pub(super) fn split_revision_behind_git(text: &str) -> (&str, Option<&str>) {
    let path = path_start(text);
    match text[path..].find(".git@") {
        Some(at) if !text.contains('?') => {
            let end = path + at + ".git".len();
            (&text[..end], Some(&text[end + 1..]))
        }
        _ => (text, None),
    }
}

/// Where the path begins: an `@` before it belongs to the user.
fn path_start(text: &str) -> usize {
    let Some(at) = text.find("://") else { return 0 };
    let authority = at + "://".len();
    text[authority..]
        .find('/')
        .map_or(text.len(), |slash| authority + slash)
}
