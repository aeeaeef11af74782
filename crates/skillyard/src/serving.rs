//! The machine as the server sees it: configuration, trust and the audit log behind one door.

pub(crate) mod decisions;
mod ends;
mod impatience;
mod install;
mod known;
mod log;
mod offer;
mod standing;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};

use skillyard_agent::mcp_client::{PublishedSkill, Servers};
use skillyard_agent::script::ScriptError;
use skillyard_agent::telemetry::{TelemetryEvent, TelemetrySubscriber};
use skillyard_audit::{Event, EventKind, Recorder};
use skillyard_catalog::resource::ReadLimits;
use skillyard_catalog::selection::{NamePattern, Selection};
use skillyard_catalog::walk::WatchedPath;
use skillyard_catalog::{Catalog, CatalogSkill, unhashable};
use skillyard_format::package::Digest;
use skillyard_server::{
    Access, Alteration, Executed, Holder, Host, HostError, Installation, LogLine, Order, Portions,
    Refusal, Revocation, Runs, ScriptRun, SkillTrust, Switch,
};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardRequest, check};

use crate::agent::subscribers;
use crate::config::edit::Target;
use crate::context::Context;
use crate::discovered;
use crate::error::{CommandError, RunError};
use crate::install::revoked::Revoked;
use crate::library::{self, Choice, IndexMode};
use crate::script::sandboxed::{self, Wanted};
use crate::workspace::workspace;

use decisions::Decisions;
pub(crate) use ends::Ends;
pub(crate) use impatience::Impatience;
use known::Known;
pub(crate) use log::LogFormat;
pub(crate) use offer::{Offer, OfferFlags};
pub(crate) use tokens::tokens;

/// What the server asks for is answered as the commands answer it.
pub(crate) struct Machine {
    context: Context,
    audit_folder: PathBuf,
    index_folder: PathBuf,
    offer: Offer,
    token_file: Option<PathBuf>,
    log: LogFormat,
    /// As the configuration was when skills were last looked for.
    known: RwLock<Known>,
    decisions: Decisions,
    /// Opened once: a server records an event with nearly every answer.
    recorder: Recorder,
    /// Who receives traces.
    subscribers: Vec<Arc<dyn TelemetrySubscriber>>,
}

impl Machine {
    pub(crate) fn new(context: &Context, offer: Offer) -> Result<Self, CommandError> {
        Ok(Self {
            offer,
            recorder: context.recorder()?,
            subscribers: subscribers(context)?,
            context: context.clone(),
            audit_folder: context.environment.logs_folder(),
            index_folder: context.environment.skillyard_home.join("index"),
            token_file: None,
            log: LogFormat::default(),
            known: RwLock::new(Known::read(context)?),
            decisions: Decisions::default(),
        })
    }

    /// The same, with a log and with tokens that are read again when the server reloads.
    pub(crate) fn with(mut self, log: LogFormat, token_file: Option<PathBuf>) -> Self {
        self.log = log;
        self.token_file = token_file;
        self
    }

    fn known(&self) -> Known {
        *self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Machine {
    fn load(&self) -> Result<Catalog, HostError> {
        let known = Known::read(&self.context).map_err(failed)?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
        let catalog = library::load(&self.context, IndexMode::Use, &Choice::default());
        let mut catalog = catalog.map_err(failed)?;
        if !known.offers_skills {
            catalog.skills.clear();
            catalog.shadowed.clear();
        }
        discovered::tell(&self.context, catalog.enabled());
        Ok(catalog)
    }

    fn deciders(&self) -> Vec<WatchedPath> {
        let mut files = decisions::files(&self.context);
        files.push(WatchedPath::new(unhashable::file(&self.index_folder)));
        files
    }

    fn standing(&self, skill: &CatalogSkill, digest: Option<&Digest>) -> SkillTrust {
        match self.decisions.of(&self.context) {
            Ok(permissions) => standing::decided(&permissions, skill, digest),
            Err(error) => standing::undecided(skill, &error),
        }
    }

    fn altered(
        &self,
        skill: &CatalogSkill,
        now: &dyn Fn() -> Option<Digest>,
    ) -> Option<Alteration> {
        match self.decisions.of(&self.context) {
            Ok(permissions) => standing::alteration(&permissions, skill, now),
            Err(error) => standing::unknown(skill, &error),
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
        let file = Target::user(&self.context.environment);
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
        let wanted = Wanted {
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
