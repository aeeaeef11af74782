//! Downloads that are saved, then run.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::facts::{Fact, FactMatch, Flow, FlowKind};
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

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

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for flow in &skill.flows {
        if flow.kind == FlowKind::FetchedRuns {
            check_flow(skill, flow, findings);
        }
    }
    for block in skill.blocks() {
        check_fetched(skill, block, findings);
        let (Some(download), Some(run)) = (
            skill.first_executed(block, Fact::Downloads),
            block
                .iter()
                .rev()
                .find(|seen| seen.fact == Fact::RunsFile && skill.context(seen).is_executed()),
        ) else {
            continue;
        };
        let far = run.unit.abs_diff(download.unit) > 12;
        let ctx = skill.context(download);
        if run.unit < download.unit || far {
            continue;
        }
        let severity = match standing(&ctx) {
            HostTrust::Doubtful | HostTrust::Plain => Severity::Critical,
            HostTrust::Unknown if ctx.unit.kind == UnitKind::Decoded => Severity::Critical,
            HostTrust::Unknown => Severity::Medium,
            HostTrust::Installer | HostTrust::Local => Severity::Low,
        };
        findings.add_in_block(
            &RULE,
            download,
            severity,
            "a file is downloaded and then started",
        );
    }
}

/// What was fetched is followed to the statement that runs it.
fn check_flow(skill: &PreparedSkill<'_>, flow: &Flow, findings: &mut Findings<'_>) {
    let ctx = UnitContext::new(skill, flow.to.0, flow.to.1);
    let source = UnitContext::new(skill, flow.from.0, flow.from.1);
    let is_forge = FORGE.is_match(source.text);
    let is_read_first = !ctx.file.is_document || ctx.file.is_skill_file();
    let is_received = RECEIVES.is_match(source.text);
    let severity = match flow.standing {
        Some(HostTrust::Local) => return,
        _ if is_received => Severity::High,
        Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::Critical,
        Some(HostTrust::Unknown) if !is_forge && is_read_first => Severity::High,
        Some(HostTrust::Unknown) | None => Severity::Medium,
        Some(HostTrust::Installer) => Severity::Low,
    };
    let verifies = source
        .surrounding_texts(12)
        .any(|text| VERIFIES.is_match(text));
    let steps = if verifies { 2 } else { 0 }
        + u8::from(is_forge)
        + u8::from(source.is_own_host() && ctx.file.is_document);
    let message = "what was fetched before is run";
    findings.add_flow(&RULE, &ctx, severity.lowered(steps), message);
}

/// What is fetched is run as code a few lines later.
fn check_fetched(skill: &PreparedSkill<'_>, block: &[FactMatch], findings: &mut Findings<'_>) {
    let Some(run) = skill.first_executed(block, Fact::Evaluates) else {
        return;
    };
    let fetch = block.iter().rev().find(|seen| {
        let near = seen.unit < run.unit && run.unit - seen.unit <= 8;
        seen.fact == Fact::Fetches && near && skill.context(seen).is_executed()
    });
    if let Some(fetch) = fetch {
        let severity = match standing(&skill.context(fetch)) {
            HostTrust::Local => Severity::Low,
            HostTrust::Doubtful | HostTrust::Plain => Severity::Critical,
            HostTrust::Unknown if !skill.files[run.file].is_document => Severity::High,
            HostTrust::Unknown | HostTrust::Installer => Severity::Medium,
        };
        findings.add_in_block(&RULE, fetch, severity, "what is fetched is run as code");
    }
}

fn standing(ctx: &UnitContext<'_>) -> HostTrust {
    hosts::least_trusted(ctx.text).unwrap_or(HostTrust::Unknown)
}
