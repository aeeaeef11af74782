//! OpenAI's Chat Completions, which most other servers speak too.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::assemble::Assembly;
use super::http::{Endpoint, message};
use super::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};
use crate::message::{AssistantPart, Message, UserPart};

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
        let body = body(request, self.limit_name);
        let mut stream = self.endpoint.ask("/chat/completions", &body, on, cancel)?;
        let mut answer = Answer::default();
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
            let data: Value = match serde_json::from_str(&event.data) {
                Ok(data) => data,
                Err(_) if answer.ended => break,
                Err(error) => {
                    let problem = error.to_string();
                    return Err(ProviderError::Malformed { problem });
                }
            };
            answer.hear(&data, on)?;
            if answer.ended {
                stream.expect_end();
            }
        }
        if !answer.ended {
            return Err(ProviderError::Cut {
                problem: "there was neither a `finish_reason` nor a `[DONE]`".into(),
            });
        }
        Ok(Completion {
            parts: answer.assembly.finish(),
            stop: answer.stop,
            usage: answer.usage,
        })
    }
}

fn body(request: &ModelRequest<'_>, limit_name: LimitName) -> Value {
    let limit = match limit_name {
        LimitName::MaxTokens => "max_tokens",
        LimitName::MaxCompletionTokens => "max_completion_tokens",
    };
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for each in request.messages {
        push(&mut messages, each);
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

fn push(messages: &mut Vec<Value>, each: &Message) {
    match each {
        Message::User { parts } => {
            let texts: Vec<&str> = parts.iter().map(UserPart::text).collect();
            let said = texts.join("\n\n");
            // Where an answer failed the user speaks twice, and templates of many models want
            // roles that take turns.
            match messages.last_mut() {
                Some(last) if last["role"] == "user" => {
                    let before = last["content"].as_str().unwrap_or_default();
                    last["content"] = json!(format!("{before}\n\n{said}"));
                }
                _ => messages.push(json!({ "role": "user", "content": said })),
            }
        }
        Message::Assistant { parts } => {
            let calls = parts.iter().filter_map(|part| match part {
                AssistantPart::Call(call) => Some(json!({
                    "id": call.id,
                    "type": "function",
                    "function": { "name": call.name, "arguments": arguments(&call.arguments) },
                })),
                _ => None,
            });
            let calls: Vec<Value> = calls.collect();
            let words = each.words();
            let mut message = json!({ "role": "assistant", "content": words });
            if !calls.is_empty() {
                if words.is_empty() {
                    message["content"] = Value::Null;
                }
                message["tool_calls"] = json!(calls);
            }
            messages.push(message);
        }
        Message::Tool { results } => messages.extend(results.iter().map(|result| {
            json!({ "role": "tool", "tool_call_id": result.id, "content": result.content })
        })),
    }
}

/// The arguments that a server sends; some send an object where a text belongs.
pub(super) fn given(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        object => object.to_string(),
    }
}

/// Arguments that servers will take back: some refuse what is no JSON, although models write it.
pub(super) fn arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => text.to_owned(),
        _ => "{}".into(),
    }
}

#[derive(Default)]
struct Answer {
    assembly: Assembly,
    usage: Usage,
    stop: Stop,
    ended: bool,
}

impl Answer {
    fn hear(&mut self, data: &Value, on: &mut dyn FnMut(Delta<'_>)) -> Result<(), ProviderError> {
        if !data["error"].is_null() {
            let message = message(&data.to_string(), &[]);
            return Err(ProviderError::failed(message));
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
        for key in ["content", "refusal"] {
            if let Some(text) = delta[key].as_str().filter(|text| !text.is_empty()) {
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
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.ended = true;
            self.stop = match reason {
                "length" => Stop::Length,
                "content_filter" => Stop::Refused,
                _ => Stop::End,
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_speaks_twice_is_heard_once() {
        let parts = vec![AssistantPart::Text { text: "a".into() }];
        let all = [
            Message::user("one"),
            Message::user("two"),
            Message::Assistant { parts },
            Message::user("three"),
        ];
        let mut messages = Vec::new();
        for each in &all {
            push(&mut messages, each);
        }
        let told = messages
            .iter()
            .map(|each| (&each["role"], &each["content"]));
        let told: Vec<String> = told.map(|(role, text)| format!("{role} {text}")).collect();
        let expected = [
            r#""user" "one\n\ntwo""#,
            r#""assistant" "a""#,
            r#""user" "three""#,
        ];
        assert_eq!(told, expected);
    }
}
