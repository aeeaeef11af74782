//! OpenAI's Responses. Nothing is kept at the server: every request holds the whole session.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skillyard_format::lossy_json;

use super::assemble::Assembly;
use super::assemble::CallIdFormat;
use super::http::{Endpoint, Stream};
use super::openai_chat::{arguments, given, is_plain};
use super::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};
use crate::message::{AssistantPart, Message};

/// A server that speaks Responses.
#[derive(Debug)]
pub struct OpenAiResponses {
    /// Its name in the configuration.
    pub name: String,
    /// Where and how; `/responses` is put behind its address.
    pub endpoint: Endpoint,
}

impl Provider for OpenAiResponses {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let mut ask = |body: &Value| self.endpoint.ask("/responses", body, on, cancel, hear);
        let first = body(request, CallIdFormat::Own);
        let refused = match ask(&first) {
            Err(
                error @ ProviderError::Status {
                    status: 400 | 422, ..
                },
            ) => error,
            outcome => return outcome,
        };
        let second = body(request, CallIdFormat::Short);
        if second != first && CallIdFormat::are_refused(&refused.to_string()) {
            return ask(&second);
        }
        Err(refused)
    }
}

/// Hears an answer to its end.
fn hear(
    mut stream: Stream<'_>,
    on: &mut dyn FnMut(Delta<'_>),
) -> Result<Completion, ProviderError> {
    let mut answer = ResponsesStream::default();
    while let Some(event) = stream.next()? {
        if event.data.trim() == "[DONE]" {
            break;
        }
        let data: Value = lossy_json::json(&event.data).map_err(|error| {
            let problem = error.to_string();
            ProviderError::Malformed { problem }
        })?;
        answer.hear(&data, on)?;
        if answer.ended {
            return Ok(Completion {
                parts: answer.assembly.finish(),
                stop: answer.stop,
                usage: answer.usage,
            });
        }
    }
    Err(ProviderError::Cut {
        problem: "there was no `response.completed`".into(),
    })
}

fn body(request: &ModelRequest<'_>, ids: CallIdFormat) -> Value {
    let mut input = Vec::new();
    for each in request.messages {
        push(&mut input, each, ids);
    }
    let mut body = json!({
        "model": request.model,
        "input": input,
        "stream": true,
        "store": false,
        "max_output_tokens": request.max_tokens,
    });
    if !request.system.is_empty() {
        body["instructions"] = json!(request.system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": false,
            })
        });
        body["tools"] = tools.collect();
    }
    if let Some(shape) = request.shape {
        let strict = is_plain(shape);
        body["text"] = json!({
            "format": { "type": "json_schema", "name": "answer", "strict": strict, "schema": shape },
        });
    }
    body
}

fn push(input: &mut Vec<Value>, each: &Message, ids: CallIdFormat) {
    match each {
        Message::User { parts } => {
            let content = parts
                .iter()
                .map(|part| json!({ "type": "input_text", "text": part.text() }));
            let content: Vec<Value> = content.collect();
            input.push(json!({ "type": "message", "role": "user", "content": content }));
        }
        Message::Assistant { parts } => input.extend(parts.iter().filter_map(|part| match part {
            // As one text: the long form wants ids that only the server gives.
            AssistantPart::Text { text } => {
                Some(json!({ "type": "message", "role": "assistant", "content": text }))
            }
            AssistantPart::Call(call) => Some(json!({
                "type": "function_call",
                "call_id": ids.of(&call.id),
                "name": call.name,
                "arguments": arguments(&call.arguments),
            })),
            AssistantPart::Opaque { .. } => None,
        })),
        Message::Tool { results } => input.extend(results.iter().map(|result| {
            json!({ "type": "function_call_output", "call_id": ids.of(&result.id), "output": result.content })
        })),
    }
}

#[derive(Default)]
struct ResponsesStream {
    assembly: Assembly,
    /// Whether words of the open message have come.
    said: bool,
    usage: Usage,
    stop: Stop,
    ended: bool,
}

impl ResponsesStream {
    fn hear(&mut self, data: &Value, on: &mut dyn FnMut(Delta<'_>)) -> Result<(), ProviderError> {
        match data["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.say(data["delta"].as_str().unwrap_or_default(), on);
            }
            "response.output_item.added" if data["item"]["type"] == "function_call" => {
                let item = &data["item"];
                let key = item["id"].as_str();
                self.assembly
                    .call(key, item["call_id"].as_str(), item["name"].as_str(), "");
            }
            "response.function_call_arguments.delta" => {
                let piece = data["delta"].as_str().unwrap_or_default();
                self.assembly
                    .call(data["item_id"].as_str(), None, None, piece);
            }
            "response.output_item.done" => self.whole(&data["item"], on),
            "response.completed" => self.end(&data["response"], Stop::End, on),
            "response.incomplete" => {
                let reason = &data["response"]["incomplete_details"]["reason"];
                let stop = Stop::of(reason.as_str().unwrap_or_default())?.unwrap_or(Stop::Length);
                self.end(&data["response"], stop, on);
            }
            "response.failed" => {
                return Err(ProviderError::failed(&data["response"], &self.assembly));
            }
            "error" => return Err(ProviderError::failed(data, &self.assembly)),
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, text: &str, on: &mut dyn FnMut(Delta<'_>)) {
        self.said = true;
        self.assembly.text(text);
        on(Delta::Text(text));
    }

    /// A message or a call as a whole; of a message whose words came before, nothing is new.
    fn whole(&mut self, item: &Value, on: &mut dyn FnMut(Delta<'_>)) {
        match item["type"].as_str().unwrap_or_default() {
            "message" if std::mem::take(&mut self.said) => {}
            "message" => {
                for part in item["content"].as_array().into_iter().flatten() {
                    let text = part["text"].as_str().or_else(|| part["refusal"].as_str());
                    self.say(text.unwrap_or_default(), on);
                }
                self.said = false;
            }
            "function_call" => {
                let (key, id) = (item["id"].as_str(), item["call_id"].as_str());
                let arguments = given(&item["arguments"]);
                self.assembly
                    .whole(key, id, item["name"].as_str(), &arguments);
            }
            _ => {}
        }
    }

    fn end(&mut self, response: &Value, stop: Stop, on: &mut dyn FnMut(Delta<'_>)) {
        // A server need not have told anything before.
        if self.assembly.is_empty() {
            for item in response["output"].as_array().into_iter().flatten() {
                self.whole(item, on);
            }
        }
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let usage = &response["usage"];
        self.usage = Usage {
            input: number(&usage["input_tokens"]),
            cached: number(&usage["input_tokens_details"]["cached_tokens"]),
            output: number(&usage["output_tokens"]),
            ..Usage::default()
        };
        self.stop = stop;
        self.ended = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_model_go_back_as_one_text() {
        let mut input = Vec::new();
        let parts = vec![AssistantPart::Text {
            text: "I look.".into(),
        }];
        push(&mut input, &Message::Assistant { parts }, CallIdFormat::Own);
        let expected = json!({ "type": "message", "role": "assistant", "content": "I look." });
        assert_eq!(input, [expected]);
    }
}
