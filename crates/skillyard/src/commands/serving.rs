//! The machine as the server sees it: configuration, trust and the audit log behind one door.

pub(crate) mod decisions;
mod install;
mod log;
pub(crate) mod permission_view;

use crate::config::mcp::Approval;
use crate::error::{CommandError, RunError, ServeFailure};
use crate::mcp::Lenders;
use crate::terminal::{SignalState, SignalWaker};
use parking_lot::RwLock;
use signal_hook::consts::SIGINT;
use signal_hook::low_level::exit;
use skillyard_catalog::resource::{BinaryContent, ReadLimits};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, io};
use tokio::signal::unix::{Signal, SignalKind, signal};

use skillyard_agent::mcp_client::{PublishedSkill, Servers};
use skillyard_agent::script::ScriptError;
use skillyard_agent::telemetry::{TelemetryEvent, TelemetrySubscriber};
use skillyard_audit::{Event, EventKind, Recorder};
use skillyard_catalog::selection::{NamePattern, Selection};
use skillyard_catalog::walk::WatchedPath;
use skillyard_catalog::{Catalog, CatalogSkill, unhashable};
use skillyard_format::package::Digest;
use skillyard_server::{
    Access, Alteration, Executed, Holder, Host, HostError, Installation, LogLine, Order, Portions,
    Refusal, Revocation, Runs, ScriptRun, SkillTrust, Switch, Tokens,
};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardRequest, check};

use crate::agent::{subscribers, workspace};
use crate::config::edit::ConfigFile;
use crate::context::Context;
use crate::install::revoked::Revoked;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::script::sandboxed;
use crate::script::sandboxed::RunRequest;

use decisions::Decisions;
pub(crate) use log::LogFormat;

/// What the server asks for is answered as the commands answer it.
pub(crate) struct ServerHost {
    context: Context,
    audit_folder: PathBuf,
    index_folder: PathBuf,
    offer: McpOffer,
    token_file: Option<PathBuf>,
    log: LogFormat,
    /// As the configuration was when skills were last looked for.
    known: RwLock<ServerCatalog>,
    decisions: Decisions,
    /// Opened once: a server records an event with nearly every answer.
    recorder: Recorder,
    /// Who receives traces.
    subscribers: Vec<Arc<dyn TelemetrySubscriber>>,
}

impl ServerHost {
    pub(crate) fn new(context: &Context, offer: McpOffer) -> Result<Self, CommandError> {
        Ok(Self {
            offer,
            recorder: context.recorder()?,
            subscribers: subscribers(context)?,
            context: context.clone(),
            audit_folder: context.environment.logs_folder(),
            index_folder: context.environment.skillyard_home.join("index"),
            token_file: None,
            log: LogFormat::default(),
            known: RwLock::new(ServerCatalog::read(context)?),
            decisions: Decisions::default(),
        })
    }

    /// The same, with a log and with tokens that are read again when the server reloads.
    pub(crate) fn with(mut self, log: LogFormat, token_file: Option<PathBuf>) -> Self {
        self.log = log;
        self.token_file = token_file;
        self
    }

    fn known(&self) -> ServerCatalog {
        *self.known.read()
    }
}

impl Host for ServerHost {
    fn load(&self) -> Result<Catalog, HostError> {
        let known = ServerCatalog::read(&self.context).map_err(failed)?;
        *self.known.write() = known;
        let catalog = library::load(&self.context, IndexMode::Use, &NameFilter::default());
        let mut catalog = catalog.map_err(failed)?;
        if !known.offers_skills {
            catalog.skills.clear();
            catalog.shadowed.clear();
        }
        library::tell_discovery_log(&self.context, catalog.enabled());
        Ok(catalog)
    }

    fn deciders(&self) -> Vec<WatchedPath> {
        let mut files = decisions::files(&self.context);
        files.push(WatchedPath::new(unhashable::file(&self.index_folder)));
        files
    }

    fn standing(&self, skill: &CatalogSkill, digest: Option<&Digest>) -> SkillTrust {
        match self.decisions.of(&self.context) {
            Ok(permissions) => permission_view::decided(&permissions, skill, digest),
            Err(error) => permission_view::undecided(skill, &error),
        }
    }

