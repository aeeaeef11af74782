//! What is found out about skills before they are installed: findings, signatures, trust.
//!
//! Everything here looks at the bytes in memory that will be written. A block stops the
//! installation, and no flag that answers questions lifts it.

use std::fmt::Write as _;

use rayon::prelude::*;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::plan::{Change, Plan};
use skillyard_trust::scan::{Finding, Severity};
use skillyard_trust::signature::{
    Place, SIGNATURE_FILE, Standing, Tree, Verification, verify_skill,
};
use skillyard_trust::verdict::Verdict;

use crate::commands::key::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::place::store;
use crate::install::scanner::Scanner;
use crate::installed;
use crate::permission::Permissions;
use crate::signing::{pins, policy};

/// The level of a finding from which on nothing is installed.
const BLOCKS: Severity = Severity::High;

/// A skill that passed.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) candidate: &'a Candidate,
    /// What the scanner found, none of it a block.
    pub(crate) findings: Vec<Finding>,
    pub(crate) verification: Verification,
    pub(crate) verdict: Verdict,
}

impl Checked<'_> {
    /// Who signed it, if they are trusted.
    pub(crate) fn signer(&self) -> Option<String> {
        match &self.verification {
            Verification::Trusted { signer, .. } => signer.pin(),
            _ => None,
        }
    }
}

/// Checks the skills whose bytes are new; `accepted` are codes of findings that the user accepts.
pub(crate) fn check<'a>(
    context: &Context,
    needed: &'a [Needed],
    plan: &Plan,
    accepted: &[String],
) -> Result<Vec<Checked<'a>>, CommandError> {
    let fresh: Vec<&Candidate> = needed
        .iter()
        .map(|each| &each.candidate)
        .filter(|candidate| has_new_bytes(plan, &candidate.name))
        .collect();
    if fresh.is_empty() {
        return Ok(Vec::new());
    }
    let permissions = Permissions::load(context)?;
    let signers = policy::load(&context.environment)?;
    let now = now().0;
    let scanner = Scanner::new(&store(context));
    let checked: Vec<Checked<'a>> = fresh
        .into_par_iter()
        .map(|candidate| {
            let place = Place {
                folder: Some(&candidate.name),
                source: Some(&candidate.source),
            };
            let verification = verify_skill(&signed_tree(candidate), &place, &signers, now);
            let signer = match &verification {
                Verification::Trusted { signer, .. } => signer.pin(),
                _ => None,
            };
            let provenance = installed::provenance(&candidate.origin, &candidate.source, signer);
            Checked {
                candidate,
                findings: scanner.findings(candidate),
                verification,
                verdict: permissions.verdict(&provenance),
            }
        })
        .collect();
    for each in &checked {
        refuse_signature(context, each)?;
        refuse_findings(context, each, accepted)?;
    }
    Ok(checked)
}

/// Remembers the first trusted signer of each skill, and what was found to be clean.
pub(crate) fn remember(context: &Context, checked: &[Checked<'_>]) -> Result<(), CommandError> {
    Scanner::new(&store(context)).remember(checked);
    for each in checked {
        if let Some(pin) = each.verification.pin(now().0) {
            pins::remember(&context.environment.pins_file(), pin)?;
        }
    }
    Ok(())
}

fn has_new_bytes(plan: &Plan, name: &str) -> bool {
    plan.changes.iter().any(|change| match change {
        Change::Added { to } => to.name == name,
        Change::Changed { from, to } => to.name == name && from.digest != to.digest,
        Change::Repaired { .. } | Change::Removed { .. } => false,
    })
}

/// The skill as its signature sees it; without one, only what it says about itself matters.
fn signed_tree(candidate: &Candidate) -> Tree {
    let is_signed = candidate.tree.get(SIGNATURE_FILE).is_some();
    let mut tree = Tree::default();
    for file in candidate.tree.files() {
        if is_signed || file.path.eq_ignore_ascii_case("SKILL.md") {
            tree.add(&file.path, file.executable, &file.bytes);
        }
    }
    tree
}

fn refuse_signature(context: &Context, checked: &Checked<'_>) -> Result<(), CommandError> {
    let reason = || checked.verification.reason().unwrap_or_default();
    let event = |kind| about(checked.candidate, kind);
    match checked.verification.standing() {
        Standing::Trusted => context.record(&event(EventKind::SignatureVerified)),
        Standing::Unproven => Ok(()),
        Standing::Refused => {
            let event = event(EventKind::SignatureFailed).ended(Outcome::Denied, reason());
            context.record(&event)?;
            Err(InstallFailure::Signature {
                name: checked.candidate.name.clone(),
                reason: reason(),
            }
            .into())
        }
    }
}

fn refuse_findings(
    context: &Context,
    checked: &Checked<'_>,
    accepted: &[String],
) -> Result<(), CommandError> {
    let severe = checked
        .findings
        .iter()
        .filter(|finding| finding.severity >= BLOCKS);
    let blocks: Vec<&Finding> = severe
        .filter(|finding| !accepted.iter().any(|code| code == finding.code))
        .collect();
    if blocks.is_empty() {
        return Ok(());
    }
    let events: Vec<Event> = blocks
        .iter()
        .map(|finding| {
            about(checked.candidate, EventKind::ScanFinding)
                .detail("code", finding.code)
                .detail("severity", finding.severity.name())
                .detail("file", format!("{}:{}", finding.path, finding.line))
                .ended(Outcome::Denied, finding.message.clone())
        })
        .collect();
    context.recorder()?.record_all(&events)?;
    Err(InstallFailure::Findings {
        name: checked.candidate.name.clone(),
        codes: blocks
            .iter()
            .map(|finding| finding.code.to_owned())
            .collect(),
        findings: blocks.iter().map(|finding| described(finding)).collect(),
    }
    .into())
}

/// A finding on one line.
pub(crate) fn described(finding: &Finding) -> String {
    let mut text = format!(
        "{} {}: {}",
        finding.severity.name(),
        finding.code,
        finding.message
    );
    let _ = write!(text, " ({}:{})", finding.path, finding.line);
    text
}

/// An event about a skill that is to be installed.
pub(crate) fn about(candidate: &Candidate, kind: EventKind) -> Event {
    Event::new(kind)
        .skill(&candidate.name)
        .digest(candidate.tree.digest().to_string())
        .source(&candidate.source)
        .origin(&candidate.origin.url)
        .trigger("install")
}
