//! The working out of a plan.

use std::path::Path;

use skillyard_format::Digest;

use super::{
    Change, Conflict, LinkTarget, Obstacle, Occupant, OnConflict, Plan, Settlement, Step, Wish,
};
use crate::lockfile::{Locked, Lockfile};

/// Works out what has to change.
pub fn plan(
    lock: &Lockfile,
    wish: &Wish,
    settlement: &Settlement,
    link_target: impl Fn(&Path, Digest) -> LinkTarget,
    occupant: impl Fn(&str, &str) -> Occupant,
) -> Plan {
    let mut planner = Planner {
        before: lock,
        settlement,
        plan: Plan {
            lock: lock.clone(),
            ..Plan::default()
        },
        link_target,
        occupant,
    };
    for locked in &wish.present {
        planner.present(locked);
    }
    for name in &wish.absent {
        planner.absent(name);
    }
    let mut plan = planner.plan;
    plan.changes.sort_by(|a, b| a.name().cmp(b.name()));
    plan.unchanged.sort_unstable();
    plan
}

struct Planner<'a, L, O> {
    before: &'a Lockfile,
    settlement: &'a Settlement,
    plan: Plan,
    link_target: L,
    occupant: O,
}

impl<L, O> Planner<'_, L, O>
where
    L: Fn(&Path, Digest) -> LinkTarget,
    O: Fn(&str, &str) -> Occupant,
{
    fn present(&mut self, to: &Locked) {
        let from = self.before.get(&to.name).cloned();
        let mut steps = Vec::new();
        let mut conflicts = Vec::new();
        if let Some(from) = &from
            && from.source != to.source
            && from.digest != to.digest
            && !self.replaces(&to.name)
        {
            conflicts.push(conflict(
                to,
                &to.targets[0],
                Obstacle::OtherSource(from.source.clone()),
            ));
        }
        for target in &to.targets {
            self.put(to, from.as_ref(), target, &mut steps, &mut conflicts);
        }
        // Folders it was in and is not to be in any more.
        for target in from.iter().flat_map(|from| &from.targets) {
            if !to.targets.contains(target) {
                self.take(from.as_ref(), target, &mut steps, &mut conflicts);
            }
        }
        if !conflicts.is_empty() {
            self.hold(&to.name, conflicts);
            return;
        }
        let change = match from {
            None => Some(Change::Added {
                to: Box::new(to.clone()),
            }),
            Some(from) if from != *to => Some(Change::Changed {
                from: Box::new(from),
                to: Box::new(to.clone()),
            }),
            Some(_) if steps.is_empty() => None,
            Some(_) => {
                let is_missing = |step: &Step| {
                    matches!(
                        step,
                        Step::Put {
                            replaces: false,
                            ..
                        }
                    )
                };
                let is_nowhere = steps.len() == to.targets.len() && steps.iter().all(is_missing);
                let to = Box::new(to.clone());
                Some(if is_nowhere {
                    Change::Restored { to }
                } else {
                    Change::Repaired { to }
                })
            }
        };
        match change {
            None => self.plan.unchanged.push(to.name.clone()),
            Some(change) => self.plan.changes.push(change),
        }
        self.plan.steps.append(&mut steps);
        self.plan.lock.put(to.clone());
    }

    fn put(
        &self,
        to: &Locked,
        from: Option<&Locked>,
        target: &str,
        steps: &mut Vec<Step>,
        conflicts: &mut Vec<Conflict>,
    ) {
        let occupant = (self.occupant)(target, &to.name);
        if self.is(&occupant, to) {
            return;
        }
        let replaces = match self.obstacle(&occupant, from, target) {
            None => occupant != Occupant::Nothing,
            Some(_) if self.replaces(&to.name) => true,
            Some(obstacle) => {
                conflicts.push(conflict(to, target, obstacle));
                return;
            }
        };
        steps.push(Step::Put {
            name: to.name.clone(),
            target: target.to_owned(),
            digest: to.digest,
            linked: to.linked,
            replaces,
        });
    }

    fn absent(&mut self, name: &str) {
        let Some(from) = self.before.get(name).cloned() else {
            return;
        };
        let (mut steps, mut conflicts) = (Vec::new(), Vec::new());
        for target in &from.targets {
            self.take(Some(&from), target, &mut steps, &mut conflicts);
        }
        if !conflicts.is_empty() {
            self.hold(name, conflicts);
            return;
        }
        self.plan.steps.append(&mut steps);
        self.plan.lock.remove(name);
        self.plan.changes.push(Change::Removed {
            from: Box::new(from),
        });
    }

    fn take(
        &self,
        from: Option<&Locked>,
        target: &str,
        steps: &mut Vec<Step>,
        conflicts: &mut Vec<Conflict>,
    ) {
        let Some(from) = from else { return };
        let occupant = (self.occupant)(target, &from.name);
        if occupant == Occupant::Nothing {
            return;
        }
        if let Some(obstacle) = self.obstacle(&occupant, Some(from), target)
            && !self.replaces(&from.name)
        {
            conflicts.push(conflict(from, target, obstacle));
            return;
        }
        steps.push(Step::Take {
            name: from.name.clone(),
            target: target.to_owned(),
        });
    }

    fn replaces(&self, name: &str) -> bool {
        self.settlement.of(name) == OnConflict::Replace
    }

    /// Leaves a skill out, or the whole plan undone.
    fn hold(&mut self, name: &str, conflicts: Vec<Conflict>) {
        match self.settlement.of(name) {
            OnConflict::Skip => self.plan.skipped.extend(conflicts),
            _ => self.plan.conflicts.extend(conflicts),
        }
    }

    /// Whether what is there is exactly the entry.
    fn is(&self, occupant: &Occupant, entry: &Locked) -> bool {
        match occupant {
            Occupant::Folder(digest) => !entry.linked && *digest == entry.digest,
            Occupant::Link(path) => {
                entry.linked && (self.link_target)(path, entry.digest) == LinkTarget::Sound
            }
            Occupant::Nothing | Occupant::Other(_) => false,
        }
    }

    /// What forbids to replace or remove what is there.
    fn obstacle(
        &self,
        occupant: &Occupant,
        from: Option<&Locked>,
        target: &str,
    ) -> Option<Obstacle> {
        if *occupant == Occupant::Nothing {
            return None;
        }
        match (from, occupant) {
            // A link of ours holds nothing of the user's, whatever became of the store.
            (Some(from), Occupant::Link(path))
                if from.linked
                    && (self.link_target)(path, from.digest) != LinkTarget::Elsewhere =>
            {
                None
            }
            (Some(from), _) if from.targets.iter().any(|each| each == target) => {
                (!self.is(occupant, from)).then_some(Obstacle::Edited)
            }
            // The very bytes that are pinned, put there by hand or by a colleague's checkout.
            (Some(from), _) if self.is(occupant, from) => None,
            _ => Some(Obstacle::Foreign),
        }
    }
}

fn conflict(entry: &Locked, target: &str, obstacle: Obstacle) -> Conflict {
    Conflict {
        name: entry.name.clone(),
        target: target.to_owned(),
        obstacle,
    }
}
