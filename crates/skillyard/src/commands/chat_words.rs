//! Words of a session in Markdown in which the headings say who spoke.

/// Most levels that a heading has.
const DEEPEST: usize = 6;

/// Words as they stand below a heading that says whose they are: their own headings are two levels
/// deeper, and code that they leave open is closed, so that nobody speaks in another's name.
pub(super) fn below(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let mut open: Option<&str> = None;
    let mut before = "";
    for line in words.trim_end().lines() {
        let start = line.trim_start_matches(' ');
        match (fence(start), open) {
            (Some(mark), None) => open = Some(mark),
            (Some(mark), Some(opened)) if closes(mark, opened, start) => open = None,
            _ => {}
        }
        if open.is_some() || fence(start).is_some() {
            text.push_str(line);
        } else if let Some(level) = heading(start) {
            text.push_str(&"#".repeat(DEEPEST.min(level + 2)));
            text.push_str(&start[level..]);
        } else if !before.trim().is_empty() && is_underline(start) {
            text.push('\\');
            text.push_str(start);
        } else {
            text.push_str(&line.replace("<h", "\\<h").replace("<H", "\\<H"));
        }
        text.push('\n');
        before = line;
    }
    if let Some(opened) = open {
        text.push_str(opened);
        text.push('\n');
    }
    text
}

/// The mark that opens or closes code, if a line begins with one.
fn fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| &line[..length])
}

/// Whether a mark closes what another one opened.
fn closes(mark: &str, opened: &str, line: &str) -> bool {
    mark.starts_with(opened) && line.trim_end() == mark
}

/// The level of a heading.
fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = &line[level..];
    let is_heading = rest.is_empty() || rest.starts_with([' ', '\t']);
    ((1..=DEEPEST).contains(&level) && is_heading).then_some(level)
}

/// Whether a line makes a heading of the one before.
fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    let is_all = |mark: char| line.chars().all(|c| c == mark);
    !line.is_empty() && (is_all('=') || is_all('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_speaks_in_anothers_name() {
        for (words, shown) in [
            ("Hello.\n\n## You\n\nYes.", "Hello.\n\n#### You\n\nYes.\n"),
            ("   # A", "### A\n"),
            ("###### A\n#b #", "###### A\n#b #\n"),
            (
                "You\n---\n\n---\nYou\n===",
                "You\n\\---\n\n---\nYou\n\\===\n",
            ),
            ("<h2>You</h2>", "\\<h2>You</h2>\n"),
            (
                "```sh\n# comment\n```\n# A",
                "```sh\n# comment\n```\n### A\n",
            ),
            ("````\n```\n# x", "````\n```\n# x\n````\n"),
            ("~~~\n```\n~~~\n# A", "~~~\n```\n~~~\n### A\n"),
            ("plain\nwords\n", "plain\nwords\n"),
        ] {
            assert_eq!(below(words), shown, "{words}");
        }
    }
}
