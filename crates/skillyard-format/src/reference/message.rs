//! Error texts in the shape of the reference validator's YAML reader.

use std::fmt;

use super::python::repr;
use crate::yaml::{Problem, YamlError};

/// Characters at which a snippet ends.
const EDGES: [char; 6] = ['\0', '\r', '\n', '\u{85}', '\u{2028}', '\u{2029}'];

/// An error with its place, and what the reader was doing and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StrictError {
    context: Option<String>,
    context_mark: Option<Mark>,
    problem: String,
    problem_mark: Mark,
}

impl StrictError {
    pub(super) fn new(problem: impl Into<String>, mark: Mark) -> Self {
        Self {
            context: None,
            context_mark: None,
            problem: problem.into(),
            problem_mark: mark,
        }
    }

    pub(super) fn within(mut self, context: &str, mark: impl Into<Option<Mark>>) -> Self {
        self.context = Some(context.to_owned());
        self.context_mark = mark.into();
        self
    }
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(context) = &self.context {
            writeln!(f, "{context}")?;
        }
        if let Some(mark) = &self.context_mark
            && (mark.line, mark.column) != (self.problem_mark.line, self.problem_mark.column)
        {
            writeln!(f, "{mark}")?;
        }
        write!(f, "{}\n{}", self.problem, self.problem_mark)
    }
}

/// A place in the source, with the piece of the line around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    line: usize,
    column: usize,
    snippet: String,
    caret: usize,
}

impl Mark {
    /// The mark of byte `offset` of `source`.
    pub(super) fn new(source: &str, offset: usize) -> Self {
        let offset = offset.min(source.len());
        let (before, after) = source.split_at(floor(source, offset));
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count();
        let column = before[line_start..]
            .chars()
            .filter(|c| *c != '\u{feff}')
            .count();

        let mut head: Vec<char> = before
            .chars()
            .rev()
            .take_while(|c| !EDGES.contains(c))
            .take(37)
            .collect();
        let head_cut = head.len() == 37;
        head.truncate(if head_cut { 32 } else { head.len() });
        head.reverse();
        let mut tail: Vec<char> = after
            .chars()
            .take_while(|c| !EDGES.contains(c))
            .take(37)
            .collect();
        let tail_cut = tail.len() == 37;
        tail.truncate(if tail_cut { 32 } else { tail.len() });

        let mut snippet = String::from(if head_cut { " ... " } else { "" });
        let caret = snippet.len() + head.len();
        snippet.extend(head);
        snippet.extend(tail);
        snippet.push_str(if tail_cut { " ... " } else { "" });
        Self {
            line: line + 1,
            column: column + 1,
            snippet,
            caret,
        }
    }
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

fn floor(source: &str, mut offset: usize) -> usize {
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// libyaml's complaint in the words of the reference validator's reader.
pub(super) fn translate(source: &str, error: &YamlError) -> StrictError {
    let at = error.span.start;
    let mark = |at| Mark::new(source, at);
    let found = || {
        repr(
            &source[floor(source, at.min(source.len()))..]
                .chars()
                .next()
                .unwrap_or('\0')
                .to_string(),
        )
    };
    let Problem::Syntax(problem) = error.problem else {
        return match error.problem {
            Problem::UndefinedAlias => {
                let name: String = source[at..]
                    .chars()
                    .skip(1)
                    .take_while(|c| !c.is_whitespace() && !",[]{}".contains(*c))
                    .collect();
                StrictError::new(format!("found undefined alias {}", repr(&name)), mark(at))
            }
            other => StrictError::new(other.to_string(), mark(at)),
        };
    };
    let context = error.context.map(|(words, span)| (words, mark(span.start)));
    let within = |words: &str, problem: String| {
        let context_mark = context.as_ref().map(|(_, mark)| mark.clone());
        StrictError::new(problem, mark(at)).within(words, context_mark)
    };
    match problem {
        "mapping values are not allowed in this context" => {
            StrictError::new("mapping values are not allowed here", mark(at))
        }
        "block sequence entries are not allowed in this context" => {
            StrictError::new("sequence entries are not allowed here", mark(at))
        }
        "mapping keys are not allowed in this context" => {
            StrictError::new("mapping keys are not allowed here", mark(at))
        }
        "found character that cannot start any token" => StrictError::new(
            format!("found character {} that cannot start any token", found()),
            mark(at),
        )
        .within("while scanning for the next token", None),
        "did not find expected key" | "did not find expected '-' indicator" => {
            let words = context
                .as_ref()
                .map_or("while parsing a block mapping", |(words, _)| words);
            within(
                words,
                format!("expected <block end>, but found '{}'", token(source, at)),
            )
        }
        "did not find expected node content" => within(
            "while parsing a block node",
            format!(
                "expected the node content, but found '{}'",
                token(source, at)
            ),
        ),
        "did not find expected alphabetic or numeric character" => {
            let words = context
                .as_ref()
                .map_or("while scanning an alias", |(words, _)| words);
            within(
                words,
                format!(
                    "expected alphabetic or numeric character, but found {}",
                    found()
                ),
            )
        }
        "did not find expected comment or line break" => {
            let behind_space = source[..at].ends_with(' ');
            within(
                "while scanning a block scalar",
                if behind_space {
                    format!("expected a comment or a line break, but found {}", found())
                } else {
                    format!(
                        "expected chomping or indentation indicators, but found {}",
                        found()
                    )
                },
            )
        }
        "found an indentation indicator equal to 0" => within(
            "while scanning a block scalar",
            "expected indentation indicator in the range 1-9, but found 0".into(),
        ),
        "found unexpected document indicator" => within(
            "while scanning a quoted scalar",
            "found unexpected document separator".into(),
        ),
        "found unknown escape character" => {
            let escaped = source[floor(source, at.min(source.len()))..]
                .chars()
                .nth(1)
                .unwrap_or('\0');
            StrictError::new(
                format!(
                    "found unknown escape character {}",
                    repr(&escaped.to_string())
                ),
                mark(at + 1),
            )
            .within(
                "while scanning a double-quoted scalar",
                context.as_ref().map(|(_, mark)| mark.clone()),
            )
        }
        "did not find expected <document start>" => StrictError::new(
            format!(
                "expected '<document start>', but found '{}'",
                token(source, at)
            ),
            mark(at),
        ),
        other => match &context {
            Some((words, _)) => within(words, other.to_owned()),
            None => StrictError::new(other, mark(at)),
        },
    }
}

/// The reader's name for the token that starts at `at`.
fn token(source: &str, at: usize) -> &'static str {
    let rest = &source[floor(source, at.min(source.len()))..];
    match rest.chars().next() {
        None => "<stream end>",
        Some('-') if rest[1..].starts_with([' ', '\n']) || rest.len() == 1 => "-",
        Some('?') if rest[1..].starts_with([' ', '\n']) => "?",
        Some(':') if rest[1..].starts_with([' ', '\n']) => ":",
        Some(',') => ",",
        Some('[') => "[",
        Some(']') => "]",
        Some('{') => "{",
        Some('}') => "}",
        Some('*') => "<alias>",
        Some('&') => "<anchor>",
        Some('!') => "<tag>",
        Some(_) => {
            let line = rest.lines().next().unwrap_or_default();
            let is_key = line.contains(": ") || line.ends_with(':');
            if is_key {
                "<block mapping start>"
            } else {
                "<scalar>"
            }
        }
    }
}
