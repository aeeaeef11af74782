//! Audit events that are not written: a full disk, and tokens that would fill the log.
//!
//! A log has an end: new events push out old ones. A token that is not an admin's has a quota of bytes.
//! Reads beyond it are answered and counted; what must be recorded does not begin beyond it. The
//! log says how many events are missing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use skillyard_audit::{Event, EventKind};

use crate::host::Host;
use crate::log::LogLine;

/// What was lost.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// Since the start.
    all: AtomicU64,
    /// Since the log was last written.
    open: skillyard_audit::LossCounter,
    /// Whether somebody was told that the log cannot be written.
    told: AtomicBool,
}

impl Losses {
    /// How many events were lost since the start.
    pub(crate) fn count(&self) -> u64 {
        self.all.load(Ordering::Relaxed)
    }

    /// Records an event; before it, if the log can be written again, how many were lost.
    pub(crate) fn record(&self, host: &dyn Host, event: &Event) {
        let Err(error) = self.open.record(event, |event| host.record(event)) else {
            self.told.store(false, Ordering::Release);
            return;
        };
        self.all.fetch_add(1, Ordering::Relaxed);
        // Only the first of a row is told: the others would fill a log that may lie on that disk.
        if !self.told.swap(true, Ordering::AcqRel) {
            let cause = format!(
                "{}; answers go on, and what they leave unrecorded is counted",
                error.whole()
            );
            let what = "writing the audit log";
            host.log(&LogLine::Failure {
                what,
                cause: &cause,
            });
        }
    }
}

/// How many bytes a token may add at once.
const BURST: f64 = 1_048_576.0;
/// How many more it may add each second.
const PER_SECOND: f64 = 4_096.0;
/// How many of them are only for what has to be recorded, so that reading leaves room for it.
const KEPT: f64 = BURST / 2.0;
/// How many there must be room for before an event is written again, so that the counts are few.
const AGAIN: f64 = 30_000.0;

/// The shares of all tokens.
#[derive(Debug, Default)]
pub(crate) struct Quota(Mutex<HashMap<String, Share>>);

#[derive(Debug)]
struct Share {
    /// How many bytes there is room for, and since when; less than none where something that was
    /// begun took more.
    left: f64,
    since: Instant,
    /// How many events were not written since the last that was.
    unwritten: u64,
}

impl Quota {
    /// What is to be written before an event: how many were not. Nothing if it is not written either.
    pub(crate) fn admit(&self, event: &Event, now: Instant) -> Option<Vec<Event>> {
        let Some(token) = counted(event) else {
            return Some(Vec::new());
        };
        let mut shares = self.shares();
        let share = share(&mut shares, token, now);
        let size = size(event);
        if !is_repeated(event.kind) {
            share.left -= size;
            return Some(Vec::new());
        }
        let needed = if share.unwritten > 0 { AGAIN } else { size };
        if share.left - KEPT < needed {
            share.unwritten += 1;
            return None;
        }
        share.left -= size;
        Some(share.take(token).into_iter().collect())
    }

    /// Counts an event that is written whatever the share is: what it belongs to has begun.
    pub(crate) fn charge(&self, event: &Event, now: Instant) {
        if let Some(token) = counted(event) {
            share(&mut self.shares(), token, now).left -= size(event);
        }
    }

    /// Whether there is room for something that has to be recorded, by the beginning of its events.
    pub(crate) fn has_room(&self, event: &Event, now: Instant) -> bool {
        counted(event).is_none_or(|token| share(&mut self.shares(), token, now).left > 0.0)
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
        self.0.lock()
    }
}

/// The share of a token as it is now.
fn share<'a>(shares: &'a mut HashMap<String, Share>, token: &str, now: Instant) -> &'a mut Share {
    let share = shares.entry(token.to_owned()).or_insert(Share {
        left: BURST,
        since: now,
        unwritten: 0,
    });
    let passed = now.saturating_duration_since(share.since).as_secs_f64();
    share.left = (share.left + passed * PER_SECOND).min(BURST);
    share.since = now;
    share
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

#[expect(clippy::cast_precision_loss, reason = "no line has so many bytes")]
fn size(event: &Event) -> f64 {
    event.size() as f64
}

/// What reads and asks, which nobody is refused for the log's sake.
fn is_repeated(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::SkillActivated
            | EventKind::ResourceRead
            | EventKind::ToolAllowed
            | EventKind::ToolBlocked
    )
}

/// The token that an event counts for: admins can do worse than fill a log.
fn counted(event: &Event) -> Option<&str> {
    let is_admin = event.detail.get("role").is_some_and(|role| role == "admin");
    let token = event.detail.get("token")?;
    (!is_admin).then_some(token)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::access::{Holder, Role};

    fn event(kind: EventKind, role: Role, name: &str) -> Event {
        let name = name.to_owned();
        Holder { role, name }.signed(Event::new(kind))
    }

    fn read(role: Role, name: &str) -> Event {
        event(EventKind::ResourceRead, role, name)
    }

    #[test]
    fn what_is_beyond_a_share_is_counted_and_told() {
        let (quota, now) = (Quota::default(), Instant::now());
        let event = read(Role::Read, "one");
        let room = 524_288 / event.size();
        let written = (0..5_000).filter(|_| quota.admit(&event, now).is_some());
        assert_eq!(written.count(), room);
        assert!(quota.admit(&read(Role::Read, "two"), now).is_some());
        assert!(quota.admit(&read(Role::Admin, "one"), now).is_some());
        assert!(quota.admit(&read(Role::Read, ""), now).is_some());
        let soon = now + Duration::from_secs(5);
        assert!(quota.admit(&event, soon).is_none());
        let later = now + Duration::from_secs(20);
        let told = quota.admit(&event, later).unwrap().remove(0);
        assert_eq!(told.kind, EventKind::LogLost);
        assert_eq!(told.detail["events"], (5_001 - room).to_string());
        assert_eq!(told.detail["token"], "one");
        assert_eq!(quota.admit(&event, later), Some(Vec::new()));
        assert!(quota.unwritten().is_empty());
    }

    #[test]
    fn what_has_to_be_recorded_is_written_and_does_not_begin_without_room() {
        let (quota, now) = (Quota::default(), Instant::now());
        let read = read(Role::Run, "one");
        while quota.admit(&read, now).is_some() {}
        // Who read all day may still do something.
        let asks = event(EventKind::ApprovalRequested, Role::Run, "one");
        let asks = asks.detail("argv", "z".repeat(9_000));
        let mut begun = 0;
        while quota.has_room(&asks, now) {
            assert_eq!(quota.admit(&asks, now), Some(Vec::new()));
            begun += 1;
        }
        assert!((100..120).contains(&begun), "{begun}");
        // What has begun is written to its end, and counts.
        let ends = event(EventKind::ScriptExecuted, Role::Run, "one");
        assert!(quota.admit(&ends, now).is_some());
        quota.charge(&ends, now);
        assert!(!quota.has_room(&ends, now));
        assert!(quota.has_room(&event(EventKind::ScriptExecuted, Role::Run, "two"), now));
        assert!(quota.has_room(&ends, now + Duration::from_secs(3)));
        let admin = event(EventKind::ScriptExecuted, Role::Admin, "one");
        assert!((0..5_000).all(|_| quota.admit(&admin, now).is_some()));
        assert!(quota.has_room(&admin, now));
    }
}
