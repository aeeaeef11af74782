//! One result that does not fit, made shorter.
//!
//! What strangers wrote stands between marks, `<stdout>` and the like, and what stands outside of them
//! is taken for ours. So it is the text between marks that loses its middle, and never a mark.

use skillyard_format::render::foreign;
use skillyard_format::tokens::estimate;

/// Bytes that stay of each piece, and of a mark all.
const LEAST: usize = 200;

/// Cuts a text to about so many tokens, and says so where something is missing.
pub(super) fn cut(text: &mut String, tokens: usize) {
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
    if kept(&pieces, LEAST) > most {
        pieces = vec![text];
    }
    let mut each = most;
    while kept(&pieces, each) > most {
        each = each * 3 / 4;
    }
    let each = each.max(LEAST);
    let shorter = pieces.iter().map(|piece| {
        let short = foreign::without_middle(piece, each, gap);
        short.unwrap_or_else(|| (*piece).to_owned())
    });
    *text = shorter.collect();
}

/// What stands where something is missing.
pub(super) fn gap(omitted: usize) -> String {
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
