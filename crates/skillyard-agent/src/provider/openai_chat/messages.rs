//! A session as Chat Completions takes it.
//!
//! Servers give what they want back beside the words: many of them the thinking in front of calls,
//! Google a signature with each call. It goes back where it came from and nowhere else.

use serde_json::{Map, Value, json};

use super::blocks::BLOCKS;
use crate::message::{AssistantPart, Message, UserPart};
use crate::provider::assemble::CallIdFormat;

/// What servers call the thinking of their models, the more usual name first.
pub(super) const THINKING: [&str; 2] = ["reasoning_content", "reasoning"];
/// What a server says of a call for itself alone.
pub(super) const EXTRA: &str = "extra_content";

/// What stands for thinking that nobody has; servers that insist on it refuse an empty text, too.
const NO_THINKING: &str = " ";

/// What stands for an answer that never came. Templates of many models want roles that take turns,
/// and refuse a user who speaks behind the results of calls.
const NO_ANSWER: &str = "(no answer: the turn ended here)";

/// Whom a session is sent to.
pub(super) struct Addressee<'a> {
    /// The server's name in the configuration.
    pub(super) server: &'a str,
    /// The model's own name.
    pub(super) model: &'a str,
    /// How it takes thinking.
    pub(super) thinking: Thinking,
    /// How it takes the ids of calls.
    pub(super) ids: CallIdFormat,
}

/// How a server takes the thinking of earlier messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// As it gave it.
    Own,
    /// It wants some with every message, whoever wrote it.
    Always,
    /// It refuses it.
    Never,
}

impl Thinking {
    /// What a server wants that refused a request with these words, if they are about that.
    pub(super) fn wanted(message: &str) -> Option<Self> {
        let message = message.to_lowercase();
        if !THINKING.iter().any(|name| message.contains(name)) {
            return None;
        }
        let insists = ["passed back", "missing", "must include", "must contain"];
        Some(if insists.iter().any(|words| message.contains(words)) {
            Self::Always
        } else {
            Self::Never
        })
    }
}

impl Addressee<'_> {
    /// Who gets back what is kept of an answer.
    pub(super) fn as_provider(&self) -> String {
        format!("{}/{}", self.server, self.model)
    }

    /// Takes in what a server wants that refused a request with these words; tells whether that is
    /// anything new.
    pub(super) fn learn(&mut self, refusal: &str) -> bool {
        let thinking = Thinking::wanted(refusal).filter(|_| self.thinking == Thinking::Own);
        if let Some(thinking) = thinking {
            self.thinking = thinking;
            return true;
        }
        if self.ids == CallIdFormat::Own && CallIdFormat::are_refused(refusal) {
            self.ids = CallIdFormat::Short;
            return true;
        }
        false
    }

    /// Puts a message behind the others.
    pub(super) fn push(&self, messages: &mut Vec<Value>, each: &Message) {
        match each {
            Message::User { parts } => {
                let texts: Vec<&str> = parts.iter().map(UserPart::text).collect();
                let said = texts.join("\n\n");
                if messages.last().is_some_and(|last| last["role"] == "tool") {
                    messages.push(self.answer(&[], NO_ANSWER));
                }
                // Where an answer failed the user speaks twice, and roles have to take turns.
                match messages.last_mut() {
                    Some(last) if last["role"] == "user" => {
                        let before = last["content"].as_str().unwrap_or_default();
                        last["content"] = json!(format!("{before}\n\n{said}"));
                    }
                    _ => messages.push(json!({ "role": "user", "content": said })),
                }
            }
            Message::Assistant { parts } => messages.push(self.answer(parts, &each.words())),
            Message::Tool { results } => messages.extend(results.iter().map(|result| {
                json!({ "role": "tool", "tool_call_id": self.ids.of(&result.id), "content": result.content })
            })),
        }
    }

    fn answer(&self, parts: &[AssistantPart], words: &str) -> Value {
        let mut message = json!({ "role": "assistant", "content": words });
        let mut calls = Vec::new();
        let mut extra = None;
        for part in parts {
            match part {
                AssistantPart::Text { .. } => {}
                AssistantPart::Call(call) => {
                    let mut call = json!({
                        "id": self.ids.of(&call.id),
                        "type": "function",
                        "function": { "name": call.name, "arguments": arguments(&call.arguments) },
                    });
                    if let Some(extra) = extra.take() {
                        call[EXTRA] = extra;
                    }
                    calls.push(call);
                }
                AssistantPart::Opaque { provider, json } => {
                    let mut own = self.own(provider, json);
                    extra = own.remove(EXTRA);
                    // Blocks hold the words as well.
                    let mut names = [BLOCKS].into_iter().chain(THINKING);
                    if let Some(name) = names.find(|name| own.contains_key(*name)) {
                        message[name] = own[name].take();
                    }
                }
            }
        }
        let lacks = |text: &Value| text.as_str().is_none_or(str::is_empty);
        if self.thinking == Thinking::Always && lacks(&message[THINKING[0]]) {
            message[THINKING[0]] = json!(NO_THINKING);
        }
        if !calls.is_empty() {
            if words.is_empty() {
                message["content"] = Value::Null;
            }
            message["tool_calls"] = json!(calls);
        }
        message
    }

    /// What of an opaque part goes back: words to every model of the server, which may insist on
    /// them; blocks and what is said of calls, which are signed, only to the model that gave them.
    fn own(&self, provider: &str, json: &str) -> Map<String, Value> {
        let (server, model) = provider.split_once('/').unwrap_or((provider, ""));
        if server != self.server {
            return Map::new();
        }
        let mut own: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        if model != self.model {
            own.remove(EXTRA);
            own.remove(BLOCKS);
        }
        if self.thinking == Thinking::Never {
            own.retain(|key, _| key == EXTRA);
        }
        own
    }
}

/// Arguments that servers will take back: some refuse what is no JSON, although models write it.
pub(in crate::provider) fn arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => text.to_owned(),
        _ => "{}".into(),
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
        let addressee = Addressee {
            server: "s",
            model: "m",
            thinking: Thinking::Own,
            ids: CallIdFormat::Own,
        };
        let mut messages = Vec::new();
        for each in &all {
            addressee.push(&mut messages, each);
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

    #[test]
    fn a_refusal_says_what_is_wanted() {
        let check = |message: &str, wanted| assert_eq!(Thinking::wanted(message), wanted);
        check(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            Some(Thinking::Always),
        );
        check(
            "Missing `reasoning_content` field in the assistant message at message index 2.",
            Some(Thinking::Always),
        );
        check(
            "'messages.2' : property 'reasoning' is unsupported",
            Some(Thinking::Never),
        );
        check("the model does not exist", None);
    }
}
