//! Lowers severities by context, for all rules alike.
//!
//! A command in a script runs; in a comment it is only read, and in the rules of another scanner it
//! is a search pattern. Each step lowers the severity by one level.

use std::ops::Range;

use crate::file::{Language, is_test_path};
use crate::finding::Severity;
use crate::intent;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;
use crate::skill::UnitContext;

/// How many bytes before a place may warn of it.
const MAX_BEFORE: usize = 120;

static WARNS: Pattern = Pattern::new(
    r"\b(?:never|avoid|do\s+not|don't|must\s+not|should\s+not|refuse|flag|reject|detect\w*|watch\s+(?:out\s+)?for|look\s+for|check\s+for|suspicious|red\s+flags?|
    dangerous|insecure|unsafe|vulnerable|anti-?patterns?|malicious|attackers?|blocked|forbidden|warning\s+signs?|warns?|warned|prefer\b[^.]{0,40}\bover|malware)\b|\xe2\x9d\x8c",
);

/// A text that is put into a file is meant to be run or read there.
static WRITES: Pattern = Pattern::new(
    r"write_text\s*\(|write_bytes\s*\(|\.write\s*\(|writefile(?:sync)?\s*\(|appendfile\w*\s*\(",
);

/// Whether a rule's words can be an example of what they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mitigation {
    /// Quoted, it is an example.
    Quotable,
    /// Names of files and hosts, which do not become harmless in a string.
    Named,
    /// It has no place in a skill, wherever it stands.
    Plain,
}

/// A severity, and whether it can be an example.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContextSeverity(Severity, Mitigation);

impl Severity {
    /// For names of hosts and files, which are as severe in a string.
    pub(crate) fn even_quoted(self) -> ContextSeverity {
        ContextSeverity(self, Mitigation::Named)
    }

    /// For what no surroundings excuse.
    pub(crate) fn in_any_context(self) -> ContextSeverity {
        ContextSeverity(self, Mitigation::Plain)
    }
}

impl From<Severity> for ContextSeverity {
    fn from(severity: Severity) -> Self {
        Self(severity, Mitigation::Quotable)
    }
}

/// The severity that is left of a weighed one here.
pub(crate) fn adjusted(
    ctx: &UnitContext<'_>,
    range: &Range<usize>,
    ContextSeverity(severity, weight): ContextSeverity,
) -> Severity {
    if weight == Mitigation::Plain {
        return severity;
    }
    let mut steps = match ctx.unit.kind {
        UnitKind::Comment => 3,
        UnitKind::Data => 2,
        UnitKind::Code if ctx.unit.language == Language::Data => 1,
        UnitKind::Code if weight == Mitigation::Quotable && is_only_quoted(ctx, range) => 2,
        UnitKind::Prose | UnitKind::Heading => u8::from(warns_before(ctx, range, severity)),
        _ => 0,
    };
    if is_test_path(ctx.file.path) {
        steps += 1;
    }
    if ctx.skill.about_security && ctx.file.is_document && !speaks_plainly(ctx, range) {
        steps += 1;
        // What a lesson shows below a warning is what it warns of.
        if ctx.unit.kind == UnitKind::Decoded || is_warned_of(ctx) {
            steps += 1;
        }
    }
    severity.lowered(steps)
}

fn is_warned_of(ctx: &UnitContext<'_>) -> bool {
    let spoken = [ctx.heading(), ctx.preceding_prose(), ctx.file.path];
    spoken.iter().any(|text| WARNS.is_match(text))
}

/// Whether a paragraph of the skill itself begins with the words, in no quotes and under no
/// warning: a lesson quotes an order, and only an order gives it.
fn speaks_plainly(ctx: &UnitContext<'_>, range: &Range<usize>) -> bool {
    let is_paragraph = ctx.unit.kind == UnitKind::Prose
        && ctx.file.is_skill_file()
        && !ctx.text.starts_with(['-', '+', '|', '"', '\'', '>'])
        && !ctx.text.starts_with(|c: char| c.is_ascii_digit());
    let span = ctx.file.span(ctx.at(range));
    let before = ctx.file.source.get(..span.start).unwrap_or_default();
    let is_quoted = before.ends_with(['`', '"', '*', '\u{201c}', '(']);
    is_paragraph && range.start < 4 && !is_quoted && !is_warned_of(ctx)
}

/// Whether the place is in a string that is handed to nothing that runs it.
fn is_only_quoted(ctx: &UnitContext<'_>, range: &Range<usize>) -> bool {
    ctx.is_quoted(range) && !ctx.starts_program() && !WRITES.is_match(ctx.text)
}

/// Whether the words before the place say that this is what not to do. A warning in another sentence
/// may be about something else, and lifts no block.
fn warns_before(ctx: &UnitContext<'_>, range: &Range<usize>, severity: Severity) -> bool {
    let before = ctx.text.get(..range.start).unwrap_or(&ctx.text);
    let near = if severity >= Severity::High {
        intent::same_sentence(before, MAX_BEFORE)
    } else {
        let from = before.len().saturating_sub(MAX_BEFORE);
        before.get(from..).unwrap_or(before)
    };
    WARNS.is_match(near)
}
