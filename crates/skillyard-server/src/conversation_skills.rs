//! Which skills act in which conversation: what was loaded there decides which tools may be called.
//!
//! A connection is a conversation, and what was loaded in it acts until it ends. Over the stateless
//! protocol there are no connections, so there it is whoever shows the same token and calls itself
//! the same; what they loaded acts for an hour. Over the API it is whoever shows the same token, for
//! what its users activate. A token has so many conversations of these two kinds, and another one
//! takes the place of none but its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use skillyard_trust::guard::ActiveSkill;
use tokio::time::Instant;

/// How long a skill acts after the last one was loaded, where there is no connection.
const WINDOW: Duration = Duration::from_hours(1);
/// How many conversations without a connection are remembered of a token, or of the user of this
/// machine.
const MAX_EACH: usize = 256;

/// Skills, with their digests.
type Skills = Vec<(ActiveSkill, String)>;

/// The skills that act, by conversation.
#[derive(Default)]
pub(crate) struct ConversationSkills {
    begun: AtomicU64,
    known: Mutex<Conversations>,
}

#[derive(Default)]
struct Conversations {
    /// Those of the connections that are open.
    connections: HashMap<String, Skills>,
    /// Those of everybody else.
    windows: HashMap<String, Window>,
}

struct Window {
    skills: Skills,
    last: Instant,
    /// The token that it was opened with.
    owner: String,
}

impl Conversations {
    fn skills(&self, conversation: &str) -> Option<&Skills> {
        if let Some(skills) = self.connections.get(conversation) {
            return Some(skills);
        }
        let window = self.windows.get(conversation)?;
        (window.last.elapsed() < WINDOW).then_some(&window.skills)
    }
}

impl ConversationSkills {
    /// A name for a new connection, which no other has, also not in another process.
    pub(crate) fn begin(&self) -> String {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let now = jiff::Timestamp::now().as_nanosecond();
        let name = format!("connection-{}-{now}-{number}", std::process::id());
        self.known().connections.insert(name.clone(), Vec::new());
        name
    }

    /// A skill was loaded, with these files, by who has this token.
    pub(crate) fn load(&self, owner: &str, conversation: &str, skill: ActiveSkill, digest: String) {
        let mut known = self.known();
        if let Some(skills) = known.connections.get_mut(conversation) {
            add(skills, skill, digest);
            return;
        }
        let (windows, now) = (&mut known.windows, Instant::now());
        windows.retain(|_, window| now.duration_since(window.last) < WINDOW);
        if !windows.contains_key(conversation) {
            let own = windows.iter().filter(|(_, window)| window.owner == owner);
            if own.clone().count() >= MAX_EACH {
                let oldest = own.min_by_key(|(_, window)| window.last);
                let oldest = oldest.map(|(name, _)| name.clone());
                oldest.and_then(|name| windows.remove(&name));
            }
        }
        let window = windows
            .entry(conversation.to_owned())
            .or_insert_with(|| Window {
                skills: Vec::new(),
                last: now,
                owner: owner.to_owned(),
            });
        window.last = now;
        add(&mut window.skills, skill, digest);
    }

    /// The skills that act, with their digests.
    pub(crate) fn skills(&self, conversation: &str) -> Skills {
        let known = self.known();
        known.skills(conversation).cloned().unwrap_or_default()
    }

    /// Whether a skill acts.
    pub(crate) fn has(&self, conversation: &str, name: &str) -> bool {
        let known = self.known();
        let mut skills = known.skills(conversation).into_iter().flatten();
        skills.any(|(skill, _)| skill.name == name)
    }

    /// A connection ended.
    pub(crate) fn end(&self, conversation: &str) {
        self.known().connections.remove(conversation);
    }

    fn known(&self) -> MutexGuard<'_, Conversations> {
        self.known.lock()
    }
}

fn add(skills: &mut Skills, skill: ActiveSkill, digest: String) {
    skills.retain(|(each, _)| each.name != skill.name);
    skills.push((skill, digest));
}
