//! Whether a script may run, and what to tell the user.

use std::path::Path;

use skillyard_catalog::CatalogSkill;
use skillyard_catalog::selection::{Layer, Selection};
use skillyard_catalog::source::SourceKind;
use skillyard_format::package::Digest;
use skillyard_trust::approval::SkillApproval;
use skillyard_trust::provenance::Provenance;
use skillyard_trust::verdict::{OptIn, Remedy, ScriptVerdict};

use crate::config::project;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::config_origin::LayerKind;
use crate::error::trust::OfflineLock;
use crate::library::permission::Permissions;
use crate::library::signers;
use crate::text::shell::shell_word;

/// Whether a script may run, and what to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The decision.
    pub(crate) verdict: ScriptVerdict,
    /// What the user can do about a question or a block.
    pub(crate) hint: Option<String>,
}

impl Decision {
    fn of(verdict: ScriptVerdict, name: &str, trust_project: impl FnOnce() -> String) -> Self {
        let name = shell_word(name);
        let approve = format!(
            "Review it with `skillyard show {name} --files`, then run `skillyard trust {name} --scripts`"
        );
        let hint = match &verdict {
            ScriptVerdict::Run { .. } => None,
            ScriptVerdict::Ask { .. } => Some(approve),
            ScriptVerdict::Blocked { remedy, .. } => match remedy {
                Remedy::ApproveSkill => Some(approve),
                Remedy::TrustProject => Some(trust_project()),
                Remedy::None => None,
            },
        };
        Self { verdict, hint }
    }

    /// The word for programs.
    pub(crate) fn as_str(&self) -> &'static str {
        match self.verdict {
            ScriptVerdict::Run { .. } => "run",
            ScriptVerdict::Ask { .. } => "ask",
            ScriptVerdict::Blocked { .. } => "blocked",
        }
    }

    /// Why.
    pub(crate) fn reason(&self) -> &str {
        match &self.verdict {
            ScriptVerdict::Run { reason, .. }
            | ScriptVerdict::Ask { reason, .. }
            | ScriptVerdict::Blocked { reason, .. } => reason,
        }
    }
}

impl Permissions {
    /// What keeps scripts of a provenance from every network, whatever is approved.
    pub(crate) fn offline_lock(
        &self,
        context: &Context,
        provenance: &Provenance,
    ) -> Result<Option<OfflineLock>, CommandError> {
        let Some(row) = self.verdict(provenance).keeps_offline else {
            return Ok(None);
        };
        let key = format!("trust.{}.scripts", row.as_str());
        let config = context.config()?;
        let by = config.lock_of(&key).map(Path::to_owned);
        Ok(by.map(|by| OfflineLock { key, by }))
    }

    /// Whether a script of the skill may run.
    pub(crate) fn script(
        &self,
        skill: &CatalogSkill,
        digest: Option<&Digest>,
        opt_in: OptIn,
    ) -> Decision {
        let (name, folder) = (&skill.record.name, &skill.record.folder);
        self.script_in((name, Some(skill.kind), folder), digest, opt_in)
    }

    /// The same of a skill by its name, its source and its folder.
    pub(crate) fn script_in(
        &self,
        skill: (&str, Option<SourceKind>, &Path),
        digest: Option<&Digest>,
        opt_in: OptIn,
    ) -> Decision {
        let (name, _, folder) = skill;
        // What is revoked is not put right by what is said of altered skills.
        if let Some(decision) = self.against_revoked(skill) {
            return decision;
        }
        let altered = digest.and_then(|now| self.altered(name, folder, *now));
        if let Some(altered) = altered {
            return Decision {
                verdict: ScriptVerdict::Blocked {
                    reason: altered.to_string(),
                    remedy: Remedy::ApproveSkill,
                },
                hint: Some(self.remedy(name, folder)),
            };
        }
        self.decide_unrevoked(skill, self.approval(name, digest), opt_in)
    }

    /// Whether a script of the skill may run with this approval.
    pub(crate) fn decide(
        &self,
        skill: &CatalogSkill,
        approval: Option<&SkillApproval>,
        opt_in: OptIn,
    ) -> Decision {
        let (name, folder) = (&skill.record.name, &skill.record.folder);
        let skill = (&**name, Some(skill.kind), &**folder);
        self.against_revoked(skill)
            .unwrap_or_else(|| self.decide_unrevoked(skill, approval, opt_in))
    }

