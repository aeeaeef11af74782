//! What a rule is, and the collector of its findings: evidence, limits, and the text that a finding
//! is about.
//!
//! A user who accepts a finding accepts all the text that it is about and no more: the statement or
//! paragraph on its whole lines, the script or block of combined facts, or the whole file.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memchr;
use skillyard_format::{Digest, LineIndex, Span};

use crate::decode_text::{OffsetMapping, restore_nulls};
use crate::facts::FactMatch;
use crate::finding::{Finding, OmittedFindings, Severity};
use crate::prepare::{PreparedFile, Unit, UnitKind};
use crate::severity_context::{ContextSeverity, adjusted};
use crate::skill::{PreparedSkill, UnitContext};

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name for users.
    pub code: &'static str,
    /// The worst severity it gives.
    pub severity: Severity,
    /// Its documentation, in Markdown.
    pub explanation: &'static str,
    /// What to do about a finding.
    pub help: &'static str,
    pub(crate) check: Check,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Each unit that contains one of the keywords.
    Unit {
        keywords: &'static [&'static str],
        run: fn(&UnitContext<'_>, &mut Findings<'_>),
    },
    /// The skill as a whole.
    Skill(fn(&PreparedSkill<'_>, &mut Findings<'_>)),
}

/// Maximum characters of evidence.
const MAX_EVIDENCE: usize = 160;
/// Maximum bytes of a statement that are shown as evidence.
const MAX_SHOWN: usize = 200;

/// The rules that are asked about words in binary files: what no data contains by chance,
/// and does harm whatever it is in.
const RULES_FOR_BINARY: [&str; 4] = [
    "scan-pipe-to-shell",
    "scan-download-execute",
    "scan-decode-execute",
    "scan-reverse-shell",
];

