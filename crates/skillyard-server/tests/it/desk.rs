//! Agents for tests: no model, a machine that runs nothing, sessions in a temporary folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_agent::Runtime;
use skillyard_agent::agent::AgentStore;
use skillyard_agent::host::{CommandRun, Executed, Host, HostError, Permission, Ran, ScriptRun};
use skillyard_agent::message::AssistantPart;
use skillyard_agent::prompt::Prompt;
use skillyard_agent::provider::offline::Offline;
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Usage};
use skillyard_agent::session::{AgentVersion, Session, SessionStore};
use skillyard_agent::settings::AgentSettings;
use skillyard_agent::shelf::{Author, Shelf, ShelfSkill};
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::ReadLimits;
use skillyard_catalog::source::SourceKind;
use skillyard_format::package::Digest;
use skillyard_server::{Agents, AgentsError, Host as _, Models, NewSession};
use skillyard_trust::guard::{DenyLayer, GuardEnvironment, ToolList};

use crate::context::{Machine, SOURCE, World};

/// The agents of a test.
pub(crate) struct Desk {
    pub(crate) machine: Arc<Machine>,
    store: Option<Arc<SessionStore>>,
    pub(crate) folder: PathBuf,
}

impl Desk {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        let folder = machine.home.as_path();
        let file = folder.join("sessions.db");
        Self {
            store: Some(Arc::new(aside(|| SessionStore::open(&file).unwrap()))),
            folder: folder.to_owned(),
            machine,
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let store = self.store.take();
        aside(|| drop(store));
    }
}

/// The store blocks, which the threads of asynchronous tests may not.
fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

impl Agents for Desk {
    fn sessions(&self) -> Arc<SessionStore> {
        Arc::clone(self.store.as_ref().unwrap())
    }

    fn definitions(&self) -> AgentStore {
        AgentStore::new(&self.folder.join("agents"))
    }

    fn models(&self) -> Result<Models, AgentsError> {
        Ok(Models {
            default: "offline".into(),
            known: vec!["offline".into()],
        })
    }

    fn begin(&self, wish: &NewSession) -> Result<Session, AgentsError> {
        if let Some(model) = wish.model.as_deref().filter(|model| *model != "offline") {
            return Err(AgentsError::Wrong(format!(
                "nothing is known of the model `{model}`"
            )));
        }
        let (only, version) = match &wish.agent {
            None => (None, None),
            Some(name) => {
                let kept = self.definitions().load(name);
                let kept = kept.map_err(|error| AgentsError::Wrong(error.to_string()))?;
                let pins = kept.definition.skills.iter();
                let names: Vec<String> = pins.map(|pin| pin.name.clone()).collect();
                let version = AgentVersion {
                    name: kept.name,
                    version: kept.version,
                };
                (Some(names), Some(version))
            }
        };
        let settings = AgentSettings {
            strategy: wish.strategy.unwrap_or_default(),
            ..AgentSettings::default()
        };
        let prompt = Prompt::new(&self.only(only.as_deref())?, &settings);
        let now = jiff::Timestamp::UNIX_EPOCH;
        let mut session = Session::new(version, "/nowhere".into(), prompt, now).unwrap();
        session.state.owner.clone_from(&wish.owner);
        Ok(session)
    }

    fn runtime(
        &self,
        session: &Session,
        _: &AtomicBool,
        _: &mut dyn FnMut(&str),
    ) -> Result<Runtime, AgentsError> {
        Ok(Runtime {
            provider: Box::new(Spelling(self.machine.home.join(".agents/skills/pdf"))),
            router: None,
            shelf: self.shelf_of(session)?,
            host: Box::new(Stage {
                machine: Arc::clone(&self.machine),
                world: World(self.folder.clone()),
            }),
            store: self.sessions(),
            clock: jiff::Timestamp::now,
            subscribers: Vec::new(),
        })
    }

    fn settle(
        &self,
        _: &mut Session,
        _: &Runtime,
        _: &AtomicBool,
        _: &mut dyn FnMut(&str),
    ) -> Result<(), AgentsError> {
        Ok(())
    }

