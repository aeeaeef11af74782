//! The machine behind a session: sandbox, approvals, policy and the audit log.

mod running;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use skillyard_agent::host::{
    CommandRun, Executed, Host, HostError, Lent, LentCall, Permission, Ran, ScriptRun,
};
use skillyard_agent::shelf::{Shelf, Withheld};
use skillyard_agent::tool_spec::ToolSpec;
use skillyard_agent::workspace::Workspace;
use skillyard_audit::{Event, Recorder};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, ProjectTrust, Status};
use skillyard_format::Digest;
use skillyard_sandbox::Outcome;
use skillyard_trust::approval::ApprovalChange;
use skillyard_trust::guard::{DenyLayer, GuardEnvironment, ToolList};
use skillyard_trust::verdict::{OptIn, ScriptVerdict};

use crate::agent;
use crate::agent::shown::SkillQuery;
use crate::agent::{FileAccess, workspace};
use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::files;
use crate::files::SealKey;
use crate::library;
use crate::library::permission::{Permissions, denied};
use crate::library::{NameFilter, withheld};
use crate::mcp::Lenders;
use crate::script::approval;
use crate::script::profile::{self, Made, SkillFolders};

/// The machine behind a session.
pub(crate) struct LocalMachine {
    context: Context,
    recorder: Recorder,
    skills: Vec<CatalogSkill>,
    workspace: Workspace,
    /// The folder that programs may write to, or why they may not.
    writable: Result<PathBuf, String>,
    /// Why no file of the folder is read, if none is.
    unreadable: Option<String>,
    /// Where skills are read from, which none of them changes.
    skill_folders: SkillFolders,
    opt_in: OptIn,
    choice: NameFilter,
    lenders: Lenders,
}

impl LocalMachine {
    /// The machine for sessions in the folder of a context.
    pub(crate) fn new(
        context: &Context,
        shelf: &Shelf,
        wanted: &crate::agent::SessionSpec,
    ) -> Result<Self, CommandError> {
        let folder = &context.environment.current_dir;
        let mut skill_folders = SkillFolders::default();
        let writable = match wanted.files {
            FileAccess::Workspace => match profile::workspace(folder, &context.environment) {
                Ok(folder) => {
                    skill_folders = profile::skill_folders(context, &folder)?;
                    let refused = skill_folders.refuse_among(&folder);
                    refused.map(|()| folder).map_err(RunError::from)
                }
                Err(error) => Err(error.into()),
            }
            .map_err(|error| error.to_string()),
            FileAccess::None => Err("this session has no files of this machine".to_owned()),
        };
        let unreadable = profile::private(folder, &context.environment).map(|reason| {
            let folder = folder.display();
            format!(
                "`{folder}` cannot be the workspace: {reason}; the user has to begin in the folder \
                 of a project, or name one with `--workspace`"
            )
        });
        Ok(Self {
            unreadable,
            recorder: context.recorder()?,
            skills: shelf.all().iter().map(|each| each.skill.clone()).collect(),
            workspace: workspace(&context.environment, None)?,
            writable,
            skill_folders,
            opt_in: wanted.opt_in,
            choice: wanted.choice.clone(),
            lenders: wanted.lenders.clone(),
            context: context.clone(),
        })
    }

    fn skill(&self, name: &str) -> Result<&CatalogSkill, HostError> {
        let found = self.skills.iter().find(|each| *each.record.name == *name);
        found.ok_or_else(|| HostError::new(format!("there is no skill `{name}`")))
    }

    /// What is against a skill by now: decisions may have changed since the session began.
    fn standing(&self, skill: &CatalogSkill) -> Result<Option<Status>, CommandError> {
        let (name, folder) = (&skill.record.name, &skill.record.folder);
        let config = self.context.config()?;
        if let Some(reason) = library::selection(&config, &self.choice)?.reason_against(name) {
            return Ok(Some(Status::Disabled { reason }));
        }
        let permissions = Permissions::to_look(&self.context)?;
        if permissions.project_trust(skill.kind, folder) == Some(ProjectTrust::Untrusted) {
            return Ok(Some(Status::Untrusted));
        }
        let revoked = match skill.kind {
            SourceKind::Mcp => {
                let listed = self.lenders.skill(name);
                listed.and_then(|listed| permissions.revoked_elsewhere(listed))
            }
            kind => permissions.revoked(Some(kind), folder),
        };
        Ok(revoked.map(|reason| Status::Revoked { reason }))
    }
}

impl Host for LocalMachine {
    fn script_permission(&mut self, skill: &str, digest: &Digest) -> Permission {
        // Approvals may have changed since the last call.
        let decision = self.skill(skill).and_then(|skill| {
            let permissions = Permissions::to_look(&self.context).map_err(explained)?;
            let record = &skill.record;
            let asked = (&*record.name, Some(skill.kind), &*record.folder);
            Ok(permission(&permissions, asked, Some(digest), self.opt_in))
        });
        decision.unwrap_or_else(|error| Permission::Blocked {
            reason: error.message,
        })
    }

    fn unshown(&mut self, skill: &str) -> Option<String> {
        let skill = self.skill(skill).ok()?;
        match skill.kind {
            SourceKind::Builtin => None,
            _ => approval::unshown(&skill.record.folder),
        }
    }

