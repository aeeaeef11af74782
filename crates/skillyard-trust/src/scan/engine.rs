//! One pass over each file: which words are where, which rules to ask, what they say.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use skillyard_format::LineIndex;

use super::context::{Weighed, lowered};
use super::facts::Seen;
use super::file::File;
use super::finding::{Finding, Report, Severity};
use super::flow::flows;
use super::prepare::{Place, Prepared};
use super::rules::{ALL, Check, Rule};
use super::signals::SIGNALS;
use super::subject::{Here, Subject};

/// Most findings of one rule in one file; the hundredth says no more than the tenth.
const MOST_FINDINGS: usize = 10;
/// Most characters of evidence.
const MOST_EVIDENCE: usize = 160;

/// Looks at all files of a skill.
pub(super) fn scan(files: &[File<'_>]) -> Report {
    let prepared = files.iter().map(Prepared::new).collect();
    let mut subject = Subject::new(prepared);
    let words = &*WORDS;
    let mut examined = 0;
    let mut asked = Vec::new();
    for (index, file) in subject.files.iter().enumerate() {
        examined += file.folded.text.len();
        for (unit, question) in words.questions(file) {
            asked.push((index, unit, question));
        }
    }
    let mut facts = Vec::new();
    for &(file, unit, question) in &asked {
        let Question::Signal(signal) = question else {
            continue;
        };
        let here = Here::new(&subject, file, unit);
        examined += here.text.len();
        if let Some(range) = SIGNALS[signal].pattern.find(here.text) {
            facts.push(Seen {
                fact: SIGNALS[signal].fact,
                file,
                unit,
                range: here.at(&range),
            });
        }
    }
    subject.facts = facts;
    subject.flows = flows(&subject);
    let mut findings = Findings::new(&subject);
    for (file, unit, question) in asked {
        if let Question::Rule(rule) = question
            && let Check::Unit { ask, .. } = ALL[rule].check
        {
            let here = Here::new(&subject, file, unit);
            examined += here.text.len();
            ask(&here, &mut findings);
        }
    }
    for rule in ALL {
        if let Check::Skill(ask) = rule.check {
            ask(&subject, &mut findings);
        }
    }
    Report {
        findings: findings.finish(),
        files: files.len(),
        bytes: files.iter().map(|file| file.bytes.len()).sum(),
        examined,
    }
}

/// What a word makes worth asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Signal(usize),
    Rule(usize),
}

/// The words of all rules and signals, in one automaton.
struct Words {
    automaton: AhoCorasick,
    /// What each word makes worth asking, a bit for each question.
    questions: Vec<u128>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut by_word: BTreeMap<&str, u128> = BTreeMap::new();
    for (index, signal) in SIGNALS.iter().enumerate() {
        for word in signal.words {
            *by_word.entry(word).or_default() |= Question::Signal(index).bit();
        }
    }
    for (index, rule) in ALL.iter().enumerate() {
        if let Check::Unit { words, .. } = rule.check {
            for word in words {
                *by_word.entry(word).or_default() |= Question::Rule(index).bit();
            }
        }
    }
    Words {
        automaton: AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(by_word.keys())
            .expect("the words are constants"),
        questions: by_word.into_values().collect(),
    }
});

impl Question {
    /// Its bit; signals come first. A test sees to it that there is room for all.
    fn bit(self) -> u128 {
        let place = match self {
            Self::Signal(index) => index,
            Self::Rule(index) => SIGNALS.len() + index,
        };
        1 << place
    }

    /// The questions of a set, in order.
    fn all(mut set: u128) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let place = set.trailing_zeros() as usize;
            set &= set.checked_sub(1)?;
            Some(match place.checked_sub(SIGNALS.len()) {
                Some(index) => Self::Rule(index),
                None => Self::Signal(place),
            })
        })
    }
}

