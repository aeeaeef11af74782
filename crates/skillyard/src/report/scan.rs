//! The result of `scan`: what was found in each skill, what was accepted, and the numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use skillyard_catalog::walk::Skipped;
use skillyard_format::LineIndex;
use skillyard_format::text::counted;
use skillyard_scan::{Finding, Report, Severity, SeveritySummary};

use super::text::print_findings;
use super::{FileNotes, Loudness, Noted};
use crate::library::skill_files::LeftOut;
use crate::printer::Printer;
use crate::report::FindingNote;
use crate::report::baseline::{Accepted, Stale};
use crate::text::elapsed;
use crate::text::sanitize::visible;

/// How many files of a skill that were not read are named.
const MAX_HIDDEN: usize = 5;
/// How many folders are named that no skill was looked for in.
const MAX_PASSED: usize = 20;

/// A skill that was scanned.
#[derive(Debug, Clone)]
pub(crate) struct Scanned {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// How it is called: the name of its folder.
    pub(crate) name: String,
    /// What was found and not accepted.
    pub(crate) report: Report,
    /// What was found and accepted.
    pub(crate) accepted: Vec<Accepted>,
    /// The texts of the files that something was found in.
    pub(crate) texts: BTreeMap<String, String>,
    /// What was not looked into, and why.
    pub(crate) skipped: Vec<(String, LeftOut)>,
    /// The severity from which on findings fail the command.
    pub(crate) fail_on: Severity,
    /// The severity from which on findings are shown.
    pub(crate) show: Severity,
}

impl Scanned {
    /// Whether something fails the command: a finding, or what could hide one.
    pub(crate) fn failed(&self) -> bool {
        self.report.worst() >= Some(self.fail_on) || self.hidden().next().is_some()
    }

    /// What was not looked into and could hold anything.
    fn hidden(&self) -> impl Iterator<Item = &(String, LeftOut)> {
        self.skipped.iter().filter(|(_, why)| why.hides())
    }
}

impl Noted for Scanned {
    fn files(&self) -> Vec<FileNotes<'_>> {
        let mut files: Vec<FileNotes<'_>> = Vec::new();
        for finding in self.report.at_least(self.show) {
            let path = displayed(&self.folder, &finding.path);
            let note = FindingNote {
                code: finding.code,
                loudness: self.loudness(finding.severity),
                label: finding.severity.name(),
                span: finding.span,
                message: &finding.message,
                help: Some(finding.help),
            };
            match files.iter_mut().find(|file| file.path == path) {
                Some(file) => file.notes.push(note),
                None => files.push(FileNotes {
                    path: Cow::Owned(path),
                    text: self.texts.get(&finding.path).map_or("", String::as_str),
                    notes: vec![note],
                }),
            }
        }
        files
    }
}

impl Scanned {
    fn loudness(&self, severity: Severity) -> Loudness {
        match severity {
            _ if severity >= self.fail_on => Loudness::Error,
            Severity::Info | Severity::Low => Loudness::Note,
            _ => Loudness::Warning,
        }
    }
}

fn displayed(folder: &Path, path: &str) -> String {
    folder.join(path).to_string_lossy().into_owned()
}

