//! Which skills act in which conversation: what was loaded there decides which tools may be called.
//!
//! A connection is a conversation. Over the stateless protocol there are no connections, so there
//! it is whoever shows the same token and calls itself the same; what they loaded acts for an hour.
//! Over the API it is whoever shows the same token, for what its users activate.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use skillyard_trust::guard::ActiveSkill;

/// How long a skill acts after the last one was loaded.
const WINDOW: Duration = Duration::from_hours(1);
/// How many conversations are remembered.
const MOST: usize = 1_024;

/// The skills that act, by conversation.
#[derive(Default)]
pub(crate) struct Acting {
    begun: AtomicU64,
    windows: Mutex<HashMap<String, Window>>,
}

struct Window {
    skills: Vec<(ActiveSkill, String)>,
    last: Instant,
}

impl Acting {
    /// A name for a new conversation, which no other has, also not in another process.
    pub(super) fn begin(&self) -> String {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let now = jiff::Timestamp::now().as_nanosecond();
        format!("connection-{}-{now}-{number}", std::process::id())
    }

    /// A skill was loaded, with these files.
    pub(crate) fn load(&self, conversation: &str, skill: ActiveSkill, digest: String) {
        let mut windows = self.windows();
        let now = Instant::now();
        windows.retain(|_, window| now.duration_since(window.last) < WINDOW);
        if windows.len() >= MOST && !windows.contains_key(conversation) {
            let oldest = windows.iter().min_by_key(|(_, window)| window.last);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| windows.remove(&name));
        }
        let window = windows
            .entry(conversation.to_owned())
            .or_insert_with(|| Window {
                skills: Vec::new(),
                last: now,
            });
        window.last = now;
        window.skills.retain(|(each, _)| each.name != skill.name);
        window.skills.push((skill, digest));
    }

    /// The skills that act, with their digests.
    pub(super) fn skills(&self, conversation: &str) -> Vec<(ActiveSkill, String)> {
        let windows = self.windows();
        let window = windows.get(conversation);
        let window = window.filter(|window| window.last.elapsed() < WINDOW);
        window
            .map(|window| window.skills.clone())
            .unwrap_or_default()
    }

    /// Whether a skill acts.
    pub(crate) fn has(&self, conversation: &str, name: &str) -> bool {
        let windows = self.windows();
        let window = windows.get(conversation);
        let window = window.filter(|window| window.last.elapsed() < WINDOW);
        window.is_some_and(|window| window.skills.iter().any(|(skill, _)| skill.name == name))
    }

    /// A conversation ended.
    pub(super) fn end(&self, conversation: &str) {
        self.windows().remove(conversation);
    }

    fn windows(&self) -> MutexGuard<'_, HashMap<String, Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
