//! Thinking in blocks, as `OpenRouter` gives it: they come in pieces and go back as a whole.

use serde_json::{Map, Value};

/// What a server calls them.
pub(super) const BLOCKS: &str = "reasoning_details";

/// What goes on from piece to piece; the rest is said once.
const GROWING: [&str; 2] = ["text", "summary"];
/// What is sealed, and comes as a whole.
const SEALED: &str = "data";

/// The blocks of an answer.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Map<String, Value>>);

impl Blocks {
    /// Takes pieces: each belongs to the block of its kind and number.
    pub(super) fn take(&mut self, pieces: &Value) {
        let pieces = pieces.as_array().into_iter().flatten();
        for piece in pieces.filter_map(Value::as_object) {
            let is_it = |block: &&mut Map<String, Value>| {
                piece.get("index").is_some_and(Value::is_number)
                    && ["type", "index"]
                        .iter()
                        .all(|key| block.get(*key) == piece.get(*key))
                    && !(block.contains_key(SEALED) && piece.contains_key(SEALED))
            };
            let Some(block) = self.0.iter_mut().rev().find(is_it) else {
                self.0.push(piece.clone());
                continue;
            };
            for (key, value) in piece {
                match (block.get_mut(key), value) {
                    (_, Value::Null) => {}
                    (Some(Value::String(text)), Value::String(more))
                        if GROWING.contains(&key.as_str()) =>
                    {
                        text.push_str(more);
                    }
                    _ => {
                        block.insert(key.clone(), value.clone());
                    }
                }
            }
        }
    }

    /// All of them, if there are any.
    pub(super) fn finish(self) -> Option<Value> {
        let blocks: Vec<Value> = self.0.into_iter().map(Value::Object).collect();
        (!blocks.is_empty()).then(|| blocks.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_become_blocks() {
        let mut blocks = Blocks::default();
        for piece in [
            json!({ "type": "reasoning.text", "text": "Let", "signature": null, "index": 0 }),
            json!({ "type": "reasoning.text", "text": " me", "index": 0 }),
            json!({ "type": "reasoning.text", "signature": "SIG", "index": 0 }),
            json!({ "type": "reasoning.encrypted", "data": "A", "index": 0 }),
            json!({ "type": "reasoning.encrypted", "data": "B", "index": 0 }),
            json!({ "type": "reasoning.summary", "summary": "s" }),
        ] {
            blocks.take(&json!([piece]));
        }
        blocks.take(&Value::Null);
        let expected = json!([
            { "type": "reasoning.text", "text": "Let me", "signature": "SIG", "index": 0 },
            { "type": "reasoning.encrypted", "data": "A", "index": 0 },
            { "type": "reasoning.encrypted", "data": "B", "index": 0 },
            { "type": "reasoning.summary", "summary": "s" },
        ]);
        assert_eq!(blocks.finish(), Some(expected));
        assert_eq!(Blocks::default().finish(), None);
    }
}