    fn approve_digest(&mut self, skill: &str, digest: &Digest) -> Result<(), HostError> {
        let permissions = Permissions::load(&self.context).map_err(explained)?;
        let approval = permissions.with_scripts(&self.context, skill, *digest);
        let file = self.context.environment.approvals_file();
        let changed = files::change_approvals(&file, &ApprovalChange::ApproveSkill(&approval));
        changed.map(|_| ()).map_err(explained)
    }

    fn approved_tools(&mut self, skill: &str, digest: &Digest) -> ToolList {
        // Approvals may have changed since the last call; what cannot be read approves nothing.
        let permissions = Permissions::load(&self.context).ok();
        let approval = permissions
            .as_ref()
            .and_then(|all| all.approval(skill, Some(digest)));
        match approval.filter(|approval| !approval.tools.is_empty()) {
            Some(approval) => ToolList::parse(&approval.tools.join(", ")),
            None => ToolList::Absent,
        }
    }

    fn seal(&mut self, allowed: &str) -> Result<String, HostError> {
        let key = SealKey::make(&self.context.environment).map_err(explained)?;
        Ok(key.seal(allowed))
    }

    fn is_sealed(&mut self, allowed: &str, seal: &str) -> bool {
        // A key that cannot be read validates nothing.
        let key = SealKey::read(&self.context.environment).ok().flatten();
        key.is_some_and(|key| key.verifies(allowed, seal))
    }

    fn run_script(&mut self, run: &ScriptRun, cancel: &AtomicBool) -> Executed<HostError> {
        self.run_in_sandbox(run, cancel)
    }

    fn run_command(&mut self, run: &CommandRun, cancel: &AtomicBool) -> Result<Ran, HostError> {
        self.run_in_workspace(run, cancel).map_err(explained)
    }

    fn keeps(&self, path: &str) -> bool {
        let path = Path::new(path);
        // Below the top what is there is kept, and what is not there must not come into being.
        profile::is_obeyed(path)
            || self.writable.as_ref().is_ok_and(|folder| {
                if profile::makes_repository(folder, path) {
                    return true;
                }
                let limits = skillyard_sandbox::Limits::default();
                let profile = profile::in_workspace(folder, &self.skill_folders, limits);
                profile.is_ok_and(|profile| profile::leads_into(folder, path, &profile.protected))
            })
    }

    fn unreadable(&self) -> Option<String> {
        self.unreadable.clone()
    }

    fn withheld(&self, skill: &str) -> Option<Withheld> {
        let skill = self.skill(skill).ok()?;
        let standing = match self.standing(skill) {
            Ok(None) => return None,
            Ok(Some(status)) => Permissions::to_look(&self.context).map(|all| (status, all)),
            Err(error) => Err(error),
        };
        match standing {
            Ok((status, permissions)) => withheld::of(
                &CatalogSkill {
                    status,
                    ..skill.clone()
                },
                &permissions,
            ),
            Err(error) => Some(Withheld {
                reason: "the configuration cannot be read".into(),
                detail: Some(error.to_string()),
                remedy: None,
            }),
        }
    }

    fn record(&mut self, event: &Event) -> Result<(), HostError> {
        let written = self.recorder.record(event);
        written.map(|_| ()).map_err(|error| explained(error.into()))
    }

    fn surroundings(&self) -> &dyn GuardEnvironment {
        &self.workspace
    }

    fn denied(&self) -> Result<Vec<DenyLayer>, HostError> {
        // What is denied may have changed since the last call.
        let config = self.context.config();
        let config = config.map_err(|_| HostError::new("the configuration cannot be read"))?;
        Ok(denied(&config))
    }

    fn lent(&self) -> Vec<ToolSpec> {
        agent::tools(&self.context, &self.lenders)
    }

    fn lent_permission(&self, tool: &str) -> Permission {
        agent::permission(&self.lenders, tool)
    }

    fn call_lent(&mut self, call: &LentCall<'_>, cancel: &AtomicBool) -> Result<Lent, HostError> {
        agent::call(&self.lenders, call, cancel)
    }
}

fn permission(
    permissions: &Permissions,
    skill: SkillQuery<'_>,
    digest: Option<&Digest>,
    opt_in: OptIn,
) -> Permission {
    match permissions.script_in(skill, digest, opt_in).verdict {
        ScriptVerdict::Run { .. } => Permission::Run,
        ScriptVerdict::Ask { reason, .. } => Permission::Ask { reason },
        ScriptVerdict::Blocked { reason, .. } => Permission::Blocked { reason },
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn explained(error: CommandError) -> HostError {
    HostError::new(error.with_causes())
}

fn refused(error: HostError) -> CommandError {
    skillyard_agent::TurnError::from(error).into()
}

/// What a model or its client is told of how something ended.
pub(crate) fn told(ran: &Outcome, made: &Made) -> Ran {
    Ran {
        code: ran.code(),
        stdout: ran.stdout.text(),
        stderr: ran.stderr.text(),
        denials: ran.denials.iter().map(ToString::to_string).collect(),
        made: made.told(),
        backend: ran.backend.as_str().to_owned(),
    }
}
