//! Text that is too long, without its middle: the beginning says what it is, the end how it went.

/// How far from where a text is cut a line may end for it to be cut there.
const NEAR: usize = 500;

/// The beginning and the end of a text, together at most so many bytes, and between them what `gap`
/// says of the number of bytes that are left out; `None` for a text that is not longer.
pub fn without(text: &str, most: usize, gap: impl FnOnce(usize) -> String) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let head = text.floor_char_boundary(most.div_ceil(2));
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    let line = text[..head].rfind('\n').filter(|at| head - at <= NEAR);
    let head = line.unwrap_or(head);
    let line = text[tail..].find('\n').filter(|at| *at < NEAR);
    // The last line stays, however it ends.
    let line = line.map(|at| tail + at + 1).filter(|at| *at < text.len());
    let tail = line.unwrap_or(tail);
    Some(format!(
        "{}\n{}\n{}",
        &text[..head],
        gap(tail - head),
        &text[tail..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, most: usize, expected: &str) {
        let short = without(text, most, |omitted| format!("[{omitted}]"));
        assert_eq!(short.as_deref().unwrap_or(text), expected);
    }

    #[test]
    fn what_fits_is_whole() {
        check("abcdef", 6, "abcdef");
    }

    #[test]
    fn the_middle_goes_and_lines_stay_whole_where_they_are_short() {
        check("abcdefghij", 4, "ab\n[6]\nij");
        check("one\ntwo\nthree\nfour\nfive\n", 14, "one\n[16]\nfive\n");
        let long = format!("{}\n{}", "a".repeat(2000), "b".repeat(2000));
        let ends = format!("{}\n[3000]\n{}", "a".repeat(501), "b".repeat(500));
        check(&long, 1001, &ends);
    }

    #[test]
    fn characters_stay_whole() {
        check("ääääää", 5, "ä\n[8]\nä");
    }
}
