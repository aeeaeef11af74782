//! Repositories on GitHub, GitLab and forges named in the configuration.
//!
//! `owner/repository/path@revision`. Groups of GitLab nest, so there the first two
//! parts are the project unless `//` says where the path begins: `a/b/c//path`.
//! A revision with slashes cannot be told from the path in a web address, which
//! therefore has one part for it; `@` takes everything that follows.

use std::fmt;

use super::error::ReferenceError;
use super::revision::{Revision, RevisionOwner};
use super::shown::shown;
use super::sub_path::SubPath;

/// Where a repository is hosted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// github.com.
    GitHub,
    /// gitlab.com.
    GitLab,
    /// A forge named in the configuration.
    Alias(String),
}

/// A repository on a forge, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hosted {
    /// The forge.
    pub host: Host,
    /// The owner; a group of GitLab may have groups around it, separated by `/`.
    pub owner: String,
    /// The repository.
    pub repository: String,
    /// A folder in it; without one, all of it.
    pub path: Option<SubPath>,
    /// The state that is wanted; without one, that of the default branch.
    pub revision: Option<Revision>,
}

impl Hosted {
    /// The name that tags of this skill may start with.
    pub fn tag_name(&self) -> &str {
        self.path
            .as_ref()
            .map_or(&self.repository, SubPath::file_name)
    }

    /// Reads what follows the colon, or a bare `owner/repository`.
    pub(super) fn parse(host: Host, text: &str) -> Result<Self, ReferenceError> {
        let (place, revision) = match text.find(['@', '#']) {
            Some(at) => (&text[..at], Some(Revision::parse(&text[at + 1..])?)),
            None => (text, None),
        };
        if place.contains(' ') {
            return Err(ReferenceError::Space { text: shown(text) });
        }
        let (project, path) = if let Some((project, path)) = place.split_once("//") {
            (project.split('/').collect(), path)
        } else {
            let mut parts = place.trim_end_matches('/').splitn(3, '/');
            let project: Vec<&str> = parts.by_ref().take(2).collect();
            (project, parts.next().unwrap_or_default())
        };
        let path = SubPath::parse(path)?;
        Self::new(host, &project, path, revision, text)
    }

    pub(super) fn new(
        host: Host,
        project: &[&str],
        path: Option<SubPath>,
        revision: Option<Revision>,
        text: &str,
    ) -> Result<Self, ReferenceError> {
        let [groups @ .., repository] = project else {
            return Err(no_repository(&host, text));
        };
        if groups.is_empty() || (groups.len() > 1 && host == Host::GitHub) {
            return Err(no_repository(&host, text));
        }
        // No forge gives out a name with this ending.
        let repository = repository.trim_end_matches(".git");
        for segment in groups.iter().chain([&repository]) {
            check_segment(segment, text)?;
        }
        Ok(Self {
            host,
            owner: groups.join("/"),
            repository: repository.to_owned(),
            path,
            revision,
        })
    }
}

impl fmt::Display for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = match &self.host {
            Host::GitHub => "github",
            Host::GitLab => "gitlab",
            Host::Alias(alias) => alias,
        };
        write!(f, "{host}:{}/{}", self.owner, self.repository)?;
        let nested = self.owner.contains('/');
        match &self.path {
            Some(path) => write!(f, "{}{}", if nested { "//" } else { "/" }, path.escaped())?,
            None if nested => f.write_str("//")?,
            None => {}
        }
        match &self.revision {
            Some(revision) => write!(f, "@{}", revision.escaped(RevisionOwner::End)),
            None => Ok(()),
        }
    }
}

/// Letters, digits, `.`, `_` and `-` are all that forges give out.
fn check_segment(segment: &str, text: &str) -> Result<(), ReferenceError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let sound = (1..=100).contains(&segment.len())
        && segment.bytes().all(plain)
        && !segment.starts_with('-')
        && !matches!(segment, "." | "..")
        && !segment.eq_ignore_ascii_case(".git");
    if sound {
        return Ok(());
    }
    if let Some(character) = segment.chars().find(|c| !c.is_ascii()) {
        return Err(ReferenceError::NotAscii {
            text: shown(text),
            character: format!("`{character}` (U+{:04X})", u32::from(character)),
        });
    }
    Err(ReferenceError::ForgeName {
        segment: shown(segment),
        text: shown(text),
    })
}

fn no_repository(host: &Host, text: &str) -> ReferenceError {
    let form = match host {
        Host::GitHub => "owner/repository".to_owned(),
        Host::GitLab => "gitlab:group/repository".to_owned(),
        Host::Alias(alias) => format!("{alias}:owner/repository"),
    };
    ReferenceError::NoRepository {
        text: shown(text),
        form,
    }
}
