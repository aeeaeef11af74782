//! One source: its kind, where it is and how one logs in there.

use std::path::Path;

use url::Url;

use super::Config;
use super::address::is_readable_by_others;
use super::auth::Auth;
use super::layer::Setting;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::redactor::secret::Secret;
use crate::redactor::without_userinfo;

/// What kind of source an alias names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// A registry of skills.
    Registry,
    /// A git repository.
    Git,
    /// A forge that speaks as GitHub does, or one repository there.
    Github,
    /// A forge that speaks as GitLab does, or one repository there.
    Gitlab,
    /// A site with a well-known index.
    WellKnown,
    /// A folder of archives on a web server.
    Archive,
}

/// The hosts of GitHub itself.
const GITHUB: [&str; 3] = ["github.com", "www.github.com", "raw.githubusercontent.com"];
/// The hosts of GitLab itself.
const GITLAB: [&str; 2] = ["gitlab.com", "www.gitlab.com"];

impl SourceKind {
    /// The kind that a URL shows where none was said.
    pub(super) fn of_url(url: &str) -> Self {
        let Ok(url) = Url::parse(url) else {
            return Self::Registry;
        };
        match (url.scheme(), url.host_str().unwrap_or_default()) {
            (_, host) if GITHUB.contains(&host) => Self::Github,
            (_, host) if GITLAB.contains(&host) => Self::Gitlab,
            ("ssh" | "git" | "file", _) => Self::Git,
            _ if is_repository(&url) => Self::Git,
            _ => Self::Registry,
        }
    }

    /// The word for users.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Git => "git",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::WellKnown => "well-known",
            Self::Archive => "archive",
        }
    }
}

/// Whether a URL ends as those of repositories do.
fn is_repository(url: &Url) -> bool {
    let path = Path::new(url.path().trim_end_matches('/'));
    path.extension().is_some_and(|extension| extension == "git")
}

/// A source that the configuration names.
#[derive(Debug, Clone)]
pub(crate) struct SourceConfig<'a> {
    /// Its kind.
    pub(crate) kind: SourceKind,
    /// Where it is, with its variables resolved. It may hold a password, which the redactor knows.
    pub(crate) url: String,
    pub(super) auth: Option<(&'a Setting, &'a Auth)>,
    pub(super) config: &'a Config,
}

impl SourceConfig<'_> {
    /// Whether what is fetched from it has an address below its own.
    pub(super) fn holds_addresses(&self) -> bool {
        match self.kind {
            SourceKind::Git | SourceKind::WellKnown | SourceKind::Archive => true,
            SourceKind::Registry | SourceKind::Github | SourceKind::Gitlab => false,
        }
    }

    /// Whether it is on GitHub or GitLab itself.
    pub(crate) fn is_on_public_forge(&self) -> bool {
        let url = Url::parse(&self.url);
        let host = url.as_ref().ok().and_then(Url::host_str);
        host.is_some_and(|host| match self.kind {
            SourceKind::Github => GITHUB.contains(&host),
            SourceKind::Gitlab => GITLAB.contains(&host),
            _ => false,
        })
    }

    /// What is wrong with its URL for a source of its kind.
    pub(crate) fn misfit(&self) -> Option<&'static str> {
        let url = Url::parse(&self.url).ok()?;
        let is_web = matches!(url.scheme(), "https" | "http");
        let folders = url.path().split('/').filter(|part| !part.is_empty());
        let folders = folders.count();
        match self.kind {
            SourceKind::Git => None,
            _ if !is_web => Some("only a source of the type `git` can be there"),
            SourceKind::Github | SourceKind::Gitlab
                if self.is_on_public_forge() && folders == 1 =>
            {
                Some("it names an owner: name one of their repositories, or only the host")
            }
            _ => None,
        }
    }

    /// The header to log in with, its name and its value; nothing if none is configured.
    ///
    /// The variables are read now. It is an error when one is missing, when the value could not
    /// be sent, and when it would travel in the clear.
    pub(crate) fn auth_header(&self) -> Result<Option<(String, Secret)>, ConfigError> {
        let Some((setting, auth)) = self.auth else {
            return Ok(None);
        };
        let wrong = |problem| ConfigError {
            at: Some(setting.origin.clone()),
            problem,
        };
        let secret = self.config.resolved(setting, auth.template())?;
        self.config.redactor().learn(secret.expose());
        if secret.expose().contains(char::is_control) {
            return Err(wrong(ConfigProblem::Header {
                key: setting.key.clone(),
            }));
        }
        if is_readable_by_others(&self.url) {
            let url = without_userinfo(&self.url).into_owned();
            return Err(wrong(ConfigProblem::Readable {
                key: setting.key.clone(),
                url,
            }));
        }
        let value = auth.header_value(secret.expose());
        Ok(Some((auth.header().to_owned(), Secret::new(value))))
    }
}
