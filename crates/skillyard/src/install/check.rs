//! What is found out about skills before they are installed: validity, findings, signatures, trust.
//!
//! Everything here looks at the bytes in memory that will be written. A block stops the
//! installation, and no flag that answers questions lifts it.

pub(crate) mod backfill_signers;
pub(crate) mod downgrade_policy;
mod refusal;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde_json::{Value, json};
use skillyard_audit::Event;
use skillyard_format::{Diagnostic, Digest};
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::{Plan, SkillChange};
use skillyard_install::store::Store;
use skillyard_scan::Finding;
use skillyard_trust::signature::{
    Distrust, RequestedVersion, Signer, SkillContext, Verification, verify_skill,
};
use skillyard_trust::verdict::{Verdict, assess};

pub(crate) use self::refusal::{about, described, revocation};
use self::refusal::{found, refuse_signature, refused_findings, signed_tree};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{InstallFailure, SelectedBy};
use crate::install::change_audit::{InstallConsent, InstallDetails};
pub(crate) use crate::install::check::backfill_signers::{
    remember as remember_late, sign_unchanged,
};
pub(crate) use crate::install::check::downgrade_policy::{DowngradePolicy, ROLLBACK};
use crate::install::scanner::{Look, Scanner};
use crate::install::{nested_skills, validation};
use crate::library::installed;
use crate::library::permission::trust_policy;
use crate::signing;
use crate::signing::{now, policy, publisher};
use crate::text::sanitize::visible;

/// A skill that passed.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) candidate: &'a Candidate,
    look: Arc<Look>,
    pub(crate) verification: Verification,
    pub(crate) verdict: Verdict,
    /// What the specification has against it.
    pub(crate) problems: Vec<Diagnostic>,
    /// The findings that would have kept it out, had the user not accepted them.
    accepted: OnceLock<Vec<Finding>>,
}

impl Checked<'_> {
    /// What the scanner found.
    pub(crate) fn findings(&self) -> &[Finding] {
        self.look.findings()
    }

    /// How it comes that it is installed, once it was scanned.
    pub(crate) fn circumstances(&self, answer: InstallConsent) -> InstallDetails {
        let mut accepted: Vec<String> = self.accepted().map(|each| each.code.to_owned()).collect();
        accepted.sort_unstable();
        accepted.dedup();
        InstallDetails {
            approval: Some(match answer {
                _ if !self.verdict.ask.on_install() => "policy",
                InstallConsent::User => "user",
                InstallConsent::Flag => "--yes",
            }),
            accepted,
        }
    }

    fn accepted(&self) -> impl Iterator<Item = &Finding> {
        self.accepted.get().into_iter().flatten()
    }

    /// Who signed it, if they are trusted.
    pub(crate) fn signer(&self) -> Option<String> {
        self.verification.signer()?.pin()
    }
}

/// The skills whose bytes a plan brings to this machine.
///
/// That a lock names bytes says nothing: it comes with a checkout. What the store holds was checked
/// when it was put there.
pub(crate) fn fresh<'a>(needed: &'a [Needed], plan: &Plan, store: &Store) -> Vec<&'a Candidate> {
    let mut new: BTreeSet<&str> = BTreeSet::new();
    let mut named: Vec<&str> = Vec::new();
    for change in &plan.changes {
        match change {
            SkillChange::Added { to } => drop(new.insert(&to.name)),
            SkillChange::Changed { from, to } if is_other(from, to) => drop(new.insert(&to.name)),
            SkillChange::Changed { to, .. }
            | SkillChange::Restored { to }
            | SkillChange::Repaired { to } => {
                named.push(&to.name);
            }
            SkillChange::Removed { .. } => {}
        }
    }
    // A checkout can bring the skill as well as the lock, and then nothing has to be written.
    named.extend(plan.unchanged.iter().map(String::as_str));
    let named: BTreeSet<&str> = named.into_iter().collect();
    let candidates = || needed.iter().map(|each| &each.candidate);
    // What is not at hand is not looked up either.
    let at_hand = candidates().filter(|each| named.contains(each.name.as_str()));
    let at_hand: Vec<&Candidate> = at_hand.collect();
    let digests: Vec<Digest> = at_hand.iter().map(|each| each.tree.digest()).collect();
    let held = store.read_each(&digests, |_, tree| tree.is_ok());
    let missing = at_hand.iter().zip(held).filter(|(_, is_held)| !is_held);
    new.extend(missing.map(|(each, _)| each.name.as_str()));
    candidates()
        .filter(|candidate| new.contains(candidate.name.as_str()))
        .collect()
}

/// Whether a skill has other bytes, or the same from elsewhere: trust follows from where it came.
fn is_other(from: &Locked, to: &Locked) -> bool {
    let is_elsewhere = (&from.source, from.origin, &from.url) != (&to.source, to.origin, &to.url);
    from.digest != to.digest || is_elsewhere
}

/// Checks skills and names the first that may not come here, unless it was asked for just so.
pub(crate) fn check<'a>(
    context: &Context,
    scanner: &Scanner,
    fresh: Vec<&'a Candidate>,
    grounds: &DowngradePolicy<'_>,
) -> Result<Vec<Checked<'a>>, CommandError> {
    let checked = verify(context, scanner, fresh, grounds)?;
    checked.par_iter().for_each(|each| each.look.help());
    nested_skills::refuse_names(context, &checked, grounds.accepted)?;
    for each in &checked {
        if let Some(refused) = refused_findings(context, each, grounds.accepted)? {
            return Err(InstallFailure::from(refused).into());
        }
    }
    Ok(checked)
}