    fn altered(
        &self,
        skill: &CatalogSkill,
        now: &dyn Fn() -> Option<Digest>,
    ) -> Option<Alteration> {
        match self.decisions.of(&self.context) {
            Ok(permissions) => permission_view::alteration(&permissions, skill, now),
            Err(error) => permission_view::unknown(skill, &error),
        }
    }

    fn revoked(&self, skill: &CatalogSkill) -> Option<Revocation> {
        // What cannot be decided is no answer here: then the skill is withheld as altered.
        let permissions = self.decisions.of(&self.context).ok()?;
        let reason = permissions.revoked(Some(skill.kind), &skill.record.folder)?;
        let remedy = permissions.revoked_remedy(&skill.record.name, &skill.record.folder);
        Some(Revocation { reason, remedy })
    }

    fn revoked_elsewhere(&self, skill: &PublishedSkill) -> Option<String> {
        match self.decisions.of(&self.context) {
            Ok(permissions) => permissions.revoked_elsewhere(skill),
            // What cannot be decided is decided against.
            Err(_) => Some("the configuration cannot be read".to_owned()),
        }
    }

    fn revoked_absent(&self) -> Vec<(String, String)> {
        // Where nobody knows what is revoked, every skill says so.
        let absent = Revoked::absent(&self.context).unwrap_or_default();
        let absent = absent.into_iter().map(|each| (each.name, each.reason));
        absent.collect()
    }

    fn tiers(&self, skills: &[CatalogSkill]) -> Vec<String> {
        let Ok(permissions) = self.decisions.of(&self.context) else {
            return vec!["unknown".to_owned(); skills.len()];
        };
        let tier = |skill: &CatalogSkill| {
            let provenance = permissions.provenance(skill);
            permissions.verdict(&provenance).tier.as_str().to_owned()
        };
        skills.iter().map(tier).collect()
    }

    fn switch(&self, name: &str, switch: Switch, holder: &Holder) -> Result<bool, HostError> {
        let file = ConfigFile::user(&self.context.environment);
        let disabled = switch == Switch::Off;
        // To disable counts even where it cannot be recorded.
        if !disabled {
            self.recorder.make_ready().map_err(HostError::new)?;
        }
        // The page of one skill switches no others, whatever that one is called.
        let changed = file
            .set_member("skills.disabled", &NamePattern::exactly(name), disabled)
            .map_err(|error| match error {
                CommandError::Setting(_) => HostError::Senseless(error.to_string()),
                _ => failed(error),
            })?;
        if changed {
            let kind = match switch {
                Switch::On => EventKind::SkillEnabled,
                Switch::Off => EventKind::SkillDisabled,
            };
            let mut event = Event::new(kind).skill(name).trigger("web");
            event.detail.extend(holder.details());
            self.record(&event)?;
        }
        Ok(changed)
    }

    fn guard(
        &self,
        skills: &[ActiveSkill],
        request: &GuardRequest,
    ) -> Result<GuardDecision, HostError> {
        let permissions = self.decisions.of(&self.context).map_err(failed)?;
        let workspace = workspace(&self.context.environment, None).map_err(failed)?;
        Ok(check(request, skills, &permissions.denied, &workspace))
    }

    fn record(&self, event: &Event) -> Result<(), HostError> {
        self.recorder.record(event).map_err(HostError::new)?;
        Ok(())
    }

    fn audit_folder(&self) -> &Path {
        &self.audit_folder
    }

    fn home(&self) -> Option<&Path> {
        self.context.environment.home.as_deref()
    }

    fn activation_tokens(&self, skill: &CatalogSkill) -> Option<usize> {
        let permissions = self.decisions.of(&self.context).ok()?;
        crate::agent::activation_tokens(&self.context, &permissions, skill)
    }

    fn places(&self) -> Vec<PathBuf> {
        let environment = &self.context.environment;
        let mut places = vec![
            environment.skillyard_home.clone(),
            environment.current_dir.clone(),
            crate::config::project::root(environment),
        ];
        if let Ok(permissions) = self.decisions.of(&self.context) {
            places.extend(permissions.places());
        }
        places
    }

    fn index_folder(&self) -> Option<&Path> {
        Some(&self.index_folder)
    }

    fn read_limits(&self) -> ReadLimits {
        self.known().limits
    }

