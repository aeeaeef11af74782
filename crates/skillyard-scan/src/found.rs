//! Collects what the rules find: the words it is shown with, and the statement it is about.

use std::collections::BTreeMap;
use std::ops::Range;

use skillyard_format::{LineIndex, Span};

use super::context::{Weighed, lowered};
use super::facts::Seen;
use super::finding::{Finding, More, Severity};
use super::here::Here;
use super::kept::Kept;
use super::prepare::Place;
use super::reading::{Places, put_nulls_back};
use super::rules::Rule;
use super::statement::{Digests, Statement, block_of, blocks};
use super::subject::Subject;

/// Most characters of evidence.
const MAX_EVIDENCE: usize = 160;
/// Most bytes of a statement that are shown where all of it is meant.
const MAX_SHOWN: usize = 200;

/// The rules that are asked about words in files that are no text: what no data holds by chance,
/// and does harm whatever it is in.
const ASKED_OF_DATA: [&str; 4] = [
    "scan-pipe-to-shell",
    "scan-download-execute",
    "scan-decode-execute",
    "scan-reverse-shell",
];

/// Collects what the rules find.
pub(crate) struct Findings<'a> {
    subject: &'a Subject<'a>,
    /// The findings of each rule in each file.
    found: BTreeMap<(&'static str, usize), Kept>,
    /// How many findings are kept.
    count: usize,
    lines: BTreeMap<usize, LineIndex<'a>>,
    /// Where the blocks of each file stand.
    blocks: BTreeMap<usize, BTreeMap<usize, Span>>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            found: BTreeMap::new(),
            count: 0,
            lines: BTreeMap::new(),
            blocks: BTreeMap::new(),
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
        let weighed = severity.into();
        self.add_about(rule, here, range, weighed, message, Statement::of(here));
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
        let range = inside(seen, &here);
        self.add(rule, &here, range, severity.named(), message);
    }

    /// Notes that a fact breaks `rule` together with others of its script or block.
    pub(crate) fn add_together(
        &mut self,
        rule: &'static Rule,
        seen: &Seen,
        severity: Severity,
        message: impl Into<String>,
    ) {
        self.add_across(rule, seen, &[], severity, message);
    }

    /// Notes that a fact breaks `rule` together with what other files do.
    pub(crate) fn add_across(
        &mut self,
        rule: &'static Rule,
        seen: &Seen,
        others: &[usize],
        severity: Severity,
        message: impl Into<String>,
    ) {
        let here = self.subject.here(seen);
        let range = inside(seen, &here);
        let statement = self.block(&here).with(others);
        self.add_about(rule, &here, range, severity.named(), message, statement);
    }

    /// Notes that what came from other statements of its block breaks `rule` here.
    pub(crate) fn add_flow(
        &mut self,
        rule: &'static Rule,
        here: &Here<'_>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let range = 0..here.text.len().min(MAX_SHOWN);
        let statement = self.block(here);
        self.add_about(rule, here, range, severity.named(), message, statement);
    }

    /// Notes that `rule` applies to a place of a file's source, or to all of it.
    pub(crate) fn add_source(
        &mut self,
        rule: &'static Rule,
        file: usize,
        span: Option<Span>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let statement = span.map_or(Statement::FILE, Statement::at);
        self.note(rule, file, span, severity, message.into(), statement);
    }

    /// Notes that `rule` applies to a whole file, and where that is seen first.
    pub(crate) fn add_file(
        &mut self,
        rule: &'static Rule,
        file: usize,
        first: Option<Span>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        self.note(rule, file, first, severity, message.into(), Statement::FILE);
    }

    fn add_about(
        &mut self,
        rule: &'static Rule,
        here: &Here<'_>,
        range: Range<usize>,
        severity: Weighed,
        message: impl Into<String>,
        statement: Statement,
    ) {
        let severity = lowered(here, &range, severity);
        let span = match here.unit.place {
            // Every place in it came from the same encoded text, which is shown whole.
            Place::Decoded => here.file.origin(here.unit),
            _ => here.file.span(here.at(&range)),
        };
        let (file, message) = (here.index.0, message.into());
        self.note(rule, file, Some(span), severity, message, statement);
    }

    fn note(
        &mut self,
        rule: &'static Rule,
        file: usize,
        span: Option<Span>,
        severity: Severity,
        message: String,
        statement: Statement,
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
            message,
            evidence: shortened(excerpt),
            help: rule.help,
            statement: None,
        };
        let statement = statement.on_lines(lines);
        let of_rule = self.found.entry((rule.code, file)).or_default();
        of_rule.add(finding, statement, &mut self.count);
    }

    /// The script or the fenced block that a unit is part of.
    fn block(&mut self, here: &Here<'_>) -> Statement {
        let file = here.index.0;
        let prepared = &self.subject.files[file];
        let of_file = self.blocks.entry(file).or_insert_with(|| blocks(prepared));
        let block = of_file.get(&block_of(prepared, here.unit));
        block.map_or_else(|| Statement::of(here), |span| Statement::at(*span))
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

    /// The findings, and those that there was no room for.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<More>) {
        for (index, file) in self.subject.files.iter().enumerate() {
            let of_file = self.found.iter_mut().filter(|((_, of), _)| *of == index);
            let findings = of_file.flat_map(|(_, kept)| kept.findings.values_mut());
            let findings = findings.map(|(finding, _)| finding);
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
        let mut digests = Digests::new(&self.subject.files);
        let mut findings = Vec::new();
        let mut more = Vec::new();
        for ((code, file), kept) in self.found {
            for (finding, statement) in kept.findings.into_values() {
                findings.push(Finding {
                    statement: Some(digests.of(file, statement)),
                    ..finding
                });
            }
            more.extend(kept.more.into_iter().map(|(severity, count)| More {
                code,
                severity,
                path: self.subject.files[file].path.to_owned(),
                count,
            }));
        }
        (findings, more)
    }
}

/// Where in its unit a fact was seen.
fn inside(seen: &Seen, here: &Here<'_>) -> Range<usize> {
    let base = here.unit.range.start;
    seen.range.start - base..seen.range.end - base
}

/// Text on one line, with its end left out if it is long.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(MAX_EVIDENCE).collect();
    let text = words.join(" ");
    match text.char_indices().nth(MAX_EVIDENCE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
