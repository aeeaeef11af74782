//! Where something stands says how bad it is.
//!
//! A command in a script is run, the same words in a comment are read, and in the rules of
//! another scanner they are what it looks for. Each step down is a level of severity.

use std::ops::Range;

use super::file::Language;
use super::finding::Severity;
use super::here::Here;
use super::pattern::Pattern;
use super::prepare::Place;
use super::speech;

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
enum Weight {
    /// Quoted, it is an example.
    Quotable,
    /// Names of files and hosts, which do not become harmless in a string.
    Named,
    /// It has no place in a skill, wherever it stands.
    Plain,
}

/// A severity, and whether it can be an example.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighed(Severity, Weight);

impl Severity {
    /// For names of hosts and files, which are no milder in a string.
    pub(crate) fn named(self) -> Weighed {
        Weighed(self, Weight::Named)
    }

    /// For what no surroundings excuse.
    pub(crate) fn plain(self) -> Weighed {
        Weighed(self, Weight::Plain)
    }
}

impl From<Severity> for Weighed {
    fn from(severity: Severity) -> Self {
        Self(severity, Weight::Quotable)
    }
}

/// The severity that is left of a weighed one here.
pub(crate) fn lowered(
    here: &Here<'_>,
    range: &Range<usize>,
    Weighed(severity, weight): Weighed,
) -> Severity {
    if weight == Weight::Plain {
        return severity;
    }
    let mut steps = match here.unit.place {
        Place::Comment => 3,
        Place::Data => 2,
        Place::Code if here.unit.language == Language::Data => 1,
        Place::Code if weight == Weight::Quotable && is_only_quoted(here, range) => 2,
        Place::Prose | Place::Heading => u8::from(warns_before(here, range, severity)),
        _ => 0,
    };
    if is_test(here.file.path) {
        steps += 1;
    }
    if here.subject.about_security && here.file.is_document && !speaks_plainly(here, range) {
        steps += 1;
        // What a lesson shows below a warning is what it warns of.
        if here.unit.place == Place::Decoded || is_warned_of(here) {
            steps += 1;
        }
    }
    severity.lowered(steps)
}

fn is_warned_of(here: &Here<'_>) -> bool {
    let spoken = [here.heading(), here.introduction(), here.file.path];
    spoken.iter().any(|text| WARNS.is_match(text))
}

/// Whether a paragraph of the skill itself begins with the words, in no quotes and under no
/// warning: a lesson quotes an order, and only an order gives it.
fn speaks_plainly(here: &Here<'_>, range: &Range<usize>) -> bool {
    let is_paragraph = here.unit.place == Place::Prose
        && here.file.is_skill_file()
        && !here.text.starts_with(['-', '+', '|', '"', '\'', '>'])
        && !here.text.starts_with(|c: char| c.is_ascii_digit());
    let span = here.file.span(here.at(range));
    let before = here.file.source.get(..span.start).unwrap_or_default();
    let is_quoted = before.ends_with(['`', '"', '*', '\u{201c}', '(']);
    is_paragraph && range.start < 4 && !is_quoted && !is_warned_of(here)
}

/// Whether the place is in a string that is handed to nothing that runs it.
fn is_only_quoted(here: &Here<'_>, range: &Range<usize>) -> bool {
    here.is_quoted(range) && !here.starts_programs() && !WRITES.is_match(here.text)
}

/// Whether the words before the place say that this is what not to do. A warning in another sentence
/// may be about something else, and lifts no block.
fn warns_before(here: &Here<'_>, range: &Range<usize>, severity: Severity) -> bool {
    let before = here.text.get(..range.start).unwrap_or(&here.text);
    let near = if severity >= Severity::High {
        speech::same_sentence(before, MAX_BEFORE)
    } else {
        let from = before.len().saturating_sub(MAX_BEFORE);
        before.get(from..).unwrap_or(before)
    };
    WARNS.is_match(near)
}

pub(super) fn is_test(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| {
        matches!(
            part,
            "tests"
                | "test"
                | "fixtures"
                | "__tests__"
                | "testdata"
                | "evals"
                | "benchmark"
                | "evals.json"
        ) || part.starts_with("test_")
    })
}
