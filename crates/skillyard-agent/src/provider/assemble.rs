//! Calls and words, put together from pieces.
//!
//! Servers number the calls of an answer, or give each a name, or neither, or give all the number
//! zero. A piece belongs to the open call with its number, unless it brings a new name; without
//! either it belongs to the last.

use std::borrow::Cow;

use skillyard_format::Digest;

use crate::message::{AssistantPart, ToolCall};

/// An answer in the making.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    parts: Vec<(Option<String>, AssistantPart)>,
}

impl Assembly {
    /// More words.
    pub(super) fn text(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        if let Some((_, AssistantPart::Text { text })) = self.parts.last_mut() {
            text.push_str(piece);
            return;
        }
        let text = piece.to_owned();
        self.parts.push((None, AssistantPart::Text { text }));
    }

    /// Something for its provider alone.
    pub(super) fn opaque(&mut self, provider: &str, json: String) {
        let provider = provider.to_owned();
        let part = AssistantPart::Opaque { provider, json };
        self.parts.push((None, part));
    }

    /// Something for its provider alone, which goes in front of the call that it belongs to.
    pub(super) fn beside(&mut self, key: Option<&str>, provider: &str, json: String) {
        let is_it = |(known, part): &(Option<String>, AssistantPart)| {
            matches!(part, AssistantPart::Call(_)) && (key.is_none() || known.as_deref() == key)
        };
        let Some(at) = self.parts.iter().rposition(is_it) else {
            return;
        };
        let provider = provider.to_owned();
        let part = AssistantPart::Opaque { provider, json };
        match at.checked_sub(1).map(|before| &mut self.parts[before].1) {
            // It may come with every piece.
            Some(before @ AssistantPart::Opaque { .. }) => *before = part,
            _ => self.parts.insert(at, (None, part)),
        }
    }

    /// Whether nothing has come yet.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether words have come, which somebody may have read by now.
    pub(super) fn has_words(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|(_, part)| matches!(part, AssistantPart::Text { .. }))
    }

    /// A piece of a call.
    pub(super) fn call(
        &mut self,
        key: Option<&str>,
        id: Option<&str>,
        name: Option<&str>,
        arguments: &str,
    ) {
        let id = id.filter(|id| !id.is_empty());
        let name = name.filter(|name| !name.is_empty());
        let open = self
            .parts
            .iter_mut()
            .rev()
            .find_map(|(known, part)| match part {
                AssistantPart::Call(call) if key.is_none() || known.as_deref() == key => Some(call),
                _ => None,
            });
        match open {
            Some(call)
                if id.is_none_or(|id| id == call.id || call.id.is_empty())
                    && (name.is_none() || id.is_some() || call.name.is_empty()) =>
            {
                if let Some(id) = id {
                    id.clone_into(&mut call.id);
                }
                if let Some(name) = name.filter(|_| call.name.is_empty()) {
                    name.clone_into(&mut call.name);
                }
                call.arguments.push_str(arguments);
            }
            // The rest of something else, such as a tool of the server's own.
            _ if id.is_none() && name.is_none() => {}
            _ => self.parts.push((
                key.map(str::to_owned),
                AssistantPart::Call(ToolCall {
                    id: id.unwrap_or_default().to_owned(),
                    name: name.unwrap_or_default().to_owned(),
                    arguments: arguments.to_owned(),
                }),
            )),
        }
    }

    /// A call as a whole: it replaces what came of it in pieces, if anything did.
    pub(super) fn whole(
        &mut self,
        key: Option<&str>,
        id: Option<&str>,
        name: Option<&str>,
        arguments: &str,
    ) {
        let id = id.filter(|id| !id.is_empty());
        let key = key.filter(|key| !key.is_empty());
        let found = self.parts.iter_mut().find_map(|(known, part)| match part {
            AssistantPart::Call(call) => {
                let has_id = id.is_some_and(|id| id == call.id);
                let has_key = key.is_some() && known.as_deref() == key;
                let is_it = has_id || has_key && (id.is_none() || call.id.is_empty());
                is_it.then_some(call)
            }
            _ => None,
        });
        match found {
            Some(call) if !arguments.is_empty() => arguments.clone_into(&mut call.arguments),
            Some(_) => {}
            None if id.is_none() && key.is_none() => {}
            None => self.call(key, id, name, arguments),
        }
    }

    /// The answer; calls without a name for themselves get one.
    pub(super) fn finish(self) -> Vec<AssistantPart> {
        let mut parts: Vec<AssistantPart> = self.parts.into_iter().map(|(_, part)| part).collect();
        for (at, part) in parts.iter_mut().enumerate() {
            if let AssistantPart::Call(call) = part {
                if call.id.is_empty() {
                    call.id = format!("call_{at}");
                }
                if call.arguments.is_empty() {
                    call.arguments = "{}".into();
                }
            }
        }
        parts
    }
}

/// How many letters and digits the id of a call has where that is laid down: at Mistral.
const SHORT_ID: usize = 9;

/// How a server takes the ids of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallIdFormat {
    /// As they were given.
    Own,
    /// Short, as all servers take them.
    Short,
}

impl CallIdFormat {
    /// Whether a server that refused a request with these words speaks of an id.
    pub(super) fn are_refused(message: &str) -> bool {
        let message = message.to_lowercase();
        let words = ["tool call id", "call_id", "].id"];
        words.iter().any(|words| message.contains(words))
    }

    /// The id of a call.
    pub(super) fn of(self, own: &str) -> Cow<'_, str> {
        let is_short =
            own.len() == SHORT_ID && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match self {
            Self::Short if !is_short => {
                Cow::Owned(Digest::of(own.as_bytes()).to_hex()[..SHORT_ID].to_owned())
            }
            _ => Cow::Borrowed(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, name of the call, tool, arguments.
    type Piece = (
        Option<&'static str>,
        Option<&'static str>,
        Option<&'static str>,
        &'static str,
    );

    fn check(pieces: &[Piece], expected: &str) {
        let mut assembly = Assembly::default();
        for (key, id, name, arguments) in pieces {
            assembly.call(*key, *id, *name, arguments);
        }
        let parts = assembly.finish();
        let shown = parts.iter().map(|part| match part {
            AssistantPart::Call(call) => format!("{}:{}{}", call.id, call.name, call.arguments),
            other => format!("{other:?}"),
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn calls_of_every_dialect() {
        let (a, b) = (Some("a"), Some("b"));
        // As the protocol says: a number on every piece.
        check(
            &[
                (Some("0"), a, Some("f"), ""),
                (Some("1"), b, Some("g"), ""),
                (Some("0"), None, None, "{\"x\""),
                (Some("1"), None, None, "{}"),
                (Some("0"), None, None, ":1}"),
            ],
            "a:f{\"x\":1} b:g{}",
        );
        // Every call has the number zero, and only names tell them apart.
        check(
            &[
                (Some("0"), a, Some("f"), "{}"),
                (Some("0"), b, Some("g"), "{"),
                (Some("0"), None, None, "}"),
            ],
            "a:f{} b:g{}",
        );
        // Neither numbers nor names.
        check(
            &[(None, None, Some("f"), "{}"), (None, None, Some("g"), "")],
            "call_0:f{} call_1:g{}",
        );
        // A piece of what is no call of ours.
        check(
            &[(Some("0"), None, None, "{}"), (Some("1"), a, Some("f"), "")],
            "a:f{}",
        );
        // The same name on every piece.
        check(&[(None, a, Some("f"), "{"), (None, a, None, "}")], "a:f{}");
    }
}
