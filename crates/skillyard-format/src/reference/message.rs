//! Error texts in the shape of the reference validator's YAML reader.

use std::fmt::Write as _;

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
        let mut message = String::with_capacity(512);
        if let Some(context) = self.context {
            message.push_str(context);
            message.push('\n');
        }
        if let Some(mark) = context_mark {
            mark.push_to(&mut message);
            message.push('\n');
        }
        message.push_str(&self.problem);
        message.push('\n');
        problem_mark.push_to(&mut message);
        message
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
struct Mark<'s> {
    line: usize,
    column: usize,
    snippet: &'s str,
    before: Extent,
    after: Extent,
}

impl<'s> Mark<'s> {
    fn new(source: &'s str, at: usize) -> Self {
        let (head, tail) = source.split_at_checked(at).unwrap_or((source, ""));
        let before = extent(head.chars().rev());
        let after = extent(tail.chars());
        Self {
            line: memchr::memchr_iter(b'\n', head.as_bytes()).count() + 1,
            column: column(source, at) + 1,
            snippet: &source[head.len() - before.bytes..head.len() + after.bytes],
            before,
            after,
        }
    }

    fn push_to(&self, message: &mut String) {
        let Self { line, column, .. } = self;
        let dots = |side: &Extent| if side.is_cut { " ... " } else { "" };
        let (before, after) = (dots(&self.before), dots(&self.after));
        let caret = 4 + before.len() + self.before.characters;
        let _ = write!(
            message,
            "  in \"<unicode string>\", line {line}, column {column}:\n    {before}{}{after}\n{:caret$}^ (line: {line})",
            self.snippet, "",
        );
    }
}

/// How far a side of a snippet reaches from the mark.
struct Extent {
    bytes: usize,
    characters: usize,
    is_cut: bool,
}

/// The extent of a side whose characters are given outwards from the mark.
fn extent(characters: impl Iterator<Item = char>) -> Extent {
    let (mut bytes, mut kept, mut count) = (0, 0, 0);
    for c in characters.take_while(|c| !EDGES.contains(c)).take(TOO_WIDE) {
        bytes += c.len_utf8();
        count += 1;
        if count <= CUT_WIDTH {
            kept = bytes;
        }
    }
    let is_cut = count == TOO_WIDE;
    Extent {
        bytes: if is_cut { kept } else { bytes },
        characters: if is_cut { CUT_WIDTH } else { count },
        is_cut,
    }
}
