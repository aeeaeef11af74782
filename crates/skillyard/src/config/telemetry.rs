//! `[telemetry]`: who hears of what happens in sessions.

use super::Config;
use super::address::is_readable_by_others;
use super::problem::{ConfigError, Problem};
use super::value::Value;
use crate::redactor::without_userinfo;
use crate::secret::Secret;

/// What stands before the name of a header.
const HEADERS: &str = "telemetry.headers.";

/// A receiver of traces.
#[derive(Debug, Clone)]
pub(crate) struct TraceReceiver {
    /// Its address, without a slash at the end.
    pub(crate) url: String,
    /// What it is sent with every request.
    pub(crate) headers: Vec<(String, Secret)>,
}

impl Config {
    /// The receiver of traces, if there is one.
    pub(crate) fn trace_receiver(&self) -> Result<Option<TraceReceiver>, ConfigError> {
        let Some(url) = self.url("telemetry.endpoint")? else {
            return Ok(None);
        };
        let mut headers = Vec::new();
        for (name, setting) in self.logins(HEADERS) {
            let Value::Token(template) = &setting.value else {
                continue;
            };
            let value = self.resolved(setting, template)?;
            self.redactor().learn(value.expose());
            if is_readable_by_others(&url) {
                let url = without_userinfo(&url).into_owned();
                return Err(ConfigError {
                    at: Some(setting.origin.clone()),
                    problem: Problem::Readable {
                        key: setting.key.clone(),
                        url,
                    },
                });
            }
            headers.push((name.to_owned(), value));
        }
        Ok(Some(TraceReceiver {
            url: url.trim_end_matches('/').to_owned(),
            headers,
        }))
    }
}
