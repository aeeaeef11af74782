//! `--jsonl`: calls on stdin, a decision each on stdout.

use std::ffi::OsString;
use std::io::{self, BufRead as _, Read as _};

use serde::Deserialize;
use serde_json::json;
use skillyard_agent::tool::decision_event;
use skillyard_trust::guard::{GuardDecision, GuardInput, GuardRequest};

use super::Guard;
use crate::commands::Outcome;
use crate::error::Status;

/// How long a line may be.
const MAX_LINE: u64 = 1 << 20;
/// The mark of UTF-8 at the beginning of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    skills: Vec<String>,
    tool: String,
    input: GuardInput,
}

impl Guard<'_> {
    /// Answers every line of stdin; a bad one gets an error and ends nothing.
    pub(super) fn stream(&self) -> Outcome {
        let mut lines = io::stdin().lock();
        let mut line = Vec::new();
        let mut is_first = true;
        loop {
            line.clear();
            let read = lines
                .by_ref()
                .take(MAX_LINE + 1)
                .read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(Status::Yes);
            }
            let answer = if line.len() as u64 > MAX_LINE {
                lines.skip_until(b'\n')?;
                Err(format!("the line has more than {MAX_LINE} bytes"))
            } else {
                // Programs of Windows begin a text with it.
                let marked = line.strip_prefix(MARK).filter(|_| is_first);
                self.answer(marked.unwrap_or(&line))
            };
            is_first = false;
            let answer = match answer {
                Ok(decision) => json!(decision),
                Err(message) => json!({ "error": { "message": message } }),
            };
            self.context.printer.compact_json(&answer)?;
        }
    }

    fn answer(&self, line: &[u8]) -> Result<GuardDecision, String> {
        let call: Call = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let skills: Vec<OsString> = call.skills.iter().map(OsString::from).collect();
        let request = GuardRequest {
            tool: call.tool,
            input: call.input,
        };
        let decision = self.decide(&skills, &request);
        let decision = decision.map_err(|error| error.to_string())?;
        // A runtime that gets an answer may act on it, so it is written down first.
        let recorded = self.recorder.record(&decision_event(&request, &decision));
        recorded.map_err(|error| error.to_string())?;
        Ok(decision)
    }
}
