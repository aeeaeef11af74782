//! Shortens tool results and call arguments so that a session fits into the context.
//!
//! Untrusted output is enclosed in tags (`<stdout>` and others), and text outside of them counts as ours.
//! So the text between tags loses its middle, and tags stay.

use serde_json::Value;
use skillyard_format::render::foreign;
use skillyard_format::tokens::estimate;

use crate::message::{AssistantPart, Message};

/// Tokens that stay of a result or a call.
const MIN_TOKENS: usize = 100;
/// Bytes that stay of a text in a call.
const MIN_TEXT_BYTES: usize = 80;

/// The estimated tokens of a message after everything in it was shortened.
pub(super) fn min_tokens(message: &Message) -> usize {
    let saved: usize = sizes(message)
        .map(|size| size.saturating_sub(MIN_TOKENS))
        .sum();
    message.tokens() - saved
}

/// Shortens the longest results and calls until all messages fit or nothing can be shortened.
pub(super) fn shorten(messages: &mut [Message], tokens: usize) {
    let total: usize = messages.iter().map(Message::tokens).sum();
    let sizes: Vec<usize> = messages.iter().flat_map(sizes).collect();
    let kept = |most: usize| -> usize { sizes.iter().map(|size| *size.min(&most)).sum() };
    let rest = total.saturating_sub(kept(usize::MAX));
    let mut most = sizes.iter().copied().max().unwrap_or_default();
    if total <= tokens || most <= MIN_TOKENS {
        return;
    }
    while rest + kept(most) > tokens && most > MIN_TOKENS {
        most = (most * 3 / 4).max(MIN_TOKENS);
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
        cut_texts(&mut value, each.max(MIN_TEXT_BYTES));
        *arguments = value.to_string();
        if estimate(arguments) <= tokens || each <= MIN_TEXT_BYTES {
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

/// Bytes that stay of each piece; tags stay whole.
const MIN_PIECE_BYTES: usize = 200;

/// Cuts a text to about so many tokens, and says so where something is missing.
fn cut(text: &mut String, tokens: usize) {
    let size = estimate(text);
    if size <= tokens {
        return;
    }
    let most = text.len() * tokens / size;
    let mut pieces = pieces(text);
    let kept = |pieces: &[&str], each: usize| -> usize {
        pieces.iter().map(|piece| piece.len().min(each)).sum()
    };
    // Nothing of ours has so many marks.
    if kept(&pieces, MIN_PIECE_BYTES) > most {
        pieces = vec![text];
    }
    let mut each = most;
    while kept(&pieces, each) > most {
        each = each * 3 / 4;
    }
    let each = each.max(MIN_PIECE_BYTES);
    let shorter = pieces.iter().map(|piece| {
        let short = foreign::without_middle(piece, each, gap);
        short.unwrap_or_else(|| (*piece).to_owned())
    });
    *text = shorter.collect();
}

/// What stands where something is missing.
fn gap(omitted: usize) -> String {
    format!("[… {omitted} bytes left out because they did not fit …]")
}

/// The text in pieces: by turns what stands outside of marks, with the marks, and what stands in them.
fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((start, end)) = element(rest) {
        pieces.extend([&rest[..start], &rest[start..end]]);
        rest = &rest[end..];
    }
    pieces.push(rest);
    pieces
}

/// Where the inside of the first element starts and ends whose marks are lines of their own.
fn element(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        start += line.len();
        let inside = line.strip_prefix('<').filter(|_| line.ends_with(">\n"));
        let name = inside.and_then(|inside| inside.split([' ', '>']).next());
        let Some(name) = name.filter(|name| foreign::is_mark(name)) else {
            continue;
        };
        if let Some(at) = text[start..].find(&format!("\n</{name}>")) {
            return Some((start, start + at));
        }
    }
    None
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

    fn short(text: &str, tokens: usize) -> String {
        let mut text = text.to_owned();
        cut(&mut text, tokens);
        assert!(estimate(&text) <= tokens * 5 / 4 + 40, "{text}");
        text
    }

    #[test]
    fn marks_stay_whole_and_the_end_is_kept() {
        let numbers: Vec<String> = (1..9000).map(|number| number.to_string()).collect();
        let numbers = numbers.join("\n") + "\n";
        let text = short(
            &format!("exit code 3\n<stdout>\n{numbers}</stdout>\n<stderr>\nFATAL\n</stderr>\n"),
            300,
        );
        assert!(text.starts_with("exit code 3\n<stdout>\n1\n2\n"), "{text}");
        assert!(
            text.ends_with("\n8999\n</stdout>\n<stderr>\nFATAL\n</stderr>\n"),
            "{text}"
        );
        assert!(text.contains(" bytes left out because they did not fit …]\n"));
    }

    #[test]
    fn what_follows_a_mark_stays() {
        let words = "some words\n".repeat(900);
        let text = short(
            &format!(
                "<skill_file path=\"a\">\n{words}</skill_file>\n900 of 1000 bytes were given."
            ),
            200,
        );
        assert!(text.starts_with("<skill_file path=\"a\">\nsome words\n"));
        assert!(text.ends_with("some words\n</skill_file>\n900 of 1000 bytes were given."));
    }

    #[test]
    fn a_text_without_marks_loses_its_middle() {
        let text = short(&"<p>\nsome words\n".repeat(900), 200);
        assert!(text.starts_with("<p>\nsome words\n") && text.ends_with("some words\n"));
    }
}
