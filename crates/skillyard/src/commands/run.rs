//! `skillyard run`.

mod allowed;
mod denied;
mod narrowed;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use skillyard_agent::script::ScriptError;
use skillyard_audit::EventKind;
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, Live, Outcome as Ran, Sandbox};

use self::allowed::{allowed, approved_hosts, backend, unlocked};
use self::denied::{denied, unanswered};
use self::narrowed::narrowed;
use super::Outcome;
use super::run_explain::explain;
use super::run_told::{as_json, tell, tell_unread};
use crate::context::Context;
use crate::error::{CommandError, RunError, Status};
use crate::hashable;
use crate::permission::Permissions;
use crate::printer::Watched;
use crate::script;
use crate::script::approval::{self, Answer, Approval, Request};
use crate::script::place::{self, SkillPlace};
use crate::script::profile::{self, Made, Plan};
use crate::script::record::{Run, Standing};

/// The code of a script whose output nobody reads.
const UNREAD: u8 = 141;

/// Run a script of a skill in a sandbox
///
/// The script sees its skill, which it cannot change, the system's programs, and nothing else of
/// yours: no home, no network, no variables. `--workspace` and `--net` let it see more. Its exit
/// code becomes ours; 124 means that it took too long, 1 may also mean that it was not allowed.
///
/// Examples:
///   skillyard run pdf-tools scripts/extract.py --workspace . -- form.pdf
///   skillyard run ./weather fetch.sh --net api.weather.example --yes
///   skillyard run pdf-tools scripts/extract.py --explain   what it could do, without running it
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a command line are yes or no"
)]
pub(crate) struct Args {
    /// The skill's name, its folder or its SKILL.md
    skill: OsString,
    /// The script's path in the skill, or its name in `scripts/`
    script: String,
    /// What the script is told
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
    /// End it after this many seconds [default: `sandbox.timeout`, 60]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// A folder it may read and write; it starts there
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Let it only read the workspace
    #[arg(long, requires = "workspace")]
    read_only: bool,
    /// A host it may reach besides approved ones, or `full` for all (may be repeated)
    #[arg(long, value_name = "HOST")]
    net: Vec<String>,
    /// A program of the system it may start; without any, all (may be repeated)
    #[arg(long, value_name = "NAME")]
    command: Vec<String>,
    /// Pass this variable on (may be repeated)
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// The sandbox: bubblewrap, landlock, container, sandbox-exec or none [default: the best]
    #[arg(long)]
    backend: Option<Backend>,
    /// Give it our input; otherwise it has none
    #[arg(long)]
    stdin: bool,
    /// Show what it could do, and do not run it
    #[arg(long)]
    explain: bool,
    /// Approve this run
    #[arg(long, short)]
    yes: bool,
    /// Approve first runs of scripts
    #[arg(long)]
    allow_scripts: bool,
}

