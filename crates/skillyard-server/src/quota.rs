//! How many events a token may add to the log.
//!
//! A log has an end: what is written today pushes out what was written long ago. Whoever may only
//! read must not be able to do that on purpose. What is beyond their share is counted, and the log
//! says how many of whose events it does not have.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use skillyard_audit::{Event, EventKind};

/// How many events a token may add at once.
const BURST: f64 = 1_000.0;
/// How many more it may add each second.
const PER_SECOND: f64 = 1.0;
/// How many there must be room for before one is written again, so that the counts are few.
const AGAIN: f64 = 60.0;

/// The shares of all tokens.
#[derive(Debug, Default)]
pub(crate) struct Quota(Mutex<HashMap<String, Share>>);

#[derive(Debug)]
struct Share {
    /// How many events there is room for, and since when.
    left: f64,
    since: Instant,
    /// How many were not written since the last that was.
    unwritten: u64,
}

impl Quota {
    /// What is to be written before an event: how many were not. Nothing if it is not written either.
    pub(crate) fn admit(&self, event: &Event, now: Instant) -> Option<Vec<Event>> {
        let Some(token) = counted(event) else {
            return Some(Vec::new());
        };
        let mut shares = self.shares();
        let share = shares.entry(token.to_owned()).or_insert(Share {
            left: BURST,
            since: now,
            unwritten: 0,
        });
        let passed = now.saturating_duration_since(share.since).as_secs_f64();
        share.left = (share.left + passed * PER_SECOND).min(BURST);
        share.since = now;
        let needed = if share.unwritten > 0 { AGAIN } else { 1.0 };
        if share.left < needed {
            share.unwritten += 1;
            return None;
        }
        share.left -= 1.0;
        Some(share.take(token).into_iter().collect())
    }

    /// What is to be said of events that were not written until now.
    pub(crate) fn unwritten(&self) -> Vec<Event> {
        let mut shares = self.shares();
        let shares = shares.iter_mut();
        shares
            .filter_map(|(token, share)| share.take(token))
            .collect()
    }

    fn shares(&self) -> MutexGuard<'_, HashMap<String, Share>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    fn take(&mut self, token: &str) -> Option<Event> {
        let count = std::mem::take(&mut self.unwritten);
        (count > 0).then(|| {
            Event::new(EventKind::LogLost)
                .reason("one token added more events than its share")
                .detail("events", count.to_string())
                .detail("token", token)
        })
    }
}

/// The token that an event counts for: what reads and asks can be repeated without end, and admins
/// can do worse than that.
fn counted(event: &Event) -> Option<&str> {
    let is_repeated = matches!(
        event.kind,
        EventKind::SkillActivated
            | EventKind::ResourceRead
            | EventKind::ToolAllowed
            | EventKind::ToolBlocked
    );
    let is_admin = event.detail.get("role").is_some_and(|role| role == "admin");
    let token = event.detail.get("token")?;
    (is_repeated && !is_admin).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Holder, Role};
    use std::time::Duration;

    fn read(role: Role, name: &str) -> Event {
        let name = name.to_owned();
        Holder { role, name }.signed(Event::new(EventKind::ResourceRead))
    }

    #[test]
    fn what_is_beyond_a_share_is_counted_and_told() {
        let (quota, now) = (Quota::default(), Instant::now());
        let event = read(Role::Read, "one");
        let written = (0..1_500).filter(|_| quota.admit(&event, now).is_some());
        assert_eq!(written.count(), 1_000);
        assert!(quota.admit(&read(Role::Read, "two"), now).is_some());
        assert!(quota.admit(&read(Role::Admin, "one"), now).is_some());
        assert!(quota.admit(&read(Role::Read, ""), now).is_some());
        let soon = now + Duration::from_secs(30);
        assert!(quota.admit(&event, soon).is_none());
        let later = now + Duration::from_mins(2);
        let told = quota.admit(&event, later).unwrap().remove(0);
        assert_eq!(told.kind, EventKind::LogLost);
        assert_eq!(told.detail["events"], "501");
        assert_eq!(told.detail["token"], "one");
        assert_eq!(quota.admit(&event, later), Some(Vec::new()));
        assert!(quota.unwritten().is_empty());
    }

    #[test]
    fn what_changes_something_is_always_written() {
        let (quota, now) = (Quota::default(), Instant::now());
        let holder = Holder {
            role: Role::Run,
            name: "one".to_owned(),
        };
        let event = holder.signed(Event::new(EventKind::ScriptExecuted));
        assert!((0..2_000).all(|_| quota.admit(&event, now).is_some()));
    }
}
