//! Invisible characters.

use skillyard_format::Span;

use super::{Findings, PreparedSkill};
use crate::Severity;

rule! {
    /// The text holds characters that are not shown, or that change what is shown.
    ///
    /// Tag characters can spell a whole message that only a model reads. Directional
    /// overrides make a line look different from what it says. Characters without a width
    /// cut words apart so that a search does not find them, and letters that leave nothing but a gap can
    /// be an invisible name in code.
    ///
    /// **Fix:** remove them.
    "scan-hidden-text", Critical,
    "remove them, and read what is left",
    skill: check
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let source: &str = &file.source;
        let mut count = HiddenCounts::default();
        suspects(source, |at, c, before| {
            count.count(Span::new(at, at + c.len_utf8()), c, before);
        });
        for field in &file.fields {
            suspects(&field.text, |at, c, before| {
                let start = field.source_of(at);
                let is_written = source.get(start..).is_some_and(|rest| rest.starts_with(c));
                if !is_written {
                    let next = field.source_of(at + c.len_utf8());
                    let end = source.ceil_char_boundary(next.max(start + 1));
                    count.count(Span::new(start, end), c, before);
                }
            });
        }
        let is_code = file.is_text && !file.is_document;
        count.report(index, is_code, findings);
    }
}

/// Calls `count` with each character that may be one of them, its place and the one before it.
fn suspects(text: &str, mut count: impl FnMut(usize, char, char)) {
    // But for one, none of them is ASCII, and nearly all files are.
    if text.is_ascii() && !text.contains('\u{1b}') {
        return;
    }
    let is_suspect = |byte: &u8| !byte.is_ascii() || *byte == 0x1b;
    let mut at = 0;
    while let Some(found) = text.as_bytes()[at..].iter().position(is_suspect) {
        at += found;
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let Some(c) = text[at..].chars().next() else {
            break;
        };
        count(at, c, before);
        at += c.len_utf8();
    }
}

/// What was seen of each kind: how often, and where first.
#[derive(Default)]
struct HiddenCounts {
    tags: (usize, Option<Span>),
    overrides: (usize, Option<Span>),
    selectors: (usize, Option<Span>),
    widthless: (usize, Option<Span>),
    gaps: (usize, Option<Span>),
    escapes: (usize, Option<Span>),
}

impl HiddenCounts {
    fn count(&mut self, span: Span, c: char, before: char) {
        let kind = match c {
            // A flag of a region is spelled with tags behind a black flag.
            '\u{e0020}'..='\u{e007f}' if before != '\u{1f3f4}' && !is_tag(before) => &mut self.tags,
            '\u{e0020}'..='\u{e007f}' if self.tags.0 > 0 => &mut self.tags,
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' | '\u{2066}'..='\u{2068}' => {
                &mut self.overrides
            }
            '\u{e0100}'..='\u{e01ef}' => &mut self.selectors,
            '\u{fe00}'..='\u{fe0e}' if is_selector(before) => &mut self.selectors,
            '\u{1b}' | '\u{9b}' => &mut self.escapes,
            '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' => &mut self.widthless,
            // Joiners are part of emoji and of scripts such as Persian; between ASCII letters they hide.
            '\u{200c}' | '\u{200d}' | '\u{ad}' if before.is_ascii_alphanumeric() => {
                &mut self.widthless
            }
            '\u{feff}' if span.start > 0 => &mut self.widthless,
            // Letters to every language, blanks to every reader.
            '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}' => &mut self.gaps,
            _ => return,
        };
        kind.0 += 1;
        kind.1.get_or_insert(span);
    }

    fn report(self, file: usize, is_code: bool, findings: &mut Findings<'_>) {
        let mut add = |(count, span): (usize, Option<Span>), severity, one: &str, many: &str| {
            if count > 0 {
                let what = if count == 1 { one } else { many };
                let message = format!("{count} {what}");
                findings.add_file(&RULE, file, span, severity, message);
            }
        };
        add(
            self.tags,
            Severity::Critical,
            "tag character, which only a model reads",
            "tag characters, which only a model reads",
        );
        add(
            self.overrides,
            Severity::High,
            "character that turns the order of the text around",
            "characters that turn the order of the text around",
        );
        add(
            self.escapes,
            Severity::Medium,
            "escape that a terminal obeys",
            "escapes that a terminal obeys",
        );
        let many = self.selectors.0 >= 8;
        add(
            self.selectors,
            if many {
                Severity::Critical
            } else {
                Severity::Low
            },
            "variation selector, which can carry a hidden message",
            "variation selectors, which can carry a hidden message",
        );
        let severity = match self.widthless.0 {
            0..=3 => Severity::Info,
            4..=15 => Severity::Low,
            _ => Severity::Medium,
        };
        add(
            self.widthless,
            severity,
            "character without a width",
            "characters without a width",
        );
        let severity = if is_code {
            Severity::High
        } else {
            Severity::Info
        };
        add(
            self.gaps,
            severity,
            "letter that nobody sees",
            "letters that nobody sees",
        );
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}
