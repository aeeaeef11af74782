//! `skillyard run`.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::json;
use skillyard_audit::Outcome::Denied;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::package::Digest;
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, HostRule, Live, Network, Outcome as Ran, Sandbox};
use skillyard_trust::tier::Row;

use super::Outcome;
use super::run_explain::explain;
use super::run_told::{as_json, tell, tell_unread};
use crate::config::keys::ENTRIES;
use crate::context::Context;
use crate::error::{CommandError, RunError, Status};
use crate::permission::Permissions;
use crate::printer::Watched;
use crate::script;
use crate::script::approval::{self, Answer, Approval, Request};
use crate::script::place::{Copy, SkillPlace};
use crate::script::profile::{self, Allowed, Made, Plan, SkillFolders};
use crate::script::record::{Run, Standing};

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
    let notes = context.environment.placeholders_folder();
    let sandbox = sandbox.map_err(RunError::from)?.with_notes(&notes);
    let copy = Copy::make(&skill, temporary, sandbox.identity())?;
    if looked_at.is_some_and(|digest| digest != copy.digest()) {
        let error = RunError::Blocked {
            skill: skill.name.clone(),
            reason: "its files changed while they were looked at".to_owned(),
            hint: "Run the command again".to_owned(),
        };
        return Err(denied(error.into()));
    }
    let (script, script_digest) = copy.script(&skill.name, &args.script)?;
    let words = &args.arguments;
    let plan = script::plan(context, (&skill, &copy), script, words, &allowed, backend)?;
    if args.explain {
        explain(context, &skill, script, &copy, &plan, backend)?;
        return Ok(Status::Yes);
    }
    if !context.printer.is_json() {
        tell_unread(context, &plan);
    }
    let request = Request {
        skill: &skill.name,
        source: skill.source,
        folder: &skill.folder,
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
    let by = match approval {
        Approval::Flag if args.yes => "--yes",
        Approval::Flag => "--allow-scripts",
        other => other.as_str(),
    };
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
    let (ran, unwritten) = match start(context, &sandbox, &plan) {
        Ok(ran) => ran,
        Err(error) => {
            recorder.record(&run.failed(started, error.to_string()))?;
            return Err(error);
        }
    };
    let made = Made::by(&plan.profile, &allowed.skill_folders);
    recorder.record(&run.ended(&ran, &made, started))?;
    if context.printer.is_json() {
        let mut value = as_json(&ran, &plan, &made);
        value["skill"] = json!(skill.name);
        value["digest"] = json!(copy.digest().to_string());
        value["script"] = json!(script);
        value["script_digest"] = json!(script_digest.to_string());
        value["approval"] = json!(approval.as_str());
        context.printer.json(&value)?;
    } else {
        tell(context, &ran, &plan, &made);
    }
    if let Some(error) = unwritten {
        return Err(CommandError::Output(error));
    }
    Ok(Status::Code(u8::try_from(ran.code()).unwrap_or(255)))
}

/// The hosts that were approved of the skill's files as they are now, and what they are then.
fn approved_hosts(
    context: &Context,
    skill: &SkillPlace,
) -> Result<(Vec<String>, Option<Digest>), CommandError> {
    let permissions = Permissions::load(context)?;
    // Nearly no skill has any, and its files are hashed once more for this.
    if !permissions.may_have_hosts(&skill.name) {
        return Ok((Vec::new(), None));
    }
    let root = SkillRoot::open(&skill.folder).map_err(CommandError::Resource)?;
    let now = digest(&root).map_err(CommandError::Resource)?;
    let provenance = permissions.provenance_of(skill.source, &skill.folder);
    let hosts = permissions.hosts(&provenance, &skill.name, Some(&now));
    Ok((hosts.to_vec(), Some(now)))
}

/// Writes down that a run was refused before anybody was asked.
fn denied(context: &Context, args: &Args, skill: &SkillPlace, error: CommandError) -> CommandError {
    let reason = match &error {
        CommandError::Run(RunError::Blocked { reason, .. }) => reason.clone(),
        CommandError::Run(RunError::Locked { .. }) | CommandError::Locked { .. } => {
            error.to_string()
        }
        _ => return error,
    };
    if args.explain {
        return error;
    }
    let mut event = Event::new(EventKind::ScriptExecuted)
        .skill(&skill.name)
        .trigger("user")
        .detail("script", &args.script);
    if let Some(kind) = skill.source {
        event = event.source(kind.as_str());
    }
    // Those inside the binary are only written out to run.
    let now = SkillRoot::open(&skill.folder).ok();
    if let Some(now) = now.and_then(|root| digest(&root).ok()) {
        event = event.digest(now.to_string());
    }
    let event = event.ended(Denied, reason);
    context.record(&event).err().unwrap_or(error)
}

