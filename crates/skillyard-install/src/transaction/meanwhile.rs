//! What others did between the working out of a wish and the change.

use super::Transaction;
use crate::lockfile::{Locked, Lockfile};
use crate::plan::{DesiredState, Plan};

impl Transaction<'_> {
    /// A skill that somebody else changed in the lock after the wish was worked out from it, unless
    /// they made it what it is to be.
    pub fn changed_since<'w>(&self, lock: &Lockfile, wish: &'w DesiredState) -> Option<&'w str> {
        wish.names().find(|name| {
            let now = self.before.lock.get(name);
            let wished = || wish.present.iter().find(|entry| entry.name == *name);
            // Mostly nobody changed anything, and there may be thousands to look through.
            now != lock.get(name) && now != wished()
        })
    }

    /// A skill that somebody else put into the lock after the wish was worked out from it, and that
    /// needs what a plan for the wish takes away or exchanges: nobody asked whether that will do.
    pub fn torn_since(&self, lock: &Lockfile, plan: &Plan) -> Option<&str> {
        let now = &self.before.lock;
        let digest = |lock: &Lockfile, name: &str| lock.get(name).map(|entry| entry.digest);
        let is_torn = |name: &str| {
            let there = digest(now, name);
            there.is_some() && there != digest(&plan.lock, name)
        };
        let is_new = |entry: &&Locked| {
            lock.get(&entry.name) != Some(entry) && plan.lock.get(&entry.name).is_some()
        };
        let mut new = now.skills().iter().filter(is_new);
        let torn = new.find(|entry| entry.needs().any(is_torn));
        torn.map(|entry| entry.name.as_str())
    }
}
