//! `skill_run`: a script of a skill that another agent wants to run, over MCP or the API.
//!
//! Trust and approvals come first: an approval of exactly these files, or a row of the trust table that
//! never asks, needs no question, and what is blocked is not asked about. For the rest the user of the
//! client is asked, in the way that the client supports.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{ReadLimits, ReadRange, ResourceContent, ResourceError};
use skillyard_format::Document;
use skillyard_format::package::Digest;
use skillyard_format::script::{BEGINNING, starter};
use skillyard_format::text::counted;
use skillyard_trust::guard::{ActiveSkill, GuardInput, GuardRequest, GuardVerdict};

use crate::access::Role;
use crate::activation::active;
use crate::command_line::{command_line, quoted};
use crate::contents::{Contents, ContentsError};
use crate::host::{Executed, HostError, Ran, Runs, ScriptRun};
use crate::lookup::usable;
use crate::path_redactor::PathRedactor;
use crate::problem::{Problem, shortened};
use crate::server::Server;
use crate::tool::understood;
use crate::view::Viewer;

/// The tool's name.
pub(crate) const NAME: &str = "skill_run";
/// How many characters of a script's input are shown to who is asked.
const SHOWN_INPUT: usize = 200;
/// What is said to who may not.
pub(crate) const NEEDS_ROLE: &str = "this needs a token with the role `run`";

/// Whether a name means this tool, also as other runtimes call it.
pub(crate) fn is_named(name: &str) -> bool {
    matches!(name, NAME | "skills.run_script" | "skillsRunScript")
}

/// Whether the tool is offered.
pub(crate) fn is_offered(server: &Server) -> bool {
    server.host.runs() == Runs::WithConsent
}

/// What is wanted.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) script: String,
    #[serde(default)]
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Option<String>,
}

/// Who wants it.
#[derive(Debug, Clone)]
pub(crate) struct RunRequest {
    /// What they may do.
    pub(crate) role: Role,
    /// The token that they have, as the log names it.
    pub(crate) token: String,
    /// The skills that act for them.
    pub(crate) acting: Vec<ActiveSkill>,
    /// The conversation that users load skills into.
    pub(crate) conversation: Option<String>,
    /// The beginning of every event of theirs.
    pub(crate) event: Event,
}

impl RunRequest {
    /// What lies over what they are told.
    pub(crate) fn redactor(&self, server: &Server) -> PathRedactor {
        Viewer::new(self.role, server).redactor().clone()
    }

    /// An event of theirs.
    pub(crate) fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            ..self.event.clone()
        }
    }
}

/// A run that has been understood.
pub(crate) struct RequestedRun {
    pub(crate) skill: CatalogSkill,
    pub(crate) digest: Digest,
    pub(crate) input: Input,
    /// The hosts that it may reach.
    hosts: Vec<String>,
}

/// What is known before anybody is asked.
pub(crate) enum RunDecision {
    /// It may run.
    Run,
    /// The user is to be asked, for this reason.
    Ask(String),
}

impl RequestedRun {
    /// An event about it.
    pub(crate) fn about(&self, event: Event) -> Event {
        let event = event
            .skill(self.skill.record.name.as_str())
            .digest(self.digest.to_string())
            .detail("script", &self.input.script)
            .detail("argv", json!(self.input.args).to_string());
        match &self.input.stdin {
            None => event,
            Some(stdin) => event.detail("stdin_digest", Digest::of(stdin.as_bytes()).to_string()),
        }
    }

    /// What is to be decided, with everything that would make it another decision.
    pub(crate) fn key(&self) -> Digest {
        let input = &self.input;
        let key = json!([
            self.digest.to_string(),
            input.name,
            input.script,
            input.args,
            input.stdin,
            self.hosts
        ]);
        Digest::of(key.to_string().as_bytes())
    }

    /// The question for the user.
    pub(crate) fn question(&self, reason: &str) -> String {
        let line = |text: &str| skillyard_format::text::one_line(text).into_owned();
        let mut text = format!(
            "Skill `{}` wants to run `{}`",
            line(&self.skill.record.name),
            command_line(&self.input.script, &self.input.args)
        );
        if let Some(stdin) = &self.input.stdin {
            let begins: String = stdin.chars().take(SHOWN_INPUT).collect();
            let more = if begins.len() < stdin.len() {
                " and more"
            } else {
                ""
            };
            let (bytes, begins) = (counted(stdin.len(), "byte"), quoted(&begins));
            let _ = write!(text, " with {bytes} of input ({begins}{more})");
        }
        let network = match self.hosts.as_slice() {
            [] => "without network".to_owned(),
            hosts => format!("that reaches {}", hosts.join(", ")),
        };
        let _ = write!(
            text,
            " in a sandbox {network} and without your files ({reason}). Its files have the digest {}.",
            self.digest
        );
        text
    }
}

