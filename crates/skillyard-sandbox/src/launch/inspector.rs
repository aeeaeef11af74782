//! Looking at a running program's processes.

use std::cell::OnceCell;
use std::process::Child;

use crate::backend::Backend;
use crate::cgroup::Group;
use crate::outcome::{Denial, End, Limit, Outcome};
use crate::processes;
use crate::profile::Profile;
use crate::pump::Inspection;
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;

/// Looks at the processes from time to time.
pub(super) struct Inspector<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) profile: &'a Profile,
    pub(super) scratch: Option<&'a Scratch>,
    /// Made at the first look, where groups can be made.
    pub(super) group: OnceCell<Option<Group>>,
}

impl Inspector<'_> {
    pub(super) fn look(&self, child: &Child) -> Inspection {
        // The stage is one of them inside bubblewrap, and the one that holds them otherwise.
        let stages = usize::from(self.sandbox.backend == Backend::Bubblewrap);
        let below = processes::below(child.id());
        let below = below.get(stages..).unwrap_or_default();
        let memory = processes::memory(below);
        let over = |used: u64, limit: u64, name: Limit| (used > limit).then_some(name);
        let limits = &self.profile.limits;
        let full = self
            .scratch
            .is_some_and(|scratch| scratch.is_over(limits.scratch));
        let reached = over(memory, limits.memory, Limit::Memory)
            .or_else(|| self.is_short_of_memory(below).then_some(Limit::Memory))
            .or_else(|| full.then_some(Limit::Scratch));
        Inspection { memory, reached }
    }

    /// Puts the program into its group, and tells whether the kernel ended somebody there.
    fn is_short_of_memory(&self, below: &[u32]) -> bool {
        let made = || {
            let groups = self.sandbox.survey.groups.as_ref()?;
            // Without a group the limits are kept by looking, as they are where there are none.
            Group::make(groups, &self.profile.limits).ok()
        };
        let Some(group) = self.group.get_or_init(made) else {
            return false;
        };
        group.gather(below);
        group.killed_for_memory() > 0
    }

    /// The kernel may have ended the program between two looks.
    pub(super) fn correct(&self, outcome: &mut Outcome) {
        let Some(group) = self.group.get().and_then(Option::as_ref) else {
            return;
        };
        outcome.peak_memory = outcome.peak_memory.max(group.peak_memory());
        let is_ours = matches!(outcome.end, End::Stopped(_) | End::Cancelled);
        if group.killed_for_memory() > 0 && !is_ours {
            if outcome.end == End::Signalled(libc::SIGKILL) {
                outcome.end = End::Stopped(Limit::Memory);
            }
            outcome.denials.push(Denial::Limit(Limit::Memory));
        }
    }
}
