//! Where a repository is and how it names its objects, as far as its server has told.

use std::path::Path;

use base64::Engine as _;
use secrecy::ExposeSecret as _;
use url::Url;

use super::command::Git;
use super::error::GitError;
use super::redirect;
use super::repository::RepositoryRequest;
use crate::fetch::http::Header;
use crate::reference::shown::shown_url;
use crate::reference::{Remote, Revision};

/// How often a server may send us elsewhere.
const MAX_REDIRECTS: usize = 5;

/// How objects are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    /// By 40 digits, as nearly everywhere.
    Sha1,
    /// By 64 digits.
    Sha256,
}

/// What a server can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerSupport {
    /// One commit, and contents when they are needed.
    Parts,
    /// All that a commit leads to, because it knows nothing of git and only gives out its files.
    Everything,
}

/// Where a repository is thought to be.
pub(super) struct RemoteLocation<'a> {
    /// What the user named.
    pub(super) remote: &'a Remote,
    /// The address that git is given, without secrets.
    pub(super) url: String,
    /// What proves who we are, there and nowhere else.
    pub(super) headers: Vec<String>,
    /// How objects are named there.
    pub(super) objects: ObjectFormat,
    /// Whether the server can leave out what is not needed.
    pub(super) serves: ServerSupport,
    /// Whether the server has said how it names them.
    told: bool,
    redirects: usize,
}

impl<'a> RemoteLocation<'a> {
    /// What can be said before anybody was asked.
    pub(super) fn of(request: &RepositoryRequest<'a>) -> Self {
        let objects = match request.revision {
            Some(Revision::Commit(hash)) if hash.len() == 64 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        Self {
            remote: request.remote,
            url: request.remote.to_git(),
            headers: headers(request),
            objects,
            serves: ServerSupport::Parts,
            told: false,
            redirects: 0,
        }
    }

    /// Where to try next after an error, which is given back where there is nothing to try.
    pub(super) fn after(
        mut self,
        git: &Git,
        folder: &Path,
        error: GitError,
    ) -> Result<Self, GitError> {
        let GitError::Failed { message, .. } = &error else {
            return Err(error);
        };
        let names_differ = ["mismatched algorithms", "this repository's object format"];
        if !self.told && names_differ.iter().any(|words| message.contains(words)) {
            self.told = true;
            self.objects = match self.objects {
                ObjectFormat::Sha1 => ObjectFormat::Sha256,
                ObjectFormat::Sha256 => ObjectFormat::Sha1,
            };
            return Ok(self);
        }
        if self.serves == ServerSupport::Parts && message.contains("dumb http transport") {
            self.serves = ServerSupport::Everything;
            return Ok(self);
        }
        let led_on = message.contains("returned error: 30");
        let here = Url::parse(&self.url).ok();
        let Some(here) = here.filter(|_| led_on && self.redirects < MAX_REDIRECTS) else {
            return Err(error);
        };
        let Some(there) = redirect::target(git, folder, &here)? else {
            return Err(error);
        };
        if !self.headers.is_empty() && there.origin() != here.origin() {
            return Err(GitError::Elsewhere(shown_url(&there)));
        }
        self.url = there.into();
        self.redirects += 1;
        Ok(self)
    }
}

/// What proves who we are.
fn headers(request: &RepositoryRequest<'_>) -> Vec<String> {
    let mut lines: Vec<String> = request.headers.iter().map(Header::to_line).collect();
    if let Some(credentials) = request.remote.credentials() {
        let password = credentials.password.as_ref();
        let password = password.map_or("", |each| each.expose_secret());
        let pair = format!("{}:{password}", credentials.user.expose_secret());
        let pair = base64::engine::general_purpose::STANDARD.encode(pair);
        lines.push(format!("Authorization: Basic {pair}"));
    }
    lines
}
