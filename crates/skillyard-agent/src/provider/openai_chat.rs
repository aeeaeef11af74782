//! OpenAI's Chat Completions, which most other servers speak too.

mod blocks;
mod messages;

use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value, json};
use skillyard_format::lossy_json;

use super::assemble::Assembly;
use super::assemble::CallIdFormat;
use super::http::{Endpoint, Stream};
use super::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};
use crate::message::AssistantPart;

use blocks::{BLOCKS, Blocks};
pub(super) use messages::arguments;
use messages::{Addressee, EXTRA, THINKING, Thinking};

/// A server that speaks Chat Completions.
#[derive(Debug)]
pub struct OpenAiChat {
    /// Its name in the configuration.
    pub name: String,
    /// Where and how; `/chat/completions` is put behind its address.
    pub endpoint: Endpoint,
    /// What it calls the limit of an answer.
    pub limit_name: LimitName,
}

/// What a server calls the limit of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitName {
    /// As nearly all call it.
    MaxTokens,
    /// As OpenAI calls it now.
    MaxCompletionTokens,
}

impl Provider for OpenAiChat {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let mut addressee = Addressee {
            server: &self.name,
            model: request.model,
            thinking: Thinking::Own,
            ids: CallIdFormat::Own,
        };
        let mut ask = |addressee: &Addressee<'_>, body: &Value| {
            let provider = addressee.as_provider();
            let read =
                |stream: Stream<'_>, on: &mut dyn FnMut(Delta<'_>)| hear(stream, &provider, on);
            self.endpoint
                .ask("/chat/completions", body, on, cancel, read)
        };
        let mut sent = body(request, &addressee, self.limit_name);
        loop {
            let refused = match ask(&addressee, &sent) {
                Err(
                    error @ ProviderError::Status {
                        status: 400 | 422, ..
                    },
                ) => error,
                outcome => return outcome,
            };
            // What another model thought is not known, and how a server takes thinking and ids only
            // its refusal tells.
            if !addressee.learn(&refused.to_string()) {
                return Err(refused);
            }
            let next = body(request, &addressee, self.limit_name);
            if next == sent {
                return Err(refused);
            }
            sent = next;
        }
    }
}

/// Hears an answer to its end; what is kept of it for its server is under this name.
fn hear(
    mut stream: Stream<'_>,
    provider: &str,
    on: &mut dyn FnMut(Delta<'_>),
) -> Result<Completion, ProviderError> {
    let mut answer = ChatStream::default();
    loop {
        let event = match stream.next() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            // All was said; only how much it cost may be missing.
            Err(error) if answer.ended && !matches!(error, ProviderError::Cancelled) => break,
            Err(error) => return Err(error),
        };
        if event.data.trim() == "[DONE]" {
            answer.ended = true;
            break;
        }
        let data: Value = match lossy_json::json(&event.data) {
            Ok(data) => data,
            Err(_) if answer.ended => break,
            Err(error) => {
                let problem = error.to_string();
                return Err(ProviderError::Malformed { problem });
            }
        };
        let was_ended = answer.ended;
        match answer.hear(&data, provider, on) {
            Err(_) if was_ended => break,
            outcome => outcome?,
        }
        if answer.ended {
            stream.expect_end();
        }
    }
    if !answer.ended {
        return Err(ProviderError::Cut {
            problem: "there was neither a `finish_reason` nor a `[DONE]`".into(),
        });
    }
    Ok(answer.finish(provider))
}

fn body(request: &ModelRequest<'_>, addressee: &Addressee<'_>, limit_name: LimitName) -> Value {
    let limit = match limit_name {
        LimitName::MaxTokens => "max_tokens",
        LimitName::MaxCompletionTokens => "max_completion_tokens",
    };
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for each in request.messages {
        addressee.push(&mut messages, each);
    }
    let mut body = json!({
        "model": request.model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    body[limit] = json!(request.max_tokens);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            })
        });
        body["tools"] = tools.collect();
    }
    if let Some(shape) = request.shape {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": is_plain(shape), "schema": shape },
        });
        // A choice is no matter of luck. Models of OpenAI that reason refuse to be told.
        if limit_name == LimitName::MaxTokens {
            body["temperature"] = json!(0);
        }
    }
    body
}

