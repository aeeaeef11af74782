//! A script that a model wants to run: of exactly the bytes that were decided about, in the sandbox.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome as End};
use skillyard_catalog::CatalogSkill;
use skillyard_format::Digest;
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Live, Outcome, Sandbox, Stdin};

use super::place::{self, SkillPlace};
use super::profile::{self, Allowed, Made, SkillFolders};
use super::record::Run;
use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::library::permission::Permissions;
use crate::script::record::RunOrigin;

/// What is wanted of a skill.
pub(crate) struct RunRequest<'a> {
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
    /// The beginning of its events: who asked, and who said that it may.
    pub(crate) asked: &'a Event,
}

/// Runs it, and tells what it made that other programs obey; whoever calls has asked for permission.
/// The event of its start is on the disk before it begins, that of its end is for the caller to write
/// down.
pub(crate) fn run(
    context: &Context,
    skill: &CatalogSkill,
    wanted: RunRequest<'_>,
    cancel: &AtomicBool,
) -> (Result<(Outcome, Made), CommandError>, Event) {
    let mut ended = Event {
        kind: EventKind::ScriptExecuted,
        ..wanted.asked.clone()
    }
    .skill(skill.record.name.as_str())
    .digest(wanted.digest.to_string())
    .source(skill.kind.as_str())
    .detail("script", wanted.script)
    .detail("argv", json!(wanted.arguments).to_string());
    let ran = started(context, &SkillPlace::of(skill), wanted, cancel, &mut ended);
    if let Err(error) = &ran {
        ended = ended.ended(End::Failed, error.with_causes());
    }
    (ran, ended)
}

/// The same, with the event of its end as far as it came.
fn started(
    context: &Context,
    skill: &SkillPlace,
    wanted: RunRequest<'_>,
    cancel: &AtomicBool,
    ended: &mut Event,
) -> Result<(Outcome, Made), CommandError> {
    let permissions = Permissions::load(context)?;
    let provenance = permissions.provenance_of(skill.source, &skill.folder);
    let hosts = permissions.hosts(&provenance, &skill.name, Some(&wanted.digest));
    let skill_folders = match &wanted.workspace {
        Some(folder) => profile::skill_folders(context, folder)?,
        None => SkillFolders::default(),
    };
    let allowed = Allowed {
        workspace: wanted.workspace,
        skill_folders,
        ..profile::configured(&context.config()?)
    };
    let allowed = allowed.with_hosts(hosts)?;
    let survey = Survey::take();
    let backend = survey
        .best_backend(&profile::outline(&allowed))
        .map_err(RunError::from)?;
    let temporary = &context.environment.temporary;
    let sandbox = Sandbox::new(backend, survey, Path::new("/proc/self/exe"), temporary)
        .map_err(RunError::from)?;
    let copy = place::copy(skill, temporary, sandbox.identity())?;
    if copy.digest() != wanted.digest {
        return Err(RunError::Blocked {
            skill: skill.name.clone(),
            reason: "it has changed since it was loaded; load it again".to_owned(),
            hint: String::new(),
        }
        .into());
    }
    let (script, script_digest) = copy.script(wanted.script)?;
    let words: Vec<OsString> = wanted.arguments.iter().map(OsString::from).collect();
    let mut plan = super::plan(context, (skill, &copy), script, &words, &allowed, backend)?;
    if let Some(stdin) = wanted.stdin {
        plan.command.stdin = Stdin::Bytes(stdin.as_bytes().to_vec());
    }
    let run = Run {
        asked: wanted.asked,
        skill,
        digest: wanted.digest,
        standing: &RunOrigin::of(&permissions, skill),
        allowed: &allowed,
        plan: &plan,
        script: (script, script_digest),
        backend,
    };
    // On the disk before the script begins: whoever kills us does not kill that.
    let started = context.ready_to_record()?.record(&run.started())?.seq;
    let live = Live {
        cancel: Some(cancel),
        ..Live::default()
    };
    match sandbox.run(&plan.profile, &plan.command, live) {
        Ok(ran) => {
            let made = Made::by(&plan.profile, &allowed.skill_folders, &ran.created);
            *ended = run.ended(&ran, &made, started);
            Ok((ran, made))
        }
        Err(error) => {
            let error = RunError::from(error);
            *ended = run.failed(started, error.to_string());
            Err(error.into())
        }
    }
}
