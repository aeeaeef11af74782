//! What is refused, and recorded as such.

use std::fmt::Write as _;

use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::Locked;
use skillyard_install::tree as install;
use skillyard_scan::{Finding, Severity};
use skillyard_trust::signature::{
    Policy, SIGNATURE_FILE, SignatureStatus, SkillContext, Tree, Verification, verify_skill,
};

use super::Checked;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{InstallFailure, Operation, Refused, SignatureRemedy};
use crate::library::signers::revoked_by_lock;
use crate::signing::former::delivered_as;
use crate::signing::now;

/// The level of a finding from which on nothing is installed.
const BLOCKS: Severity = Severity::High;

/// Why a skill must not be used any more, by what a lock and its files say.
pub(crate) fn revocation(
    entry: &Locked,
    tree: Option<&install::Tree>,
    signers: &Policy,
) -> Option<String> {
    if let Some(revoked) = revoked_by_lock(entry, signers) {
        return Some(revoked.to_string());
    }
    let tree = tree?;
    let place = SkillContext {
        folder: Some(&entry.name),
        source: Some(&entry.source),
        delivered_as: delivered_as(entry, signers, || Some(tree.clone())),
        ..SkillContext::default()
    };
    let verification = verify_skill(&signed_tree(tree, signers), &place, signers, now().0);
    verification.revocation().map(ToString::to_string)
}

/// The skill as its signature sees it, or as content that may be revoked.
pub(super) fn signed_tree(files: &install::Tree, signers: &Policy) -> Tree {
    if files.get(SIGNATURE_FILE).is_none() && !signers.revokes_content() {
        let instructions = files.skill_file();
        return Tree::unsigned(instructions.map(|file| &file.bytes[..]));
    }
    let mut tree = Tree::default();
    for file in files.files() {
        tree.add(&file.path, file.executable, &file.bytes);
    }
    tree
}

pub(super) fn refuse_signature(
    context: &Context,
    candidate: &Candidate,
    verification: &Verification,
    way_out: SignatureRemedy,
) -> Result<(), CommandError> {
    let reason = || verification.reason().unwrap_or_default();
    let event = |kind| about(candidate, kind);
    match verification.status() {
        SignatureStatus::Trusted => {
            let event = event(EventKind::SignatureVerified);
            context.record(&match verification.step_back() {
                Some(rollback) => event.reason(format!("as it was asked for: {rollback}")),
                None => event,
            })
        }
        SignatureStatus::Unproven => Ok(()),
        SignatureStatus::Refused => {
            let event = event(EventKind::SignatureFailed).ended(Outcome::Denied, reason());
            context.record(&event)?;
            let (name, reason, deed) = (candidate.name.clone(), reason(), Operation::Installed);
            Err(match verification.revocation() {
                Some(_) => InstallFailure::Revoked {
                    name,
                    reason,
                    deed,
                    hint: None,
                },
                None => InstallFailure::Signature {
                    name,
                    reason,
                    way_out,
                    deed,
                },
            }
            .into())
        }
    }
}

/// What the scanner found in a skill that keeps it out, which is recorded; else what it would have
/// been kept out for is noted.
pub(super) fn refused_findings(
    context: &Context,
    checked: &Checked<'_>,
    accepted: &[String],
) -> Result<Option<Refused>, CommandError> {
    let severe = checked
        .findings()
        .iter()
        .filter(|finding| finding.severity >= BLOCKS);
    let (lifted, blocks): (Vec<&Finding>, Vec<&Finding>) =
        severe.partition(|finding| accepted.iter().any(|code| code == finding.code));
    if blocks.is_empty() {
        let lifted = lifted.into_iter().cloned().collect();
        let _ = checked.accepted.set(lifted);
        return Ok(None);
    }
    let denied = |finding: &&Finding| {
        found(checked, finding).ended(Outcome::Denied, finding.message.clone())
    };
    let events: Vec<Event> = blocks.iter().map(denied).collect();
    context.recorder()?.record_all(&events)?;
    Ok(Some(Refused {
        name: checked.candidate.name.clone(),
        codes: blocks
            .iter()
            .map(|finding| finding.code.to_owned())
            .collect(),
        findings: blocks.iter().map(|finding| described(finding)).collect(),
    }))
}

/// The event about a finding.
pub(super) fn found(checked: &Checked<'_>, finding: &Finding) -> Event {
    about(checked.candidate, EventKind::ScanFinding)
        .detail("code", finding.code)
        .detail("severity", finding.severity.name())
        .detail("file", format!("{}:{}", finding.path, finding.line))
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
