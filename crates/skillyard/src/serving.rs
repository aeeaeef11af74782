//! The machine as the server sees it: configuration, trust and the audit log behind one door.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{BinaryContent, ReadLimits};
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_format::package::Digest;
use skillyard_mcp::Servers;
use skillyard_server::{Host, HostError, Ran, Runs, ScriptRun, Standing, Switch};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardRequest, check};
use skillyard_trust::tier::Tier;
use skillyard_trust::verdict::OptIn;

use crate::config::edit::Target;
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, Choice, IndexMode};
use crate::mcp::Lenders;
use crate::permission::Permissions;
use crate::script::sandboxed::{self, Wanted};
use crate::workspace::Workspace;

/// What the server asks for is answered as the commands answer it.
pub(crate) struct Machine {
    context: Context,
    audit_folder: PathBuf,
    index_folder: PathBuf,
    limits: ReadLimits,
    offer: Offer,
}

/// What is offered to agents of others beside reading skills.
#[derive(Clone, Default)]
pub(crate) struct Offer {
    /// The servers whose tools and skills are offered further.
    upstream: Option<Arc<Servers>>,
    /// Whether scripts may be run.
    runs: bool,
}

impl Offer {
    /// What flags and the configuration say.
    pub(crate) fn new(context: &Context, flags: &OfferFlags) -> Result<Self, CommandError> {
        let config = context.config()?;
        let upstream = if flags.gateway || config.is_on("mcp.gateway") {
            Some(Lenders::all(context)?.servers)
        } else {
            None
        };
        Ok(Self {
            upstream,
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
    /// Let agents run scripts of skills in the sandbox, when the user says so
    #[arg(long)]
    allow_run: bool,
}

impl Machine {
    pub(crate) fn new(context: &Context, offer: Offer) -> Result<Self, CommandError> {
        let config = context.config()?;
        Ok(Self {
            context: context.clone(),
            offer,
            audit_folder: context.environment.logs_folder(),
            index_folder: context.environment.skillyard_home.join("index"),
            limits: ReadLimits {
                max_bytes: config.max_resource_bytes(),
                nested: config.reads_nested_resources(),
                binary: BinaryContent::Describe,
                ..ReadLimits::default()
            },
        })
    }
}

impl Host for Machine {
    fn load(&self) -> Result<Catalog, HostError> {
        let config = self.context.config().map_err(HostError::new)?;
        if !config.serves_skills() {
            return Ok(Catalog::default());
        }
        library::load(&self.context, IndexMode::Use, &Choice::default()).map_err(HostError::new)
    }

    fn standing(&self, skill: &CatalogSkill, digest: Option<&Digest>) -> Standing {
        let Ok(permissions) = Permissions::load(&self.context) else {
            // What cannot be decided is decided against.
            return Standing {
                tier: "unknown".into(),
                third_party: true,
                scripts: "blocked".into(),
                reason: "the configuration cannot be read".into(),
                ..Standing::default()
            };
        };
        let provenance = permissions.provenance(skill);
        let tier = permissions.verdict(&provenance).tier;
        let decision = permissions.script(skill, digest, OptIn::No);
        Standing {
            tier: tier.as_str().to_owned(),
            provenance: provenance.to_string(),
            third_party: tier <= Tier::Low,
            scripts: decision.as_str().to_owned(),
            reason: decision.reason().to_owned(),
        }
    }

    fn switch(&self, name: &str, switch: Switch) -> Result<bool, HostError> {
        let file = Target::user(self.context.environment.config_file());
        let disabled = switch == Switch::Off;
        let changed = file
            .set_member("skills.disabled", name, disabled)
            .map_err(HostError::new)?;
        if changed {
            let kind = match switch {
                Switch::On => EventKind::SkillEnabled,
                Switch::Off => EventKind::SkillDisabled,
            };
            self.record(&Event::new(kind).skill(name).trigger("web"))?;
        }
        Ok(changed)
    }

    fn guard(
        &self,
        skills: &[ActiveSkill],
        request: &GuardRequest,
    ) -> Result<GuardDecision, HostError> {
        let permissions = Permissions::load(&self.context).map_err(HostError::new)?;
        let workspace = Workspace::new(&self.context.environment, None).map_err(HostError::new)?;
        Ok(check(request, skills, &permissions.denied, &workspace))
    }

    fn record(&self, event: &Event) -> Result<(), HostError> {
        self.context.record(event).map_err(HostError::new)
    }

    fn audit_folder(&self) -> &Path {
        &self.audit_folder
    }

    fn home(&self) -> Option<&Path> {
        self.context.environment.home.as_deref()
    }

    fn index_folder(&self) -> Option<&Path> {
        Some(&self.index_folder)
    }

    fn read_limits(&self) -> ReadLimits {
        self.limits
    }

    fn upstream(&self) -> Option<Arc<Servers>> {
        self.offer.upstream.clone()
    }

    fn runs(&self) -> Runs {
        if self.offer.runs {
            Runs::WithConsent
        } else {
            Runs::Never
        }
    }

    fn run_script(&self, run: &ScriptRun<'_>, cancel: &AtomicBool) -> Result<Ran, HostError> {
        let wanted = Wanted {
            digest: run.digest,
            script: run.script,
            arguments: run.arguments,
            stdin: run.stdin,
            // An agent elsewhere has no folder of ours.
            workspace: None,
        };
        let ran = sandboxed::run(&self.context, run.skill, wanted, cancel);
        let ran = ran.map_err(|error| HostError::new(error.with_causes()))?;
        Ok(Ran {
            code: ran.code(),
            stdout: ran.stdout.text(),
            stderr: ran.stderr.text(),
            denials: ran.denials.iter().map(ToString::to_string).collect(),
            backend: ran.backend.as_str().to_owned(),
        })
    }
}
