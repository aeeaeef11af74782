//! Skills that are at hand, put into a scope in one step.

use std::sync::Arc;

use super::{Transaction, TransactionError, Trees};
use crate::candidate::Candidate;
use crate::chronicle::{ChangeAudit, ChangeOutcome};
use crate::plan::{ConflictPolicy, DesiredState, OnConflict, Plan};
use crate::records::Records;
use crate::scope::Scope;

/// Installs skills into these folders of a scope, with its lock and, in a project, its manifest; all of
/// it or nothing. Where something is in the way, nothing is done and [`Plan::conflicts`] says what it is.
///
/// Whoever calls has [scanned](skillyard_scan::scan) the skills, and knows from the plan's
/// changes what to write down. What another process left unfinished is finished first.
pub fn put<E: From<TransactionError> + Send>(
    scope: &Scope,
    skills: &[Candidate],
    targets: &[String],
    chronicle: &impl ChangeAudit<E>,
) -> Result<Plan, E> {
    let wish = DesiredState {
        present: skills
            .iter()
            .map(|skill| skill.locked(targets.to_vec()))
            .collect(),
        ..DesiredState::default()
    };
    let at_hand = skills
        .iter()
        .map(|skill| (skill.tree.digest(), Arc::clone(&skill.tree)));
    let trees: Trees = at_hand.collect();
    let (store, records) = (scope.store(), Records::default());
    let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
    let mut transaction = Transaction::begin(scope, &store, &records, &nobody)?;
    if let Some(manifest) = transaction.manifest(&records)? {
        for skill in skills {
            manifest.put(&skill.name, &skill.source);
        }
    }
    let plan = transaction.plan(&wish, &ConflictPolicy::from(OnConflict::Report));
    if plan.conflicts.is_empty() {
        transaction.commit(&plan, &trees, || Ok(()), chronicle, || ())?;
    }
    Ok(plan)
}
