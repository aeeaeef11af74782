//! Error texts in the shape of the reference validator's YAML reader.

use std::fmt;

/// Characters at which a snippet ends.
const EDGES: [char; 6] = ['\0', '\r', '\n', '\u{85}', '\u{2028}', '\u{2029}'];

/// From this many characters on, a side of a snippet is cut.
const TOO_WIDE: usize = 37;
/// How many characters remain of a side that was cut.
const CUT_WIDTH: usize = 32;

/// An error with its place, and what the reader was doing and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StrictError {
    context: Option<&'static str>,
    context_at: Option<usize>,
    problem: String,
    at: usize,
}

impl StrictError {
    /// A problem at byte `at`.
    pub(super) fn new(problem: impl Into<String>, at: usize) -> Self {
        Self {
            context: None,
            context_at: None,
            problem: problem.into(),
            at,
        }
    }

    /// Adds what the reader was doing, and where that began if it says so.
    pub(super) fn within(self, context: &'static str, at: impl Into<Option<usize>>) -> Self {
        Self {
            context: Some(context),
            context_at: at.into(),
            ..self
        }
    }

    /// The message, with the lines of `source` that it is about.
    pub(super) fn render(&self, source: &str) -> String {
        let problem_mark = Mark::new(source, self.at);
        let context_mark = self
            .context_at
            .map(|at| Mark::new(source, at))
            .filter(|mark| (mark.line, mark.column) != (problem_mark.line, problem_mark.column));
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.context.map(str::to_owned));
        lines.extend(context_mark.map(|mark| mark.to_string()));
        lines.push(self.problem.clone());
        lines.push(problem_mark.to_string());
        lines.join("\n")
    }
}

/// The column of byte `at`, from 0; a byte order mark has no width.
pub(super) fn column(source: &str, at: usize) -> usize {
    let before = source.get(..at).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    before[line_start..]
        .chars()
        .filter(|c| *c != '\u{feff}')
        .count()
}

/// A place in the source, with the piece of the line around it.
struct Mark {
    line: usize,
    column: usize,
    snippet: String,
    caret: usize,
}

impl Mark {
    fn new(source: &str, at: usize) -> Self {
        let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
        let (head_cut, mut head) = side(before.chars().rev());
        let (tail_cut, tail) = side(after.chars());
        head.reverse();
        let mut snippet = String::from(if head_cut { " ... " } else { "" });
        let caret = snippet.len() + head.len();
        snippet.extend(head);
        snippet.extend(tail);
        snippet.push_str(if tail_cut { " ... " } else { "" });
        Self {
            line: before.matches('\n').count() + 1,
            column: column(source, at) + 1,
            snippet,
            caret,
        }
    }
}

/// One side of a snippet, outwards from the mark, and whether it was cut.
fn side(characters: impl Iterator<Item = char>) -> (bool, Vec<char>) {
    let mut side: Vec<char> = characters
        .take_while(|c| !EDGES.contains(c))
        .take(TOO_WIDE)
        .collect();
    let is_cut = side.len() == TOO_WIDE;
    if is_cut {
        side.truncate(CUT_WIDTH);
    }
    (is_cut, side)
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "  in \"<unicode string>\", line {line}, column {column}:\n    {}\n{:caret$}^ (line: {line})",
            self.snippet,
            "",
            line = self.line,
            column = self.column,
            caret = self.caret + 4,
        )
    }
}
