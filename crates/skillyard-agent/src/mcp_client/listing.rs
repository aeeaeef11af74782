//! Paginated lists of a server, and their limits.
//!
//! A list is untrusted: it may be endless, circular or too large. The entries before a limit are used,
//! and the limit is reported.

use std::collections::HashSet;
use std::io;
use std::time::Instant;

use serde_json::{Value, json};

use super::config::McpLimits;
use super::error::McpError;

/// The entries of a list.
#[derive(Debug, Default)]
pub(super) struct ServerList {
    pub(super) entries: Vec<Value>,
    /// Why the rest was not read, if there may be more.
    pub(super) cut: Option<String>,
}

impl ServerList {
    /// Reads at most `max` entries of `key`; `fetch_page` gets the parameters and the deadline.
    pub(super) fn read(
        method: &str,
        key: &str,
        max: usize,
        limits: &McpLimits,
        mut fetch_page: impl FnMut(Value, Instant) -> Result<Value, McpError>,
    ) -> Result<Self, McpError> {
        let mut found = Self::default();
        let (mut cursor, mut seen, mut bytes) = (None, HashSet::new(), 0);
        let end = Instant::now() + limits.handshake;
        for page in 0..limits.pages {
            let params = match &cursor {
                Some(cursor) => json!({ "cursor": cursor }),
                None => json!({}),
            };
            let mut answer = match fetch_page(params, end) {
                // The pages so far are used.
                Err(McpError::Timeout { .. }) if page > 0 => {
                    let seconds = limits.handshake.as_secs_f32();
                    return Ok(found.cut(format!("it did not list all {key} within {seconds} s")));
                }
                answer => answer?,
            };
            let Some(Value::Array(more)) = answer.get_mut(key).map(Value::take) else {
                return Err(McpError::malformed(format!("`{method}` gave no `{key}`")));
            };
            for entry in more {
                bytes += size(&entry);
                if found.entries.len() >= max {
                    return Ok(found.cut(format!("only the first {max} {key} are looked at")));
                }
                if bytes > limits.list {
                    let max = limits.list;
                    return Ok(
                        found.cut(format!("only the first {max} bytes of its {key} are read"))
                    );
                }
                found.entries.push(entry);
            }
            let Some(Value::String(next)) = answer.get_mut("nextCursor").map(Value::take) else {
                return Ok(found);
            };
            // Some servers end a list so.
            if next.is_empty() {
                return Ok(found);
            }
            bytes += next.len();
            if !seen.insert(next.clone()) {
                let reason = format!("its list of {key} leads back to a page that was read");
                return Ok(found.cut(reason));
            }
            cursor = Some(next);
        }
        let pages = limits.pages;
        Ok(found.cut(format!(
            "only the first {pages} pages of its {key} are read"
        )))
    }

    fn cut(self, reason: String) -> Self {
        Self {
            cut: Some(reason),
            ..self
        }
    }
}

/// The size of a value as JSON.
pub(super) fn size(value: &Value) -> usize {
    let mut counter = ByteCounter(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
