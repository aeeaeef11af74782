//! A unit of a skill and its surroundings, as the rules ask about it.

use std::ops::Range;

use super::context::is_test;
use super::facts::{Fact, Seen};
use super::file::Language;
use super::grams::Grams;
use super::hosts;
use super::pattern::Pattern;
use super::prepare::{Place, Prepared, Unit};
use super::subject::Subject;
use super::text::Text;

static CHANGES: Pattern = Pattern::new(
    r#"write_text|writefile(?:sync)?\s*\(|appendfile\w*\s*\(|json\.dump\s*\(|open\s*\([^)]*,\s*['"][aw]|\.write\s*\(|(?:^|\s)>>?\s*\S|\btee\b|\bsed\s+-i|\bmv\s|set-content|add-content|out-file"#,
);

/// Most bytes of a title or of the words before a block; what each unit asks for must be short.
const MAX_TITLE: usize = 300;
/// What starts a program in JavaScript.
static CALLS: Pattern = Pattern::new(r"\b(?:exec|execfile|spawn|fork)(?:sync)?\s*\(");

/// Most calls of a statement that are looked at.
const MAX_CALLS: usize = 20;
/// Most units that are looked back over.
const MAX_BACK: usize = 200;

/// A unit and its surroundings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) file: &'a Prepared<'a>,
    pub(crate) unit: &'a Unit,
    /// Which file and which unit.
    pub(crate) index: (usize, usize),
    /// Its plain text.
    pub(crate) text: Text<'a>,
}

impl<'a> Here<'a> {
    pub(crate) fn new(subject: &'a Subject<'a>, file: usize, unit: usize) -> Self {
        let index = (file, unit);
        let file = &subject.files[file];
        let unit = &file.units[unit];
        let text = subject.text(index.0, index.1);
        Self {
            subject,
            file,
            unit,
            index,
            text,
        }
    }

