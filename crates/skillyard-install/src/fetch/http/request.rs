//! Requests, which can be printed without their secrets.

use std::fmt;

use url::Url;

use super::error::HttpError;
use super::header::Header;
use crate::reference::Address;
use crate::reference::shown::shown_url;

/// A request for what is at an address.
#[derive(Clone)]
pub struct Request {
    pub(super) url: Url,
    pub(super) accept: Option<&'static str>,
    pub(super) headers: Vec<Header>,
}

impl Request {
    /// Asks for an address without secrets.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            accept: None,
            headers: Vec::new(),
        }
    }

    /// Asks for an address with the secrets that stood in it.
    pub fn to(address: &Address) -> Result<Self, HttpError> {
        let basic = address.credentials().map(Header::basic).transpose()?;
        Ok(Self::new(address.request_url()).headers(basic))
    }

    /// Asks for a kind of content.
    #[must_use]
    pub fn accept(mut self, kind: &'static str) -> Self {
        self.accept = Some(kind);
        self
    }

    /// Sends these headers, too, but to this host only.
    #[must_use]
    pub fn headers(mut self, headers: impl IntoIterator<Item = Header>) -> Self {
        self.headers.extend(headers);
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Request");
        debug.field("url", &shown_url(&self.url));
        debug
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