/// Finds out who signed skills and whether they may come here at all. What is in them is looked at
/// in the background from then on.
pub(crate) fn verify<'a>(
    context: &Context,
    scanner: &Scanner,
    fresh: Vec<&'a Candidate>,
    grounds: &DowngradePolicy<'_>,
) -> Result<Vec<Checked<'a>>, CommandError> {
    if fresh.is_empty() {
        return Ok(Vec::new());
    }
    for candidate in &fresh {
        context.show_name(&candidate.name);
    }
    let rules = trust_policy(context, &context.config()?)?;
    let mut signers = policy::load(&context.environment)?;
    let now = now().0;
    let replaced = grounds.see_replaced(&mut signers, now);
    let dependencies = grounds.dependencies();
    let verified: Vec<_> = fresh
        .into_par_iter()
        .map(|candidate| {
            let place = SkillContext {
                folder: Some(&candidate.name),
                source: Some(&candidate.source),
                delivered_as: candidate.delivered_as,
                publisher: publisher(candidate.origin.kind, &candidate.source),
                // Without pins nothing was seen that it could be older than.
                asked: match signers.pins[..] {
                    [] => RequestedVersion::Newest,
                    _ => grounds.asked(candidate, &dependencies),
                },
            };
            let tree = signed_tree(&candidate.tree, &signers);
            let verification = verify_skill(&tree, &place, &signers, now);
            let signer = verification.signer().and_then(Signer::pin);
            let provenance = installed::provenance(&candidate.origin, &candidate.source, signer);
            let verdict = assess(&rules, &provenance);
            let problems = validation::validate(candidate);
            (candidate, verification, verdict, problems)
        })
        .collect();
    let back = verified.iter().filter(|(_, each, ..)| goes_back(each));
    let back: Vec<&Candidate> = back.map(|(candidate, ..)| *candidate).collect();
    for (candidate, verification, ..) in &verified {
        let is_replaced = replaced.contains(candidate.name.as_str());
        let way_out = grounds.way_out(candidate, verification, is_replaced, &back);
        refuse_signature(context, candidate, verification, way_out)?;
    }
    for (candidate, verification, ..) in &verified {
        if let Some(rollback) = verification.step_back() {
            let (name, because) = (&candidate.name, grounds.because(candidate));
            let line = format!(" ! {name}: {rollback}; it is taken, because {because}");
            context.printer.people(&visible(&line));
        }
    }
    let checked = verified.into_iter();
    let checked = checked.map(|(candidate, verification, verdict, problems)| Checked {
        look: scanner.begin(candidate),
        candidate,
        verification,
        verdict,
        problems,
        accepted: OnceLock::new(),
    });
    Ok(checked.collect())
}

/// Whether a skill is older than what was seen of it, whoever said that it may be.
fn goes_back(verification: &Verification) -> bool {
    let is_refused = matches!(
        verification,
        Verification::Untrusted {
            reason: Distrust::Rollback(_),
            ..
        }
    );
    is_refused || verification.step_back().is_some()
}

/// The skills that are older than what was seen of them, for programs.
pub(crate) fn older<'c>(checked: impl Iterator<Item = &'c Checked<'c>>) -> Value {
    let older = checked.filter_map(|each| {
        let rollback = each.verification.step_back()?;
        Some(json!({ "name": each.candidate.name, "reason": rollback.to_string() }))
    });
    older.collect()
}

/// Waits until it is known what is in skills that were verified, and refuses all that may not be.
pub(crate) fn scan(
    context: &Context,
    verified: &[Checked<'_>],
    accepted: &[String],
    chosen: SelectedBy,
) -> Result<(), CommandError> {
    // Nobody waits for what another thread looks at as long as there is something else to look at.
    verified.par_iter().for_each(|each| each.look.help());
    let mut refused = Vec::new();
    for each in verified {
        refused.extend(refused_findings(context, each, accepted)?);
    }
    match refused.pop() {
        None => nested_skills::refuse_names(context, verified, accepted),
        Some(only) if verified.len() == 1 => Err(InstallFailure::from(only).into()),
        Some(last) => {
            refused.push(last);
            Err(InstallFailure::FindingsAmong(refused, chosen).into())
        }
    }
}

/// Remembers the first trusted signer of each skill, what was accepted, and what was found.
pub(crate) fn remember(
    context: &Context,
    scanner: &Scanner,
    checked: &[Checked<'_>],
) -> Result<(), CommandError> {
    scanner.remember(checked);
    remember_signers(context, checked)
}

/// The same but for what was found.
pub(super) fn remember_signers(
    context: &Context,
    checked: &[Checked<'_>],
) -> Result<(), CommandError> {
    let accepted = checked.iter().flat_map(|each| {
        let findings = each.accepted();
        findings.map(move |finding| {
            found(each, finding).reason(format!("accepted: {}", finding.message))
        })
    });
    let accepted: Vec<Event> = accepted.collect();
    if !accepted.is_empty() {
        context.recorder()?.record_all(&accepted)?;
    }
    for each in checked {
        if let Some(pin) = each.verification.pin(now().0) {
            signing::remember(&context.environment.pins_file(), pin)?;
        }
    }
    Ok(())
}
