//! Lines of a here-document that every shell passes over, also inside a substitution.
//!
//! Older shells (bash before version 4, zsh before version 5) look for the end of `$(…)` without
//! knowing of here-documents: they count parentheses and pass over quotes and comments in the text,
//! too. A line that leaves them where they were cannot move that end.

/// Whether a line is text for every shell; `delimiter` ends the document it stands in.
pub(super) fn is_plain(line: &str, delimiter: &str) -> bool {
    // `EOF)` ends the document in some shells.
    if line.trim_start_matches('\t').starts_with(delimiter) {
        return false;
    }
    // What follows a `#` may be a comment, in which nothing is counted.
    if line.contains('#') {
        return !line.contains(['\'', '"', '`', '(', ')', '\\', '{']);
    }
    let mut depth = 0_usize;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' | '`' => {
                let rest = letters.as_str();
                let Some((inside, after)) = rest.split_once(letter) else {
                    return false;
                };
                if inside.contains(['\'', '"', '`', '(', ')', '\\', '$']) {
                    return false;
                }
                letters = after.chars();
            }
            '\\' => return false,
            '$' if letters.as_str().starts_with(['{', '\'', '"']) => return false,
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_parentheses_and_quotes_as_they_were_is_plain() {
        for line in [
            "",
            "feat(scope): \"a\" and `b`",
            "Fixes #12",
            "a <b@c.org>",
            "it costs $5",
            "a $(b) c",
        ] {
            assert!(is_plain(line, "EOF"), "{line}");
        }
        for line in [
            "don't", "a )", "(a", ")(", "EOF)", "\tEOF ", "a \\", "(a #b)", "\"(\" )", "${a",
            "'a\"' \"",
        ] {
            assert!(!is_plain(line, "EOF"), "{line}");
        }
    }
}
