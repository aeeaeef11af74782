//! The working out of a plan.

use std::collections::BTreeSet;

use skillyard_format::Digest;

use super::agreement::agree;
use super::{
    Before, Change, Conflict, LinkTarget, Obstacle, Occupant, OnConflict, Plan, Settlement, Sight,
    Step, Wish,
};
use crate::lockfile::Locked;

/// Works out what has to change. Who needs a skill that is left out and not there is left out, too.
pub fn plan(before: &Before, wish: &Wish, settlement: &Settlement, sight: &dyn Sight) -> Plan {
    let plan = work_out(before, wish, settlement, sight);
    let Some((wish, mut without)) = without_skipped(before, wish, &plan) else {
        return plan;
    };
    let mut plan = work_out(before, &wish, settlement, sight);
    plan.skipped.append(&mut without);
    plan
}

fn work_out(before: &Before, wish: &Wish, settlement: &Settlement, sight: &dyn Sight) -> Plan {
    let mut planner = Planner {
        before,
        settlement,
        plan: Plan {
            lock: before.lock.clone(),
            placed: before.placed.clone(),
            ..Plan::default()
        },
        sight,
    };
    for locked in &wish.present {
        planner.present(locked);
    }
    for name in &wish.absent {
        planner.absent(name);
    }
    for name in &wish.dropped {
        planner.dropped(name);
    }
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

/// The wish without those that need what a plan left out and is not there, and without what only
/// they need; nothing where there are none.
fn without_skipped(before: &Before, wish: &Wish, plan: &Plan) -> Option<(Wish, Vec<Conflict>)> {
    let is_missing = |name: &&str| before.lock.get(name).is_none();
    let skipped = plan.skipped.iter().map(|each| each.name.as_str());
    let mut missing: BTreeSet<&str> = skipped.filter(is_missing).collect();
    let mut without = Vec::new();
    // Who needs one of them is missing in turn, unless an older state of it stays.
    loop {
        let is_held = |name: &str| without.iter().any(|each: &Conflict| each.name == name);
        let lacking = wish.present.iter().find_map(|entry| {
            let lacks = entry.needs().find(|name| missing.contains(name))?;
            let is_left_out = missing.contains(&*entry.name) || is_held(&entry.name);
            (!is_left_out).then(|| (entry, lacks.to_owned()))
        });
        let Some((entry, lacks)) = lacking else { break };
        let target = entry.targets.first().map_or("", String::as_str);
        without.push(conflict(&entry.name, target, Obstacle::Without(lacks)));
        missing.extend(Some(&*entry.name).filter(is_missing));
    }
    if without.is_empty() {
        return None;
    }
    let stays = |entry: &&Locked| without.iter().all(|each| each.name != entry.name);
    let mut present: Vec<&Locked> = wish.present.iter().filter(stays).collect();
    // What came along for them alone goes with them, and what came along for that.
    loop {
        let is_needed = |name: &str| {
            let locked = before.lock.skills().iter();
            let mut all = locked.chain(present.iter().copied());
            all.any(|entry| entry.needs().any(|each| each == name))
        };
        // What something is in the way of is the reason, and stays to be told.
        let is_skipped = |name: &str| plan.skipped.iter().any(|each| each.name == name);
        let is_alone = |entry: &&Locked| {
            entry.dependency
                && is_missing(&&*entry.name)
                && !is_needed(&entry.name)
                && !is_skipped(&entry.name)
        };
        let Some(at) = present.iter().position(is_alone) else {
            break;
        };
        present.remove(at);
    }
    let wish = Wish {
        present: present.into_iter().cloned().collect(),
        ..wish.clone()
    };
    Some((wish, without))
}

/// What is to be done for one skill, and what is in its way.
#[derive(Default)]
struct Course {
    steps: Vec<Step>,
    conflicts: Vec<Conflict>,
    given_up: Vec<Conflict>,
    let_go: Vec<(String, String)>,
}

struct Planner<'a> {
    before: &'a Before,
    settlement: &'a Settlement,
    plan: Plan,
    sight: &'a dyn Sight,
}

