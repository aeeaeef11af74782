//! The machine as the server sees it: configuration, trust and the audit log behind one door.

use std::path::{Path, PathBuf};

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{BinaryContent, ReadLimits};
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_format::package::Digest;
use skillyard_server::{Host, HostError, Standing, Switch};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardRequest, check};
use skillyard_trust::tier::Tier;
use skillyard_trust::verdict::OptIn;

use crate::config::edit::Target;
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, Choice, IndexMode};
use crate::permission::Permissions;
use crate::workspace::Workspace;

/// What the server asks for is answered as the commands answer it.
pub(crate) struct Machine {
    context: Context,
    audit_folder: PathBuf,
    index_folder: PathBuf,
    limits: ReadLimits,
}

impl Machine {
    pub(crate) fn new(context: &Context) -> Result<Self, CommandError> {
        let config = context.config()?;
        Ok(Self {
            context: context.clone(),
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
}
