//! An event, before it has a place in the log.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

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

/// Makes the enum, its names and the list of all of them from one table.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $weight:ident;)+) => {
        /// What kind of thing happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum EventKind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl EventKind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in the log.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Whether the event must survive a power failure before the command goes on.
            pub fn is_security(self) -> bool {
                match self {
                    $(Self::$variant => matches!(Weight::$weight, Weight::Security),)+
                }
            }
        }
    };
}

enum Weight {
    Security,
    Routine,
}

kinds! {
    /// A skill was seen for the first time.
    SkillDiscovered = "skill.discovered", Routine;
    /// A skill was installed.
    SkillInstalled = "skill.installed", Security;
    /// A skill was replaced by another version.
    SkillUpdated = "skill.updated", Security;
    /// A skill was removed.
    SkillRemoved = "skill.removed", Security;
    /// A skill was switched on.
    SkillEnabled = "skill.enabled", Security;
    /// A skill was switched off.
    SkillDisabled = "skill.disabled", Security;
    /// A skill's body entered a session.
    SkillActivated = "skill.activated", Routine;
    /// A skill left a session.
    SkillReleased = "skill.released", Routine;
    /// A file of a skill was read.
    ResourceRead = "skill.resource_read", Routine;
    /// A script of a skill is about to run.
    ScriptStarted = "skill.script_started", Security;
    /// A script of a skill was run.
    ScriptExecuted = "skill.script_executed", Security;
    /// A tool call that may change something is about to be made.
    ToolStarted = "skill.tool_started", Security;
    /// A tool call was allowed.
    ToolAllowed = "skill.tool_allowed", Routine;
    /// A tool call was blocked.
    ToolBlocked = "skill.tool_blocked", Security;
    /// The user was asked.
    ApprovalRequested = "approval.requested", Security;
    /// The user said yes.
    ApprovalGranted = "approval.granted", Security;
    /// The user said no.
    ApprovalDenied = "approval.denied", Security;
    /// A yes was taken back.
    ApprovalRevoked = "approval.revoked", Security;
    /// The scanner found something.
    ScanFinding = "scan.finding", Security;
    /// A signature was good.
    SignatureVerified = "signature.verified", Security;
    /// A signature was bad.
    SignatureFailed = "signature.failed", Security;
    /// A skill was signed.
    SkillSigned = "skill.signed", Security;
    /// A key to sign with was made.
    KeyGenerated = "key.generated", Security;
    /// A key, an authority or an identity was trusted.
    KeyTrusted = "key.trusted", Security;
    /// A key or a skill was revoked.
    KeyRevoked = "key.revoked", Security;
    /// It was forgotten who signed a skill before.
    KeyForgotten = "key.forgotten", Security;
    /// A session with a model began.
    SessionStarted = "session.started", Routine;
    /// Another model went on with a session.
    SessionModelChanged = "session.model_changed", Routine;
    /// A model was asked.
    SessionPrompted = "session.prompted", Routine;
    /// An agent was made.
    AgentCreated = "agent.created", Routine;
    /// An agent was changed.
    AgentUpdated = "agent.updated", Routine;
    /// A skill was published.
    RegistryPublished = "registry.published", Security;
    /// A version was yanked.
    RegistryYanked = "registry.yanked", Security;
    /// A skill was deprecated.
    RegistryDeprecated = "registry.deprecated", Security;
    /// A tag was set or removed.
    RegistryTagged = "registry.tagged", Security;
    /// A role was granted, revoked or transferred.
    RegistryOwnersChanged = "registry.owners_changed", Security;
    /// A token was made or revoked.
    RegistryTokenChanged = "registry.token_changed", Security;
    /// The configuration was changed.
    ConfigChanged = "config.changed", Security;
    /// The log goes on in a new file.
    LogRotated = "audit.rotated", Security;
    /// An old file of the log was deleted, as configured.
    LogDropped = "audit.dropped", Security;
    /// A line that was not written to its end was cut off.
    LogHealed = "audit.healed", Security;
    /// Events could not be written down, and only how many is known.
    LogLost = "audit.lost", Security;
    /// The log was not as it was left.
    LogBroken = "audit.broken", Security;
}

impl EventKind {
    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Whether a kind is called so, or several begin so up to a dot.
    pub fn is_known(name: &str) -> bool {
        let name = name.trim_end_matches('.');
        Self::ALL.iter().any(|kind| {
            let rest = kind.as_str().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod kind_tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.as_str()), Some(*kind));
        }
        assert_eq!(EventKind::from_name("skill.eaten"), None);
    }

    #[test]
    fn every_kind_is_documented() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit.md");
        let docs = std::fs::read_to_string(docs).unwrap();
        for kind in EventKind::ALL {
            assert!(docs.contains(&format!("`{kind}`")), "{kind}");
        }
    }
}
