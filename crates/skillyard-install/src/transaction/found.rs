//! What was there before it was installed: it stays when the skill is removed, because somebody
//! wrote it there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Transaction;
use super::made::note;
use crate::plan::Plan;

impl Transaction<'_> {
    /// Notes what was taken over, and forgets what was replaced, removed or let go. Where that fails
    /// the skill counts as one that was put there.
    pub(super) fn note_found(&self, plan: &Plan) {
        if self.before.found.is_empty() && plan.taken_over.is_empty() {
            return;
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
        if found != self.before.found {
            note(&self.scope.found_file(), found);
        }
    }
}
