//! Diagnostics for people: the source line, a caret, a code and help.

use std::io;
use std::ops::Range;
use std::time::Duration;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use skillyard_format::{Diagnostic, Severity, Span};

use super::{Checked, Summary};
use crate::printer::Printer;
use crate::sanitize::{masked, visible};

/// Prints every finding and the closing line.
pub(crate) fn print(printer: &Printer, checked: &[Checked], summary: &Summary) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(printer.width());
    let mut output = String::new();
    for skill in checked {
        if skill.diagnostics.is_empty() {
            continue;
        }
        // Places are found in the masked text, which has the same length.
        let text = masked(&skill.text);
        let path = visible(&skill.path.to_string_lossy()).into_owned();
        for diagnostic in &skill.diagnostics {
            let rendered = renderer.render(&[group(diagnostic, &text, &path)]);
            output.push_str(&rendered);
            output.push_str("\n\n");
        }
    }
    printer.data(&output)?;
    printer.note(&closing_line(printer, summary));
    Ok(())
}

fn group<'a>(diagnostic: &'a Diagnostic, text: &'a str, path: &'a str) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(visible(&diagnostic.message))
        .id(diagnostic.code);
    let mut group = match diagnostic.span {
        Some(span) if !text.is_empty() => {
            let (line, start, source) = window(text, span);
            title.element(
                Snippet::source(source)
                    .line_start(line)
                    .path(path)
                    .annotation(AnnotationKind::Primary.span(start)),
            )
        }
        _ => title.element(Origin::path(path)),
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    group
}

/// The line that holds the start of `span`: its number, the range in it, its text.
///
/// A finding about many lines points at the first; the rest is in the file.
fn window(text: &str, span: Span) -> (usize, Range<usize>, &str) {
    let at = text.floor_char_boundary(span.start.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |length| at + length);
    let source = text[start..end].trim_end_matches('\r');
    let line = text[..start].matches('\n').count() + 1;
    let first = (at - start).min(source.len());
    let last = (span.end.max(at) - start).clamp(first, source.len());
    let last = source.len() - source[..last].len().abs_diff(source.len());
    (
        line,
        first..source.floor_char_boundary(last).max(first),
        source,
    )
}

fn closing_line(printer: &Printer, summary: &Summary) -> String {
    let skills = count(summary.skills, "skill");
    let time = elapsed(summary.elapsed);
    let mut parts = Vec::new();
    if summary.fixed > 0 {
        parts.push(format!("mended {}", count(summary.fixed, "problem")));
    }
    if summary.errors > 0 {
        parts.push(count(summary.errors, "error"));
    }
    if summary.warnings > 0 {
        parts.push(count(summary.warnings, "warning"));
    }
    let verdict = match (summary.invalid, summary.skills) {
        (0, 1) => printer.good("✓ valid"),
        (0, _) => printer.good("✓ all valid"),
        (1, 1) => "✗ invalid".to_owned(),
        (invalid, _) => format!("✗ {invalid} invalid"),
    };
    parts.insert(0, verdict);
    let mut line = format!("Checked {skills} in {time}: {}", parts.join(", "));
    if summary.fixable > 0 {
        line.push_str(&format!(
            "\n{} can be mended with `--fix`",
            count(summary.fixable, "problem")
        ));
    }
    line
}

fn count(number: usize, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural}")
}

fn elapsed(time: Duration) -> String {
    match time.as_millis() {
        0 => "under 1ms".to_owned(),
        millis @ 1..=999 => format!("{millis}ms"),
        millis => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
    }
}