    /// That nothing of a skill may run, because it is revoked.
    fn against_revoked(
        &self,
        (name, kind, folder): (&str, Option<SourceKind>, &Path),
    ) -> Option<Decision> {
        let reason = self.revoked(kind, folder)?;
        Some(Decision {
            verdict: ScriptVerdict::Blocked {
                reason,
                remedy: Remedy::None,
            },
            // Where nobody knows, the reason says what to do.
            hint: (!self.is_unknown()).then(|| self.revoked_remedy(name, folder)),
        })
    }

    fn decide_unrevoked(
        &self,
        (name, kind, folder): (&str, Option<SourceKind>, &Path),
        approval: Option<&SkillApproval>,
        opt_in: OptIn,
    ) -> Decision {
        let provenance = self.provenance_of(kind, folder);
        let mut decision = self.decide_for(&provenance, name, approval, opt_in);
        if let ScriptVerdict::Blocked { remedy, .. } = &decision.verdict
            && *remedy == Remedy::TrustProject
        {
            decision.hint = Some(match self.unreadable(folder) {
                Some(lock) if !self.is_untrusted(kind, folder) => format!(
                    "`{}` cannot be read, which says what was installed there; `skillyard doctor` says what to do",
                    lock.display()
                ),
                _ => self.trust_remedy(folder),
            });
        }
        decision
    }

    /// The same for any provenance.
    pub(crate) fn decide_for(
        &self,
        provenance: &Provenance,
        name: &str,
        approval: Option<&SkillApproval>,
        opt_in: OptIn,
    ) -> Decision {
        let opt_in = match (opt_in, self.opt_in) {
            (OptIn::No, OptIn::No) => OptIn::No,
            _ => OptIn::Yes,
        };
        let verdict = self.verdict(provenance).script(approval, opt_in);
        Decision::of(verdict, name, || self.own_project_remedy())
    }

    /// What the user can do about a skill that is revoked, or of which nobody knows whether it is.
    pub(crate) fn revoked_remedy(&self, name: &str, folder: &Path) -> String {
        match self.signers {
            Ok(_) => signers::remedy(&self.installed, name, folder),
            Err(_) => "`skillyard doctor` says what to do about the policy".to_owned(),
        }
    }

    /// Whether the configuration keeps a skill out.
    pub(crate) fn is_switched_off(&self, name: &str) -> bool {
        self.selection.reason_against(name).is_some()
    }

    /// What the user can do about a skill that is switched off, or that a list keeps out.
    pub(crate) fn disabled_remedy(&self, name: &str) -> String {
        let is_orgs = |layer: &&Layer| layer.name == LayerKind::Org.as_str();
        let layers = self.selection.layers.iter().filter(is_orgs).cloned();
        let orgs = Selection {
            layers: layers.collect(),
        };
        if orgs.lists_keep_out(name) {
            "Your organisation keeps it out; ask whoever looks after its policy".into()
        } else if self.selection.lists_keep_out(name) {
            "`skills.deny` and `skills.allow` keep it out; `skillyard enable` does not lift that"
                .into()
        } else if !self.is_switched_off(name) {
            "Only this run leaves it out: say something else with `--allow` and `--deny`".into()
        } else if let Some(by) = &self.switches_locked {
            format!(
                "`skills.disabled` is locked by `{}`; ask whoever looks after that file",
                by.display()
            )
        } else {
            format!(
                "Switch it on with `skillyard enable {}`, which says what else keeps it off",
                shell_word(name)
            )
        }
    }

    /// What the user can do about a skill of a project that is not trusted.
    pub(crate) fn trust_remedy(&self, folder: &Path) -> String {
        match self.other_project(folder) {
            Some(other) => self.project_remedy(&other.root),
            None => self.own_project_remedy(),
        }
    }

    /// What the user can do about the project at hand, which is not trusted.
    pub(crate) fn own_project_remedy(&self) -> String {
        let root = self.surroundings.project_root();
        let typed = project::typed(root, &self.surroundings.current);
        self.trust_projects.remedy(root, &typed)
    }

    /// What the user can do about a project that is not trusted.
    pub(crate) fn project_remedy(&self, root: &Path) -> String {
        self.trust_projects.remedy(root, &root.to_string_lossy())
    }
}
