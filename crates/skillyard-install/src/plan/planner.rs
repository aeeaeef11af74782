//! The working out of a plan.

mod left_out;
mod obstacle;

use std::collections::BTreeSet;

use left_out::without_skipped;
use obstacle::unreachable;

use super::agreement::agree;
use super::{
    Conflict, ConflictPolicy, ConflictReason, DesiredState, ExistingEntry, InstalledState,
    OnConflict, Plan, PlanStep, SkillChange, TargetFs,
};
use crate::lockfile::Locked;

/// Works out what has to change. Who needs a skill that is left out and not there is left out, too.
pub fn plan(
    before: &InstalledState,
    wish: &DesiredState,
    settlement: &ConflictPolicy,
    sight: &dyn TargetFs,
) -> Plan {
    let plan = work_out(before, wish, settlement, sight);
    let Some((wish, mut without)) = without_skipped(before, wish, &plan) else {
        return plan;
    };
    let mut plan = work_out(before, &wish, settlement, sight);
    plan.skipped.append(&mut without);
    plan
}

fn work_out(
    before: &InstalledState,
    wish: &DesiredState,
    settlement: &ConflictPolicy,
    sight: &dyn TargetFs,
) -> Plan {
    let mut planner = Planner {
        before,
        settlement,
        plan: Plan {
            lock: before.lock.clone(),
            placed: before.placed.clone(),
            ..Plan::default()
        },
        sight,
        moved: Vec::new(),
    };
    for locked in &wish.present {
        planner.present(locked);
    }
    for locked in &wish.fewer {
        planner.fewer(locked);
    }
    for name in &wish.absent {
        planner.absent(name);
    }
    for name in &wish.dropped {
        planner.dropped(name);
    }
    planner.note_moved();
    let mut plan = planner.plan;
    agree(&before.lock, &mut plan);
    let is_known = |conflict: &Conflict| {
        let place = |each: &Conflict| (each.name.clone(), each.target.clone());
        let mut left_out = wish.left_out.iter();
        left_out.any(|each| place(each) == place(conflict))
    };
    plan.skipped.retain(|conflict| !is_known(conflict));
    plan.skipped.extend_from_slice(&wish.left_out);
    plan.changes.sort_by(|a, b| a.name().cmp(b.name()));
    plan.unchanged.sort_unstable();
    plan
}

/// What is to be done for one skill, and what is in its way.
#[derive(Default)]
struct PlannedSteps {
    steps: Vec<PlanStep>,
    conflicts: Vec<Conflict>,
    /// What `--force` would lift: the reason only where nothing else is.
    yielding: Vec<Conflict>,
    given_up: Vec<Conflict>,
    let_go: Vec<(String, String)>,
    taken_over: Vec<(String, String)>,
    replaced: Vec<(String, String)>,
}

impl PlannedSteps {
    /// Why the skill cannot be changed, if anything is in its way.
    fn reasons(&mut self) -> Option<Vec<Conflict>> {
        let held = [&mut self.conflicts, &mut self.yielding];
        let reasons = held.into_iter().find(|each| !each.is_empty());
        reasons.map(std::mem::take)
    }
}

struct Planner<'a> {
    before: &'a InstalledState,
    settlement: &'a ConflictPolicy,
    plan: Plan,
    sight: &'a dyn TargetFs,
    /// What has the same files in a newer commit.
    moved: Vec<Locked>,
}

impl<'a> Planner<'a> {
    fn present(&mut self, to: &'a Locked) {
        let from = self.before.lock.get(&to.name);
        let found = to;
        let same = from.filter(|from| is_same(from, to));
        let to = same.unwrap_or(to);
        let mut course = PlannedSteps::default();
        if let Some(obstacle) = from.and_then(|from| self.elsewhere(from, to)) {
            let elsewhere = conflict(&to.name, &to.targets[0], obstacle);
            course.conflicts.push(elsewhere);
        }
        for target in &to.targets {
            self.put(to, target, &mut course);
        }
        // Folders it was in and is not to be in any more.
        for target in self.targets(&to.name) {
            let stays = |each: &String| each == target || self.sight.is_same(each, target);
            if !to.targets.iter().any(stays) {
                self.take(&to.name, target, &mut course);
            }
        }
        if let Some(reasons) = course.reasons() {
            self.hold(&to.name, reasons);
            return;
        }
        let steps = &course.steps;
        let change = match from {
            None => Some(SkillChange::Added {
                to: Box::new(to.clone()),
            }),
            Some(from) if from != to => Some(SkillChange::Changed {
                from: Box::new(from.clone()),
                to: Box::new(to.clone()),
            }),
            Some(_) if steps.is_empty() => None,
            Some(_) if let Some(from) = self.other_bytes(to) => Some(SkillChange::Changed {
                from: Box::new(from.clone()),
                to: Box::new(to.clone()),
            }),
            Some(_) => {
                let is_missing = |step: &PlanStep| {
                    matches!(
                        step,
                        PlanStep::Put {
                            replaces: false,
                            ..
                        }
                    )
                };
                let is_nowhere = steps.len() == to.targets.len() && steps.iter().all(is_missing);
                let to = Box::new(to.clone());
                Some(if is_nowhere {
                    SkillChange::Restored { to }
                } else {
                    SkillChange::Repaired { to }
                })
            }
        };
        match change {
            None => self.plan.unchanged.push(to.name.clone()),
            Some(change) => self.plan.changes.push(change),
        }
        self.follow(course);
        self.plan.lock.set(to);
        self.plan.placed.set(to);
        if to.commit != found.commit {
            self.moved.push(Locked {
                commit: found.commit.clone(),
                ..to.clone()
            });
        }
    }

