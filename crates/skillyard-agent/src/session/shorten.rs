//! Results and calls that are made shorter so that a session fits.

use serde_json::Value;
use skillyard_format::render::foreign;
use skillyard_format::tokens::estimate;

use super::cut::{cut, gap};
use crate::message::{AssistantPart, Message};

/// Tokens that stay of a result or a call in any case.
const LEAST: usize = 100;
/// Bytes that stay of a text in a call.
const LEAST_OF_TEXT: usize = 80;

/// About how many tokens a message has once everything in it is as short as it can be.
pub(super) fn least(message: &Message) -> usize {
    let saved: usize = sizes(message).map(|size| size.saturating_sub(LEAST)).sum();
    message.tokens() - saved
}

/// Cuts the longest results and calls until all messages fit, or until none is worth cutting.
pub(super) fn shorten(messages: &mut [Message], tokens: usize) {
    let total: usize = messages.iter().map(Message::tokens).sum();
    let sizes: Vec<usize> = messages.iter().flat_map(sizes).collect();
    let kept = |most: usize| -> usize { sizes.iter().map(|size| *size.min(&most)).sum() };
    let rest = total.saturating_sub(kept(usize::MAX));
    let mut most = sizes.iter().copied().max().unwrap_or_default();
    if total <= tokens || most <= LEAST {
        return;
    }
    while rest + kept(most) > tokens && most > LEAST {
        most = (most * 3 / 4).max(LEAST);
    }
    for message in messages {
        match message {
            Message::Tool { results } => {
                for result in results {
                    cut(&mut result.content, most);
                }
            }
            Message::Assistant { parts } => {
                for part in parts {
                    if let AssistantPart::Call(call) = part {
                        cut_call(&mut call.arguments, most);
                    }
                }
            }
            Message::User { .. } => {}
        }
    }
}

/// How long the results and the calls of a message are.
fn sizes(message: &Message) -> impl Iterator<Item = usize> {
    let results = match message {
        Message::Tool { results } => results.as_slice(),
        _ => &[],
    };
    let results = results.iter().map(|each| estimate(&each.content));
    let calls = message.calls().into_iter();
    results.chain(calls.map(|call| estimate(&call.arguments)))
}

/// Cuts the texts in the arguments of a call to about so many tokens; what is no JSON stays, and what
/// comes of it is JSON.
fn cut_call(arguments: &mut String, tokens: usize) {
    let size = estimate(arguments);
    if size <= tokens {
        return;
    }
    let Ok(whole) = serde_json::from_str::<Value>(arguments) else {
        return;
    };
    let mut each = arguments.len() * tokens / size;
    loop {
        let mut value = whole.clone();
        cut_texts(&mut value, each.max(LEAST_OF_TEXT));
        *arguments = value.to_string();
        if estimate(arguments) <= tokens || each <= LEAST_OF_TEXT {
            return;
        }
        each = each * 3 / 4;
    }
}

fn cut_texts(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            if let Some(short) = foreign::without_middle(text, most, gap) {
                *text = short;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| cut_texts(value, most)),
        Value::Object(values) => {
            let values = values.values_mut();
            values.for_each(|value| cut_texts(value, most));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_loses_the_middle_of_its_texts() {
        let words = "some words\n".repeat(900);
        let mut arguments =
            serde_json::json!({ "path": "a.txt", "content": words, "mode": 7 }).to_string();
        cut_call(&mut arguments, 150);
        assert!(estimate(&arguments) <= 150, "{arguments}");
        let value: Value = serde_json::from_str(&arguments).unwrap();
        assert_eq!(
            (&value["path"], &value["mode"]),
            (&"a.txt".into(), &7.into())
        );
        let content = value["content"].as_str().unwrap();
        assert!(content.starts_with("some words\n") && content.ends_with("some words\n"));
        assert!(content.contains("left out because they did not fit"));
    }

    #[test]
    fn many_short_texts_and_what_is_no_json_stay() {
        let many: Vec<String> = (0..400).map(|number| format!("word {number}")).collect();
        for whole in [
            serde_json::json!({ "words": many }).to_string(),
            "x ".repeat(900),
        ] {
            let mut arguments = whole.clone();
            cut_call(&mut arguments, 100);
            assert_eq!(arguments, whole);
        }
    }
}
