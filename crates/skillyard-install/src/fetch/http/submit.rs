//! Requests that change something: sent once, to one host, never again by themselves.

use std::io;
use std::time::Duration;

use reqwest::blocking::RequestBuilder;
use reqwest::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::answer;
use super::client::Http;
use super::download::Body;
use super::error::HttpError;
use super::header::Header;
use super::pace::gather;
use crate::reference::shown::shown_url;

/// The most bytes that an answer may have.
const MAX_ANSWER: u64 = 1024 * 1024;

/// How many bytes a second a connection takes that is still worth waiting for: about 256 kbit/s.
const SLOWEST: u64 = 32 * 1024;

/// How long a server may think about a request before it has to read what is sent along.
const REFUSED_WITHIN: Duration = Duration::from_secs(5);

/// What is to be done at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Adds something.
    Post,
    /// Says what something is.
    Put,
    /// Takes something away.
    Delete,
}

/// A request that changes something.
#[derive(Debug)]
pub struct Submission<'a> {
    /// What is to be done.
    pub method: Method,
    /// Where.
    pub url: Url,
    /// Who asks.
    pub headers: &'a [Header],
    /// What is sent along, and what it is.
    pub body: Option<(&'static str, Vec<u8>)>,
}

impl Http {
    /// Sends a request that changes something. Redirects are refused: nobody else gets it.
    ///
    /// The server may be silent for the idle time after what is sent has come, over a slow
    /// connection, too.
    pub fn submit(&self, submission: Submission<'_>) -> Result<Body, HttpError> {
        let Submission {
            method,
            url,
            headers,
            body,
        } = submission;
        self.check(&url)?;
        let request = self.begun(method, &url)?;
        let mut map = HeaderMap::new();
        for header in headers {
            map.insert(header.name(), header.value().clone());
        }
        let length = body.as_ref().map(|(_, bytes)| bytes.len());
        let request = match body {
            Some((kind, bytes)) => {
                map.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
                let sending = Duration::from_secs(bytes.len() as u64 / SLOWEST);
                let limit = self.settings.idle_timeout + sending;
                request.body(bytes).timeout(limit)
            }
            None => request,
        };
        let sent = request.headers(map.clone()).send();
        let response = sent.map_err(|error| {
            let refusal = length
                .filter(|_| is_broken(&error))
                .and_then(|length| self.refusal(method, &url, map, length, headers));
            refusal.unwrap_or_else(|| unanswered(&url, error))
        })?;
        let response = answer::check(response, &url, headers);
        let mut response = response.map_err(|error| match error {
            HttpError::Status {
                // Who does not know how to do a thing has not done it.
                status: 200..300 | 500 | 502..,
                ..
            } => HttpError::Unknown(Box::new(error)),
            // Whoever says no has done nothing.
            _ => error,
        })?;
        let read = gather(&mut response, MAX_ANSWER, self.settings.slow_after);
        let bytes = read.map_err(|source| {
            HttpError::Unknown(Box::new(HttpError::Unreadable {
                url: shown_url(&url),
                problem: source.to_string(),
            }))
        })?;
        Ok(Body { bytes, url })
    }

    fn begun(&self, method: Method, url: &Url) -> Result<RequestBuilder, HttpError> {
        let client = self.client(url)?;
        Ok(match method {
            Method::Post => client.post(url.clone()),
            Method::Put => client.put(url.clone()),
            Method::Delete => client.delete(url.clone()),
        })
    }

    /// Why a server hung up on what was being sent, if it says so to the head of the request alone.
    ///
    /// One that refuses an upload by its head, its token or its length, may close the connection with
    /// the rest unread. Its answer is lost then to whoever still sends. Asked again without what comes
    /// after the head, it can be heard, and there is nothing that it could do.
    fn refusal(
        &self,
        method: Method,
        url: &Url,
        mut map: HeaderMap,
        length: usize,
        sent: &[Header],
    ) -> Option<HttpError> {
        map.insert(CONTENT_LENGTH, HeaderValue::from(length));
        // Nobody else may use a connection on which something is missing.
        map.insert(CONNECTION, HeaderValue::from_static("close"));
        let request = self.begun(method, url).ok()?.headers(map);
        let response = request.timeout(REFUSED_WITHIN).send().ok()?;
        let refusal = answer::check(response, url, sent).err()?;
        matches!(
            refusal,
            HttpError::Status {
                status: 401 | 403 | 413,
                ..
            }
        )
        .then_some(refusal)
    }
}

/// Whether a connection that was there broke while something was sent.
fn is_broken(error: &reqwest::Error) -> bool {
    !(error.is_connect() || error.is_builder() || error.is_timeout())
}

/// Why no answer came: who could not even be reached has done nothing, of others it is not known.
fn unanswered(url: &Url, error: reqwest::Error) -> HttpError {
    if error.is_connect() || error.is_builder() {
        return Http::unsent(url, error);
    }
    let reason = if error.is_timeout() {
        Http::unsent(url, error)
    } else {
        HttpError::Interrupted {
            url: shown_url(url),
            received: 0,
            source: Some(io::Error::other(error.without_url())),
        }
    };
    HttpError::Unknown(Box::new(reason))
}
