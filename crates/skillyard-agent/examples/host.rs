//! A runtime of its own over the crates of Skillyard: it installs a skill from a folder, finds it, offers
//! it to a model, activates it, and runs its script, with every use in a log. `docs/library.md` explains it.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is a program of its own"
)]

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;
use skillyard_agent::script::{Allowed, Machine, ScriptRequest, outline, reach};
use skillyard_agent::shelf::{Caller, Loaded, Shelf, ShelfSkill};
use skillyard_agent::workspace::Workspace;
use skillyard_audit::{AuditLog, Event, EventKind, Options, Outcome, Recorder, verify};
use skillyard_catalog::budget::Way;
use skillyard_catalog::prompt::{self, Room};
use skillyard_catalog::resource::{ReadLimits, ReadRange, ResourceContent};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{Catalog, CatalogSettings, ProjectTrust};
use skillyard_format::render::catalog::CatalogFormat;
use skillyard_install::change_audit::NoAudit;
use skillyard_install::local::LocalFolder;
use skillyard_install::scope::Scope;
use skillyard_install::transaction::{TransactionError, put};
use skillyard_install::tree::TreeLimits;
use skillyard_sandbox::{Live, Sandbox, launcher};
use skillyard_scan::{Severity, scan};
use skillyard_trust::guard::{self, GuardRequest, GuardVerdict};
use skillyard_trust::policy::Policy;
use skillyard_trust::provenance::{Origin, Provenance};
use skillyard_trust::verdict::{OptIn, ScriptVerdict, assess};

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    // The sandbox may start this program again, inside: nothing else comes before this.
    if let Some(code) = launcher::main(std::env::args_os()) {
        return code;
    }
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, state, skill] = &folders[..] else {
        eprintln!("usage: host PROJECT STATE SKILL");
        return ExitCode::from(2);
    };
    match host(project, state, skill) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `state` is the runtime's own folder: the store of installed skills and the log lie there.
fn host(project: &Path, state: &Path, skill: &Path) -> Result<(), Failure> {
    let logs = state.join("logs");
    let log = AuditLog::open(&logs, Options::default())?;
    let recorder = Recorder::new(log, "host", Timestamp::now);

    install(project, state, skill, &recorder)?;
    let shelf = discover(project, state)?;

    println!("# The catalog, in at most 500 tokens");
    let room = Room {
        tokens: 500,
        skills: 50,
    };
    let (text, fitting) =
        prompt::render(&shelf.entries(), CatalogFormat::Xml, room, None, Way::Tool);
    println!("{text}\n{} left out", fitting.omitted.len());

    println!("# What fits a task");
    let found = shelf.search("greet somebody by name", 3);
    for (skill, _score) in &found {
        println!("{}", skill.skill.record.name);
    }
    let (best, _score) = found.first().ok_or("no skill fits")?;
    let name = best.skill.record.name.clone();

    println!("# Its instructions, as a model gets them");
    let loaded = shelf.load(&name, "Ada", Caller::Model)?;
    println!("{}", loaded.text);
    recorder.record(&used(&loaded, EventKind::SkillActivated))?;

    println!("# One of its files");
    let file = shelf
        .hashed(&name)?
        .read("notes.md", ReadRange::default())?;
    if let ResourceContent::Text(text) = file.content {
        print!("{text}");
    }
    recorder.record(&used(&loaded, EventKind::ResourceRead).detail("path", "notes.md"))?;

    println!("# The tool guard");
    let commands: Vec<PathBuf> = ["/usr/local/bin", "/usr/bin", "/bin"]
        .map(PathBuf::from)
        .into();
    let workspace = Workspace::new(project, None, commands.clone())?;
    let active = [loaded.active.clone()];
    for command in ["git status --short", "git status && rm -rf ~"] {
        let call = GuardRequest::text("Bash", command);
        let decision = guard::check(&call, &active, &[], &workspace);
        println!("{:?}: {command}: {}", decision.verdict, decision.reason);
    }

    run_script(&shelf, &loaded, &workspace, &commands, &recorder)?;

    println!("# The log");
    let checked = verify(&logs, None)?;
    match checked.fault {
        None => println!("{} events, intact", checked.events),
        Some(fault) => return Err(fault.to_string().into()),
    }
    Ok(())
}

