//! Diagnostics for people: the source line, a caret, a code and help.

use std::fmt::Write as _;
use std::io;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use skillyard_format::text::counted;
use skillyard_format::{LineIndex, Span};

use super::{Checked, Loudness, Noted, for_people};
use crate::printer::Printer;
use crate::report::{FindingNote, ReportSummary};
use crate::text::elapsed;
use crate::text::sanitize::{masked, visible};

/// Most findings of one file that are shown; a hostile file has a hundred thousand.
const MAX_FINDINGS: usize = 100;
/// Most bytes of a line on each side of a finding; more than the widest terminal shows.
const MAX_BESIDE: usize = 1_000;

/// Prints the findings and the closing line.
pub(crate) fn print(
    printer: &Printer,
    checked: &[Checked],
    summary: &ReportSummary,
) -> io::Result<()> {
    print_findings(printer, checked)?;
    printer.note(&closing_line(printer, summary));
    Ok(())
}

/// Prints the findings.
pub(crate) fn print_findings(printer: &Printer, skills: &[impl Noted]) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(printer.width());
    let mut output = String::new();
    for file in skills.iter().flat_map(Noted::files) {
        if file.notes.is_empty() {
            continue;
        }
        let lines = LineIndex::new(file.text);
        // Places are found in the masked text too, because it has the same length.
        let text = masked(file.text);
        let path = visible(&file.path).into_owned();
        let shown = most_important(&file.notes);
        for note in &shown {
            output.push_str(&rendered(&renderer, note, &text, &lines, &path));
            output.push_str("\n\n");
        }
        let more = file.notes.len() - shown.len();
        if more > 0 {
            let _ = writeln!(
                output,
                "… and {more} more in this file; see them all with `--json`\n"
            );
        }
    }
    printer.data(&output)
}

/// As many findings as are shown: errors before warnings, but in the order of their places.
fn most_important<'n>(notes: &'n [FindingNote<'n>]) -> Vec<&'n FindingNote<'n>> {
    let is_error = |each: &&FindingNote<'_>| each.loudness == Loudness::Error;
    let mut errors = MAX_FINDINGS;
    let mut others = MAX_FINDINGS.saturating_sub(notes.iter().filter(is_error).count());
    let has_room = |each: &&FindingNote<'_>| {
        let room = if is_error(each) {
            &mut errors
        } else {
            &mut others
        };
        let before = *room;
        *room = room.saturating_sub(1);
        before > 0
    };
    notes.iter().filter(has_room).collect()
}

fn rendered(
    renderer: &Renderer,
    note: &FindingNote<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    path: &str,
) -> String {
    let level = match note.loudness {
        Loudness::Error => Level::ERROR,
        Loudness::Warning => Level::WARNING,
        Loudness::Note => Level::NOTE,
    };
    let title = level
        .with_name(note.label)
        .primary_title(for_people(note.message))
        .id(note.code);
    let with_help = |group: Group<'_>| match note.help {
        Some(help) => renderer.render(&[group.element(Level::HELP.message(for_people(help)))]),
        None => renderer.render(&[group]),
    };
    let Some(span) = note.span.filter(|_| !text.is_empty()) else {
        return with_help(title.element(Origin::path(path)));
    };
    let window = Window::new(text, lines, span);
    let snippet = Snippet::source(window.source)
        .line_start(window.line)
        .path(path)
        .annotation(AnnotationKind::Primary.span(window.marked.clone()));
    let text = with_help(title.element(snippet));
    // The renderer counts columns in what it is shown, which may be a piece of a long line.
    let counted = window.source[..window.marked.start].chars().count() + 1;
    let column = lines.position(span.start).column;
    if counted == column {
        return text;
    }
    let place = |column| format!("{path}:{}:{column}", window.line);
    text.replacen(&place(counted), &place(column), 1)
}

/// The line that holds the start of a span, as far as it can be shown.
///
/// A finding about many lines points at the first; the rest is in the file.
struct Window<'a> {
    line: usize,
    source: &'a str,
    marked: Range<usize>,
}

impl<'a> Window<'a> {
    fn new(text: &'a str, lines: &LineIndex<'_>, span: Span) -> Self {
        let line = lines.line(span.start);
        let first = text.floor_char_boundary(span.start.min(line.end));
        let last = text.floor_char_boundary(span.end.clamp(first, line.end));
        let from = text
            .floor_char_boundary(first.saturating_sub(MAX_BESIDE))
            .max(line.start);
        let to = text.floor_char_boundary(first + MAX_BESIDE).min(line.end);
        Self {
            line: line.number,
            source: &text[from..to],
            marked: first - from..last.min(to) - from,
        }
    }
}

fn closing_line(printer: &Printer, summary: &ReportSummary) -> String {
    let skills = counted(summary.skills, "skill");
    let time = elapsed(summary.elapsed);
    let mut parts = Vec::new();
    if summary.fixed > 0 {
        parts.push(format!("mended {}", counted(summary.fixed, "problem")));
    }
    // What could not be looked at is no error of a skill.
    let errors = summary.errors.saturating_sub(summary.unchecked);
    if errors > 0 {
        parts.push(counted(errors, "error"));
    }
    if summary.warnings > 0 {
        parts.push(counted(summary.warnings, "warning"));
    }
    let verdict = match (summary.invalid, summary.skills) {
        (_, 0) => None,
        (0, 1) => Some(printer.good("✓ valid")),
        (0, _) => Some(printer.good("✓ all valid")),
        (1, 1) => Some("✗ invalid".to_owned()),
        (invalid, _) => Some(format!("✗ {invalid} invalid")),
    };
    parts.splice(..0, verdict);
    if summary.unchecked > 0 {
        let paths = counted(summary.unchecked, "path");
        parts.push(format!("✗ {paths} could not be checked"));
    }
    let mut line = format!("Checked {skills} in {time}: {}", parts.join(", "));
    if summary.fixable > 0 {
        let _ = write!(
            line,
            "\n{} can be mended with `--fix`",
            counted(summary.fixable, "problem")
        );
    }
    line
}
