//! One pass over each file: which words are where, which rules to ask, what they say.

use std::collections::BTreeSet;

use super::facts::Seen;
use super::file::File;
use super::finding::{Finding, More, Report};
use super::flow::flows;
use super::found::Findings;
use super::grams::Grams;
use super::here::Here;
use super::prepare::{Prepared, Unit};
use super::reading::Taken;
use super::rules::{ALL, Check};
use super::signals::SIGNALS;
use super::sketches::Sketches;
use super::subject::Subject;
use super::text::Text;
use super::words::{Question, WORDS};

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
    let (mut findings, more) = findings.finish();
    sort(&mut findings);
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

/// Puts the worst first, then by file and place.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let place = |each: &Finding| (each.path.clone(), each.line, each.code);
        b.severity
            .cmp(&a.severity)
            .then_with(|| place(a).cmp(&place(b)))
    });
}
