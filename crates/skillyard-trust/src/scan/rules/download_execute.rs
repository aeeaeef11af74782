//! Downloads that are saved, then run.

use super::{Findings, Here, Subject};
use crate::scan::Severity;
use crate::scan::facts::Fact;
use crate::scan::hosts::{self, Standing};
use crate::scan::prepare::Place;

rule! {
    /// A file is downloaded and then started.
    ///
    /// The steps stand in one script or one block: a download to a file, then `chmod +x`,
    /// an interpreter in a temporary folder, `Start-Process` or the like. Installers of
    /// well-known tools do it too, from their own hosts, which is a lower severity.
    ///
    /// **Fix:** put the program into the skill, or install it with a package manager that
    /// checks it.
    "scan-download-execute", Critical,
    "put the program into the skill, or install it with a package manager that checks it",
    skill: check
}

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for block in subject.blocks() {
        let (Some(download), Some(run)) = (
            subject.first(block, Fact::Downloads),
            block.iter().rev().find(|seen| seen.fact == Fact::RunsFile && subject.here(seen).runs()),
        ) else {
            continue;
        };
        let far = run.unit.abs_diff(download.unit) > 12;
        let here = subject.here(download);
        if run.unit < download.unit || far {
            continue;
        }
        let severity = match standing(&here) {
            Standing::Doubtful | Standing::Plain => Severity::Critical,
            Standing::Unknown if here.unit.place == Place::Decoded => Severity::Critical,
            Standing::Unknown => Severity::Medium,
            Standing::Installer | Standing::Local => Severity::Low,
        };
        findings.add_seen(&RULE, download, severity, "a file is downloaded and then started");
    }
}

fn standing(here: &Here<'_>) -> Standing {
    hosts::worst(here.text).unwrap_or(Standing::Unknown)
}
