//! What a server lists, page after page, and how much of it is read.
//!
//! A list comes from a stranger: it may have no end, lead back to where it was, or hold more than
//! anybody can use. What was read before a limit is used, and the limit is told.

use std::collections::HashSet;
use std::io;
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::McpError;
use crate::limits::Limits;

/// What was read of a list.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Its entries.
    pub(crate) entries: Vec<Value>,
    /// Why the rest was not read, if there may be more.
    pub(crate) cut: Option<String>,
}

impl Listing {
    /// Reads at most so many entries of `key`; `ask` gets a page, in the time that is left.
    pub(crate) fn read(
        method: &str,
        key: &str,
        most: usize,
        limits: &Limits,
        mut ask: impl FnMut(Value, Instant) -> Result<Value, McpError>,
    ) -> Result<Self, McpError> {
        let mut found = Self::default();
        let (mut cursor, mut seen, mut bytes) = (None, HashSet::new(), 0);
        let end = Instant::now() + limits.hello;
        for page in 0..limits.pages {
            let params = match &cursor {
                Some(cursor) => json!({ "cursor": cursor }),
                None => json!({}),
            };
            let mut answer = match ask(params, end) {
                // What it said so far is of use.
                Err(McpError::Silent { .. }) if page > 0 => {
                    let seconds = limits.hello.as_secs_f32();
                    return Ok(found.cut(format!("it did not list all {key} within {seconds} s")));
                }
                answer => answer?,
            };
            let Some(Value::Array(more)) = answer.get_mut(key).map(Value::take) else {
                return Err(McpError::malformed(format!("`{method}` gave no `{key}`")));
            };
            for entry in more {
                bytes += size(&entry);
                if found.entries.len() >= most {
                    return Ok(found.cut(format!("only the first {most} {key} are looked at")));
                }
                if bytes > limits.list {
                    let most = limits.list;
                    return Ok(
                        found.cut(format!("only the first {most} bytes of its {key} are read"))
                    );
                }
                found.entries.push(entry);
            }
            let Some(Value::String(next)) = answer.get_mut("nextCursor").map(Value::take) else {
                return Ok(found);
            };
            // Some say so that there is no more.
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

/// How many bytes a value has when it is written.
pub(crate) fn size(value: &Value) -> usize {
    let mut counted = Counted(0);
    // Nothing that is counted fails to be written.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

struct Counted(usize);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
