//! `skillyard run`.

mod allowed;
pub(crate) mod report;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::json;
use skillyard_agent::script::{Copy, ScriptError};
use skillyard_audit::Outcome::Denied;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, Live, Outcome as Ran, Sandbox};
use skillyard_sandbox::{Commands, HostRule, MountAccess, Network};

use self::allowed::{allowed, approved_hosts, backend, unlocked};
use crate::commands::run::report::{as_json, seconds, tell, tell_unread};
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome, RunError};
use crate::library;
use crate::library::permission::Permissions;
use crate::printer::FailureRecordingWriter;
use crate::script;
use crate::script::approval;
use crate::script::approval::{Approval, FlagAnswer, Request};
use crate::script::place::{self, SkillPlace};
use crate::script::profile::{self, Made, ScriptPlan};
use crate::script::record::{Run, RunOrigin};
use crate::text::sanitize::visible;

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
pub(crate) struct RunArgs {
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
        library::note_unhashable(context, &skill.folder, error);
    }
}

pub(crate) fn run(context: &Context, args: &RunArgs) -> Outcome {
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
        return Ok(ExitStatus::Success);
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
        standing: &RunOrigin::of(&Permissions::load(context)?, &skill),
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
    } else if !matches!(written, WrittenOutput::Unread) {
        tell(context, &ran, &plan, &made);
    }
    match written {
        WrittenOutput::Failed(error) => Err(CommandError::Output(error)),
        // As of a program that a shell ended for the same reason.
        WrittenOutput::Unread => Ok(ExitStatus::Code(UNREAD)),
        WrittenOutput::Whole => Ok(ExitStatus::Code(u8::try_from(ran.code()).unwrap_or(255))),
    }
}

/// What the run was approved by, as the log has it.
fn by(args: &RunArgs, approval: Approval) -> &'static str {
    match approval {
        Approval::Flag if args.yes => "--yes",
        Approval::Flag => "--allow-scripts",
        other => other.as_str(),
    }
}

fn answer(args: &RunArgs) -> FlagAnswer {
    match (args.yes, args.allow_scripts) {
        (true, _) => FlagAnswer::Yes,
        (false, true) => FlagAnswer::AllowScripts,
        (false, false) => FlagAnswer::Ask,
    }
}

/// Runs it, with its output passed on as it comes; and what became of that.
fn start(
    context: &Context,
    sandbox: &Sandbox,
    plan: &ScriptPlan,
) -> Result<(Ran, WrittenOutput), CommandError> {
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
        FailureRecordingWriter::stopping(context.printer.foreign_stdout(), &cancel),
        FailureRecordingWriter::new(context.printer.foreign_stderr()),
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
        (true, _) => WrittenOutput::Unread,
        (false, Some(error)) => WrittenOutput::Failed(error),
        (false, None) => WrittenOutput::Whole,
    };
    Ok((ran, written))
}

/// What became of a script's output.
enum WrittenOutput {
    /// All of it was written.
    Whole,
    /// Nobody reads it any more, and the script was ended.
    Unread,
    /// It could not be written.
    Failed(io::Error),
}