    /// Lets the lock name the newer commits of what has the same files, where it changes anyway: they
    /// alone are no change, and the skills of one repository are fetched at once where they name one.
    fn note_moved(&mut self) {
        if self.plan.is_empty() {
            return;
        }
        for entry in self.moved.drain(..) {
            self.plan.placed.put(entry.clone());
            self.plan.lock.put(entry);
        }
    }

    /// What this machine put where other bytes are to be, because a colleague changed the lock.
    fn other_bytes(&self, to: &Locked) -> Option<&Locked> {
        let placed = self.before.placed.get(&to.name)?;
        (placed.digest != to.digest).then_some(placed)
    }

    /// The folders that a skill is in, or was put into.
    fn targets(&self, name: &str) -> BTreeSet<&String> {
        let entries = self.before.entries(name);
        entries.flat_map(|entry| &entry.targets).collect()
    }

    fn put(&self, to: &Locked, target: &str, course: &mut PlannedSteps) {
        let occupant = self.sight.occupant(target, &to.name);
        if self.is_source(&occupant, target, to) {
            let obstacle = match self.is_known(target, to) {
                // Who removed the skill later would lose the only copy.
                false => ConflictReason::Source,
                // The folder of skills became a link to where it comes from.
                true if self.is(&occupant, target, to) => return,
                // What is to be locked anew is what was just read there.
                true if !self.is_locked(to) => return,
                // What no source delivers, such as what git ignores, may lie there as well.
                true if self.sight.has_all_of(target, &to.name, to.digest) => return,
                true => ConflictReason::SourceChanged,
            };
            course.conflicts.push(conflict(&to.name, target, obstacle));
            return;
        }
        if let Some(unreachable) = unreachable(&occupant) {
            let unreachable = conflict(&to.name, target, unreachable);
            course.conflicts.push(unreachable);
            return;
        }
        if self.is_taken_over(&occupant, target, to) {
            let place = (to.name.clone(), target.to_owned());
            course.taken_over.push(place);
        }
        if self.is(&occupant, target, to)
            || self.is_link_to_copy(&occupant, &to.name, target, &to.targets)
        {
            return;
        }
        let behind_link = || {
            let folder = to.linked.then(|| self.sight.edited_folder(to.digest));
            folder.flatten().map(ConflictReason::EditedBehindLink)
        };
        let obstacle = self.obstacle(&occupant, &to.name, target);
        if let Some(obstacle) = obstacle.or_else(behind_link)
            && !self.meet(conflict(&to.name, target, obstacle), course)
        {
            return;
        }
        let replaces = occupant != ExistingEntry::Nothing;
        if replaces && self.before.was_found(target, &to.name) {
            course.replaced.push((to.name.clone(), target.to_owned()));
        }
        course.steps.push(PlanStep::Put {
            name: to.name.clone(),
            target: target.to_owned(),
            digest: to.digest,
            linked: to.linked,
            replaces,
        });
    }

    /// Takes a skill out of some of its folders. What lies in the others may be edited, or missing.
    fn fewer(&mut self, to: &Locked) {
        let Some(from) = self.before.lock.get(&to.name).cloned() else {
            return;
        };
        let gone = from.targets.iter();
        let gone: Vec<&String> = gone.filter(|each| !to.targets.contains(each)).collect();
        let mut course = PlannedSteps::default();
        for target in &gone {
            self.take(&to.name, target, &mut course);
        }
        if let Some(reasons) = course.reasons() {
            self.hold(&to.name, reasons);
            return;
        }
        if let Some(mut placed) = self.plan.placed.remove(&to.name) {
            placed.targets.retain(|each| !gone.contains(&each));
            if !placed.targets.is_empty() {
                self.plan.placed.put(placed);
            }
        }
        self.follow(course);
        self.plan.lock.put(to.clone());
        self.plan.changes.push(SkillChange::Changed {
            from: Box::new(from),
            to: Box::new(to.clone()),
        });
    }

