//! A folder of skills, a machine that only pretends, and a model that says what it is told to.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::Value;
use skillyard_agent::Runtime;
use skillyard_agent::front_end::{ApprovalAnswer, ApprovalRequest, FrontEnd, Stopper, TurnEvent};
use skillyard_agent::host::{
    CommandRun, Executed, Host, HostError, Lent, LentCall, Permission, Ran, ScriptRun,
};
use skillyard_agent::message::{AssistantPart, CallOutcome, ToolCall};
use skillyard_agent::prompt::Prompt;
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Usage};
use skillyard_agent::replay::Recorded;
use skillyard_agent::session::{Session, SessionStore};
use skillyard_agent::settings::AgentSettings;
use skillyard_agent::shelf::{Author, Shelf, ShelfSkill};
use skillyard_agent::tool_spec::ToolSpec;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::resource::ReadLimits;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::Surroundings as Places;
use skillyard_catalog::{Catalog, CatalogSettings};
use skillyard_format::Digest;
use skillyard_trust::guard::{DenyLayer, GuardEnvironment, ToolList};
use tempfile::TempDir;

/// A folder of skills and everything around it.
pub(crate) struct Lab {
    pub(crate) folder: TempDir,
    pub(crate) machine: Arc<Mutex<Machine>>,
}

/// What the pretended machine does and did.
pub(crate) struct Machine {
    pub(crate) events: Vec<Event>,
    /// Events of a kind that cannot be recorded.
    pub(crate) unrecorded: Option<EventKind>,
    pub(crate) permission: Permission,
    pub(crate) scripts: Vec<ScriptRun>,
    pub(crate) commands: Vec<CommandRun>,
    /// How every command ends.
    pub(crate) ran: Ran,
    pub(crate) approved: Vec<String>,
    /// Why nothing can be approved for good.
    pub(crate) unshown: Option<String>,
    /// A skill, its digest, and the tools that were approved for it.
    pub(crate) tools: Option<(String, String, String)>,
    /// What the policy denies.
    pub(crate) denied: Vec<DenyLayer>,
    /// Calls of lent tools: the tool, its arguments and the active skills.
    pub(crate) lent: Vec<(String, Value, Vec<String>)>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("skills")).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let machine = Machine {
            events: Vec::new(),
            unrecorded: None,
            permission: Permission::Run,
            scripts: Vec::new(),
            commands: Vec::new(),
            ran: ran("command output"),
            approved: Vec::new(),
            unshown: None,
            tools: None,
            denied: Vec::new(),
            lent: Vec::new(),
        };
        Self {
            folder,
            machine: Arc::new(Mutex::new(machine)),
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A skill with further lines of frontmatter.
    pub(crate) fn skill(&self, name: &str, description: &str, more: &str, body: &str) -> &Self {
        let text = format!("---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}\n");
        self.write(&format!("skills/{name}/SKILL.md"), &text)
    }

    pub(crate) fn shelf(&self) -> Shelf {
        let root = self.folder.path().canonicalize().unwrap();
        let catalog = Catalog::load(&CatalogSettings {
            surroundings: Places {
                current: root.join("work"),
                skillyard_home: root.join("home"),
                extra: vec![root.join("skills")],
                ..Places::default()
            },
            ..CatalogSettings::default()
        });
        let skills = catalog
            .enabled()
            .filter(|skill| skill.kind == SourceKind::Extra);
        let skills = skills.map(|skill| ShelfSkill {
            folder: skill.record.folder.clone(),
            directory: format!("skill:{}", skill.record.name),
            origin: "extra".into(),
            tier: "medium".into(),
            author: Author::ThirdParty,
            skill: skill.clone(),
        });
        Shelf::new(skills.collect(), None, ReadLimits::default())
    }

    pub(crate) fn runtime(&self, provider: impl Provider + 'static) -> Runtime {
        let root = self.folder.path().canonicalize().unwrap();
        Runtime {
            provider: Box::new(provider),
            router: None,
            shelf: self.shelf(),
            host: Box::new(Pretended {
                machine: Arc::clone(&self.machine),
                workspace: Folder(root.join("work")),
                denied: self.machine.lock().unwrap().denied.clone(),
            }),
            store: Arc::new(self.store()),
            clock: Timestamp::now,
            subscribers: Vec::new(),
        }
    }

    pub(crate) fn store(&self) -> SessionStore {
        SessionStore::open(&self.folder.path().join("sessions.db")).unwrap()
    }

    pub(crate) fn session(&self, runtime: &Runtime, settings: &AgentSettings) -> Session {
        let prompt = Prompt::new(&runtime.shelf, settings);
        let folder = self.folder.path().join("work");
        let folder = folder.to_string_lossy().into_owned();
        Session::new(None, folder, prompt, Timestamp::now()).unwrap()
    }

    /// The kinds of the events so far.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let machine = self.machine.lock().unwrap();
        machine
            .events
            .iter()
            .map(|event| event.kind.as_str())
            .collect()
    }

    /// The events of sessions, as a replay reads them.
    pub(crate) fn recorded(&self, sessions: &[&str]) -> Vec<Recorded> {
        let machine = self.machine.lock().unwrap();
        let events = machine.events.iter().zip(1..);
        let of = |event: &Event| event.session.clone().unwrap_or_default();
        let events = events.filter(|(event, _)| sessions.contains(&of(event).as_str()));
        events
            .map(|(event, place)| Recorded {
                place,
                session: of(event),
                kind: event.kind.as_str().into(),
                skill: event.skill.clone(),
                digest: event.digest.clone(),
                done: event.outcome == Outcome::Ok,
                detail: event.detail.clone(),
            })
            .collect()
    }
}

