//! Agents as the server asks for them: the same skills, models, sandbox and sessions as in the
//! terminal.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_agent::agent::{AgentError, AgentStore, Definition};
use skillyard_agent::provider::{ProviderError, offline};
use skillyard_agent::session::{Session, SessionStore};
use skillyard_agent::settings::ToolMode;
use skillyard_agent::shelf::{Shelf, ShelfError};
use skillyard_agent::tool_spec::WorkspaceTools;
use skillyard_agent::{Runtime, TurnError};
use skillyard_server::{Agents, AgentsError, HostError, Models, NewSession};
use skillyard_trust::verdict::OptIn;

use super::lending::Lending;
use super::settings::{configured, resolved};
use super::{keep_locked, model_context, runtime_with, shelf, shelf_of, store, with_context};
use crate::agent::{FileAccess, SessionSpec};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::NameFilter;
use crate::mcp::Lenders;

/// The agents of this machine.
pub(crate) struct Desk {
    context: Context,
    store: Arc<SessionStore>,
    lending: Lending,
}

impl Desk {
    /// Opens the sessions of this user.
    pub(crate) fn open(context: &Context) -> Result<Self, CommandError> {
        Ok(Self {
            store: Arc::new(store(context)?),
            context: context.clone(),
            lending: Lending::default(),
        })
    }

    /// What a session is made with: no skills where servers are to offer none.
    fn wanted(
        &self,
        context: &Context,
        only: Option<Vec<String>>,
        mcp: &[String],
    ) -> Result<SessionSpec, CommandError> {
        let offers = self.offers_skills()? && context.config()?.serves_skills();
        let mut lenders = Lenders::named(context, mcp)?;
        if !offers {
            for server in &mut lenders.configured {
                server.skills = false;
            }
        }
        Ok(SessionSpec {
            choice: NameFilter::default(),
            only: if offers { only } else { Some(Vec::new()) },
            opt_in: OptIn::No,
            lenders,
            lent_before: None,
            files: FileAccess::Workspace,
        })
    }

    fn runtime_of(
        &self,
        session: &Session,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Runtime, CommandError> {
        // The session was told of these; others would change what its first bytes say.
        let settings = &session.prompt.settings;
        let only = Some(session.prompt.skills.clone());
        // It works where it began, wherever this server is.
        let context = self.context.in_folder(Path::new(&session.workspace));
        let mut wanted = self.wanted(&context, only, &settings.mcp)?;
        wanted.lenders = self.lending.of(&session.id, wanted.lenders);
        wanted.lenders.wake(cancel, tell);
        if session.state.owner.is_some() {
            // Whoever has no tools for the files of this machine has no scripts for them either.
            wanted.files = FileAccess::None;
        }
        let mut runtime = runtime_with(&context, &wanted, settings, Arc::clone(&self.store))?;
        if !self.offers_skills()? {
            // Nor is it told which there are in another folder.
            runtime.shelf = runtime.shelf.with_withheld(BTreeMap::new());
        }
        Ok(runtime)
    }

    fn offers_skills(&self) -> Result<bool, CommandError> {
        Ok(self.context.config()?.serves_skills())
    }

    fn new_session(&self, wish: &NewSession) -> Result<Session, CommandError> {
        let context = &self.context;
        let (mut settings, only, version) = match &wish.agent {
            Some(name) => {
                let (settings, only, version) = resolved(context, name)?;
                (settings, Some(only), Some(version))
            }
            None => (configured(context)?, None, None),
        };
        if let Some(model) = &wish.model {
            settings.model.clone_from(model);
        }
        if let Some(strategy) = wish.strategy {
            settings.strategy = strategy;
        }
        if wish.owner.is_some() {
            // Whoever has a token for talking has none for the files of this machine, nor for
            // the servers of its user.
            settings.workspace = WorkspaceTools::None;
            settings.mcp.clear();
        }
        // A model that nobody answers for is refused now, not in the first turn.
        let mut wanted = self.wanted(context, only, &settings.mcp)?;
        let mut tell = |text: &str| context.printer.note(&format!("warning: {text}"));
        wanted.lenders.wake(&AtomicBool::new(false), &mut tell);
        let store = Arc::clone(&self.store);
        let runtime = runtime_with(context, &wanted, &settings, store)?;
        // A page cannot wait for a model to show what it can: the first turn asks, if need be.
        if let Some(mode) = super::known_tool_mode(context, &settings)? {
            settings.tool_mode = mode;
        }
        with_context(context, &mut settings)?;
        let mut session = super::session(context, runtime.prompt(&settings), version)?;
        session.state.owner.clone_from(&wish.owner);
        self.lending.keep(&session.id, wanted.lenders);
        Ok(session)
    }

    fn settled(
        &self,
        session: &mut Session,
        runtime: &Runtime,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), CommandError> {
        if let Some(tokens) = model_context(&self.context, &session.prompt.settings.model)? {
            session.set_context(tokens);
        }
        let is_new = session.messages.is_empty() && session.state.lineage.is_empty();
        let mut settings = session.prompt.settings.clone();
        if is_new && settings.tool_mode == ToolMode::Auto {
            settings.tool_mode = super::asked_tool_mode(&self.context, &settings, cancel, tell)?;
            session.prompt = runtime.prompt(&settings);
        }
        Ok(())
    }
}

impl Agents for Desk {
    fn sessions(&self) -> Arc<SessionStore> {
        Arc::clone(&self.store)
    }