/// Runs a script of an activated skill, if its list, its origin and somebody allow it.
fn run_script(
    shelf: &Shelf,
    loaded: &Loaded,
    workspace: &Workspace,
    commands: &[PathBuf],
    log: &Recorder,
) -> Result<(), Failure> {
    println!("# Its script, in the sandbox");
    let allowed = Allowed::default();
    let temporary = std::env::temp_dir();
    let sandbox = Sandbox::best(&outline(&allowed), &temporary)?;
    let arguments = [OsString::from("Ada")];
    let wanted = ScriptRequest {
        skill: &loaded.name,
        digest: loaded.digest,
        script: "hello.sh",
        arguments: &arguments,
    };
    let machine = Machine {
        path: commands,
        home: None,
        temporary: &temporary,
    };
    let ready = shelf.script(&wanted, &allowed, &machine, &sandbox)?;
    // A skill with a list of tools says in it whether its own scripts may run.
    let call =
        json!({ "tool": "skill_run", "input": { "name": loaded.name, "script": ready.script } });
    let active = [loaded.active.clone()];
    let decision = guard::check(&serde_json::from_value(call)?, &active, &[], workspace);
    if decision.verdict == GuardVerdict::Denied {
        return Err(decision.reason.into());
    }
    // Installed from a folder, so it is asked about before it runs for the first time.
    let verdict = assess(&Policy::default(), &Provenance::of(Origin::LocalFolder));
    let may_run = match verdict.script(None, OptIn::No) {
        ScriptVerdict::Run { .. } => true,
        ScriptVerdict::Ask { reason, .. } => {
            let reaches = reach(&ready.plan.profile, sandbox.backend());
            approve(&format!(
                "run {}, because {reason}; it has {reaches}",
                ready.script
            ))
        }
        ScriptVerdict::Blocked { reason, .. } => return Err(reason.into()),
    };
    if !may_run {
        log.record(&used(loaded, EventKind::ApprovalDenied))?;
        return Err("nobody allowed it".into());
    }
    log.record(&used(loaded, EventKind::ScriptStarted).detail("script", &ready.script))?;
    let ran = ready.run(&sandbox, Live::default())?;
    print!("{}", ran.stdout.text());
    let outcome = if ran.code() == 0 {
        Outcome::Ok
    } else {
        Outcome::Failed
    };
    let ended =
        used(loaded, EventKind::ScriptExecuted).ended(outcome, format!("code {}", ran.code()));
    log.record(&ended)?;
    Ok(())
}

/// The beginning of an event about an activated skill: every event names the bytes it is about.
fn used(loaded: &Loaded, kind: EventKind) -> Event {
    let event = Event::new(kind).skill(&loaded.name);
    event.digest(loaded.digest.to_string())
}

/// Installs the skills in a folder for the project, unless the scanner found something grave.
fn install(project: &Path, state: &Path, from: &Path, log: &Recorder) -> Result<(), Failure> {
    let taken = LocalFolder::new(from, TreeLimits::default()).take()?;
    for declined in &taken.declined {
        println!("not a skill: `{}`: {}", declined.path, declined.reason);
    }
    for skill in &taken.skills {
        let report = scan(&skill.tree.to_scan());
        if let Some(finding) = report
            .findings
            .iter()
            .find(|each| each.severity >= Severity::High)
        {
            return Err(format!("`{}` is refused: {}", skill.name, finding.message).into());
        }
    }
    let scope = Scope::project(project, state);
    let targets = [".agents/skills".to_owned()];
    let plan = put::<TransactionError>(&scope, &taken.skills, &targets, &NoAudit)?;
    if let Some(conflict) = plan.conflicts.first() {
        return Err(format!("`{}` is in the way", conflict.name).into());
    }
    for change in &plan.changes {
        log.record(&Event::new(EventKind::SkillInstalled).skill(change.name()))?;
    }
    Ok(())
}

/// The skills of the project that may be used. Those of the user's home are left alone, because no
/// home is named, and those inside Skillyard, which are about Skillyard, are left out.
fn discover(project: &Path, state: &Path) -> Result<Shelf, Failure> {
    let settings = CatalogSettings {
        surroundings: Surroundings {
            current: project.canonicalize()?,
            skillyard_home: state.canonicalize()?,
            ..Surroundings::default()
        },
        // Skills of a project stay out of prompts until somebody trusts it; here the caller did.
        project_trust: ProjectTrust::Trusted,
        ..CatalogSettings::default()
    };
    let catalog = Catalog::load(&settings);
    for skipped in &catalog.skipped {
        println!("skipped {}: {}", skipped.path.display(), skipped.reason);
    }
    let (provenance, policy) = (Provenance::of(Origin::LocalFolder), Policy::default());
    let skills = catalog
        .enabled()
        .filter(|skill| skill.kind != SourceKind::Builtin);
    let skills = skills.map(|skill| ShelfSkill::new(skill, &provenance, &policy));
    Ok(Shelf::new(skills.collect(), None, ReadLimits::default()))
}

/// Whoever the runtime asks; this one tells and says yes.
fn approve(question: &str) -> bool {
    println!("asked: {question}");
    true
}