    fn shelf(&self) -> Result<Shelf, AgentsError> {
        self.only(None)
    }

    fn shelf_of(&self, session: &Session) -> Result<Shelf, AgentsError> {
        self.only(Some(&session.prompt.skills))
    }
}

impl Desk {
    fn only(&self, only: Option<&[String]>) -> Result<Shelf, AgentsError> {
        let catalog = self.machine.load()?;
        let is_wanted = |name: &str| only.is_none_or(|only| only.iter().any(|each| each == name));
        let skills = catalog
            .enabled()
            .filter(|skill| skill.kind != SourceKind::Builtin && is_wanted(&skill.record.name))
            .map(|skill| ShelfSkill {
                folder: skill.record.folder.clone(),
                directory: skill.record.folder.display().to_string(),
                origin: SOURCE.into(),
                tier: "high".into(),
                author: Author::Known,
                skill: skill.clone(),
            });
        Ok(Shelf::new(skills.collect(), None, ReadLimits::default()))
    }
}

/// What is said to a model that is to tell where a skill lies.
pub(crate) const SPELL: &str = "spell where it lies";

/// No model, but for one thing that it says letter by letter.
struct Spelling(PathBuf);

impl Provider for Spelling {
    fn name(&self) -> &'static str {
        Offline.name()
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let asked = serde_json::to_string(request).unwrap();
        if !asked.contains(SPELL) {
            return Offline.complete(request, on, cancel);
        }
        let text = format!("It lies in {}.", self.0.display());
        for letter in text.chars() {
            on(Delta::Text(letter.encode_utf8(&mut [0; 4])));
        }
        Ok(Completion {
            parts: vec![AssistantPart::Text { text }],
            usage: Usage {
                input: 7,
                cached: 2,
                output: 3,
                estimated: false,
            },
            ..Completion::default()
        })
    }
}

/// A machine that asks before each script, unless it never asks, and only pretends to run it.
struct Stage {
    machine: Arc<Machine>,
    world: World,
}

impl Host for Stage {
    fn script_permission(&mut self, _: &str, _: &Digest) -> Permission {
        if self.machine.never_asks.load(Ordering::Relaxed) {
            return Permission::Run;
        }
        Permission::Ask {
            reason: format!("it comes from a local folder, {SOURCE}"),
        }
    }

    fn approve_digest(&mut self, _: &str, _: &Digest) -> Result<(), HostError> {
        Ok(())
    }

    fn approved_tools(&mut self, _: &str, _: &Digest) -> ToolList {
        ToolList::default()
    }

    fn seal(&mut self, allowed: &str) -> Result<String, HostError> {
        Ok(format!("sealed {allowed}"))
    }

    fn is_sealed(&mut self, allowed: &str, seal: &str) -> bool {
        seal == format!("sealed {allowed}")
    }

    fn run_script(&mut self, run: &ScriptRun, cancel: &AtomicBool) -> Executed<HostError> {
        // This one runs until it is stopped.
        while run.script == "scripts/endless.sh" && !cancel.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        let ran = Ran {
            code: 0,
            stdout: format!("ran {} <img src=x onerror=alert(6)>", run.script),
            stderr: String::new(),
            denials: Vec::new(),
            made: None,
            backend: "test".into(),
        };
        let mut event = run.asked.clone();
        event.kind = EventKind::ScriptExecuted;
        let event = event.skill(&run.skill).detail("script", &run.script);
        Executed {
            ran: Ok(ran),
            event: event.digest(run.digest.to_string()),
        }
    }

    fn run_command(&mut self, _: &CommandRun, _: &AtomicBool) -> Result<Ran, HostError> {
        Err(HostError::new("there are no commands here"))
    }

    fn record(&mut self, event: &Event) -> Result<(), HostError> {
        let recorded = self.machine.record(event);
        recorded.map_err(|error| HostError::new(error.to_string()))
    }

    fn surroundings(&self) -> &dyn GuardEnvironment {
        &self.world
    }

    fn denied(&self) -> Result<Vec<DenyLayer>, HostError> {
        Ok(Vec::new())
    }
}