/// Collects what the rules find.
pub(crate) struct Findings<'a> {
    skill: &'a PreparedSkill<'a>,
    /// The findings of each rule in each file.
    found: BTreeMap<(&'static str, usize), RuleFindings>,
    /// How many findings are kept.
    count: usize,
    lines: BTreeMap<usize, LineIndex<'a>>,
    /// Where the blocks of each file stand.
    blocks: BTreeMap<usize, BTreeMap<usize, Span>>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(skill: &'a PreparedSkill<'a>) -> Self {
        Self {
            skill,
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
        ctx: &UnitContext<'_>,
        range: Range<usize>,
        severity: impl Into<ContextSeverity>,
        message: impl Into<String>,
    ) {
        let weighed = severity.into();
        self.add_about(rule, ctx, range, weighed, message, FindingScope::of(ctx));
    }

    /// Notes that a fact that was seen breaks `rule`.
    pub(crate) fn add_fact(
        &mut self,
        rule: &'static Rule,
        seen: &FactMatch,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let ctx = self.skill.context(seen);
        let range = range_in_unit(seen, &ctx);
        self.add(rule, &ctx, range, severity.even_quoted(), message);
    }

    /// Notes that a fact breaks `rule` together with others of its script or block.
    pub(crate) fn add_in_block(
        &mut self,
        rule: &'static Rule,
        seen: &FactMatch,
        severity: Severity,
        message: impl Into<String>,
    ) {
        self.add_across_files(rule, seen, &[], severity, message);
    }

    /// Notes that a fact breaks `rule` together with what other files do.
    pub(crate) fn add_across_files(
        &mut self,
        rule: &'static Rule,
        seen: &FactMatch,
        others: &[usize],
        severity: Severity,
        message: impl Into<String>,
    ) {
        let ctx = self.skill.context(seen);
        let range = range_in_unit(seen, &ctx);
        let statement = self.block(&ctx).with(others);
        self.add_about(
            rule,
            &ctx,
            range,
            severity.even_quoted(),
            message,
            statement,
        );
    }

    /// Notes that what came from other statements of its block breaks `rule` here.
    pub(crate) fn add_flow(
        &mut self,
        rule: &'static Rule,
        ctx: &UnitContext<'_>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let range = 0..ctx.text.len().min(MAX_SHOWN);
        let statement = self.block(ctx);
        self.add_about(rule, ctx, range, severity.even_quoted(), message, statement);
    }

    /// Notes that `rule` applies to a place of a file's source, or to all of it.
    pub(crate) fn add_span(
        &mut self,
        rule: &'static Rule,
        file: usize,
        span: Option<Span>,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let statement = span.map_or(FindingScope::FILE, FindingScope::at);
        self.record(rule, file, span, severity, message.into(), statement);
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
        self.record(
            rule,
            file,
            first,
            severity,
            message.into(),
            FindingScope::FILE,
        );
    }

    fn add_about(
        &mut self,
        rule: &'static Rule,
        ctx: &UnitContext<'_>,
        range: Range<usize>,
        severity: ContextSeverity,
        message: impl Into<String>,
        statement: FindingScope,
    ) {
        let severity = adjusted(ctx, &range, severity);
        let span = match ctx.unit.kind {
            // Every place in it came from the same encoded text, which is shown whole.
            UnitKind::Decoded => ctx.file.origin(ctx.unit),
            _ => ctx.file.span(ctx.at(&range)),
        };
        let (file, message) = (ctx.index.0, message.into());
        self.record(rule, file, Some(span), severity, message, statement);
    }

    fn record(
        &mut self,
        rule: &'static Rule,
        file: usize,
        span: Option<Span>,
        severity: Severity,
        message: String,
        statement: FindingScope,
    ) {
        let is_data = !self.skill.files[file].is_text;
        if is_data && span.is_some() && !RULES_FOR_BINARY.contains(&rule.code) {
            return;
        }
        let source: &'a str = &self.skill.files[file].source;
        let lines = self
            .lines
            .entry(file)
            .or_insert_with(|| LineIndex::new(source));
        let line = span.map_or(1, |span| lines.position(span.start).line);
        let excerpt = span.map_or("", |span| span.of(source));
        let finding = Finding {
            code: rule.code,
            severity,
            path: self.skill.files[file].path.to_owned(),
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
    fn block(&mut self, ctx: &UnitContext<'_>) -> FindingScope {
        let file = ctx.index.0;
        let prepared = &self.skill.files[file];
        let of_file = self.blocks.entry(file).or_insert_with(|| blocks(prepared));
        let block = of_file.get(&block_of(prepared, ctx.unit));
        block.map_or_else(|| FindingScope::of(ctx), |span| FindingScope::at(*span))
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
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<OmittedFindings>) {
        for (index, file) in self.skill.files.iter().enumerate() {
            let of_file = self.found.iter_mut().filter(|((_, of), _)| *of == index);
            let findings = of_file.flat_map(|(_, kept)| kept.findings.values_mut());
            let findings = findings.map(|(finding, _)| finding);
            match file.offsets {
                OffsetMapping::Same | OffsetMapping::Marked => {}
                OffsetMapping::WithoutNulls => {
                    let spans = findings.filter_map(|each| each.span.as_mut());
                    restore_nulls(file.bytes, &mut spans.collect::<Vec<_>>());
                }
                OffsetMapping::Lost => findings.for_each(|each| {
                    each.span = None;
                    each.line = 1;
                }),
            }
        }
        let mut digests = ScopeDigests::new(&self.skill.files);
        let mut findings = Vec::new();
        let mut more = Vec::new();
        for ((code, file), kept) in self.found {
            for (finding, statement) in kept.findings.into_values() {
                findings.push(Finding {
                    statement: Some(digests.of(file, statement)),
                    ..finding
                });
            }
            more.extend(
                kept.more
                    .into_iter()
                    .map(|(severity, count)| OmittedFindings {
                        code,
                        severity,
                        path: self.skill.files[file].path.to_owned(),
                        count,
                    }),
            );
        }
        (findings, more)
    }
}

/// Where in its unit a fact was seen.
fn range_in_unit(seen: &FactMatch, ctx: &UnitContext<'_>) -> Range<usize> {
    let base = ctx.unit.range.start;
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

/// How many findings of one rule in one file are always kept.
const MIN_PER_RULE: usize = 10;
/// Most findings of one rule in one file that are kept.
const MAX_PER_RULE: usize = 1_000;
/// Most findings of a skill that are kept, but for those that always are.
const MAX_PER_SKILL: usize = 20_000;

/// The findings of one rule in one file.
#[derive(Debug, Default)]
pub(super) struct RuleFindings {
    /// The findings that are kept and what they are about, by line.
    pub(super) findings: BTreeMap<usize, (Finding, FindingScope)>,
    /// How many of each severity are.
    counts: BTreeMap<Severity, usize>,
    /// How many of each severity there was no room for.
    pub(super) more: BTreeMap<Severity, usize>,
    /// The last line that there was no room for.
    last: Option<usize>,
}

impl RuleFindings {
    /// Takes a finding, if it is the first or the worst of its line and there is room; a worse one
    /// takes the place of the mildest. `in_all` is how many findings of the skill are kept.
    ///
    /// The one that is kept of a line is about all that was found on it.
    pub(super) fn add(&mut self, finding: Finding, statement: FindingScope, in_all: &mut usize) {
        let (line, severity) = (finding.line, finding.severity);
        if let Some((old, known)) = self.findings.get_mut(&line) {
            known.join(&statement);
            if old.severity < severity {
                take(&mut self.counts, old.severity);
                *self.counts.entry(severity).or_default() += 1;
                *old = finding;
            }
            return;
        }
        let count = self.findings.len();
        if count < MIN_PER_RULE || count < MAX_PER_RULE && *in_all < MAX_PER_SKILL {
            *in_all += 1;
            self.insert(finding, statement);
            return;
        }
        let milder = self.counts.keys().next().copied();
        let milder = milder.filter(|milder| *milder < severity);
        let mut kept = self.findings.iter();
        let place = milder.and_then(|milder| kept.find(|(_, (each, _))| each.severity == milder));
        match place.map(|(line, (each, _))| (*line, each.severity)) {
            Some((place, milder)) => {
                self.findings.remove(&place);
                take(&mut self.counts, milder);
                *self.more.entry(milder).or_default() += 1;
                self.insert(finding, statement);
            }
            // What stands on one line counts once.
            None if self.last == Some(line) => {}
            None => {
                self.last = Some(line);
                *self.more.entry(severity).or_default() += 1;
            }
        }
    }

    fn insert(&mut self, finding: Finding, statement: FindingScope) {
        *self.counts.entry(finding.severity).or_default() += 1;
        self.findings.insert(finding.line, (finding, statement));
    }
}

/// Counts one less, and forgets what there is none of.
fn take(counts: &mut BTreeMap<Severity, usize>, severity: Severity) {
    if let Some(count) = counts.get_mut(&severity) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&severity);
        }
    }
}

/// The text that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FindingScope {
    /// Where it stands in the source; nowhere if it is the whole file.
    lines: Option<Span>,
    /// Where that stands in the plain text which was put together from other places, too.
    assembled: Option<Span>,
    /// The other files that have a part in it.
    with: Vec<usize>,
}

