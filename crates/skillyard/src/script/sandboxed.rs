//! A script that a model wants to run: of exactly the bytes that were decided about, in the sandbox.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::CatalogSkill;
use skillyard_format::Digest;
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, Live, Outcome, Sandbox, Stdin};

use super::place::{Copy, SkillPlace};
use super::profile::{self, Allowed};
use crate::context::Context;
use crate::error::{CommandError, RunError};

/// What is wanted of a skill.
pub(crate) struct Wanted<'a> {
    /// What the skill must consist of; anything else is not run.
    pub(crate) digest: Digest,
    /// The script's path in it.
    pub(crate) script: &'a str,
    /// What it is told.
    pub(crate) arguments: &'a [String],
    /// What it reads.
    pub(crate) stdin: Option<&'a str>,
    /// A folder that it may change.
    pub(crate) workspace: Option<PathBuf>,
}

/// Runs it; whoever calls has asked for permission.
pub(crate) fn run(
    context: &Context,
    skill: &CatalogSkill,
    wanted: Wanted<'_>,
    cancel: &AtomicBool,
) -> Result<Outcome, CommandError> {
    let skill = SkillPlace::of(skill);
    let allowed = Allowed {
        workspace: wanted.workspace,
        ..Allowed::default()
    };
    let survey = Survey::take();
    let backend = Backend::best(&survey, &profile::outline(&allowed)).map_err(RunError::from)?;
    let temporary = &context.environment.temporary;
    let sandbox = Sandbox::new(backend, survey, Path::new("/proc/self/exe"), temporary)
        .map_err(RunError::from)?
        .with_notes(&context.environment.placeholders_folder());
    let copy = Copy::make(&skill, temporary, sandbox.identity())?;
    if copy.digest() != wanted.digest {
        return Err(RunError::Blocked {
            skill: skill.name,
            reason: "it has changed since it was loaded; load it again".to_owned(),
            hint: String::new(),
        }
        .into());
    }
    let (script, _) = copy.script(&skill.name, wanted.script)?;
    let words: Vec<OsString> = wanted.arguments.iter().map(OsString::from).collect();
    let mut plan = super::plan(context, (&skill, &copy), script, &words, &allowed, backend)?;
    if let Some(stdin) = wanted.stdin {
        plan.command.stdin = Stdin::Bytes(stdin.as_bytes().to_vec());
    }
    // On the disk before the script begins; how it ends is written down by whoever called.
    let started = Event::new(EventKind::ScriptStarted)
        .skill(&skill.name)
        .digest(wanted.digest.to_string())
        .trigger("model")
        .detail("script", script)
        .detail("argv", wanted.arguments.join(" "))
        .detail("backend", backend.as_str())
        .detail("reach", profile::reach(&plan.profile));
    context.ready_to_record()?.record(&started)?;
    let live = Live {
        cancel: Some(cancel),
        ..Live::default()
    };
    Ok(sandbox
        .run(&plan.profile, &plan.command, live)
        .map_err(RunError::from)?)
}
