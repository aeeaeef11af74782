//! What has to change, worked out before anything does. Pure: `--dry-run` prints this.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skillyard_format::Digest;

use crate::lockfile::{Locked, Lockfile};

/// What lies where a skill is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occupant {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder(Digest),
    /// A link.
    Link(PathBuf),
    /// Something that cannot be a skill, and why.
    Other(String),
}

/// What a link in a folder of skills leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget {
    /// The skill in the store, byte for byte.
    Sound,
    /// The place of the skill in the store, where other bytes are, or none.
    Damaged,
    /// Somewhere else.
    Elsewhere,
}

/// How a conflict is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// It is reported, and nothing is done.
    #[default]
    Report,
    /// What is there is replaced.
    Replace,
    /// What is there stays, and the skill is left out.
    Skip,
}

/// How conflicts are settled: some by name, all others alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settlement {
    others: OnConflict,
    named: BTreeMap<String, OnConflict>,
}

impl From<OnConflict> for Settlement {
    fn from(others: OnConflict) -> Self {
        Self {
            others,
            named: BTreeMap::new(),
        }
    }
}

impl Settlement {
    /// Settles what is in the way of one skill.
    pub fn settle(&mut self, name: &str, on_conflict: OnConflict) {
        self.named.insert(name.to_owned(), on_conflict);
    }

    fn of(&self, name: &str) -> OnConflict {
        self.named.get(name).copied().unwrap_or(self.others)
    }
}

/// Why what is there cannot simply be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It was not put there by us.
    Foreign,
    /// It was, and then somebody changed it.
    Edited,
    /// It is from another source.
    OtherSource(String),
}

/// Something in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The skill.
    pub name: String,
    /// The folder it was to be put into.
    pub target: String,
    /// What is in the way.
    pub obstacle: Obstacle,
}

/// One change in one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The skill is put there; `replaces` says that something gives way.
    Put {
        /// The skill.
        name: String,
        /// The folder of skills.
        target: String,
        /// Its bytes.
        digest: Digest,
        /// Whether a link is put there instead of a copy.
        linked: bool,
        /// Whether something is there.
        replaces: bool,
    },
    /// The skill is taken away.
    Take {
        /// The skill.
        name: String,
        /// The folder of skills.
        target: String,
    },
}

/// What happens to one skill as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Added {
        /// The new entry.
        to: Box<Locked>,
    },
    /// It has other bytes, another source or other folders.
    Changed {
        /// The entry so far.
        from: Box<Locked>,
        /// The new entry.
        to: Box<Locked>,
    },
    /// Its folders are put right; the lock stays as it is.
    Repaired {
        /// The entry.
        to: Box<Locked>,
    },
    /// It goes.
    Removed {
        /// The entry so far.
        from: Box<Locked>,
    },
}

impl Change {
    /// The skill's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Added { to } | Self::Changed { to, .. } | Self::Repaired { to } => &to.name,
            Self::Removed { from } => &from.name,
        }
    }
}

/// Everything that has to change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The skills, sorted by name.
    pub changes: Vec<Change>,
    /// The folders.
    pub steps: Vec<Step>,
    /// The skills that are already as they should be.
    pub unchanged: Vec<String>,
    /// The skills that are left out because something is in the way.
    pub skipped: Vec<Conflict>,
    /// What is in the way and not settled: nothing is done while there is one.
    pub conflicts: Vec<Conflict>,
    /// The lock afterwards.
    pub lock: Lockfile,
}

impl Plan {
    /// Whether nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.steps.is_empty()
    }

    /// The names of the skills whose bytes are written somewhere.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Put { name, .. } => Some(name.as_str()),
            Step::Take { .. } => None,
        })
    }
}

/// What is to be.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// Skills that are to be there, as they will be locked.
    pub present: Vec<Locked>,
    /// Names that are to be gone.
    pub absent: Vec<String>,
}

/// Works out what has to change.
pub fn plan(
    lock: &Lockfile,
    wish: &Wish,
    settlement: &Settlement,
    link_target: impl Fn(&std::path::Path, Digest) -> LinkTarget,
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
    L: Fn(&std::path::Path, Digest) -> LinkTarget,
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
            Some(_) => Some(Change::Repaired {
                to: Box::new(to.clone()),
            }),
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
