//! The server's own log, on stderr.

use serde_json::json;
use skillyard_server::LogLine;

use crate::context::Context;
use crate::text::json::write_compact;
use crate::text::sanitize::visible;

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Only what went wrong, for people
    #[default]
    Quiet,
    /// One line a request, for people
    Text,
    /// One object a line
    Json,
}

impl LogFormat {
    /// The format of a word of the configuration.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "text" => Self::Text,
            "json" => Self::Json,
            _ => Self::Quiet,
        }
    }

    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Text => "text",
            Self::Json => "json",
        }
    }

    /// Writes a line.
    pub(crate) fn write(self, context: &Context, line: &LogLine<'_>) {
        let time = context.now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        match (self, line) {
            (Self::Json, _) => {
                let level = match line {
                    LogLine::Request { .. } => "info",
                    LogLine::Failure { .. } => "error",
                };
                let mut value = json!({ "time": time, "level": level });
                if let (Some(all), Ok(serde_json::Value::Object(fields))) =
                    (value.as_object_mut(), serde_json::to_value(line))
                {
                    all.extend(fields);
                }
                let mut text = Vec::new();
                if write_compact(&mut text, &value).is_ok() {
                    context.printer.people(&String::from_utf8_lossy(&text));
                }
            }
            (
                Self::Text,
                LogLine::Request {
                    method,
                    path,
                    status,
                    milliseconds,
                    ..
                },
            ) => {
                let text = format!("{time} {method} {path} {status} {milliseconds} ms");
                context.printer.people(&visible(&text));
            }
            (Self::Quiet, LogLine::Request { .. }) => {}
            (_, LogLine::Failure { what, cause }) => {
                let text = format!("{time} {what} failed: {cause}");
                context.printer.people(&visible(&text));
            }
        }
    }
}
