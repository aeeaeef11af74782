//! Finding out how a model calls tools.
//!
//! Servers take a list of tools and drop it, models write calls into their text, and no list of
//! models stays true. So the model is asked for one call, and for one answer of a given shape, and
//! what it does is what it can. The outcome is kept by model and address.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skillyard_catalog::own_folder;

use crate::message::{AssistantPart, Message};
use crate::provider::{Completion, ModelRequest, Provider, ProviderError};
use crate::settings::ToolMode;
use crate::tool::ToolSpec;

/// Tokens of an answer to a probe.
const ANSWER_TOKENS: u32 = 120;
/// The tool that a model is asked to call; nothing is behind it.
const TOOL: &str = "note_word";
/// The word that it is to be called with.
const WORD: &str = "lighthouse";
/// Most models that are remembered, and most bytes of what is remembered.
const MOST: (usize, u64) = (1000, 1 << 20);

/// Finds out how a model calls tools, with at most two short requests. A server that refuses a
/// request has answered; one that cannot be reached has not.
pub fn probe(
    provider: &dyn Provider,
    model: &str,
    cancel: &AtomicBool,
) -> Result<ToolMode, ProviderError> {
    let messages = [Message::user(format!(
        "Call the tool `{TOOL}` with the word \"{WORD}\". Do nothing else."
    ))];
    let tools = [tool()];
    let mut request = ModelRequest {
        model,
        system: "You call tools when you are asked to.",
        tools: &tools,
        messages: &messages,
        max_tokens: ANSWER_TOKENS,
        shape: None,
    };
    if answer(provider, &request, cancel)?.is_some_and(|answer| calls(&answer)) {
        return Ok(ToolMode::Native);
    }
    let messages = [Message::user("Say hello in one short sentence.")];
    let shape = shape();
    request.tools = &[];
    request.messages = &messages;
    request.system = "You are friendly.";
    request.shape = Some(&shape);
    Ok(match answer(provider, &request, cancel)? {
        Some(answer) if keeps_shape(&answer) => ToolMode::JsonSchema,
        _ => ToolMode::Text,
    })
}

/// The answer; `None` when the server does not take such requests.
fn answer(
    provider: &dyn Provider,
    request: &ModelRequest<'_>,
    cancel: &AtomicBool,
) -> Result<Option<Completion>, ProviderError> {
    match provider.complete(request, &mut |_| {}, cancel) {
        Ok(completion) => Ok(Some(completion)),
        Err(ProviderError::Status {
            status: 400 | 415 | 422 | 500 | 501,
            ..
        }) => Ok(None),
        Err(error) => Err(error),
    }
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
    let texts = answer.parts.iter().filter_map(|part| match part {
        AssistantPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let text: String = texts.collect();
    let value: Value = serde_json::from_str(text.trim()).unwrap_or_default();
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
        if all.len() >= MOST.0 {
            all.clear();
        }
        all.insert(key(url, model), mode);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        own_folder::make(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(&all)?)?;
        file.persist(&self.file)?;
        Ok(())
    }

    fn all(&self) -> BTreeMap<String, ToolMode> {
        let is_small = fs::metadata(&self.file).is_ok_and(|file| file.len() <= MOST.1);
        let bytes = is_small.then(|| fs::read(&self.file).unwrap_or_default());
        serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
    }
}

/// An address may hold a password, so that only its digest is kept.
fn key(url: &str, model: &str) -> String {
    let digest = skillyard_format::Digest::of(url.as_bytes()).to_string();
    format!("{model} {digest}")
}
