//! `*word`: no anchor is ever defined, so an alias is always an error, but which one?
//!
//! The reference validator's reader takes any text without a space for the name, and it has
//! read one token further before it complains, so an error in that token comes first.

use super::message::{Mark, StrictError};
use super::python::repr;
use crate::frontmatter::repair::key_of;
use crate::yaml::{Problem, YamlError};

/// Where the `*` stands, if `error` is about an alias.
pub(super) fn of_error(error: &YamlError) -> Option<usize> {
    match (error.problem, error.context) {
        (Problem::UndefinedAlias, _) => Some(error.span.start),
        (Problem::Syntax(_), Some(("while scanning an alias", start))) => Some(start.start),
        _ => None,
    }
}

/// The error about the alias at byte `at`.
pub(super) fn error(source: &str, at: usize) -> StrictError {
    let mark = |at| Mark::new(source, at);
    let name_start = at + 1;
    let is_end = |c: char| c.is_whitespace() || ",[]{}".contains(c);
    let name_end = source[name_start..]
        .find(is_end)
        .map_or(source.len(), |length| name_start + length);
    if name_start == name_end {
        let found = source[name_start..].chars().next().unwrap_or('\0');
        return StrictError::new(
            format!(
                "expected alphabetic or numeric character, but found {}",
                repr(&found.to_string())
            ),
            mark(name_start),
        )
        .within("while scanning an alias", mark(at));
    }
    next_token_error(source, name_end).unwrap_or_else(|| {
        let name = &source[name_start..name_end];
        StrictError::new(format!("found undefined alias {}", repr(name)), mark(at))
    })
}

/// The error in the token behind byte `end`, if it has one.
fn next_token_error(source: &str, end: usize) -> Option<StrictError> {
    let mark = |at| Mark::new(source, at);
    let rest = &source[end..];
    let same_line = rest.trim_start_matches(' ');
    let start = match same_line.strip_prefix('\n') {
        None => source.len() - same_line.len(),
        // A blank line is a token of its own and has no error in it.
        Some(next) if next.trim_start_matches(' ').starts_with('\n') => return None,
        Some(next) => source.len() - next.trim_start_matches(' ').len(),
    };
    let token = &source[start..];
    let first = token.chars().next()?;
    if matches!(first, '@' | '`' | '%' | '\t') {
        return Some(
            StrictError::new(
                format!(
                    "found character {} that cannot start any token",
                    repr(&first.to_string())
                ),
                mark(start),
            )
            .within("while scanning for the next token", None),
        );
    }
    let line = token.lines().next().unwrap_or_default();
    let is_entry = key_of(line).is_some() || line.contains(": ") || line.ends_with(':');
    let at_line_start = start == 0 || source[..start].ends_with('\n');
    if !at_line_start || is_entry || first == '#' || line.starts_with("- ") {
        return None;
    }
    // A bare line where a key must stand.
    let behind = start + line.len();
    let next = source[behind..]
        .split_inclusive('\n')
        .scan(behind, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .find(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map_or(source.len(), |(at, line)| {
            at + line.len() - line.trim_start_matches(' ').len()
        });
    Some(
        StrictError::new("could not find expected ':'", mark(next))
            .within("while scanning a simple key", mark(start)),
    )
}
