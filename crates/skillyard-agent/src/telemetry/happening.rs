//! What happens in sessions, as whoever is not the user hears of it.

use jiff::Timestamp;

use crate::front_end::{EndReason, Trigger};
use crate::message::CallOutcome;
use crate::provider::{Stop, Usage};
use crate::telemetry::TraceParent;

/// Whoever wants to know what happens. The turn waits for it, so it must not take long.
pub trait Subscriber: Send + Sync {
    /// Takes note of what happened.
    fn heard(&self, happening: &Happening<'_>);
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Happening<'a> {
    /// A turn began.
    TurnStarted(TurnStarted<'a>),
    /// A skill's body entered a session.
    SkillActivated(SkillActivated<'a>),
    /// The model was asked.
    Asked(Asked<'a>),
    /// A tool was called.
    Called(Called<'a>),
    /// A turn is over.
    TurnEnded(TurnEnded<'a>),
    /// A tool was called by an agent elsewhere.
    Served(Served<'a>),
}

/// A turn began.
#[derive(Debug, Clone)]
pub struct TurnStarted<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent.
    pub agent: Option<&'a str>,
    /// The model, as `provider/name`.
    pub model: &'a str,
    /// The span of whoever asked for it.
    pub parent: Option<&'a TraceParent>,
    /// When.
    pub at: Timestamp,
}

/// A skill's body entered a session.
#[derive(Debug, Clone)]
pub struct SkillActivated<'a> {
    /// The session.
    pub session: &'a str,
    /// The skill.
    pub skill: &'a str,
    /// Its tree digest.
    pub digest: &'a str,
    /// The kind of its source.
    pub source: &'a str,
    /// Where it came from, without credentials.
    pub uri: &'a str,
    /// Its trust tier.
    pub tier: &'a str,
    /// Who wanted it.
    pub trigger: Trigger,
    /// About how many tokens it takes.
    pub tokens: usize,
    /// When.
    pub at: Timestamp,
}

/// The model was asked.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The session.
    pub session: &'a str,
    /// Who answers.
    pub provider: &'a str,
    /// The model's own name.
    pub model: &'a str,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// When it was asked.
    pub started: Timestamp,
    /// When it had answered.
    pub ended: Timestamp,
    /// Whether it wants calls made.
    pub calls: bool,
    /// How it went: why it stopped and what it cost, or the kind of its failure.
    pub outcome: Result<(Stop, Usage), &'static str>,
}

/// A tool was called.
#[derive(Debug, Clone)]
pub struct Called<'a> {
    /// The session.
    pub session: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The call.
    pub call: &'a str,
    /// The skill it is about.
    pub skill: Option<&'a str>,
    /// That skill's tree digest.
    pub digest: Option<&'a str>,
    /// Where that skill came from, without credentials.
    pub uri: Option<&'a str>,
    /// The file of the skill, by its path in it.
    pub resource: Option<&'a str>,
    /// The exit code of what it ran.
    pub exit: Option<i64>,
    /// How it ended.
    pub outcome: CallOutcome,
    /// When it was called.
    pub started: Timestamp,
    /// When it was over, questions to the user included.
    pub ended: Timestamp,
}

/// A tool was called by an agent elsewhere, so in no turn of ours.
#[derive(Debug, Clone)]
pub struct Served<'a> {
    /// The call; its session and its own name are empty where they are not known.
    pub call: Called<'a>,
    /// The span of whoever asked for it.
    pub parent: Option<&'a TraceParent>,
}

/// A turn is over.
#[derive(Debug, Clone)]
pub struct TurnEnded<'a> {
    /// The session.
    pub session: &'a str,
    /// When.
    pub at: Timestamp,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended, or the kind of its failure.
    pub outcome: Result<EndReason, &'static str>,
}
