//! Skills that are installed, and whose signers were trusted only later.

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::{DesiredState, Plan, SkillChange};
use skillyard_install::tree::Tree;
use skillyard_trust::signature::SIGNATURE_FILE;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::check::downgrade_policy::trusted;
use crate::signing;
use crate::signing::{now, policy};

/// Writes into the lock who signed the files that stay as they are.
pub(crate) fn sign_unchanged(
    context: &Context,
    wish: &mut DesiredState,
    lock: &Lockfile,
    needed: &[Needed],
) -> Result<(), CommandError> {
    let is_open = |entry: &Locked| {
        let before = lock.get(&entry.name);
        entry.signer.is_none() && before.is_some_and(|before| before.digest == entry.digest)
    };
    // What is wished for has the order of what is needed.
    let both = wish.present.iter_mut().zip(needed);
    let open = both.filter(|(entry, _)| is_open(entry));
    let open = open.filter_map(|(entry, each)| Some((signed_files(each, entry)?, entry)));
    // Mostly there is none, and no policy has to be read.
    let mut open = open.peekable();
    if open.peek().is_none() {
        return Ok(());
    }
    let signers = policy::load(&context.environment)?;
    for (tree, entry) in open {
        let verification = trusted(entry, tree, &signers, now().0);
        entry.signer = verification.and_then(|verification| verification.signer()?.pin());
    }
    Ok(())
}

/// Remembers these signers, once the lock has them.
pub(crate) fn remember(
    context: &Context,
    plan: &Plan,
    needed: &[Needed],
) -> Result<(), CommandError> {
    for change in &plan.changes {
        let SkillChange::Changed { from, to } = change else {
            continue;
        };
        if from.digest != to.digest || from.signer.is_some() || to.signer.is_none() {
            continue;
        }
        let Some(tree) = needed.iter().find_map(|each| signed_files(each, to)) else {
            continue;
        };
        let signers = policy::load(&context.environment)?;
        let now = now().0;
        let pin = trusted(to, tree, &signers, now).and_then(|verification| verification.pin(now));
        if let Some(pin) = pin {
            signing::remember(&context.environment.pins_file(), pin)?;
        }
    }
    Ok(())
}

/// The files of a skill, if it is this one and somebody signed them.
fn signed_files<'a>(needed: &'a Needed, entry: &Locked) -> Option<&'a Tree> {
    let candidate = &needed.candidate;
    let tree = &*candidate.tree;
    let is_this = candidate.name == entry.name && tree.digest() == entry.digest;
    (is_this && tree.get(SIGNATURE_FILE).is_some()).then_some(tree)
}
