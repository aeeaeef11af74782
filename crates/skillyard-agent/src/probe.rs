//! Finding out how a model calls tools.
//!
//! Servers take a list of tools and drop it, models write calls into their text, and no list of
//! models stays true. So the model is asked for one call, and for one answer of a given shape, and
//! what it does is what it can. The outcome is kept by model and address.
//!
//! Many models think before they speak, and servers count that. An answer that was cut off by our
//! own limit proves nothing, so that it is asked for again with more room.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skillyard_catalog::private_dir;

use crate::message::{AssistantPart, Message};
use crate::provider::{Completion, ModelRequest, Provider, ProviderError, Stop};
use crate::settings::ToolMode;
use crate::tool_spec::ToolSpec;

/// Tokens of an answer to a probe, one try after the other: few are enough for most models.
const ANSWER_TOKENS: [u32; 3] = [200, 2_000, 8_000];
/// Tokens after which words without an end are an answer.
const MAX_UNFINISHED_TOKENS: u32 = 2_000;
/// The tool that a model is asked to call; nothing is behind it.
const TOOL: &str = "note_word";
/// The word that it is to be called with.
const WORD: &str = "lighthouse";
/// The way in which models are asked; what another way found is not believed.
const PROBE_VERSION: u32 = 2;
/// Models that are remembered.
const MAX_MODELS: usize = 1000;
/// Bytes of the file that remembers them.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How a model calls tools, as far as that was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probed {
    /// The way to try.
    pub mode: ToolMode,
    /// Whether the model has shown it.
    pub proof: Proof,
}

/// What a probe is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The model answered.
    Answered,
    /// Each answer was cut off before it came to the point.
    CutOff,
}

/// Finds out how a model calls tools, with two short requests, or more where it thinks for long. A
/// server that refuses only some requests has answered; one that refuses all, or cannot be reached, has not.
pub fn probe(
    provider: &dyn Provider,
    model: &str,
    cancel: &AtomicBool,
) -> Result<Probed, ProviderError> {
    let messages = [Message::user(format!(
        "Call the tool `{TOOL}` with the word \"{WORD}\". Do nothing else."
    ))];
    let tools = [tool()];
    let mut request = ModelRequest {
        model,
        system: "You call tools when you are asked to.",
        tools: &tools,
        messages: &messages,
        max_tokens: 0,
        shape: None,
    };
    let probed = |mode, proof| Ok(Probed { mode, proof });
    let was_refused = match shown(provider, &mut request, calls, cancel)? {
        ProbeAnswer::Yes => return probed(ToolMode::Native, Proof::Answered),
        // Those that think for so long call tools.
        ProbeAnswer::Unknown => return probed(ToolMode::Native, Proof::CutOff),
        ProbeAnswer::No => false,
        ProbeAnswer::Refused => true,
    };
    let messages = [Message::user("Say hello in one short sentence.")];
    let shape = shape();
    request.tools = &[];
    request.messages = &messages;
    request.system = "You are friendly.";
    request.shape = Some(&shape);
    match shown(provider, &mut request, keeps_shape, cancel)? {
        ProbeAnswer::Yes => probed(ToolMode::JsonSchema, Proof::Answered),
        // A server that fails refuses everything; one that answers without either takes neither.
        ProbeAnswer::Refused if was_refused => {
            request.shape = None;
            request.max_tokens = ANSWER_TOKENS[0];
            provider.complete(&request, &mut |_| {}, cancel)?;
            probed(ToolMode::Text, Proof::Answered)
        }
        ProbeAnswer::No | ProbeAnswer::Refused => probed(ToolMode::Text, Proof::Answered),
        ProbeAnswer::Unknown => probed(ToolMode::Text, Proof::CutOff),
    }
}

/// Whether a model has shown that it can do something.
enum ProbeAnswer {
    Yes,
    /// It did something else.
    No,
    /// Its server does not take such requests, or none at all.
    Refused,
    Unknown,
}

fn shown(
    provider: &dyn Provider,
    request: &mut ModelRequest<'_>,
    is_it: fn(&Completion) -> bool,
    cancel: &AtomicBool,
) -> Result<ProbeAnswer, ProviderError> {
    for (at, most) in ANSWER_TOKENS.into_iter().enumerate() {
        request.max_tokens = most;
        let answer = match provider.complete(request, &mut |_| {}, cancel) {
            Ok(answer) => answer,
            // It took such a request before: what it does not take is the room.
            Err(ProviderError::Status { .. } | ProviderError::Overfull { .. }) if at > 0 => break,
            Err(ProviderError::Status {
                status: 400 | 415 | 422 | 500 | 501,
                ..
            }) => return Ok(ProbeAnswer::Refused),
            Err(error) => return Err(error),
        };
        if is_it(&answer) {
            return Ok(ProbeAnswer::Yes);
        }
        if answer.stop != Stop::Length || (most >= MAX_UNFINISHED_TOKENS && has_spoken(&answer)) {
            return Ok(ProbeAnswer::No);
        }
    }
    Ok(ProbeAnswer::Unknown)
}

/// Whether an answer has words that are no thoughts.
fn has_spoken(answer: &Completion) -> bool {
    let text = answer.text();
    let text = text.trim_start();
    let thoughts = text.strip_prefix("<think>");
    thoughts.map_or(!text.is_empty(), |thoughts| thoughts.contains("</think>"))
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: TOOL.into(),
        description: "Notes a word.".into(),
        parameters: json!({
            "type": "object",
            "properties": { "word": { "type": "string", "description": "The word" } },
            "required": ["word"],
            "additionalProperties": false,
        }),
    }
}

fn calls(answer: &Completion) -> bool {
    answer.parts.iter().any(|part| match part {
        AssistantPart::Call(call) if call.name == TOOL => {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
            arguments["word"] == WORD
        }
        _ => false,
    })
}

/// A shape that nobody gives by chance to a request to say hello.
fn shape() -> Value {
    json!({
        "type": "object",
        "properties": { "action": { "type": "string", "enum": [TOOL] }, "text": { "type": "string" } },
        "required": ["action", "text"],
        "additionalProperties": false,
    })
}

fn keeps_shape(answer: &Completion) -> bool {
    let value: Value = serde_json::from_str(answer.text().trim()).unwrap_or_default();
    value["action"] == TOOL && value["text"].is_string()
}

/// What is known of models, in a file that may go away at any time.
#[derive(Debug, Clone)]
pub struct ProbeCache {
    file: PathBuf,
}

impl ProbeCache {
    /// What is known, in this file.
    pub fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
        }
    }

    /// How a model at an address calls tools, if that is known.
    pub fn get(&self, url: &str, model: &str) -> Option<ToolMode> {
        self.all().get(&key(url, model)).copied()
    }

    /// Remembers it.
    pub fn set(&self, url: &str, model: &str, mode: ToolMode) -> io::Result<()> {
        let mut all = self.all();
        if all.len() >= MAX_MODELS {
            all.clear();
        }
        all.insert(key(url, model), mode);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        private_dir::create(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(&all)?)?;
        file.persist(&self.file)?;
        Ok(())
    }

    fn all(&self) -> BTreeMap<String, ToolMode> {
        let is_small = fs::metadata(&self.file).is_ok_and(|file| file.len() <= MAX_FILE_BYTES);
        let bytes = is_small.then(|| fs::read(&self.file).unwrap_or_default());
        serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
    }
}

/// An address may hold a password, so that only its digest is kept.
fn key(url: &str, model: &str) -> String {
    let digest = skillyard_format::Digest::of(url.as_bytes()).to_string();
    format!("{model} {digest} {PROBE_VERSION}")
}