/// A skill whose files cannot be hashed is in no prompt from then on.
fn remember(context: &Context, skill: &SkillPlace, error: &CommandError) {
    if let CommandError::Run(RunError::Script(ScriptError::Unhashable { error, .. })) = error {
        hashable::note(context, &skill.folder, error);
    }
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let (skill, obstacle) = SkillPlace::find(context, &args.skill)?;
    let denied = |error: CommandError| denied(context, args, &skill, error);
    if let Some(obstacle) = obstacle {
        return Err(denied(obstacle.into()));
    }
    let (hosts, looked_at) = match args.backend {
        // They would be all that it reaches, and nobody could see to that.
        Some(Backend::None) => {
            unlocked(context, &skill).map_err(denied)?;
            (Vec::new(), None)
        }
        _ => approved_hosts(context, &skill)?,
    };
    let allowed = allowed(context, args).map_err(denied)?;
    let allowed = allowed.with_hosts(&hosts)?;
    let survey = Survey::take();
    let temporary = &context.environment.temporary;
    let backend = backend(&survey, args, &allowed)?;
    let sandbox = Sandbox::new(backend, survey, Path::new("/proc/self/exe"), temporary);
    let sandbox = sandbox.map_err(RunError::from)?;
    let copy = place::copy(&skill, temporary, sandbox.identity());
    let copy = copy.inspect_err(|error| remember(context, &skill, error))?;
    if looked_at.is_some_and(|digest| digest != copy.digest()) {
        let error = RunError::Blocked {
            skill: skill.name.clone(),
            reason: "its files changed while they were looked at".to_owned(),
            hint: "Run the command again".to_owned(),
        };
        return Err(denied(error.into()));
    }
    let (script, script_digest) = copy.script(&args.script)?;
    let words = &args.arguments;
    let plan = script::plan(context, (&skill, &copy), script, words, &allowed, backend)?;
    let narrowed = narrowed(args, &plan, backend);
    if args.explain {
        explain(context, &skill, script, &copy, &plan, &narrowed, backend)?;
        return Ok(Status::Yes);
    }
    if !context.printer.is_json() {
        tell_unread(context, plan.unread.iter().chain(&narrowed));
    }
    let request = Request {
        skill: &skill.name,
        source: skill.source,
        folder: &skill.folder,
        copy: &copy.folder(),
        digest: copy.digest(),
        script,
        hosts: &args.net,
        reach: &profile::reach(&plan.profile, backend),
        variables: &args.env,
    };
    let approval = approval::decide(context, &request, answer(args));
    let approval = approval.map_err(|error| unanswered(context, &request, error))?;
    if backend == Backend::None {
        context
            .printer
            .note("Running without a sandbox, as `--backend none` says");
    }
    let by = by(args, approval);
    let run = Run {
        asked: &approval::event(&request, EventKind::ScriptStarted).detail("approval", by),
        skill: &skill,
        digest: copy.digest(),
        standing: &Standing::of(&Permissions::load(context)?, &skill),
        allowed: &allowed,
        plan: &plan,
        script: (script, script_digest),
        backend,
    };
    let recorder = context.ready_to_record()?;
    // On the disk before the script begins: whoever kills us does not kill that.
    let started = recorder.record(&run.started())?.seq;
    let (ran, written) = match start(context, &sandbox, &plan) {
        Ok(ran) => ran,
        Err(error) => {
            recorder.record(&run.failed(started, error.to_string()))?;
            return Err(error);
        }
    };
    let made = Made::by(&plan.profile, &allowed.skill_folders, &ran.created);
    recorder.record(&run.ended(&ran, &made, started))?;
    if context.printer.is_json() {
        let mut value = as_json(&ran, &plan, &made);
        value["skill"] = json!(skill.name);
        value["digest"] = json!(copy.digest().to_string());
        value["script"] = json!(script);
        value["script_digest"] = json!(script_digest.to_string());
        value["narrowed"] = json!(narrowed);
        value["approval"] = json!(approval.as_str());
        context.printer.json(&value)?;
    } else if !matches!(written, Written::Unread) {
        tell(context, &ran, &plan, &made);
    }
    match written {
        Written::Failed(error) => Err(CommandError::Output(error)),
        // As of a program that a shell ended for the same reason.
        Written::Unread => Ok(Status::Code(UNREAD)),
        Written::Whole => Ok(Status::Code(u8::try_from(ran.code()).unwrap_or(255))),
    }
}

/// What the run was approved by, as the log has it.
fn by(args: &Args, approval: Approval) -> &'static str {
    match approval {
        Approval::Flag if args.yes => "--yes",
        Approval::Flag => "--allow-scripts",
        other => other.as_str(),
    }
}

fn answer(args: &Args) -> Answer {
    match (args.yes, args.allow_scripts) {
        (true, _) => Answer::Yes,
        (false, true) => Answer::AllowScripts,
        (false, false) => Answer::Ask,
    }
}

/// Runs it, with its output passed on as it comes; and what became of that.
fn start(
    context: &Context,
    sandbox: &Sandbox,
    plan: &Plan,
) -> Result<(Ran, Written), CommandError> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
    ] {
        // What cannot be registered ends us as ever, and the sandbox with us.
        let _ = signal_hook::flag::register(signal, Arc::clone(&cancel));
    }
    context.printer.heard().elsewhere(&cancel);
    let (mut stdout, mut stderr) = (
        Watched::stopping(context.printer.foreign_stdout(), &cancel),
        Watched::new(context.printer.foreign_stderr()),
    );
    let live = if context.printer.is_json() {
        Live {
            cancel: Some(&cancel),
            ..Live::default()
        }
    } else {
        Live {
            cancel: Some(&cancel),
            stdout: Some(&mut stdout),
            stderr: Some(&mut stderr),
        }
    };
    let ran = sandbox.run(&plan.profile, &plan.command, live);
    let ran = ran.map_err(RunError::from)?;
    let written = match (stdout.is_unread(), stdout.failure().or(stderr.failure())) {
        (true, _) => Written::Unread,
        (false, Some(error)) => Written::Failed(error),
        (false, None) => Written::Whole,
    };
    Ok((ran, written))
}

/// What became of a script's output.
enum Written {
    /// All of it was written.
    Whole,
    /// Nobody reads it any more, and the script was ended.
    Unread,
    /// It could not be written.
    Failed(io::Error),
}
