//! One pass over each file: which words are where, which rules to ask, what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use skillyard_format::LineIndex;

use super::context::{Weighed, lowered};
use super::facts::Seen;
use super::file::File;
use super::finding::{Finding, More, Report, Severity};
use super::flow::flows;
use super::grams::Grams;
use super::here::Here;
use super::kept::Kept;
use super::prepare::{Place, Prepared, Unit};
use super::reading::{Places, Taken, put_nulls_back};
use super::rules::{ALL, Check, Rule};
use super::signals::SIGNALS;
use super::sketches::Sketches;
use super::subject::Subject;
use super::text::Text;
use super::words::{Question, WORDS};

/// Most characters of evidence.
const MOST_EVIDENCE: usize = 160;

/// The rules that are asked about words in files that are no text: what no data holds by chance,
/// and does harm whatever it is in.
const ASKED_OF_DATA: [&str; 4] = [
    "scan-pipe-to-shell",
    "scan-download-execute",
    "scan-decode-execute",
    "scan-reverse-shell",
];

/// Looks at all files of a skill, in every way in which their bytes can be read.
pub(super) fn scan(files: &[File<'_>]) -> Report {
    let (mut report, ambiguous) = scan_taken(files, Taken::Dropped);
    if !ambiguous.is_empty() {
        let (other, _) = scan_taken(files, Taken::Blank);
        report.examined += other.examined;
        let place = |each: &Finding| (each.code, each.path.clone(), each.line);
        let known: BTreeSet<_> = report.findings.iter().map(place).collect();
        let is_new = |each: &Finding| {
            ambiguous.contains(each.path.as_str()) && !known.contains(&place(each))
        };
        report
            .findings
            .extend(other.findings.into_iter().filter(is_new));
        sort(&mut report.findings);
        let known: BTreeSet<_> = report
            .more
            .iter()
            .map(|each| (each.code, &each.path))
            .collect();
        let is_new = |each: &More| {
            ambiguous.contains(each.path.as_str()) && !known.contains(&(each.code, &each.path))
        };
        let new: Vec<More> = other.more.into_iter().filter(is_new).collect();
        report.more.extend(new);
    }
    report
}

/// Looks at all files of a skill, whose bytes are taken in one way; and which could be taken in
/// another.
fn scan_taken<'a>(files: &[File<'a>], taken: Taken) -> (Report, BTreeSet<&'a str>) {
    let prepare = |file| Prepared::new(file, taken);
    let prepared: Vec<Prepared<'_>> = files.iter().map(prepare).collect();
    let ambiguous = prepared.iter().filter(|file| file.places.are_ambiguous());
    let ambiguous = ambiguous.map(|file| file.path).collect();
    let words = &*WORDS;
    let mut examined = 0;
    let mut asked = Vec::new();
    let mut facts = Vec::new();
    let mut grams = Grams::empty();
    let mut sketches = Sketches::of(prepared.iter().map(|file| file.units.len()).sum());
    for (index, file) in prepared.iter().enumerate() {
        examined += file.folded.text.len();
        sketches.next_file();
        for (at, unit) in file.units.iter().enumerate() {
            let text = file.text(unit);
            let (signals, rules) = words.questions(text, &mut grams).parted();
            sketches.keep(&grams);
            // Facts are put together, and data holds the words for any of them.
            if file.is_text && !signals.is_empty() {
                let text = Text::sketched(text, &grams);
                for question in signals.all() {
                    examined += text.len();
                    facts.extend(seen(question, text, (index, at), unit));
                }
            }
            if !rules.is_empty() {
                asked.push((index, at, rules));
            }
        }
    }
    let mut subject = Subject::new(prepared, facts, sketches);
    subject.flows = flows(&subject);
    let mut findings = Findings::new(&subject);
    for (file, unit, rules) in asked {
        let here = Here::new(&subject, file, unit);
        let here = here.sketched(&mut grams);
        for question in rules.all() {
            if let Question::Rule(rule) = question
                && let Check::Unit { ask, .. } = ALL[rule].check
            {
                examined += here.text.len();
                ask(&here, &mut findings);
            }
        }
    }
    for rule in ALL {
        if let Check::Skill(ask) = rule.check {
            ask(&subject, &mut findings);
        }
    }
    let (findings, more) = findings.finish();
    let report = Report {
        findings,
        more,
        files: files.len(),
        bytes: files.iter().map(|file| file.bytes.len()).sum(),
        examined,
    };
    (report, ambiguous)
}

/// The fact that a signal shows in a unit.
fn seen(question: Question, text: Text<'_>, at: (usize, usize), unit: &Unit) -> Option<Seen> {
    let Question::Signal(signal) = question else {
        return None;
    };
    let found = SIGNALS[signal].pattern.find(text)?;
    let base = unit.range.start;
    Some(Seen {
        fact: SIGNALS[signal].fact,
        file: at.0,
        unit: at.1,
        range: base + found.start..base + found.end,
    })
}

/// Collects what the rules find.
pub(crate) struct Findings<'a> {
    subject: &'a Subject<'a>,
    /// The findings of each rule in each file.
    found: BTreeMap<(&'static str, usize), Kept>,
    /// How many findings are kept.
    count: usize,
    lines: BTreeMap<usize, LineIndex<'a>>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            found: BTreeMap::new(),
            count: 0,
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
        let is_data = !self.subject.files[file].is_text;
        if is_data && span.is_some() && !ASKED_OF_DATA.contains(&rule.code) {
            return;
        }
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
        of_rule.add(finding, &mut self.count);
    }

    /// Whether a rule applies somewhere in a file, as far as was looked.
    pub(crate) fn has(&self, rule: &'static Rule, file: usize) -> bool {
        self.found.contains_key(&(rule.code, file))
    }

    /// Whether nothing was found.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The findings, the worst first, and those that there was no room for.
    fn finish(mut self) -> (Vec<Finding>, Vec<More>) {
        for (index, file) in self.subject.files.iter().enumerate() {
            let of_file = self.found.iter_mut().filter(|((_, of), _)| *of == index);
            let findings = of_file.flat_map(|(_, kept)| kept.findings.values_mut());
            match file.places {
                Places::Same | Places::Marked => {}
                Places::WithoutNulls => {
                    let spans = findings.filter_map(|each| each.span.as_mut());
                    put_nulls_back(file.bytes, &mut spans.collect::<Vec<_>>());
                }
                Places::Lost => findings.for_each(|each| {
                    each.span = None;
                    each.line = 1;
                }),
            }
        }
        let mut findings = Vec::new();
        let mut more = Vec::new();
        for ((code, file), kept) in self.found {
            findings.extend(kept.findings.into_values());
            more.extend(kept.more.into_iter().map(|(severity, count)| More {
                code,
                severity,
                path: self.subject.files[file].path.to_owned(),
                count,
            }));
        }
        sort(&mut findings);
        (findings, more)
    }
}

/// Puts the worst first, then by file and place.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let place = |each: &Finding| (each.path.clone(), each.line, each.code);
        b.severity
            .cmp(&a.severity)
            .then_with(|| place(a).cmp(&place(b)))
    });
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
