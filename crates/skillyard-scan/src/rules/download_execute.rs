//! Downloads that are saved, then run.

use super::{Findings, Here, Subject};
use crate::Severity;
use crate::facts::{Fact, Seen};
use crate::flow::{Flow, Kind};
use crate::hosts::{self, Standing};
use crate::pattern::Pattern;
use crate::prepare::Place;

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

/// Places where many people publish, and a reader can look first.
static FORGE: Pattern = Pattern::new(
    r"https?://(?:[\w-]+\.)*(?:github(?:usercontent)?\.com|gitlab\.com|bitbucket\.org|codeberg\.org|huggingface\.co|sourceforge\.net|pypi\.org|npmjs\.(?:com|org)|crates\.io|googleapis\.com|archive\.org)/",
);
static RECEIVES: Pattern = Pattern::new(r"\.recv\s*\(|\.gets\b|:receive\s*\(|getstream\s*\(");
static VERIFIES: Pattern = Pattern::new(
    r"sha(?:256|512|1)?sum|shasum|gpg\s+--verify|cosign\s+verify|hashlib|createhash|get-filehash|minisign",
);

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for flow in &subject.flows {
        if flow.kind == Kind::FetchedRuns {
            check_flow(subject, flow, findings);
        }
    }
    for block in subject.blocks() {
        check_fetched(subject, block, findings);
        let (Some(download), Some(run)) = (
            subject.first(block, Fact::Downloads),
            block
                .iter()
                .rev()
                .find(|seen| seen.fact == Fact::RunsFile && subject.here(seen).runs()),
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
        findings.add_together(
            &RULE,
            download,
            severity,
            "a file is downloaded and then started",
        );
    }
}

/// What was fetched is followed to the statement that runs it.
fn check_flow(subject: &Subject<'_>, flow: &Flow, findings: &mut Findings<'_>) {
    let here = Here::new(subject, flow.to.0, flow.to.1);
    let source = Here::new(subject, flow.from.0, flow.from.1);
    let is_forge = FORGE.is_match(source.text);
    let is_read_first = !here.file.is_document || here.file.is_skill_file();
    let is_received = RECEIVES.is_match(source.text);
    let severity = match flow.standing {
        Some(Standing::Local) => return,
        _ if is_received => Severity::High,
        Some(Standing::Doubtful | Standing::Plain) => Severity::Critical,
        Some(Standing::Unknown) if !is_forge && is_read_first => Severity::High,
        Some(Standing::Unknown) | None => Severity::Medium,
        Some(Standing::Installer) => Severity::Low,
    };
    let verifies = source.around(12).any(|text| VERIFIES.is_match(text));
    let steps = if verifies { 2 } else { 0 }
        + u8::from(is_forge)
        + u8::from(source.is_own_host() && here.file.is_document);
    let message = "what was fetched before is run";
    findings.add_flow(&RULE, &here, severity.lowered(steps), message);
}

/// What is fetched is run as code a few lines later.
fn check_fetched(subject: &Subject<'_>, block: &[Seen], findings: &mut Findings<'_>) {
    let Some(run) = subject.first(block, Fact::Evaluates) else {
        return;
    };
    let fetch = block.iter().rev().find(|seen| {
        let near = seen.unit < run.unit && run.unit - seen.unit <= 8;
        seen.fact == Fact::Fetches && near && subject.here(seen).runs()
    });
    if let Some(fetch) = fetch {
        let severity = match standing(&subject.here(fetch)) {
            Standing::Local => Severity::Low,
            Standing::Doubtful | Standing::Plain => Severity::Critical,
            Standing::Unknown if !subject.files[run.file].is_document => Severity::High,
            Standing::Unknown | Standing::Installer => Severity::Medium,
        };
        findings.add_together(&RULE, fetch, severity, "what is fetched is run as code");
    }
}

fn standing(here: &Here<'_>) -> Standing {
    hosts::worst(here.text).unwrap_or(Standing::Unknown)
}