    fn portions(&self) -> Portions {
        self.known().portions
    }

    fn folder(&self, skill: &CatalogSkill) -> Option<PathBuf> {
        // What cannot be written out has no folder.
        let folder = crate::agent::folder_of(&self.context, skill).ok()?;
        Some(folder.canonicalize().unwrap_or(folder))
    }

    fn selection(&self) -> Result<Arc<Selection>, HostError> {
        let permissions = self.decisions.of(&self.context).map_err(failed)?;
        Ok(Arc::clone(&permissions.selection))
    }

    fn offers_skills(&self) -> bool {
        self.known().offers_skills
    }

    fn access(&self) -> Result<Option<Access>, HostError> {
        let Some(file) = &self.token_file else {
            return Ok(None);
        };
        let tokens = tokens(file).map_err(failed)?;
        Ok(Some(Access::Tokens(tokens)))
    }

    fn install(&self, order: &Order, stop: &AtomicBool) -> Result<Installation, Refusal> {
        let context = self.context.on_behalf_of(order.holder.details());
        install::install(&context, order, stop)
    }

    fn heard(&self, event: &TelemetryEvent<'_>) {
        for subscriber in &self.subscribers {
            subscriber.on_event(event);
        }
    }

    fn log(&self, line: &LogLine<'_>) {
        self.log.write(&self.context, line);
    }

    fn upstream(&self) -> Option<Arc<Servers>> {
        self.offer.upstream.clone()
    }

    fn asks_before(&self, server: &str) -> bool {
        !self.offer.unasked.iter().any(|name| name == server)
    }

    fn runs(&self) -> Runs {
        if self.offer.runs {
            Runs::WithConsent
        } else {
            Runs::Never
        }
    }

    fn run_script(&self, run: &ScriptRun<'_>, cancel: &AtomicBool) -> Executed<HostError> {
        let wanted = RunRequest {
            digest: run.digest,
            script: run.script,
            arguments: run.arguments,
            stdin: run.stdin,
            // An agent elsewhere has no folder of ours.
            workspace: None,
            asked: run.asked,
        };
        let (ran, event) = sandboxed::run(&self.context, run.skill, wanted, cancel);
        Executed {
            ran: match ran {
                Ok((ran, made)) => Ok(crate::agent::told(&ran, &made)),
                Err(error) => Err(unrun(&error)),
            },
            event,
        }
    }
}

/// Why a script was not run: whoever named one that is none is told so.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn failed(error: CommandError) -> HostError {
    // What is wrong with the configuration is among the causes.
    HostError::new(error.with_causes())
}

fn unrun(error: &CommandError) -> HostError {
    let text = error.with_causes();
    match error {
        CommandError::Run(RunError::Script(ScriptError::NoSuchScript { .. })) => {
            HostError::Missing(text)
        }
        CommandError::Run(RunError::Script(ScriptError::NotAScript(_))) => {
            HostError::Senseless(text)
        }
        CommandError::Run(RunError::Blocked { .. }) => HostError::Unfitting(text),
        _ => HostError::new(text),
    }
}

/// Who hears them.
#[derive(Debug)]
pub(crate) struct Ends {
    terminate: Signal,
    interrupt: Signal,
}

impl Ends {
    /// Hears them from now on, within a runtime.
    pub(crate) fn hear() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the first, and tells which it was.
    pub(crate) async fn first(mut self) -> SignalKind {
        tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        }
    }
}

/// Permissions for the group and for others.
const OTHERS: u32 = 0o077;

/// Reads the tokens and their roles.
pub(crate) fn tokens(file: &Path) -> Result<Tokens, CommandError> {
    let unread = |source| CommandError::Read {
        path: file.to_owned(),
        source,
    };
    let mode = fs::metadata(file).map_err(unread)?.mode() & 0o777;
    if mode & OTHERS != 0 {
        let path = file.to_owned();
        return Err(ServeFailure::Readable { path, mode }.into());
    }
    let text = fs::read_to_string(file).map_err(unread)?;
    let unusable = |source| ServeFailure::Tokens {
        path: file.to_owned(),
        source,
    };
    Ok(Tokens::parse(&text).map_err(unusable)?)
}

/// What the server may give, and how much at once.
#[derive(Debug, Clone, Copy)]
struct ServerCatalog {
    limits: ReadLimits,
    portions: Portions,
    offers_skills: bool,
}