impl FindingScope {
    /// A whole file.
    pub(super) const FILE: Self = Self {
        lines: None,
        assembled: None,
        with: Vec::new(),
    };

    /// A place in the source of a file.
    pub(super) fn at(span: Span) -> Self {
        Self {
            lines: Some(span),
            ..Self::FILE
        }
    }

    /// A unit.
    pub(super) fn of(ctx: &UnitContext<'_>) -> Self {
        let range = &ctx.unit.range;
        let assembled = ctx.unit.assembled;
        Self {
            assembled: assembled.then(|| Span::new(range.start, range.end)),
            ..Self::at(ctx.file.origin(ctx.unit))
        }
    }

    /// This scope together with other files.
    pub(super) fn with(self, files: &[usize]) -> Self {
        Self {
            with: files.to_vec(),
            ..self
        }
    }

    /// Extends the scope to whole lines: only one finding of a rule is kept per line.
    pub(super) fn on_lines(mut self, lines: &LineIndex<'_>) -> Self {
        if let Some(span) = &mut self.lines {
            span.start = lines.line(span.start).start;
            span.end = lines.line(span.end.saturating_sub(1).max(span.start)).end;
        }
        self
    }

    /// Both.
    pub(super) fn join(&mut self, other: &Self) {
        let both = |a: Span, b: Span| Span::new(a.start.min(b.start), a.end.max(b.end));
        self.lines = self.lines.zip(other.lines).map(|(a, b)| both(a, b));
        self.assembled = match (self.assembled, other.assembled) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (one, another) => one.or(another),
        };
        self.with.extend(&other.with);
        self.with.sort_unstable();
        self.with.dedup();
    }
}