    fn absent(&mut self, name: &str) {
        let Some(from) = self.before.entries(name).next().cloned() else {
            return;
        };
        let mut course = PlannedSteps::default();
        for target in self.targets(name) {
            self.take(name, target, &mut course);
        }
        if let Some(reasons) = course.reasons() {
            self.hold(name, reasons);
            return;
        }
        self.plan.placed.remove(name);
        // What others took out of the lock, and is not there either, is not worth a word.
        if self.plan.lock.remove(name).is_none() && course.steps.is_empty() {
            return;
        }
        self.follow(course);
        self.plan.changes.push(SkillChange::Removed {
            from: Box::new(from),
        });
    }

    /// What others took out of the lock goes as long as it is what was put there. Whoever made
    /// something else of it, or keeps it in the project, keeps it: no lock says any more what it
    /// should be.
    fn dropped(&mut self, name: &str) {
        let is_own = |target: &&String| {
            let occupant = self.sight.occupant(target, name);
            self.obstacle(&occupant, name, target).is_some()
                || occupant != ExistingEntry::Nothing && self.sight.is_tracked(target, name)
        };
        let own: Vec<String> = self
            .targets(name)
            .into_iter()
            .filter(is_own)
            .cloned()
            .collect();
        if own.is_empty() || self.before.lock.get(name).is_some() {
            self.absent(name);
            return;
        }
        let own = own.into_iter().map(|target| (name.to_owned(), target));
        self.plan.let_go.extend(own);
        self.plan.placed.remove(name);
    }

    fn take(&self, name: &str, target: &str, course: &mut PlannedSteps) {
        let occupant = self.sight.occupant(target, name);
        // What another scope still has in the same place is not ours alone to remove.
        if matches!(occupant, ExistingEntry::Nothing | ExistingEntry::Blocked(_))
            || self.neighbour(&occupant, name, target).is_some()
        {
            return;
        }
        // Without its record it would be taken for the user's own once it is there again.
        if let Some(unreachable) = unreachable(&occupant) {
            course.conflicts.push(conflict(name, target, unreachable));
            return;
        }
        let is_source = |entry: &Locked| self.is_source(&occupant, target, entry);
        // Who wrote it there keeps it, unless it is to go whatever it is.
        let is_own = self.before.was_found(target, name) && !self.settlement.is_forced();
        if is_own || self.before.entries(name).any(is_source) {
            course.let_go.push((name.to_owned(), target.to_owned()));
            return;
        }
        if let Some(obstacle) = self.obstacle(&occupant, name, target)
            && !self.meet(conflict(name, target, obstacle), course)
        {
            return;
        }
        course.steps.push(PlanStep::Take {
            name: name.to_owned(),
            target: target.to_owned(),
        });
    }

    /// Notes what is in the way; says whether it gives way.
    fn meet(&self, conflict: Conflict, course: &mut PlannedSteps) -> bool {
        let gives_way = self.settlement.replaces(&conflict.name);
        let noted = if gives_way {
            &mut course.given_up
        } else if self.settlement.is_forced() {
            &mut course.yielding
        } else {
            &mut course.conflicts
        };
        noted.push(conflict);
        gives_way
    }

    fn follow(&mut self, mut course: PlannedSteps) {
        self.plan.steps.append(&mut course.steps);
        self.plan.given_up.append(&mut course.given_up);
        self.plan.let_go.append(&mut course.let_go);
        self.plan.taken_over.append(&mut course.taken_over);
        self.plan.replaced.append(&mut course.replaced);
    }

    /// Leaves a skill out, or the whole plan undone.
    fn hold(&mut self, name: &str, conflicts: Vec<Conflict>) {
        let is_unreachable = |each: &Conflict| each.obstacle.is_unreachable();
        match self.settlement.of(name) {
            OnConflict::Skip if !conflicts.iter().any(is_unreachable) => {
                self.plan.skipped.extend(conflicts);
            }
            _ => self.plan.conflicts.extend(conflicts),
        }
    }
}

/// Whether nothing is other but the commit that the same files were found in, or what is requested of a
/// dependency, which those who need it decide.
fn is_same(from: &Locked, to: &Locked) -> bool {
    if from == to {
        return true;
    }
    let requested = if from.dependency && to.dependency {
        &from.requested
    } else {
        &to.requested
    };
    let as_before = Locked {
        requested: requested.clone(),
        commit: from.commit.clone(),
        ..to.clone()
    };
    *from == as_before
}

fn conflict(name: &str, target: &str, obstacle: ConflictReason) -> Conflict {
    Conflict {
        name: name.to_owned(),
        target: target.to_owned(),
        folder: None,
        obstacle,
    }
}