impl ServerCatalog {
    /// Reads it from the configuration.
    fn read(context: &Context) -> Result<Self, CommandError> {
        let config = context.config()?;
        Ok(Self {
            limits: ReadLimits {
                max_bytes: config.max_resource_bytes(),
                nested: config.reads_nested_resources(),
                binary: BinaryContent::Describe,
                ..ReadLimits::default()
            },
            portions: Portions {
                skills: config.max_skills(),
                instruction_bytes: config.max_skill_md_bytes(),
            },
            offers_skills: config.serves_skills(),
        })
    }
}

/// How long Ctrl-C is taken for the first one: some send it twice.
const MOMENT: Duration = Duration::from_secs(1);

/// How many Ctrl-C end nothing at once.
#[derive(Debug, Clone)]
pub(crate) struct Impatience(Arc<AtomicUsize>);

impl Impatience {
    /// Hears them from now on, in place of whoever hears them at questions, and ends what is fetched
    /// for us with us. None ends anything until one is [allowed](Self::allow).
    pub(crate) fn hear(heard: &SignalState) -> Self {
        let forgiven = Arc::new(AtomicUsize::new(usize::MAX));
        heard.elsewhere(&Arc::default());
        let (heard, limit) = (heard.clone(), Arc::clone(&forgiven));
        let mut count = 0;
        let bell = SignalWaker::new(move || {
            count += 1;
            if count > limit.load(Ordering::SeqCst) {
                let _ended = heard.unfinished().end();
                exit(130)
            }
        });
        // What cannot be heard leaves the second Ctrl-C to the system.
        if let Ok(bell) = bell {
            bell.rings_at(SIGINT);
        }
        Self(forgiven)
    }

    /// From now on another Ctrl-C ends us, beside the one that the end began with, which may not have
    /// been noticed yet.
    pub(crate) fn allow(&self, first: Option<SignalKind>) {
        let forgiven = usize::from(first == Some(SignalKind::interrupt()));
        self.0.store(forgiven, Ordering::SeqCst);
    }

    /// The same, a moment after the first.
    pub(crate) async fn allow_soon(self, first: SignalKind) {
        tokio::time::sleep(MOMENT).await;
        self.allow(Some(first));
    }
}

/// What is offered to agents of others beside reading skills.
#[derive(Clone, Default)]
pub(crate) struct McpOffer {
    /// The servers whose tools and skills are offered further.
    upstream: Option<Arc<Servers>>,
    /// Those of them whose tools are called without a question.
    unasked: Vec<String>,
    /// Whether scripts may be run.
    runs: bool,
}

impl McpOffer {
    /// What flags and the configuration say.
    pub(crate) fn new(context: &Context, flags: &OfferFlags) -> Result<Self, CommandError> {
        let config = context.config()?;
        if flags.gateway {
            config.keep_locked("mcp.gateway", "`--gateway`", "true")?;
        }
        if flags.allow_run {
            config.keep_locked("mcp.run", "`--allow-run`", "true")?;
        }
        let is_on = flags.gateway || config.is_on("mcp.gateway");
        let lenders = is_on.then(|| Lenders::all(context)).transpose()?;
        let configured = lenders.iter().flat_map(|lenders| &lenders.configured);
        let unasked = configured.filter(|server| server.approval == Approval::Never);
        Ok(Self {
            unasked: unasked.map(|server| server.name.clone()).collect(),
            upstream: lenders.map(|lenders| lenders.servers),
            runs: flags.allow_run || config.is_on("mcp.run"),
        })
    }
}

/// The flags of `mcp` and `serve` that say so.
#[derive(Debug, clap::Args)]
pub(crate) struct OfferFlags {
    /// Offer the tools and skills of `[mcp.servers]` too, under the guard of loaded skills
    #[arg(long)]
    gateway: bool,
    /// Let agents run scripts of skills in the sandbox: your own at once, others as trust says
    #[arg(long)]
    allow_run: bool,
}

impl OfferFlags {
    /// As they are typed.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        let gateway = self.gateway.then_some("--gateway");
        let run = self.allow_run.then_some("--allow-run");
        gateway.into_iter().chain(run).collect()
    }
}