/// The digests of statements, each made once: a paragraph can have a finding on every line.
pub(super) struct ScopeDigests<'a> {
    files: &'a [PreparedFile<'a>],
    /// Whether the text of a file is all that it says, and can be read in one way only.
    are_plain: BTreeMap<usize, bool>,
    known: BTreeMap<(usize, FindingScope), Digest>,
}

impl<'a> ScopeDigests<'a> {
    /// Those of statements in these files.
    pub(super) const fn new(files: &'a [PreparedFile<'a>]) -> Self {
        Self {
            files,
            are_plain: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// The digest of a statement in a file.
    pub(super) fn of(&mut self, file: usize, mut statement: FindingScope) -> Digest {
        let files = self.files;
        let is_plain = self.are_plain.entry(file).or_insert_with(|| {
            let file = &files[file];
            file.offsets == OffsetMapping::Same && memchr(0, file.bytes).is_none()
        });
        if !*is_plain {
            statement.lines = None;
        }
        let new = |key: &(usize, FindingScope)| digest(files, file, &key.1);
        let entry = self.known.entry((file, statement));
        *entry.or_insert_with_key(new)
    }
}

fn digest(files: &[PreparedFile<'_>], file: usize, statement: &FindingScope) -> Digest {
    let prepared = &files[file];
    let mut text = match statement.lines {
        // Line endings depend on how the files were checked out.
        Some(span) => span.of(&prepared.source).replace("\r\n", "\n").into_bytes(),
        None => Digest::of(prepared.bytes).to_string().into_bytes(),
    };
    if let Some(span) = statement.assembled {
        text.push(0);
        text.extend_from_slice(span.of(&prepared.folded.text).as_bytes());
    }
    for other in &statement.with {
        text.push(0);
        text.extend_from_slice(Digest::of(files[*other].bytes).as_bytes());
    }
    Digest::of(&text)
}

/// Where each script and each fenced block of a file stands, which is found once.
pub(super) fn blocks(file: &PreparedFile<'_>) -> BTreeMap<usize, Span> {
    let mut blocks: BTreeMap<usize, Span> = BTreeMap::new();
    for unit in &file.units {
        let span = file.origin(unit);
        let block = blocks.entry(block_of(file, unit)).or_insert(span);
        block.start = block.start.min(span.start);
        block.end = block.end.max(span.end);
    }
    blocks
}

/// The key of a unit's block among [`blocks`]: what a document says in code is a block of its own.
pub(super) fn block_of(file: &PreparedFile<'_>, unit: &Unit) -> usize {
    if file.is_document && unit.kind == UnitKind::Decoded {
        usize::MAX
    } else {
        unit.block
    }
}
