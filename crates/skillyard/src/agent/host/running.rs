//! Scripts and commands that a session runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use skillyard_agent::host::{CommandRun, Executed, HostError, Ran, ScriptRun};
use skillyard_audit::{Event, EventKind, Outcome as End};
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, Command, Live, Sandbox, Stdin};
use skillyard_trust::verdict::OptIn;

use super::{explained, permission, refused, told};
use crate::agent;
use crate::agent::host::LocalMachine;
use crate::agent::lying::Lying;
use crate::agent::shown::{RunPlace, VisibleSkills};
use crate::error::{CommandError, RunError};
use crate::library::permission::Permissions;
use crate::script::profile::{self, Made};
use crate::script::sandboxed;
use crate::script::sandboxed::RunRequest;

impl LocalMachine {
    /// Runs a script of a skill.
    pub(super) fn run_in_sandbox(
        &self,
        run: &ScriptRun,
        cancel: &AtomicBool,
    ) -> Executed<HostError> {
        let skill = match self.skill(&run.skill) {
            Ok(skill) => skill,
            Err(error) => {
                let event = Event {
                    kind: EventKind::ScriptExecuted,
                    ..run.asked.clone()
                };
                let event = event.skill(&run.skill).digest(run.digest.to_string());
                return Executed {
                    event: event.ended(End::Failed, &error.message),
                    ran: Err(error),
                };
            }
        };
        let mut asked = run.asked.clone();
        if self.opt_in == OptIn::Yes {
            // Whoever said so before is not asked; the log says who that was.
            asked = asked.detail("approval", "--allow-scripts");
        }
        let wanted = RunRequest {
            digest: run.digest,
            script: &run.script,
            arguments: &run.arguments,
            stdin: run.stdin.as_deref(),
            workspace: self.writable.clone().ok(),
            asked: &asked,
        };
        let (ran, event) = sandboxed::run(&self.context, skill, wanted, cancel);
        Executed {
            ran: ran.map(|(ran, made)| told(&ran, &made)).map_err(explained),
            event,
        }
    }

    /// Runs a command in the folder that the session works in.
    pub(super) fn run_in_workspace(
        &self,
        run: &CommandRun,
        cancel: &AtomicBool,
    ) -> Result<Ran, CommandError> {
        let folder = self
            .writable
            .clone()
            .map_err(|reason| refused(HostError::new(format!("nothing can be run: {reason}"))))?;
        let limits = self.context.config()?.script_limits();
        let mut profile = profile::in_workspace(&folder, &self.skill_folders, limits)?;
        let survey = Survey::take();
        let backend = survey.best_backend(&profile).map_err(RunError::from)?;
        let temporary = &self.context.environment.temporary;
        let sandbox = Sandbox::new(backend, survey, Path::new("/proc/self/exe"), temporary)
            .map_err(RunError::from)?;
        let permissions = Permissions::to_look(&self.context)?;
        let place = RunPlace {
            workspace: &folder,
            temporary,
            backend,
            identity: sandbox.identity(),
        };
        let lying = Lying::all(&self.context, &permissions, &folder, &profile.protected)?;
        let (skills, active) = (&self.skills, &run.readable);
        let shown = VisibleSkills::to_command(skills, active, &lying, &place, |skill, digest| {
            permission(&permissions, skill, digest, self.opt_in)
        })?;
        profile.mounts.extend(shown.mounts());
        if backend != Backend::Bubblewrap || shown.has_caches {
            profile.environment.push(agent::passed_over());
        }
        let mut words = run.argv.iter();
        let program = words.next().map(PathBuf::from).unwrap_or_default();
        let mut command = Command::new(program).arguments(words);
        command.directory = folder;
        if let Some(stdin) = &run.stdin {
            command.stdin = Stdin::Bytes(stdin.clone());
        }
        let ran = sandbox.run(&profile, &command, live(cancel));
        let ran = ran.map_err(RunError::from)?;
        let made = Made::by(&profile, &self.skill_folders, &ran.created);
        let mut told = told(&ran, &made);
        told.denials.extend(shown.left_out);
        Ok(told)
    }
}

fn live(cancel: &AtomicBool) -> Live<'_> {
    Live {
        cancel: Some(cancel),
        ..Live::default()
    }
}
