//! Findings that were accepted: a baseline is applied, or written.

use std::path::Path;

use skillyard_scan::Severity;

use crate::baseline::{Baseline, Stale, Used, Wanted, rendered};
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::report::counted;
use crate::report::scan::Scanned;

/// Takes out what the baseline accepts, and returns what it accepts in vain.
pub(super) fn accept(baseline: &Baseline, scanned: &mut [Scanned]) -> Vec<Stale> {
    let mut used = Used::new(baseline);
    for skill in scanned.iter_mut() {
        skill.accepted = used.apply(&skill.name, &mut skill.report);
    }
    let skills: Vec<&str> = scanned.iter().map(|skill| skill.name.as_str()).collect();
    used.stale(&skills)
}

/// What is wrong with a baseline that can be used nevertheless.
pub(super) fn warning(file: &Path, baseline: &Baseline) -> Option<String> {
    let (accept, them) = match baseline.loose() {
        0 => return None,
        1 => ("1 entry accepts".to_owned(), "it"),
        many => (format!("{many} entries accept"), "them"),
    };
    let file = file.display();
    Some(format!(
        "{accept} by the first words of what was found (`evidence`), whatever follows them and however often; \
         look at what is accepted (`scan --baseline {file} --json`), and write {them} anew with `scan --baseline {file} --write-baseline`, which keeps the reasons"
    ))
}

/// Writes what was found into the baseline.
pub(super) fn write_baseline(
    context: &Context,
    file: &Path,
    scanned: &[Scanned],
    reason: Option<&str>,
) -> Outcome {
    let reason = reason.unwrap_or_default();
    let found: Vec<Wanted<'_>> = scanned
        .iter()
        .map(|skill| Wanted {
            skill: &skill.name,
            findings: skill.report.at_least(Severity::Low).collect(),
        })
        .collect();
    let count: usize = found.iter().map(|each| each.findings.len()).sum();
    let entries = Baseline::begun(file)?.renewed(&found, reason);
    let lacks_reason = entries.iter().any(|entry| entry.reason.trim().is_empty());
    std::fs::write(file, rendered(entries)).map_err(|source| CommandError::Write {
        path: file.to_owned(),
        source,
    })?;
    let shown = crate::sanitize::visible(&file.to_string_lossy()).into_owned();
    context
        .printer
        .note(&format!("Wrote {} to `{shown}`", counted(count, "finding")));
    let more = scanned.iter().flat_map(|skill| &skill.report.more);
    let more: usize = more.map(|each| each.count).sum();
    if more > 0 {
        context.printer.note(&format!(
            "{} are too many to be accepted one by one, and will still be found",
            counted(more, "finding")
        ));
    }
    if lacks_reason {
        context
            .printer
            .note("Give each a `reason` before it is used");
    }
    Ok(Status::Yes)
}