    /// The same, with the sketch of its text, which is made if it has none.
    pub(crate) fn sketched<'b>(&self, grams: &'b mut Grams) -> Here<'b>
    where
        'a: 'b,
    {
        if self.text.grams().is_some() {
            return *self;
        }
        grams.read(&self.text);
        let text = Text::sketched(self.text.plain(), grams);
        Here { text, ..*self }
    }

    /// Whether it is words for the agent rather than code.
    pub(crate) fn is_prose(&self) -> bool {
        match self.unit.place {
            // Agents read data as they read anything else.
            Place::Prose | Place::Heading | Place::Frontmatter | Place::Hidden | Place::Data => {
                true
            }
            Place::Code => {
                let is_words = matches!(self.unit.language, Language::Other | Language::Data);
                is_words && self.file.is_document
            }
            Place::Comment | Place::Decoded => false,
        }
    }

    /// Whether it is written as code, in a script or a fenced block, or was encoded.
    pub(crate) fn is_code(&self) -> bool {
        matches!(self.unit.place, Place::Code | Place::Decoded | Place::Data)
    }

    /// Whether it is a statement that runs when its script or its block does.
    pub(crate) fn runs(&self) -> bool {
        match self.unit.place {
            Place::Code => self.unit.language != Language::Data,
            Place::Decoded => true,
            _ => false,
        }
    }

    /// Whether commands in it reach a shell: it is shell, or it starts programs.
    pub(crate) fn is_shell(&self) -> bool {
        match (self.unit.place, self.unit.language) {
            (Place::Code, Language::Shell | Language::PowerShell | Language::Other)
            | (Place::Decoded, _) => true,
            (Place::Code, Language::Python | Language::JavaScript | Language::Script) => {
                self.starts_programs()
            }
            _ => false,
        }
    }

    /// Whether the statement starts programs.
    pub(crate) fn starts_programs(&self) -> bool {
        let starts = |seen: &&Seen| matches!(seen.fact, Fact::Starts | Fact::Evaluates);
        let mut seen = self.facts().iter().filter(starts).peekable();
        let is_spoken_of = seen.peek().is_some();
        // The first sign of it may be the name of a module, and the call comes behind.
        let calls = || CALLS.ranges(self.text).take(MAX_CALLS);
        seen.any(|seen| !self.is_quoted(&self.inside(seen)))
            || is_spoken_of && calls().any(|range| !self.is_quoted(&range))
    }

    /// Whether its file is there to be tested with.
    pub(crate) fn is_of_tests(&self) -> bool {
        is_test(self.file.path)
    }

    /// Whether a fact was seen in this unit.
    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.facts().iter().any(|seen| seen.fact == fact)
    }

    /// Whether a fact was seen in this unit outside strings that nothing runs.
    pub(crate) fn does(&self, fact: Fact) -> bool {
        let starts = self.starts_programs();
        let mut seen = self.facts().iter().filter(|seen| seen.fact == fact);
        seen.any(|seen| starts || !self.is_quoted(&self.inside(seen)))
    }

    /// Where in this unit a fact was seen.
    fn inside(&self, seen: &Seen) -> Range<usize> {
        let base = self.unit.range.start;
        seen.range.start - base..seen.range.end - base
    }

    /// The facts that were seen in this unit.
    fn facts(&self) -> &'a [Seen] {
        let facts = &self.subject.facts;
        let place = |seen: &Seen| (seen.file, seen.unit);
        let start = facts.partition_point(|seen| place(seen) < self.index);
        let length = facts[start..].partition_point(|seen| place(seen) == self.index);
        &facts[start..start + length]
    }

    /// Whether the statement writes to a file.
    pub(crate) fn writes(&self) -> bool {
        CHANGES.is_match(self.text)
    }

    /// Whether it or one of the next statements writes to a file.
    pub(crate) fn writes_nearby(&self) -> bool {
        let last = (self.index.1 + 8).min(self.file.units.len());
        let mut after = self.file.units[self.index.1..last].iter();
        after.any(|unit| CHANGES.is_match(self.file.text(unit)))
    }

    /// Whether the skill is called like the host: the makers of a tool explain how to get it.
    pub(crate) fn is_own_host(&self) -> bool {
        let mut owners = hosts::urls(self.text).map(|url| hosts::owner(hosts::host(url)));
        let skill = self.subject.files.iter().find(|file| file.is_skill_file());
        let fields = || {
            let units = skill.into_iter().flat_map(|file| file.units.iter());
            let fields = units.take_while(|unit| unit.place == Place::Frontmatter);
            fields.filter_map(|unit| skill.map(|file| file.text(unit)))
        };
        let speaks_of = |name: &str| {
            let mut fields = fields().filter(|field| !field.contains("http"));
            fields.any(|field| field.contains(name))
        };
        owners.any(|owner| {
            let name = owner.split('.').next().unwrap_or(owner);
            name.len() > 3 && name != "githubusercontent" && name != "github" && speaks_of(name)
        })
    }

    /// The heading it stands under, as much of it as a title has.
    pub(crate) fn heading(&self) -> &'a str {
        let heading = self.unit.heading.and_then(|at| self.file.units.get(at));
        let text = heading.map_or("", |unit| self.file.text(unit));
        &text[..text.floor_char_boundary(MAX_TITLE)]
    }

    /// The end of the unit before it, where that is prose.
    pub(crate) fn introduction(&self) -> &'a str {
        let units = &self.file.units[..self.index.1];
        let near = units.iter().rev().take(MAX_BACK);
        let before = near.into_iter().find(|unit| unit.block != self.unit.block);
        match before {
            Some(unit) if matches!(unit.place, Place::Prose | Place::Heading) => {
                let text = self.file.text(unit);
                let start = text.len().saturating_sub(MAX_TITLE);
                &text[text.ceil_char_boundary(start)..]
            }
            _ => "",
        }
    }

    /// The units around this one, `far` of them on each side.
    pub(crate) fn around(&self, far: usize) -> impl Iterator<Item = &'a str> {
        let (from, until) = (self.index.1.saturating_sub(far), self.index.1 + far + 1);
        let file = self.file;
        let units = file.units.iter().take(until).skip(from);
        units.map(move |unit| file.text(unit))
    }

    /// The place in the file's plain text of a place in this unit.
    pub(crate) fn at(&self, range: &Range<usize>) -> Range<usize> {
        let base = self.unit.range.start;
        base + range.start..base + range.end
    }

    /// Whether a place in this unit is inside a string of a program.
    pub(crate) fn is_quoted(&self, range: &Range<usize>) -> bool {
        matches!(
            self.unit.language,
            Language::Python | Language::JavaScript | Language::Script
        ) && self.file.is_in_string(self.at(range).start)
    }
}