impl Planner<'_> {
    fn present(&mut self, to: &Locked) {
        let from = self.before.lock.get(&to.name).cloned();
        let same = from.as_ref().filter(|from| is_same(from, to)).cloned();
        let to = same.as_ref().unwrap_or(to);
        let mut course = Course::default();
        if let Some(obstacle) = from.as_ref().and_then(|from| self.elsewhere(from, to)) {
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
        if !course.conflicts.is_empty() {
            self.hold(&to.name, course.conflicts);
            return;
        }
        let steps = &course.steps;
        let change = match from {
            None => Some(Change::Added {
                to: Box::new(to.clone()),
            }),
            Some(from) if from != *to => Some(Change::Changed {
                from: Box::new(from),
                to: Box::new(to.clone()),
            }),
            Some(_) if steps.is_empty() => None,
            Some(_) if let Some(from) = self.other_bytes(to) => Some(Change::Changed {
                from: Box::new(from.clone()),
                to: Box::new(to.clone()),
            }),
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
        self.follow(course);
        self.plan.lock.put(to.clone());
        self.plan.placed.put(to.clone());
    }

    /// That a skill would come from elsewhere than it is installed from, and may not.
    fn elsewhere(&self, from: &Locked, to: &Locked) -> Option<Obstacle> {
        if from.source != to.source {
            let is_moved = from.digest != to.digest && !self.settlement.may_move(&to.name);
            return is_moved.then(|| Obstacle::OtherSource(from.source.clone()));
        }
        let is_other = from.digest != to.digest || from.version != to.version;
        let locked = from.other_registry(to.origin, to.url.as_deref());
        let locked = locked.filter(|_| is_other && !self.settlement.replaces(&to.name))?;
        Some(Obstacle::OtherRegistry {
            locked: locked.to_owned(),
            asked: to.url.clone().unwrap_or_else(|| to.source.clone()),
        })
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

    fn put(&self, to: &Locked, target: &str, course: &mut Course) {
        let occupant = self.sight.occupant(target, &to.name);
        // Who removed the skill later would lose the only copy.
        if self.is_source(&occupant, target, to) && !self.is_known(target, to) {
            let itself = conflict(&to.name, target, Obstacle::Source);
            course.conflicts.push(itself);
            return;
        }
        if self.is(&occupant, target, to) {
            return;
        }
        let behind_link = || {
            let folder = to.linked.then(|| self.sight.edited_folder(to.digest));
            folder.flatten().map(Obstacle::EditedBehindLink)
        };
        let obstacle = self.obstacle(&occupant, &to.name, target);
        if let Some(obstacle) = obstacle.or_else(behind_link)
            && !self.meet(conflict(&to.name, target, obstacle), course)
        {
            return;
        }
        course.steps.push(Step::Put {
            name: to.name.clone(),
            target: target.to_owned(),
            digest: to.digest,
            linked: to.linked,
            replaces: occupant != Occupant::Nothing,
        });
    }

    fn absent(&mut self, name: &str) {
        let Some(from) = self.before.entries(name).next().cloned() else {
            return;
        };
        let mut course = Course::default();
        for target in self.targets(name) {
            self.take(name, target, &mut course);
        }
        if !course.conflicts.is_empty() {
            self.hold(name, course.conflicts);
            return;
        }
        self.plan.placed.remove(name);
        // What others took out of the lock, and is not there either, is not worth a word.
        if self.plan.lock.remove(name).is_none() && course.steps.is_empty() {
            return;
        }
        self.follow(course);
        self.plan.changes.push(Change::Removed {
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
                || occupant != Occupant::Nothing && self.sight.is_tracked(target, name)
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

    fn take(&self, name: &str, target: &str, course: &mut Course) {
        let occupant = self.sight.occupant(target, name);
        if occupant == Occupant::Nothing {
            return;
        }
        let is_source = |entry: &Locked| self.is_source(&occupant, target, entry);
        if self.before.entries(name).any(is_source) {
            course.let_go.push((name.to_owned(), target.to_owned()));
            return;
        }
        if let Some(obstacle) = self.obstacle(&occupant, name, target)
            && !self.meet(conflict(name, target, obstacle), course)
        {
            return;
        }
        course.steps.push(Step::Take {
            name: name.to_owned(),
            target: target.to_owned(),
        });
    }

    /// Notes what is in the way; says whether it gives way.
    fn meet(&self, conflict: Conflict, course: &mut Course) -> bool {
        let gives_way = self.settlement.replaces(&conflict.name);
        if gives_way {
            course.given_up.push(conflict);
        } else {
            course.conflicts.push(conflict);
        }
        gives_way
    }

    fn follow(&mut self, mut course: Course) {
        self.plan.steps.append(&mut course.steps);
        self.plan.given_up.append(&mut course.given_up);
        self.plan.let_go.append(&mut course.let_go);
    }

    /// Leaves a skill out, or the whole plan undone.
    fn hold(&mut self, name: &str, conflicts: Vec<Conflict>) {
        match self.settlement.of(name) {
            OnConflict::Skip => self.plan.skipped.extend(conflicts),
            _ => self.plan.conflicts.extend(conflicts),
        }
    }

    /// Whether what is there is exactly the entry.
    fn is(&self, occupant: &Occupant, target: &str, entry: &Locked) -> bool {
        match occupant {
            Occupant::Folder { digest, .. } => {
                !entry.linked && self.has_bytes(*digest, target, entry)
            }
            Occupant::Link(path) => {
                entry.linked && self.sight.link_target(path, entry.digest) == LinkTarget::Sound
            }
            Occupant::Nothing | Occupant::Repository | Occupant::Other(_) => false,
        }
    }

    /// Whether what lies in a target are the bytes of the entry.
    fn has_bytes(&self, found: Digest, target: &str, entry: &Locked) -> bool {
        let is_shown_as = || {
            let sight = self.sight;
            sight.is_shown_as(target, &entry.name, entry.digest, found)
        };
        found == entry.digest || is_shown_as()
    }

    /// Whether a skill comes from the very folder that it is to be in. Behind a link its source is
    /// safe.
    fn is_source(&self, occupant: &Occupant, target: &str, entry: &Locked) -> bool {
        !matches!(occupant, Occupant::Nothing | Occupant::Link(_))
            && self.sight.is_source(target, entry)
    }

    /// Whether the lock has a skill from this source in this folder.
    fn is_known(&self, target: &str, to: &Locked) -> bool {
        let locked = self.before.lock.get(&to.name);
        locked.is_some_and(|from| {
            from.source == to.source && from.targets.iter().any(|each| each == target)
        })
    }

    /// What forbids to replace or remove what is there.
    fn obstacle(&self, occupant: &Occupant, name: &str, target: &str) -> Option<Obstacle> {
        // The very bytes that are or were pinned, also put there by hand or by a checkout.
        let is_ours = |entry: &Locked| {
            self.is(occupant, target, entry)
                || self.is_our_link(occupant, entry)
                // Programs that used it left something in it, which is no loss.
                || matches!(occupant, Occupant::Folder { tidy, .. } if self.has_bytes(*tidy, target, entry))
        };
        // Who edits a skill that is linked edits what is in the store.
        let is_edited = |entry: &Locked| match occupant {
            Occupant::Link(path) => {
                self.sight.link_target(path, entry.digest) == LinkTarget::Edited
            }
            _ => false,
        };
        if self.before.entries(name).any(is_edited) {
            return Some(Obstacle::Edited(Vec::new()));
        }
        if *occupant == Occupant::Nothing || self.before.entries(name).any(is_ours) {
            return None;
        }
        let is_target = |entry: &Locked| entry.targets.iter().any(|each| each == target);
        let is_ours = self.before.entries(name).any(is_target);
        Some(match occupant {
            Occupant::Repository => Obstacle::Repository,
            Occupant::Link(path) if is_ours => Obstacle::Link(path.clone()),
            Occupant::Other(reason) if is_ours => Obstacle::Unreadable(reason.clone()),
            // An older state that was put there before the record of it was lost. With a record it
            // is an edit, which somebody installed from here.
            Occupant::Folder { tidy, .. }
                if is_ours && !self.before.is_recorded && self.sight.is_stored(*tidy) =>
            {
                return None;
            }
            Occupant::Folder { .. } if is_ours && self.is_left(name, target) => return None,
            _ if is_ours && !self.before.is_recorded => Obstacle::Unrecorded,
            // Which files these are is found out by who can look at them.
            _ if is_ours => Obstacle::Edited(Vec::new()),
            _ => Obstacle::Foreign,
        })
    }

    /// Whether it is what a power cut left of what is or was pinned: nobody waits until the files of
    /// a skill are on the disk.
    fn is_left(&self, name: &str, target: &str) -> bool {
        let mut entries = self.before.entries(name);
        entries.any(|entry| self.sight.is_left_of(target, name, entry.digest))
    }

    /// Whether it is a link of ours, whatever became of the store.
    fn is_our_link(&self, occupant: &Occupant, entry: &Locked) -> bool {
        let Occupant::Link(path) = occupant else {
            return false;
        };
        let hex = entry.digest.to_hex();
        // A colleague's store, or ours in another place, has the same names for the same bytes.
        let in_a_store = format!("store/sha256/{}/{}", &hex[..2], &hex[2..]);
        path.ends_with(in_a_store)
            || entry.linked && self.sight.link_target(path, entry.digest) != LinkTarget::Elsewhere
    }
}

/// Whether only what is requested of a dependency is other, which those who need it decide.
fn is_same(from: &Locked, to: &Locked) -> bool {
    let as_before = || Locked {
        requested: from.requested.clone(),
        ..to.clone()
    };
    from.dependency && to.dependency && *from == as_before()
}

fn conflict(name: &str, target: &str, obstacle: Obstacle) -> Conflict {
    Conflict {
        name: name.to_owned(),
        target: target.to_owned(),
        obstacle,
    }
}
