//! What was there before it was installed: it stays when the skill is removed, because somebody
//! wrote it there. The record changes with the lock, so that it is there whoever finishes the change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Transaction;
use super::made::text;
use super::replacement::Replacement;
use crate::plan::Plan;

impl Transaction<'_> {
    /// The record of what was found, where it changes.
    pub(super) fn found_record(&self, plan: &Plan) -> Option<Replacement> {
        let found = self.found_after(plan)?;
        Some(Replacement::of_own(self.scope.found_file(), text(found)?))
    }

    /// Removes a record of nothing. Where that fails it goes on saying nothing.
    pub(super) fn tidy_found(&self, plan: &Plan) {
        if self.found_after(plan).is_some_and(|found| found.is_empty()) {
            let _ = std::fs::remove_file(self.scope.found_file());
        }
    }

    /// What was found so far and is taken over now, without what is replaced, removed or let go; nothing
    /// where that is the same as before.
    fn found_after(&self, plan: &Plan) -> Option<BTreeSet<PathBuf>> {
        if self.before.found.is_empty() && plan.taken_over.is_empty() {
            return None;
        }
        let place = |(name, target): &(String, String)| Path::new(target).join(name);
        let mut found: BTreeSet<PathBuf> = self.before.found.clone();
        found.extend(plan.taken_over.iter().map(place));
        for step in &plan.steps {
            let (target, name) = step.place();
            found.remove(&Path::new(target).join(name));
        }
        for each in &plan.let_go {
            found.remove(&place(each));
        }
        (found != self.before.found).then_some(found)
    }
}
