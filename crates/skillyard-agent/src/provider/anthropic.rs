//! Anthropic's Messages.

mod messages;

use std::sync::atomic::AtomicBool;

use messages::messages;
use serde_json::{Value, json};
use skillyard_format::lossy_json;

use super::assemble::Assembly;
use super::http::{Endpoint, Stream};
use super::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};

/// Its name.
const NAME: &str = "anthropic";

/// A server that speaks Anthropic's Messages.
#[derive(Debug)]
pub struct Anthropic {
    /// Its name in the configuration.
    pub server: String,
    /// Where and how; `/v1/messages` is put behind its address.
    pub endpoint: Endpoint,
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        // Others cannot read what a model thought, and refuse it.
        let owner = format!("{}/{}", self.server, request.model);
        let body = body(request, &owner);
        let read = |stream: Stream<'_>, on: &mut dyn FnMut(Delta<'_>)| hear(stream, &owner, on);
        self.endpoint.ask("/v1/messages", &body, on, cancel, read)
    }
}

/// Hears an answer to its end.
fn hear(
    mut stream: Stream<'_>,
    owner: &str,
    on: &mut dyn FnMut(Delta<'_>),
) -> Result<Completion, ProviderError> {
    let mut answer = MessagesStream {
        owner: owner.to_owned(),
        ..MessagesStream::default()
    };
    while let Some(event) = stream.next()? {
        let data: Value = match lossy_json::json(&event.data) {
            Ok(data) => data,
            Err(error) => {
                let problem = error.to_string();
                return Err(ProviderError::Malformed { problem });
            }
        };
        answer.hear(&data, on)?;
        if answer.ended {
            return Ok(answer.finish());
        }
    }
    Err(ProviderError::Cut {
        problem: "there was no `message_stop`".into(),
    })
}

fn body(request: &ModelRequest<'_>, owner: &str) -> Value {
    let cached = || json!({ "type": "ephemeral" });
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": true,
        "messages": messages(request.messages, owner),
    });
    if !request.system.is_empty() {
        body["system"] =
            json!([{ "type": "text", "text": request.system, "cache_control": cached() }]);
    }
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
        })
        .collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = cached();
        body["tools"] = json!(tools);
    }
    if let Some(shape) = request.shape {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": shape } });
    }
    body
}

#[derive(Default)]
struct MessagesStream {
    /// Who gets back what is kept of it: the server and the model.
    owner: String,
    assembly: Assembly,
    /// The thinking that is open: its text, its signature.
    thinking: Option<(String, String)>,
    /// The input that came with the start of the open call: its number, and the whole of it.
    given: Option<(String, String)>,
    usage: Usage,
    stop: Stop,
    ended: bool,
}

impl MessagesStream {
    fn hear(&mut self, data: &Value, on: &mut dyn FnMut(Delta<'_>)) -> Result<(), ProviderError> {
        let index = data["index"].to_string();
        match data["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&data["message"]["usage"]),
            "content_block_start" => self.begin(&index, &data["content_block"], on),
            "content_block_delta" => self.go_on(&index, &data["delta"], on),
            "content_block_stop" => {
                self.take_given();
                // What was cut has no signature, and is refused without one.
                let whole = self.thinking.take();
                if let Some((thinking, signature)) = whole.filter(|(_, it)| !it.is_empty()) {
                    let block =
                        json!({ "type": "thinking", "thinking": thinking, "signature": signature });
                    self.assembly.opaque(&self.owner, block.to_string());
                }
            }
            "message_delta" => {
                self.count(&data["usage"]);
                let reason = data["delta"]["stop_reason"].as_str();
                if let Some(stop) = Stop::of(reason.unwrap_or_default())? {
                    self.stop = stop;
                }
            }
            "message_stop" => self.ended = true,
            "error" => return Err(ProviderError::failed(data, &self.assembly)),
            // New kinds of events are none of ours.
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: &str, block: &Value, on: &mut dyn FnMut(Delta<'_>)) {
        self.take_given();
        match block["type"].as_str().unwrap_or_default() {
            "text" => {
                let text = block["text"].as_str().unwrap_or_default();
                self.assembly.text(text);
                if !text.is_empty() {
                    on(Delta::Text(text));
                }
            }
            "tool_use" => {
                let (id, name) = (block["id"].as_str(), block["name"].as_str());
                self.assembly.call(Some(index), id, name, "");
                if block["input"].as_object().is_some_and(|it| !it.is_empty()) {
                    self.given = Some((index.to_owned(), block["input"].to_string()));
                }
            }
            "thinking" => {
                let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
                self.thinking = Some((text("thinking"), text("signature")));
            }
            "redacted_thinking" => self.assembly.opaque(&self.owner, block.to_string()),
            _ => {}
        }
    }

    fn go_on(&mut self, index: &str, delta: &Value, on: &mut dyn FnMut(Delta<'_>)) {
        let text = |key: &str| delta[key].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                self.assembly.text(text("text"));
                on(Delta::Text(text("text")));
            }
            "input_json_delta" => {
                let piece = text("partial_json");
                // What comes in pieces is the whole once more.
                self.given.take_if(|_| !piece.is_empty());
                self.assembly.call(Some(index), None, None, piece);
            }
            "thinking_delta" => {
                if let Some((thinking, _)) = &mut self.thinking {
                    thinking.push_str(text("thinking"));
                }
            }
            "signature_delta" => {
                if let Some((_, signature)) = &mut self.thinking {
                    signature.push_str(text("signature"));
                }
            }
            _ => {}
        }
    }

    /// A call whose input came in no pieces has the one that came with its start.
    fn take_given(&mut self) {
        if let Some((index, input)) = self.given.take() {
            self.assembly.call(Some(&index), None, None, &input);
        }
    }

    /// Counts come twice, and the later ones are of the whole.
    fn count(&mut self, usage: &Value) {
        let number = |key: &str| usage[key].as_u64();
        let cached = number("cache_read_input_tokens").unwrap_or_default();
        if let Some(input) = number("input_tokens") {
            let made = number("cache_creation_input_tokens").unwrap_or_default();
            let input = input.saturating_add(made).saturating_add(cached);
            if input > 0 {
                (self.usage.input, self.usage.cached) = (input, cached);
            }
        }
        if let Some(output) = number("output_tokens") {
            self.usage.output = output;
        }
    }

    fn finish(mut self) -> Completion {
        self.take_given();
        Completion {
            parts: self.assembly.finish(),
            stop: self.stop,
            usage: self.usage,
        }
    }
}