struct Pretended {
    machine: Arc<Mutex<Machine>>,
    workspace: Folder,
    denied: Vec<DenyLayer>,
}

struct Folder(PathBuf);

impl GuardEnvironment for Folder {
    fn workspace(&self) -> &Path {
        &self.0
    }

    fn home(&self) -> Option<&Path> {
        None
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        Some(Path::new("/usr/bin").join(name))
    }
}

impl Host for Pretended {
    fn script_permission(&mut self, _skill: &str, _digest: &Digest) -> Permission {
        self.machine.lock().unwrap().permission.clone()
    }

    fn unshown(&mut self, _skill: &str) -> Option<String> {
        self.machine.lock().unwrap().unshown.clone()
    }

    fn approve_digest(&mut self, skill: &str, digest: &Digest) -> Result<(), HostError> {
        let approved = format!("{skill} {digest}");
        self.machine.lock().unwrap().approved.push(approved);
        Ok(())
    }

    fn approved_tools(&mut self, skill: &str, digest: &Digest) -> ToolList {
        let machine = self.machine.lock().unwrap();
        match &machine.tools {
            Some((name, bytes, list)) if name == skill && *bytes == digest.to_string() => {
                ToolList::parse(list)
            }
            _ => ToolList::Absent,
        }
    }

    fn seal(&mut self, allowed: &str) -> Result<String, HostError> {
        Ok(format!("sealed {allowed}"))
    }

    fn is_sealed(&mut self, allowed: &str, seal: &str) -> bool {
        seal == format!("sealed {allowed}")
    }

    fn run_script(&mut self, run: &ScriptRun, _cancel: &AtomicBool) -> Executed<HostError> {
        self.machine.lock().unwrap().scripts.push(run.clone());
        let mut event = run.asked.clone();
        event.kind = EventKind::ScriptExecuted;
        let event = event
            .skill(&run.skill)
            .digest(run.digest.to_string())
            .detail("script", &run.script);
        if run.script == "SECRET-SCRIPT" {
            let ran = Err(HostError::new("there is no such script"));
            return Executed { ran, event };
        }
        let event = event.detail("exit_code", "0");
        Executed {
            ran: Ok(ran("script output")),
            event,
        }
    }

    fn run_command(&mut self, run: &CommandRun, _cancel: &AtomicBool) -> Result<Ran, HostError> {
        let mut machine = self.machine.lock().unwrap();
        machine.commands.push(run.clone());
        Ok(machine.ran.clone())
    }

