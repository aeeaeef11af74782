//! Runs the rules: one pass over each file selects, by keywords, the rules for each unit.

use std::collections::BTreeSet;

use crate::decode_text::DecodeMode;
use crate::facts::{FactMatch, SIGNALS};
use crate::file::File;
use crate::finding::{Finding, OmittedFindings, Report};
use crate::findings::{Check, Findings};
use crate::flow::flows;
use crate::keywords::{Candidate, KEYWORDS};
use crate::pattern::ScanText;
use crate::pattern::trigrams::{TrigramCache, Trigrams};
use crate::prepare::{PreparedFile, Unit};
use crate::rules::ALL;
use crate::skill::{PreparedSkill, UnitContext};

/// Looks at all files of a skill, in every way in which their bytes can be read.
pub(super) fn scan(files: &[File<'_>]) -> Report {
    let (mut report, ambiguous) = scan_decoded(files, DecodeMode::Dropped);
    if !ambiguous.is_empty() {
        let (other, _) = scan_decoded(files, DecodeMode::Blank);
        report.examined += other.examined;
        let sort_key = |each: &Finding| (each.code, each.path.clone(), each.line);
        let known: BTreeSet<_> = report.findings.iter().map(sort_key).collect();
        let is_new = |each: &Finding| {
            ambiguous.contains(each.path.as_str()) && !known.contains(&sort_key(each))
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
        let is_new = |each: &OmittedFindings| {
            ambiguous.contains(each.path.as_str()) && !known.contains(&(each.code, &each.path))
        };
        let new: Vec<OmittedFindings> = other.more.into_iter().filter(is_new).collect();
        report.more.extend(new);
    }
    report
}

/// Looks at all files of a skill, whose bytes are taken in one way; and which could be taken in
/// another.
fn scan_decoded<'a>(files: &[File<'a>], decode_mode: DecodeMode) -> (Report, BTreeSet<&'a str>) {
    let prepare = |file| PreparedFile::new(file, decode_mode);
    let prepared: Vec<PreparedFile<'_>> = files.iter().map(prepare).collect();
    let ambiguous = prepared.iter().filter(|file| file.offsets.is_ambiguous());
    let ambiguous = ambiguous.map(|file| file.path).collect();
    let keywords = &*KEYWORDS;
    let mut examined = 0;
    let mut selected = Vec::new();
    let mut facts = Vec::new();
    let mut trigrams = Trigrams::empty();
    let mut trigram_cache = TrigramCache::of(prepared.iter().map(|file| file.units.len()).sum());
    for (index, file) in prepared.iter().enumerate() {
        examined += file.folded.text.len();
        trigram_cache.next_file();
        for (at, unit) in file.units.iter().enumerate() {
            let text = file.text(unit);
            let (signals, rules) = keywords.candidates(text, &mut trigrams).split();
            trigram_cache.push(&trigrams);
            // Facts are put together, and data holds the words for any of them.
            if file.is_text && !signals.is_empty() {
                let text = ScanText::with_trigrams(text, &trigrams);
                for candidate in signals.all() {
                    examined += text.len();
                    facts.extend(fact_of(candidate, text, (index, at), unit));
                }
            }
            if !rules.is_empty() {
                selected.push((index, at, rules));
            }
        }
    }
    let mut skill = PreparedSkill::new(prepared, facts, trigram_cache);
    skill.flows = flows(&skill);
    let mut findings = Findings::new(&skill);
    for (file, unit, rules) in selected {
        let ctx = UnitContext::new(&skill, file, unit);
        let ctx = ctx.with_trigrams(&mut trigrams);
        for candidate in rules.all() {
            if let Candidate::Rule(rule) = candidate
                && let Check::Unit { run, .. } = ALL[rule].check
            {
                examined += ctx.text.len();
                run(&ctx, &mut findings);
            }
        }
    }
    for rule in ALL {
        if let Check::Skill(check) = rule.check {
            check(&skill, &mut findings);
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
fn fact_of(
    candidate: Candidate,
    text: ScanText<'_>,
    at: (usize, usize),
    unit: &Unit,
) -> Option<FactMatch> {
    let Candidate::Signal(signal) = candidate else {
        return None;
    };
    let found = SIGNALS[signal].pattern.find(text)?;
    let base = unit.range.start;
    Some(FactMatch {
        fact: SIGNALS[signal].fact,
        file: at.0,
        unit: at.1,
        range: base + found.start..base + found.end,
    })
}

/// Puts the worst first, then by file and place.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let sort_key = |each: &Finding| (each.path.clone(), each.line, each.code);
        b.severity
            .cmp(&a.severity)
            .then_with(|| sort_key(a).cmp(&sort_key(b)))
    });
}