/// Whether a shape is one that OpenAI's strict mode takes.
pub(super) fn is_plain(shape: &Value) -> bool {
    shape["type"] == "object"
}

/// The arguments that a server sends; some send an object where a text belongs.
pub(super) fn given(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        object => object.to_string(),
    }
}

/// The words in a piece; some servers send them as a list of parts.
fn texts(content: &Value) -> impl Iterator<Item = &str> {
    let parts = content.as_array().into_iter().flatten();
    let parts = parts.filter_map(|part| part["text"].as_str());
    content.as_str().into_iter().chain(parts)
}

#[derive(Default)]
struct ChatStream {
    assembly: Assembly,
    /// What the model thought, and what its server calls that.
    thinking: Option<(&'static str, String)>,
    /// The same in blocks, where its server gives them.
    blocks: Blocks,
    usage: Usage,
    stop: Stop,
    ended: bool,
}

impl ChatStream {
    fn hear(
        &mut self,
        data: &Value,
        provider: &str,
        on: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), ProviderError> {
        if !data["error"].is_null() {
            return Err(ProviderError::failed(data, &self.assembly));
        }
        if data["usage"].is_object() {
            let number = |value: &Value| value.as_u64().unwrap_or_default();
            self.usage = Usage {
                input: number(&data["usage"]["prompt_tokens"]),
                cached: number(&data["usage"]["prompt_tokens_details"]["cached_tokens"]),
                output: number(&data["usage"]["completion_tokens"]),
                ..Usage::default()
            };
        }
        let choice = &data["choices"][0];
        let delta = &choice["delta"];
        for name in THINKING {
            if let Some(text) = delta[name].as_str() {
                self.think(name, text);
            }
        }
        self.blocks.take(&delta[BLOCKS]);
        for key in ["content", "refusal"] {
            for text in texts(&delta[key]).filter(|text| !text.is_empty()) {
                self.assembly.text(text);
                on(Delta::Text(text));
            }
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().map(|index| index.to_string());
            let function = &call["function"];
            self.assembly.call(
                index.as_deref(),
                call["id"].as_str(),
                function["name"].as_str(),
                &given(&function["arguments"]),
            );
            if call[EXTRA].is_object() {
                let extra = json!({ EXTRA: call[EXTRA] }).to_string();
                self.assembly.beside(index.as_deref(), provider, extra);
            }
        }
        let reason = choice["finish_reason"].as_str();
        if let Some(stop) = Stop::of(reason.unwrap_or_default())? {
            self.stop = stop;
            self.ended = true;
        }
        Ok(())
    }

    /// More of what the model thought. Some servers say it twice, under two names.
    fn think(&mut self, name: &'static str, piece: &str) {
        match &mut self.thinking {
            Some((known, text)) if *known == name => text.push_str(piece),
            Some((_, text)) if !text.is_empty() || piece.is_empty() => {}
            other => *other = Some((name, piece.to_owned())),
        }
    }

    fn finish(self, provider: &str) -> Completion {
        let mut parts = self.assembly.finish();
        let mut own = Map::new();
        // Also when it is empty: some servers look only whether it is there.
        own.extend(self.thinking.map(|(name, text)| (name.into(), text.into())));
        own.extend(self.blocks.finish().map(|blocks| (BLOCKS.into(), blocks)));
        if !own.is_empty() {
            let own = AssistantPart::Opaque {
                provider: provider.to_owned(),
                json: Value::Object(own).to_string(),
            };
            parts.insert(0, own);
        }
        Completion {
            parts,
            stop: self.stop,
            usage: self.usage,
        }
    }
}