/// Writes down that a run was refused before anybody was asked.
fn denied(
    context: &Context,
    args: &RunArgs,
    skill: &SkillPlace,
    error: CommandError,
) -> CommandError {
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

/// The flags that have no effect, or less than they say, each in a sentence.
fn narrowed(args: &RunArgs, plan: &ScriptPlan, backend: Backend) -> Vec<String> {
    let mut told = Vec::new();
    let wall = plan.profile.limits.wall;
    let timeout = args.timeout.map(Duration::from_secs_f64);
    if let Some(timeout) = timeout.filter(|timeout| *timeout > wall) {
        let (asked, kept) = (seconds(timeout), seconds(wall));
        told.push(format!(
            "`--timeout` {asked} has no effect: the skill asks for {kept} at most (`sandbox-timeout`)"
        ));
    }
    if let (Some(folder), false) = (&args.workspace, args.read_only) {
        let mut writable = plan.profile.mounts.iter();
        if backend != Backend::None && !writable.any(|mount| mount.access == MountAccess::Write) {
            let folder = folder.display();
            told.push(format!(
                "it may not write to `{folder}`: the skill asks for less (`sandbox-workspace`)"
            ));
        }
    }
    let reached: &[HostRule] = match &plan.profile.network {
        Network::Full => return told,
        Network::None => &[],
        Network::Hosts(rules) => rules,
    };
    let is_left_out = |host: &&String| {
        let rule = host.parse::<HostRule>();
        rule.is_ok_and(|rule| !reached.contains(&rule))
    };
    let wanted = match (reached, &plan.wished[..]) {
        ([], []) => "no network".to_owned(),
        (reached, wished) => {
            let hosts = reached.iter().chain(wished);
            let hosts: Vec<String> = hosts.map(|host| format!("`{host}`")).collect();
            format!("no more than {}", hosts.join(", "))
        }
    };
    if args.net.iter().any(|host| host == "full") {
        told.push(format!(
            "`--net full` does not reach all: the skill asks for {wanted} (`sandbox-network`)"
        ));
        return told;
    }
    for host in args.net.iter().filter(is_left_out) {
        told.push(format!(
            "`--net {host}` has no effect: the skill asks for {wanted} (`sandbox-network`)"
        ));
    }
    told
}

/// What it could do, for people or programs.
pub(crate) fn explain(
    context: &Context,
    skill: &SkillPlace,
    script: &str,
    copy: &Copy,
    plan: &ScriptPlan,
    narrowed: &[String],
    backend: Backend,
) -> Result<(), CommandError> {
    let cannot = backend.cannot(&plan.profile);
    if context.printer.is_json() {
        let mut value = profile::as_json(plan, backend);
        value["skill"] = json!(skill.name);
        value["digest"] = json!(copy.digest().to_string());
        value["script"] = json!(script);
        value["narrowed"] = json!(narrowed);
        value["unenforceable"] = json!(cannot);
        return Ok(context.printer.json(&value)?);
    }
    let mut text = String::new();
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:<12} {}", visible(value));
    };
    row("script", &format!("{script} of {}", skill.name));
    row("digest", &copy.digest().to_string());
    row("sandbox", backend.as_str());
    row("command", &profile::argv(&plan.command).join(" "));
    row("starts in", &plan.command.directory.to_string_lossy());
    let is_held = backend != Backend::None;
    for mount in plan.profile.mounts.iter().filter(|_| is_held) {
        let label = if mount.access == MountAccess::Write {
            "writes"
        } else {
            "reads"
        };
        row(label, &backend.place(mount).to_string_lossy());
    }
    if is_held && plan.profile.writable().next().is_some() {
        let protected = plan.profile.existing_protected().count();
        row(
            "but never",
            &format!(
                "{protected} places there that git, agents and editors obey; `--json` names them"
            ),
        );
    }
    row("reaches", &profile::reach(&plan.profile, backend));
    if let Commands::Only(programs) = &plan.profile.commands {
        let programs: Vec<_> = programs.iter().map(|each| each.to_string_lossy()).collect();
        row("starts", &programs.join(" "));
    }
    let names: Vec<_> = plan
        .profile
        .environment
        .iter()
        .map(|(name, _)| name.to_string_lossy())
        .collect();
    row("variables", &names.join(" "));
    let limits = &plan.profile.limits;
    let mib = |bytes: u64| bytes / (1024 * 1024);
    row(
        "limits",
        &format!(
            "{} of time, {} of processor time, {} MB of memory, {} processes, {} open files, {} MB a file, {} MB of temporary files, {} KB of output",
            seconds(limits.wall),
            seconds(limits.cpu),
            mib(limits.memory),
            limits.processes,
            limits.open_files,
            mib(limits.file_size),
            mib(limits.scratch),
            limits.output / 1024
        ),
    );
    for host in &plan.wished {
        row("would like", &format!("--net {host}"));
    }
    for flag in narrowed {
        row("but", flag);
    }
    for unread in &plan.unread {
        row("unread", unread);
    }
    if let Some(reason) = cannot {
        row(
            "refused",
            &format!("the sandbox `{backend}` cannot enforce this: {reason}"),
        );
    }
    Ok(context.printer.data(&text)?)
}
