//! An event, before it has a place in the log.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kind::EventKind;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As wished.
    Ok,
    /// It was not allowed.
    Denied,
    /// It was tried and did not work.
    Failed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Denied, Self::Failed];

    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Denied => "denied",
            Self::Failed => "failed",
        }
    }

    /// The outcome of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.as_str() == name)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Something that happened; what does not apply stays empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// How it ended.
    pub outcome: Outcome,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The task at hand.
    pub task: Option<String>,
    /// The skill it is about.
    pub skill: Option<String>,
    /// The tree digest of that skill.
    pub digest: Option<String>,
    /// The source the skill came from.
    pub source: Option<String>,
    /// The URL the skill came from.
    pub origin: Option<String>,
    /// The trust tier it had.
    pub tier: Option<String>,
    /// What set it off: the user, the model, a command.
    pub trigger: Option<String>,
    /// Why it ended so.
    pub reason: Option<String>,
    /// What else there is to say, such as the script, its arguments and its exit code.
    pub detail: BTreeMap<String, String>,
}

/// Makes a method that fills a field.
macro_rules! filled {
    ($($(#[$doc:meta])* $field:ident;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<String>) -> Self {
            self.$field = Some($field.into());
            self
        }
    )+};
}

impl Event {
    /// An event that ended as wished.
    pub fn new(kind: EventKind) -> Self {
        Self {
            kind,
            outcome: Outcome::Ok,
            session: None,
            task: None,
            skill: None,
            digest: None,
            source: None,
            origin: None,
            tier: None,
            trigger: None,
            reason: None,
            detail: BTreeMap::new(),
        }
    }

    /// With another outcome, and why.
    #[must_use]
    pub fn ended(mut self, outcome: Outcome, reason: impl Into<String>) -> Self {
        self.outcome = outcome;
        self.reason = Some(reason.into());
        self
    }

    /// With something else to say.
    #[must_use]
    pub fn detail(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.detail.insert(name.into(), value.into());
        self
    }

    filled! {
        /// In a session.
        session;
        /// For a task.
        task;
        /// About a skill.
        skill;
        /// About these bytes of the skill.
        digest;
        /// From a source.
        source;
        /// From a URL.
        origin;
        /// At a trust tier.
        tier;
        /// Set off by something.
        trigger;
        /// For a reason.
        reason;
    }
}