/// The result in numbers.
#[derive(Debug, Clone)]
pub(crate) struct ScanSummary {
    /// Skills scanned.
    pub(crate) skills: usize,
    /// Skills with something that fails the command.
    pub(crate) failed: usize,
    /// Findings of each severity, the worst first.
    pub(crate) counts: [(Severity, usize); 5],
    /// Findings that were accepted.
    pub(crate) accepted: usize,
    /// Files that were not looked into.
    pub(crate) skipped: usize,
    /// Folders that could not be looked into for skills, which fails the command.
    pub(crate) hidden: usize,
    /// The severity from which on findings fail the command.
    pub(crate) fail_on: Severity,
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl ScanSummary {
    /// Counts.
    pub(crate) fn new(
        scanned: &[Scanned],
        passed: &[Skipped],
        fail_on: Severity,
        elapsed: Duration,
    ) -> Self {
        let found: Vec<SeveritySummary> =
            scanned.iter().map(|each| each.report.summary()).collect();
        let of = |severity| found.iter().map(|each| each.of(severity)).sum();
        Self {
            skills: scanned.len(),
            failed: scanned.iter().filter(|each| each.failed()).count(),
            counts: Severity::ALL.map(|severity| (severity, of(severity))),
            accepted: scanned.iter().map(|each| each.accepted.len()).sum(),
            skipped: scanned.iter().map(|each| each.skipped.len()).sum(),
            hidden: passed.iter().filter(|each| each.hides()).count(),
            fail_on,
            elapsed,
        }
    }
}

/// Prints the findings, what is stale in the baseline, and the closing line.
pub(crate) fn print(
    printer: &Printer,
    scanned: &[Scanned],
    stale: &[Stale],
    summary: &ScanSummary,
) -> io::Result<()> {
    print_findings(printer, scanned)?;
    for skill in scanned {
        for more in &skill.report.more {
            if more.severity >= skill.show {
                let path = displayed(&skill.folder, &more.path);
                printer.note(&visible(&format!(
                    "and {} more at {} of `{}` in `{path}`",
                    more.count, more.severity, more.code
                )));
            }
        }
        for (path, why) in skill.hidden().take(MAX_HIDDEN) {
            let path = displayed(&skill.folder, path);
            printer.note(&visible(&format!("not read: `{path}`: {}", why.as_str())));
        }
    }
    for Stale { entry, found } in stale {
        let found = match found {
            0 => "is not found any more".to_owned(),
            found => format!("is found only {}", counted(*found, "time")),
        };
        printer.note(&visible(&format!(
            "The baseline accepts `{}` in `{}`, which {found}",
            entry.code, entry.path
        )));
    }
    printer.note(&closing_line(printer, summary));
    Ok(())
}

/// Names the folders that no skill was looked for in.
pub(crate) fn print_passed(printer: &Printer, passed: &[Skipped]) {
    let (hidden, chosen): (Vec<&Skipped>, Vec<&Skipped>) =
        passed.iter().partition(|each| each.hides());
    for each in hidden.iter().chain(&chosen).take(MAX_PASSED) {
        let (path, reason) = (each.path.display(), &each.reason);
        printer.note(&visible(&format!("not looked into: `{path}`: {reason}")));
    }
    let more = passed.len().saturating_sub(MAX_PASSED);
    if more > 0 {
        printer.note(&format!(
            "not looked into: {more} more, which `--json` names"
        ));
    }
}

fn closing_line(printer: &Printer, summary: &ScanSummary) -> String {
    let skills = counted(summary.skills, "skill");
    let time = elapsed(summary.elapsed);
    let verdict = match (summary.failed, summary.skills) {
        (0, _) if summary.hidden > 0 => "✗ failed".to_owned(),
        (0, _) => printer.good(&format!("✓ nothing at {} or above", summary.fail_on)),
        (1, 1) => "✗ failed".to_owned(),
        (failed, _) => format!("✗ {failed} failed"),
    };
    let mut parts = vec![verdict];
    let found = summary.counts.iter().filter(|(_, count)| *count > 0);
    parts.extend(found.map(|(severity, count)| format!("{count} {severity}")));
    if summary.accepted > 0 {
        parts.push(format!("{} accepted", summary.accepted));
    }
    if summary.skipped > 0 {
        parts.push(format!("{} not read", counted(summary.skipped, "file")));
    }
    if summary.hidden > 0 {
        let hidden = counted(summary.hidden, "folder");
        parts.push(format!("{hidden} not looked into"));
    }
    format!("Scanned {skills} in {time}: {}", parts.join(", "))
}

/// `{"results": […], "skipped": […], "stale": […], "warnings": […], "summary": {…}}`.
pub(crate) fn document(
    scanned: &[Scanned],
    passed: &[Skipped],
    stale: &[Stale],
    warnings: &[String],
    summary: &ScanSummary,
) -> impl Serialize {
    let mut counts = serde_json::Map::new();
    for (severity, count) in summary.counts {
        counts.insert(severity.name().to_owned(), json!(count));
    }
    let results: Vec<Value> = scanned.iter().map(result).collect();
    let skipped: Vec<Value> = passed
        .iter()
        .map(|each| {
            json!({
                "path": each.path.to_string_lossy(),
                "reason": each.reason,
                "failed": each.hides(),
            })
        })
        .collect();
    json!({
        "results": results,
        "skipped": skipped,
        "stale": stale,
        "warnings": warnings,
        "summary": {
            "skills": summary.skills,
            "failed": summary.failed,
            "hidden": summary.hidden,
            "failOn": summary.fail_on,
            "findings": counts,
            "accepted": summary.accepted,
        },
    })
}

fn result(scanned: &Scanned) -> Value {
    let skipped: Vec<Value> = scanned
        .skipped
        .iter()
        .map(|(path, reason)| json!({ "path": path, "reason": reason.as_str() }))
        .collect();
    let findings: Vec<Value> = scanned
        .report
        .findings
        .iter()
        .map(|each| finding(each, scanned))
        .collect();
    let accepted: Vec<Value> = scanned
        .accepted
        .iter()
        .map(|each| {
            let mut value = finding(&each.finding, scanned);
            value["reason"] = json!(each.reason);
            value
        })
        .collect();
    json!({
        "path": scanned.folder.to_string_lossy(),
        "name": scanned.name,
        "failed": scanned.failed(),
        "worst": scanned.report.worst(),
        "files": scanned.report.files,
        "bytes": scanned.report.bytes,
        "findings": findings,
        "more": scanned.report.more,
        "accepted": accepted,
        "skipped": skipped,
    })
}

fn finding(finding: &Finding, scanned: &Scanned) -> Value {
    let mut value = json!(finding);
    value["statement"] = json!(finding.statement);
    if let (Some(span), Some(text)) = (finding.span, scanned.texts.get(&finding.path)) {
        let lines = LineIndex::new(text);
        value["start"] = json!(lines.position(span.start));
        value["end"] = json!(lines.position(span.end));
    }
    value
}
