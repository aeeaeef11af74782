//! What went wrong with a request, without secrets.

use std::io::Read as _;
use std::time::Duration;

use reqwest::blocking::Response;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use crate::provider::ProviderError;

/// Most bytes of an error that are read, and most characters that are told.
const ERROR: (u64, usize) = (16 << 10, 500);

/// Why a server gave no answer but an error.
pub(super) fn refused(response: Response, secrets: &[SecretString]) -> ProviderError {
    let status = response.status().as_u16();
    let retry_after = retry_after(&response);
    let mut text = Vec::new();
    let _ = response.take(ERROR.0).read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    let message = told(said(&text), secrets);
    // The code may be all that says so, and it is not part of the message.
    if matches!(status, 400 | 413 | 422 | 500) && ProviderError::speaks_of_context(&text) {
        return ProviderError::Overfull { message };
    }
    ProviderError::Status {
        status,
        message,
        retry_after,
    }
}

/// Why a server that promised an answer gave an error in its place, if it did.
pub(super) fn instead(text: &[u8], secrets: &[SecretString]) -> Option<ProviderError> {
    let text = std::str::from_utf8(text).ok()?;
    let value: Value = serde_json::from_str(text).ok()?;
    if value.get("error").is_none_or(Value::is_null) {
        return None;
    }
    let message = told(said(text), secrets);
    if ProviderError::speaks_of_context(text) {
        return Some(ProviderError::Overfull { message });
    }
    Some(ProviderError::Failed {
        message,
        passes: false,
        retry_after: None,
    })
}

/// Why a server gave nothing at all.
pub(super) fn failed(error: reqwest::Error, silence: Duration) -> ProviderError {
    if error.is_timeout() && !error.is_connect() {
        let seconds = silence.as_secs();
        return ProviderError::Silent { seconds };
    }
    // The rest of the address may hold a password.
    let place = error.url().and_then(|url| {
        let host = url.host_str()?;
        Some(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    });
    // The last cause says what happened; those before it only where in the program.
    let error = error.without_url();
    let mut last: &dyn std::error::Error = &error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let problem = match place {
        Some(place) => format!("{place}: {last}"),
        None => last.to_string(),
    };
    ProviderError::Connect { problem }
}

/// Whether a page for people came, as from an address that leads beside the interface.
pub(super) fn is_page(response: &Response) -> bool {
    let kind = response.headers().get("content-type");
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

fn retry_after(response: &Response) -> Option<Duration> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    let milliseconds = header("retry-after-ms").and_then(|text| text.trim().parse().ok());
    let seconds = || header("retry-after").and_then(|text| text.trim().parse::<f64>().ok());
    milliseconds
        .map(Duration::from_millis)
        .or_else(|| Duration::try_from_secs_f64(seconds()?).ok())
}

/// What an error says, in one line.
pub(in crate::provider) fn said(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let said = value["error"]["message"].as_str();
    let said = said.or_else(|| value["error"].as_str());
    let said = said.or_else(|| value["message"].as_str()).unwrap_or(text);
    skillyard_format::text::one_line(said).into_owned()
}

/// The same, without secrets and not without end.
pub(in crate::provider) fn told<'a>(
    mut text: String,
    secrets: impl IntoIterator<Item = &'a SecretString>,
) -> String {
    for secret in secrets {
        let secret = secret.expose_secret();
        let bare = secret.strip_prefix("Bearer ").unwrap_or(secret);
        if !bare.is_empty() {
            text = text.replace(bare, "…redacted");
        }
    }
    // Not before: half of a secret would not be found.
    text.chars().take(ERROR.1).collect()
}