    fn definitions(&self) -> AgentStore {
        AgentStore::new(&self.context.environment.agents_folder())
    }

    fn allow(&self, definition: &Definition) -> Result<(), AgentsError> {
        let router = definition.router_model.as_deref();
        let kept = keep_locked(
            &self.context,
            &definition.model,
            router,
            definition.strategy,
        );
        kept.map_err(told)
    }

    fn models(&self) -> Result<Models, AgentsError> {
        let configured = configured(&self.context).map_err(told)?;
        let agents = self.definitions();
        let names = agents.names();
        let used = names.iter().filter_map(|name| agents.load(name).ok());
        let mut known: Vec<String> = used.map(|kept| kept.definition.model).collect();
        known.extend([configured.model.clone(), offline::NAME.to_owned()]);
        known.sort_unstable();
        known.dedup();
        let default = configured.model;
        Ok(Models { default, known })
    }

    fn begin(&self, wish: &NewSession) -> Result<Session, AgentsError> {
        self.new_session(wish).map_err(told)
    }

    fn runtime(
        &self,
        session: &Session,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Runtime, AgentsError> {
        self.runtime_of(session, cancel, tell).map_err(told)
    }

    fn settle(
        &self,
        session: &mut Session,
        runtime: &Runtime,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), AgentsError> {
        self.settled(session, runtime, cancel, tell).map_err(told)
    }

    fn remedy(&self, error: &TurnError) -> Option<String> {
        match error {
            TurnError::Skill(ShelfError::Withheld { .. } | ShelfError::Altered { .. })
            | TurnError::Provider(ProviderError::Overfull { .. }) => {
                crate::error::agent::hint(error)
            }
            _ => None,
        }
    }

    fn shelf(&self) -> Result<Shelf, AgentsError> {
        let wanted = self.wanted(&self.context, None, &[]).map_err(told)?;
        shelf(&self.context, &wanted).map_err(told)
    }

    fn shelf_of(&self, session: &Session) -> Result<Shelf, AgentsError> {
        shelf_of(&self.context, session).map_err(told)
    }
}

/// What was asked for wrongly is told to whoever asked; the rest is about this machine.
fn told(error: CommandError) -> AgentsError {
    match &error {
        // The machine failed, and the words name places of it.
        CommandError::Agent(AgentFailure::Agent(AgentError::Io { .. })) => {
            AgentsError::Host(HostError::new(error))
        }
        CommandError::Turn(TurnError::Skill(ShelfError::Resource(resource)))
            if resource.is_trouble() =>
        {
            AgentsError::Host(HostError::new(error))
        }
        CommandError::Agent(AgentFailure::Agent(agent)) => {
            // Not where on this machine its files are.
            let damage = agent
                .damage()
                .map(|damage| format!("the agent is damaged: {damage}"));
            AgentsError::Wrong(damage.unwrap_or_else(|| error.to_string()))
        }
        CommandError::Agent(_)
        | CommandError::Locked { .. }
        | CommandError::Turn(TurnError::Skill(_)) => AgentsError::Wrong(error.to_string()),
        _ => AgentsError::Host(HostError::new(error)),
    }
}