impl Words {
    /// Which questions are worth asking about which unit, in order.
    fn questions(&self, file: &Prepared<'_>) -> Vec<(usize, Question)> {
        let mut questions = Vec::new();
        let (mut unit, mut set) = (0, 0);
        for found in self.automaton.find_overlapping_iter(&file.folded.text) {
            let before = unit;
            while file
                .units
                .get(unit)
                .is_some_and(|each| each.range.end < found.end())
            {
                unit += 1;
            }
            if unit != before {
                questions.extend(Question::all(set).map(|question| (before, question)));
                set = 0;
            }
            let is_inside = file
                .units
                .get(unit)
                .is_some_and(|each| each.range.start <= found.start());
            if is_inside {
                set |= self.questions[found.pattern().as_usize()];
            }
        }
        questions.extend(Question::all(set).map(|question| (unit, question)));
        questions
    }
}

/// Collects what the rules find.
pub(crate) struct Findings<'a> {
    subject: &'a Subject<'a>,
    /// The findings of each rule in each file, by line.
    found: BTreeMap<(&'static str, usize), BTreeMap<usize, Finding>>,
    lines: BTreeMap<usize, LineIndex<'a>>,
}

impl<'a> Findings<'a> {
    fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            found: BTreeMap::new(),
            lines: BTreeMap::new(),
        }
    }

    /// Notes that `rule` applies at `range` of the unit, as bad as its surroundings leave it.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        here: &Here<'_>,
        range: Range<usize>,
        severity: impl Into<Weighed>,
        message: impl Into<String>,
    ) {
        let severity = lowered(here, &range, severity.into());
        let span = match here.unit.place {
            // Every place in it came from the same encoded text, which is shown whole.
            Place::Decoded => here.file.origin(here.unit),
            _ => here.file.span(here.at(&range)),
        };
        self.add_source(rule, here.index.0, Some(span), severity, message);
    }

    /// Notes that a fact that was seen breaks `rule`.
    pub(crate) fn add_seen(
        &mut self,
        rule: &'static Rule,
        seen: &Seen,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let here = self.subject.here(seen);
        let base = here.unit.range.start;
        let range = seen.range.start - base..seen.range.end - base;
        self.add(rule, &here, range, severity.named(), message);
    }

    /// Notes that `rule` applies to a place of a file's source.
    pub(crate) fn add_source(
        &mut self,
        rule: &'static Rule,
        file: usize,
        span: Option<skillyard_format::Span>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let source: &'a str = &self.subject.files[file].source;
        let lines = self
            .lines
            .entry(file)
            .or_insert_with(|| LineIndex::new(source));
        let line = span.map_or(1, |span| lines.position(span.start).line);
        let excerpt = span.map_or("", |span| span.of(source));
        let finding = Finding {
            code: rule.code,
            severity,
            path: self.subject.files[file].path.to_owned(),
            span,
            line,
            message: message.into(),
            evidence: shortened(excerpt),
            help: rule.help,
        };
        let of_rule = self.found.entry((rule.code, file)).or_default();
        let has_room = of_rule.len() < MOST_FINDINGS;
        match of_rule.get_mut(&line) {
            Some(old) if old.severity < severity => *old = finding,
            Some(_) => {}
            None if has_room => {
                of_rule.insert(line, finding);
            }
            // A worse finding takes the place of the mildest.
            None => {
                let mildest = of_rule.iter().min_by_key(|(_, each)| each.severity);
                if let Some((&mildest, _)) = mildest.filter(|(_, each)| each.severity < severity) {
                    of_rule.remove(&mildest);
                    of_rule.insert(line, finding);
                }
            }
        }
    }

    /// The findings, the worst first.
    fn finish(self) -> Vec<Finding> {
        let found = self.found.into_values().flat_map(BTreeMap::into_values);
        let mut findings: Vec<Finding> = found.collect();
        findings.sort_by(|a, b| {
            let place = |each: &Finding| (each.path.clone(), each.line, each.code);
            b.severity
                .cmp(&a.severity)
                .then_with(|| place(a).cmp(&place(b)))
        });
        findings
    }
}

/// Text on one line, with its end left out if it is long.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(MOST_EVIDENCE).collect();
    let text = words.join(" ");
    match text.char_indices().nth(MOST_EVIDENCE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_a_bit_of_its_own() {
        assert!(SIGNALS.len() + ALL.len() <= 128);
        let set = Question::Signal(0).bit() | Question::Rule(ALL.len() - 1).bit();
        let all: Vec<Question> = Question::all(set).collect();
        assert_eq!(all, [Question::Signal(0), Question::Rule(ALL.len() - 1)]);
    }
}