    fn record(&mut self, event: &Event) -> Result<(), HostError> {
        let mut machine = self.machine.lock().unwrap();
        if machine.unrecorded == Some(event.kind) {
            return Err(HostError::new("the log cannot be written"));
        }
        machine.events.push(event.clone());
        Ok(())
    }

    fn surroundings(&self) -> &dyn GuardEnvironment {
        &self.workspace
    }

    fn denied(&self) -> Result<Vec<DenyLayer>, HostError> {
        Ok(self.denied.clone())
    }

    fn lent(&self) -> Vec<ToolSpec> {
        let tool = |name: &str| ToolSpec {
            name: format!("mcp__s__{name}"),
            description: "A tool of the MCP server `s`.".into(),
            parameters: serde_json::json!({ "type": "object" }),
        };
        ["ask", "run", "blocked", "fail"].map(tool).into()
    }

    fn lent_permission(&self, tool: &str) -> Permission {
        let reason = "it is a test".to_owned();
        match tool {
            "mcp__s__ask" => Permission::Ask { reason },
            "mcp__s__blocked" => Permission::Blocked { reason },
            _ => Permission::Run,
        }
    }

    fn call_lent(&mut self, call: &LentCall<'_>, _: &AtomicBool) -> Result<Lent, HostError> {
        if call.tool == "mcp__s__fail" {
            return Err(HostError::new("the server ended"));
        }
        let skills = call.skills.iter().map(|each| each.name.clone()).collect();
        let arguments = Value::Object(call.arguments.clone());
        let made = (call.tool.to_owned(), arguments, skills);
        self.machine.lock().unwrap().lent.push(made);
        Ok(Lent {
            content: "lent output".into(),
            outcome: CallOutcome::Ok,
            server: "s".into(),
            own_name: call.tool.trim_start_matches("mcp__s__").into(),
        })
    }
}

fn ran(stdout: &str) -> Ran {
    Ran {
        code: 0,
        stdout: stdout.into(),
        stderr: String::new(),
        denials: Vec::new(),
        made: None,
        backend: "pretended".into(),
    }
}

/// A front end that answers every question alike and keeps what it hears.
pub(crate) struct Front {
    pub(crate) answer: ApprovalAnswer,
    pub(crate) events: Vec<TurnEvent>,
    pub(crate) asked: Vec<ApprovalRequest>,
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) stopper: Stopper,
}

impl Front {
    pub(crate) fn new(answer: ApprovalAnswer) -> Self {
        Self {
            answer,
            events: Vec::new(),
            asked: Vec::new(),
            cancel: Arc::default(),
            stopper: Stopper::User,
        }
    }
}

impl FrontEnd for Front {
    fn stopper(&self) -> Stopper {
        self.stopper
    }

    fn event(&mut self, event: &TurnEvent) {
        self.events.push(event.clone());
    }

    fn approve(&mut self, request: &ApprovalRequest) -> ApprovalAnswer {
        self.asked.push(request.clone());
        self.answer
    }

    fn cancel(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }
}

/// A model that says what it was told to, and keeps what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    pub(crate) replies: Arc<Mutex<VecDeque<Vec<AssistantPart>>>>,
    pub(crate) requests: Arc<Mutex<Vec<Value>>>,
}

impl Scripted {
    pub(crate) fn new(replies: impl IntoIterator<Item = Vec<AssistantPart>>) -> Self {
        let scripted = Self::default();
        scripted.replies.lock().unwrap().extend(replies);
        scripted
    }
}

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let asked = serde_json::to_value(request).unwrap();
        self.requests.lock().unwrap().push(asked);
        let parts = self.replies.lock().unwrap().pop_front();
        let parts = parts.unwrap_or_else(|| vec![says("That is all.")]);
        for part in &parts {
            if let AssistantPart::Text { text } = part {
                on(Delta::Text(text));
            }
        }
        Ok(Completion {
            parts,
            usage: Usage {
                input: 100,
                output: 10,
                ..Usage::default()
            },
            ..Completion::default()
        })
    }
}

pub(crate) fn says(text: &str) -> AssistantPart {
    AssistantPart::Text { text: text.into() }
}

pub(crate) fn calls(id: &str, name: &str, arguments: &Value) -> AssistantPart {
    AssistantPart::Call(ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.to_string(),
    })
}