/// Understands a call, and says what policy and approvals say.
pub(crate) fn judged(
    server: &Server,
    asked: &RunRequest,
    arguments: Map<String, Value>,
) -> Result<(RequestedRun, RunDecision), Problem> {
    let blocked = |reason: String, skill: Option<String>, pattern: Option<String>| {
        let event = asked.event(EventKind::ToolBlocked);
        let mut event = event.ended(Outcome::Denied, reason.clone());
        event.skill = skill;
        let event = match pattern {
            Some(pattern) => event.detail("pattern", pattern),
            None => event,
        };
        server.record(&event.detail("tool", NAME));
        format!("Denied: {reason}")
    };
    let denied = |text: String| Problem::new(StatusCode::FORBIDDEN, text);
    server.with_room(&asked.event)?;
    let input: Input = understood(arguments.clone())?;
    // It would end the word there, and nobody would see what was left out.
    let words = input.args.iter().chain([&input.script]);
    if words.into_iter().any(|word| word.contains('\0')) {
        return Err(Problem::bad("a zero byte cannot be in an argument"));
    }
    let snapshot = server.fresh_snapshot();
    let skill = usable(&snapshot, &input.name)?;
    let name = skill.record.name.clone();
    if server.is_for_users(skill, asked.conversation.as_deref()) {
        let problem = ContentsError::ForUsers { name: name.clone() };
        blocked(problem.to_string(), Some(name), None);
        return Err(problem.into());
    }
    let contents = Contents::open(skill)?;
    let hashed = server.hashed(skill, &contents);
    let digest = hashed.inspect_err(|problem| {
        blocked(problem.to_string(), Some(name.clone()), None);
    })?;
    // Its list decides as it is now, whether anybody loaded it or not.
    let own = active(skill, &Document::parse(contents.skill_file()?.as_bytes()));
    let acting: Vec<ActiveSkill> = std::iter::once(own).chain(asked.acting.clone()).collect();
    let guarded = GuardRequest {
        tool: NAME.to_owned(),
        input: GuardInput::Fields(arguments),
    };
    let decision = server.host.guard(&acting, &guarded)?;
    let redactor = asked.redactor(server);
    if decision.verdict == GuardVerdict::Denied {
        let text = blocked(decision.reason, decision.skill, decision.pattern);
        return Err(denied(redactor.redact(&text)));
    }
    let standing = server.host.standing(skill, Some(&digest));
    let beforehand = match standing.scripts.as_str() {
        "run" => RunDecision::Run,
        "ask" => {
            check_runnable(&contents, &name, &input.script)?;
            RunDecision::Ask(redactor.redact(&standing.reason))
        }
        _ => {
            let text = blocked(standing.reason, Some(name), None);
            return Err(denied(redactor.redact(&text)));
        }
    };
    let wanted = RequestedRun {
        skill: skill.clone(),
        digest,
        input,
        hosts: standing.hosts,
    };
    Ok((wanted, beforehand))
}

/// Runs it and writes down how it ended; `approval` is who said that it may: `policy` or `user`.
pub(crate) fn run(
    server: &Server,
    wanted: &RequestedRun,
    asked: &RunRequest,
    approval: &str,
    cancel: &AtomicBool,
) -> Result<Ran, HostError> {
    let begins = asked.event(EventKind::ScriptStarted);
    let begins = begins.detail("approval", approval);
    let start = Instant::now();
    let Executed { ran, event } = server.host.run_script(
        &ScriptRun {
            skill: &wanted.skill,
            digest: wanted.digest,
            script: &wanted.input.script,
            arguments: &wanted.input.args,
            stdin: wanted.input.stdin.as_deref(),
            asked: &begins,
        },
        cancel,
    );
    let name = &wanted.skill.record.name;
    server.metrics.script(name, start.elapsed());
    // The host wrote down that it began, which took about as much of the log.
    server.charge(&event);
    server.record(&event);
    ran
}

/// How it ended, for models and programs; where it ran is told to whoever may know.
pub(crate) fn described(ran: &Ran, redactor: &PathRedactor) -> Value {
    redactor.value(json!({
        "exit_code": ran.code,
        "stdout": ran.stdout,
        "stderr": ran.stderr,
        "denied": ran.denials,
    }))
}

/// The bytes of the longest name that file systems know.
const MAX_NAME_BYTES: usize = 255;

/// Refuses a script that the skill does not have, and a file that is none.
fn check_runnable(contents: &Contents<'_>, skill: &str, script: &str) -> Result<(), Problem> {
    let path = script.strip_prefix("./").unwrap_or(script);
    let range = ReadRange {
        offset: 0,
        limit: Some(BEGINNING as u64),
    };
    // No file can have such a name, and nobody has to be asked about it.
    if path.split('/').any(|part| part.len() > MAX_NAME_BYTES) {
        return Err(missing(skill, &shortened(script)));
    }
    let read = |path: &str| contents.read(path, range, ReadLimits::default());
    // By its path, or by its name in `scripts/`.
    let found = match read(path) {
        Err(error) if is_absent(&error) => read(&format!("scripts/{path}")),
        found => found,
    };
    match found {
        Err(error) if is_absent(&error) => Err(missing(skill, script)),
        Ok(file) => match &file.content {
            ResourceContent::Text(text) if starter(&file.path, text.as_bytes()).is_none() => {
                let path = &file.path;
                let text =
                    format!("`{path}` is no script: it has no `#!` line and no known ending");
                Err(Problem::bad(text))
            }
            _ => Ok(()),
        },
        // What cannot be read for another reason is for whoever runs it to say.
        Err(_) => Ok(()),
    }
}

fn missing(skill: &str, script: &str) -> Problem {
    let text = format!("skill `{skill}` has no script `{script}`");
    Problem::new(StatusCode::NOT_FOUND, text)
}

/// Whether no file of a skill can be meant.
fn is_absent(error: &ContentsError) -> bool {
    matches!(
        error,
        ContentsError::Resource(
            ResourceError::NotFound { .. }
                | ResourceError::Empty
                | ResourceError::Absolute { .. }
                | ResourceError::Parent { .. }
                | ResourceError::EmptyComponent { .. }
        )
    )
}
