//! What the server needs to let agents talk: sessions, models and whoever makes a runtime.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_agent::agent::{AgentStore, Definition};
use skillyard_agent::session::{Session, SessionStore};
use skillyard_agent::settings::Strategy;
use skillyard_agent::shelf::Shelf;
use skillyard_agent::{Runtime, TurnError};

use crate::host::HostError;
use crate::problem::Problem;

/// The agents of this machine. All of it may block: it is called on threads of its own.
pub trait Agents: Send + Sync + 'static {
    /// The sessions, which the terminal shares.
    fn sessions(&self) -> Arc<SessionStore>;

    /// The agents that have a name.
    fn definitions(&self) -> AgentStore;

    /// Refuses an agent that may not be as it is to be here.
    fn allow(&self, definition: &Definition) -> Result<(), AgentsError> {
        let _ = definition;
        Ok(())
    }

    /// The models that can be chosen.
    fn models(&self) -> Result<Models, AgentsError>;

    /// A new session, which is kept once something is said in it.
    fn begin(&self, wish: &NewSession) -> Result<Session, AgentsError>;

    /// What a turn of a session needs, such as the servers that lend it tools. Whoever waits is
    /// told of what is not there.
    fn runtime(
        &self,
        session: &Session,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Runtime, AgentsError>;

    /// Finds out, before the first turn of a session, what its model has to be asked for: how it
    /// calls tools. Whoever waits is told.
    fn settle(
        &self,
        session: &mut Session,
        runtime: &Runtime,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), AgentsError>;

    /// What a person can do about a turn that failed, if that can be said.
    fn remedy(&self, error: &TurnError) -> Option<String> {
        let _ = error;
        None
    }

    /// The skills that an agent can reach.
    fn shelf(&self) -> Result<Shelf, AgentsError>;

    /// The skills that a session was told of, as they were then if that is known.
    fn shelf_of(&self, session: &Session) -> Result<Shelf, AgentsError>;
}

/// The models that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// What is taken when nobody chooses.
    pub default: String,
    /// What the configuration and the agents name.
    pub known: Vec<String>,
}

/// What a new session is to be like; what is not said is as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewSession {
    /// An agent.
    pub agent: Option<String>,
    /// The model, as `SERVER/NAME`.
    pub model: Option<String>,
    /// Who picks skills.
    pub strategy: Option<Strategy>,
    /// Whose it is; the user's own without one.
    pub owner: Option<String>,
}

/// How long the name of a model may be.
const MAX_MODEL_LENGTH: usize = 256;

/// Refuses a name that no model has: it stands in lists, logs and every session.
pub(crate) fn refuse_long_model(model: Option<&str>) -> Result<(), Problem> {
    if model.is_none_or(|model| model.chars().count() <= MAX_MODEL_LENGTH) {
        return Ok(());
    }
    Err(Problem::bad(format!(
        "`model` has at most {MAX_MODEL_LENGTH} characters"
    )))
}

/// Why agents could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum AgentsError {
    /// It makes no sense; the words are for whoever asked.
    #[error("{0}")]
    Wrong(String),
    /// The machine failed.
    #[error(transparent)]
    Host(#[from] HostError),
}