/// Writes down that a run was refused because nobody was there to be asked.
fn unanswered(context: &Context, request: &Request<'_>, error: CommandError) -> CommandError {
    let is_unanswered = matches!(&error, CommandError::Run(RunError::NotApproved { .. }));
    // Who was there and said no is in the log already.
    if !is_unanswered || context.printer.can_ask() {
        return error;
    }
    let reason = "it was not approved, and there was nobody to ask";
    let event = approval::event(request, EventKind::ScriptExecuted).ended(Denied, reason);
    context.record(&event).err().unwrap_or(error)
}

fn answer(args: &Args) -> Answer {
    match (args.yes, args.allow_scripts) {
        (true, _) => Answer::Yes,
        (false, true) => Answer::AllowScripts,
        (false, false) => Answer::Ask,
    }
}

/// What the command line allows, and the configuration where that says nothing.
fn allowed(context: &Context, args: &Args) -> Result<Allowed, CommandError> {
    let config = context.config()?;
    if args.allow_scripts {
        config.keep_locked("scripts.allow", "`--allow-scripts`", "true")?;
    }
    let configured = Allowed::configured(&config);
    let day = 24.0 * 60.0 * 60.0;
    let mut limits = configured.limits;
    match args.timeout {
        None => {}
        Some(seconds) if seconds > 0.0 && seconds < day => {
            limits.wall = Duration::from_secs_f64(seconds);
            let key = "sandbox.timeout";
            if let Some(by) = config
                .lock_of(key)
                .filter(|_| limits.wall > configured.limits.wall)
            {
                let (key, by) = (key.to_owned(), by.to_owned());
                let flag = "--timeout";
                return Err(RunError::Locked { key, flag, by }.into());
            }
            limits.cpu = limits.cpu.max(limits.wall);
        }
        Some(_) => return Err(RunError::Timeout.into()),
    }
    let network = if args.net.iter().any(|host| host == "full") {
        Network::Full
    } else if args.net.is_empty() {
        Network::None
    } else {
        let rules = args.net.iter().map(|host| host.parse::<HostRule>());
        Network::Hosts(rules.collect::<Result<_, _>>().map_err(RunError::from)?)
    };
    let variables = args.env.iter().map(|name| {
        let value = context.environment.passed_on(name);
        let value = value.ok_or_else(|| RunError::NoSuchVariable(name.clone()))?;
        Ok((OsString::from(name), value))
    });
    let workspace = args
        .workspace
        .as_deref()
        .map(|path| profile::workspace(path, &context.environment));
    let workspace = workspace.transpose()?;
    let mut skill_folders = SkillFolders::default();
    if let Some(folder) = workspace.as_ref().filter(|_| !args.read_only) {
        skill_folders = SkillFolders::around(context, folder)?;
        skill_folders.refuse_among(folder)?;
    }
    Ok(Allowed {
        limits,
        commands: commands(&args.command, configured.commands)?,
        workspace,
        skill_folders,
        read_only: args.read_only,
        network,
        environment: variables.collect::<Result<_, RunError>>()?,
        stdin: args.stdin,
    })
}

/// The programs that the command line names; the configuration can only be narrowed.
fn commands(
    named: &[String],
    configured: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, RunError> {
    if named.is_empty() {
        return Ok(configured);
    }
    let outside = |name: &&String| configured.as_ref().is_some_and(|all| !all.contains(name));
    match named.iter().find(outside) {
        Some(name) => Err(RunError::Command(name.clone())),
        None => Ok(Some(named.to_vec())),
    }
}

/// The back end that was asked for, or the best for what is allowed.
fn backend(survey: &Survey, args: &Args, allowed: &Allowed) -> Result<Backend, RunError> {
    match args.backend {
        Some(backend) => Ok(backend),
        None => Ok(Backend::best(survey, &profile::outline(allowed))?),
    }
}

/// Refuses to do without a sandbox where the organisation keeps to itself what one has to hold.
fn unlocked(context: &Context, skill: &SkillPlace) -> Result<(), CommandError> {
    let config = context.config()?;
    let provenance = Permissions::load(context)?.provenance_of(skill.source, &skill.folder);
    let row = format!("trust.{}.scripts", Row::of(&provenance).as_str());
    let limits = ENTRIES.iter().map(|entry| entry.key);
    let limits = limits.filter(|name| name.starts_with("sandbox."));
    for key in limits.chain([row.as_str()]) {
        if let Some(by) = config.lock_of(key) {
            let (key, by) = (key.to_owned(), by.to_owned());
            let flag = "--backend none";
            return Err(RunError::Locked { key, flag, by }.into());
        }
    }
    Ok(())
}

/// Runs it, with its output passed on as it comes; and why not all of that could be written.
fn start(
    context: &Context,
    sandbox: &Sandbox,
    plan: &Plan,
) -> Result<(Ran, Option<io::Error>), CommandError> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
    ] {
        // What cannot be registered ends us as ever, and the sandbox with us.
        let _ = signal_hook::flag::register(signal, Arc::clone(&cancel));
    }
    let (mut stdout, mut stderr) = (
        Watched::new(context.printer.foreign_stdout()),
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
    Ok((ran, stdout.failure().or(stderr.failure())))
}
