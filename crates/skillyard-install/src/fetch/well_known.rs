//! Sites that list their skills at a well-known place.
//!
//! Version 0.2.0 of the format lists one SKILL.md or archive per skill, with its
//! digest; version 0.1.0 lists files without. An entry that is not sound is left
//! out and told, so that one bad entry does not hide the others.

mod entry;
mod error;
mod index;
mod wire;
mod write;

pub use error::WellKnownError;
pub use index::{Artifact, FileEntry, Index, IndexEntry, IndexVersion, SkippedEntry};

use skillyard_format::SkillName;
use url::Url;

use super::http::{Body, Header, Http, Request};
use super::{Fetched, Transfer};
use crate::reference::Address;
use crate::reference::shown::shown_url;
use write::Secrets;

/// The most bytes an index may have: a registry of a hundred thousand skills lists all of them.
const MAX_INDEX: u64 = 128 * 1024 * 1024;
/// Where indexes are, newest format first.
const PLACES: [&str; 2] = ["agent-skills", "skills"];

/// A site that lists its skills.
#[derive(Debug, Clone)]
pub struct Site {
    /// The site, or a part of it.
    pub address: Address,
    /// What proves who we are, sent to the site only.
    pub headers: Vec<Header>,
    /// Other hosts that the site's index may send us to, as `https://host` or `https://host:port`.
    pub trusted_hosts: Vec<String>,
}

impl Site {
    /// Reads the index of the part of the site that was named. The index of the whole site says
    /// nothing about a part of it, but for the one skill that it has at that very address.
    pub fn index(&self, http: &Http) -> Result<Index, WellKnownError> {
        let part = self.address.request_url();
        let mut tried = Vec::new();
        if let Some(index) = self.index_below(http, &part, &mut tried)? {
            return Ok(index);
        }
        if part.path() != "/" {
            let mut whole = part;
            whole.set_path("/");
            // Who keeps the list of the whole site from us may still give us this part.
            let index = self.index_below(http, &whole, &mut tried);
            if let Some(index) = index.ok().flatten()
                && let Some(index) = index.only_at(self.address.url())
            {
                return Ok(index);
            }
        }
        Err(WellKnownError::NoIndex { tried })
    }

    /// The index below an address, if there is one.
    fn index_below(
        &self,
        http: &Http,
        base: &Url,
        tried: &mut Vec<String>,
    ) -> Result<Option<Index>, WellKnownError> {
        for place in PLACES {
            let url = super::below(base, &[".well-known", place, "index.json"]);
            let request = Request::new(url.clone())
                .accept("application/json")
                .headers(self.all_headers()?);
            match http.get(&request, MAX_INDEX) {
                Ok(body) if is_page(&body) => {}
                Ok(body) => return Index::parse(&body).map(Some),
                Err(error) if matches!(error.status(), Some(404 | 410)) => {}
                Err(error) => return Err(error.into()),
            }
            tried.push(shown_url(&url));
        }
        Ok(None)
    }

    /// Fetches one skill of an index.
    pub fn fetch(
        &self,
        transfer: &Transfer<'_>,
        index: &Index,
        name: &SkillName,
    ) -> Result<Fetched, WellKnownError> {
        let entry = index.find(name)?;
        if let Some(host) = &entry.foreign_host
            && !self.trusted_hosts.contains(host)
        {
            let archive = match &entry.artifact {
                Artifact::Archive { url, .. } => Some(shown_url(url)),
                Artifact::SkillFile { .. } | Artifact::Files(_) => None,
            };
            return Err(WellKnownError::ForeignHost {
                name: name.to_string(),
                host: host.clone(),
                archive,
            });
        }
        let secrets = Secrets {
            site: self.address.url(),
            headers: self.all_headers()?,
        };
        write::fetch(transfer, index, entry, &secrets)
    }

    fn all_headers(&self) -> Result<Vec<Header>, WellKnownError> {
        let basic = self.address.credentials().map(Header::basic).transpose()?;
        Ok(self.headers.iter().cloned().chain(basic).collect())
    }
}

/// Many sites answer every address with a page.
fn is_page(body: &Body) -> bool {
    let first = body.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'<')
}
