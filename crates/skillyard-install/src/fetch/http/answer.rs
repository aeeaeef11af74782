//! Answers that are no success, made into errors that say what the server said.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::blocking::Response;
use reqwest::header::RETRY_AFTER;
use serde::Deserialize;
use url::Url;

use super::error::HttpError;
use super::header::Header;
use super::pace::gather;
use crate::reference::shown::{is_secret_parameter, shown, shown_url};

/// How much of an error's body is read.
const MAX_MESSAGE: u64 = 64 * 1024;

/// How long it is read.
const MESSAGE_PATIENCE: Duration = Duration::from_secs(10);

/// What forges and registries say about an error.
#[derive(Deserialize)]
struct ErrorBody {
    #[serde(alias = "error", alias = "detail")]
    message: String,
    /// The kind of problem, as RFC 9457 has it.
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// What the kinds of problems of a registry begin with.
const OF_A_REGISTRY: &str = "urn:skillyard:registry:";

/// Lets only a success pass.
pub(super) fn check(response: Response, url: &Url, sent: &[Header]) -> Result<Response, HttpError> {
    let status = response.status().as_u16();
    if matches!(status, 200 | 201) {
        return Ok(response);
    }
    let exhausted = header(&response, "x-ratelimit-remaining") == Some("0")
        || header(&response, "ratelimit-remaining") == Some("0");
    let asks_to_wait = response.headers().contains_key(RETRY_AFTER);
    if status == 429
        || (status == 403 && (exhausted || asks_to_wait))
        || (status == 503 && asks_to_wait)
    {
        return Err(HttpError::RateLimited {
            url: shown_url(url),
            status,
            wait: wait(&response),
        });
    }
    let (message, kind) = said(response, url, sent).unwrap_or_default();
    Err(HttpError::Status {
        url: shown_url(url),
        status,
        message,
        kind,
    })
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// How long the server wants to be left alone.
fn wait(response: &Response) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    if let Some(text) = header(response, RETRY_AFTER.as_str()) {
        let seconds = text.trim().parse().ok().map(Duration::from_secs);
        let until = || {
            let time = httpdate::parse_http_date(text).ok()?;
            Some(time.duration_since(UNIX_EPOCH).ok()?.saturating_sub(now))
        };
        if let Some(wait) = seconds.or_else(until) {
            return Some(wait);
        }
    }
    let reset =
        header(response, "x-ratelimit-reset").or_else(|| header(response, "ratelimit-reset"))?;
    let reset = Duration::from_secs(reset.trim().parse().ok()?);
    Some(reset.saturating_sub(now))
}

/// What a server says of an error, and which kind of problem of a registry it is.
fn said(
    mut response: Response,
    url: &Url,
    sent: &[Header],
) -> Option<(Option<String>, Option<String>)> {
    let body = gather(&mut response, MAX_MESSAGE, MESSAGE_PATIENCE).ok()?;
    let ErrorBody { message, kind } = serde_json::from_slice(&body).ok()?;
    // A server could repeat what it was sent.
    let secrets = sent
        .iter()
        .filter_map(|header| header.value().to_str().ok())
        .flat_map(|value| value.split(' ').map(str::to_owned));
    let parameters = url
        .query_pairs()
        .filter(|(name, _)| is_secret_parameter(name))
        .map(|(_, value)| value.into_owned());
    let repeats = |word: String| word.len() > 3 && message.contains(&word);
    let message = (!secrets.chain(parameters).any(repeats)).then(|| shown(&message));
    let kind = kind.and_then(|kind| Some(shown(kind.strip_prefix(OF_A_REGISTRY)?)));
    Some((message, kind))
}
