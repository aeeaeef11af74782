//! Requests that change something: sent once, to one host, never again by themselves.

use std::io::Read as _;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::answer;
use super::client::Http;
use super::download::Body;
use super::error::HttpError;
use super::header::Header;
use crate::reference::shown::shown_url;

/// The most bytes that an answer may have.
const MAX_ANSWER: u64 = 1024 * 1024;

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
    pub fn submit(&self, submission: Submission<'_>) -> Result<Body, HttpError> {
        let Submission {
            method,
            url,
            headers,
            body,
        } = submission;
        self.check(&url)?;
        let client = self.client(&url)?;
        let request = match method {
            Method::Post => client.post(url.clone()),
            Method::Put => client.put(url.clone()),
            Method::Delete => client.delete(url.clone()),
        };
        let mut map = HeaderMap::new();
        for header in headers {
            map.insert(header.name(), header.value().clone());
        }
        let request = match body {
            Some((kind, bytes)) => {
                map.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
                request.body(bytes)
            }
            None => request,
        };
        let sent = request.headers(map).send();
        let response = sent.map_err(|error| Self::unsent(&url, error))?;
        let response = answer::check(response, &url, headers)?;
        let mut bytes = Vec::new();
        let read = response.take(MAX_ANSWER).read_to_end(&mut bytes);
        read.map_err(|source| HttpError::Interrupted {
            url: shown_url(&url),
            received: bytes.len() as u64,
            source: Some(source),
        })?;
        Ok(Body { bytes, url })
    }
}
