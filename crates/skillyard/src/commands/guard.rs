//! `skillyard guard`.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io;
use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::json;
use skillyard_agent::tool::decision_event;
use skillyard_agent::workspace::Workspace;
use skillyard_audit::Recorder;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::walk::WatchedPath;
use skillyard_catalog::{Catalog, Status as Standing, builtin};
use skillyard_format::{Document, Skill};
use skillyard_trust::guard::{
    ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict, check,
};

use crate::agent::workspace;
use crate::commands::serving::decisions;
use crate::context::Context;
use crate::error::trust::TrustFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter, SkillTarget, skill_files};
use crate::script::place::known_folder;
use crate::text::sanitize::visible;

/// Decide whether a tool may be called while skills are active
///
/// Examples:
///   skillyard guard check --skill pdf-tools --tool Bash --input 'git status'
///   skillyard guard check --jsonl < calls
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    command: GuardCommand,
}

#[derive(Debug, clap::Subcommand)]
enum GuardCommand {
    Check(CheckArgs),
}

/// Decide about a call: exit code 0 when it is allowed, 1 when it is denied
///
/// A call is allowed when at least one skill that declares `allowed-tools` allows all of it, or
/// when none declares one. `disallowed-tools` of any skill and `tools.deny` of the configuration
/// deny.
///
/// With `--jsonl` every line of stdin is a call, an object with `skills`, `tool` and `input`, and
/// gets one line on stdout: the decision, or an object with `error`.
///
/// Examples:
///   skillyard guard check --skill pdf-tools --tool Bash --input 'git status && git log'
///   skillyard guard check --skill ./pdf-tools --tool Read --input docs/a.md --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct CheckArgs {
    /// An active skill: its name, its folder or its SKILL.md (may be repeated)
    #[arg(long = "skill", value_name = "NAME|PATH", num_args = 1..)]
    skills: Vec<OsString>,
    /// The tool, such as `Bash`
    #[arg(long)]
    tool: Option<String>,
    /// What it is called with: a command, a path, an address, or a JSON object
    #[arg(long, allow_hyphen_values = true)]
    input: Option<String>,
    /// The folder that tools work in; the current one without it
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Read calls from stdin, one on each line
    #[arg(long, conflicts_with_all = ["skills", "tool", "input"])]
    jsonl: bool,
}

pub(crate) fn run(context: &Context, args: &GuardArgs) -> Outcome {
    let GuardCommand::Check(args) = &args.command;
    let guard = Guard::new(context, args)?;
    if args.jsonl {
        return guard.stream();
    }
    let missing = |what| CommandError::from(TrustFailure::NoRequest(what));
    let request = GuardRequest {
        tool: args.tool.clone().ok_or_else(|| missing("a tool"))?,
        input: input(args.input.as_deref().ok_or_else(|| missing("an input"))?),
    };
    let decision = guard.decide(&args.skills, &request)?;
    guard
        .recorder
        .record(&decision_event(&request, &decision))?;
    if context.printer.is_json() {
        context.printer.json(&decision)?;
    } else {
        context.printer.data(&text(&decision))?;
    }
    Ok(match decision.verdict {
        GuardVerdict::Allowed => ExitStatus::Success,
        GuardVerdict::Denied => ExitStatus::Negative,
    })
}

/// An object is taken as one; everything else is text. No command begins like an object.
fn input(text: &str) -> GuardInput {
    match serde_json::from_str(text) {
        Ok(fields) => GuardInput::Fields(fields),
        Err(_) => GuardInput::Text(text.to_owned()),
    }
}

fn text(decision: &GuardDecision) -> String {
    let mut text = match decision.verdict {
        GuardVerdict::Allowed => "allowed",
        GuardVerdict::Denied => "denied",
    }
    .to_owned();
    if let Some(skill) = &decision.skill {
        text.push_str("  ");
        text.push_str(skill);
    }
    if let Some(pattern) = &decision.pattern {
        text.push_str("  ");
        text.push_str(pattern);
    }
    text.push_str(": ");
    text.push_str(&decision.reason);
    if let Some(caution) = &decision.caution {
        text.push_str("; but ");
        text.push_str(caution);
    }
    // Skills and calls are the words of strangers, and this is one line.
    format!("{}\n", visible(&text.replace('\n', "\\n")))
}

/// A skill that a call is asked about with.
enum GuardSkill {
    /// It decides by its lists.
    Active(ActiveSkill),
    /// It may not be used, which is the answer.
    Withheld(GuardDecision),
}

/// How calls are asked about.
enum Manner {
    /// One, by flags.
    Once,
    /// Many, on stdin.
    Stream,
}

struct Guard<'a> {
    context: &'a Context,
    manner: Manner,
    recorder: Recorder,
    workspace: Workspace,
    known: RefCell<GuardState>,
}

impl<'a> Guard<'a> {
    fn new(context: &'a Context, args: &CheckArgs) -> Result<Self, CommandError> {
        let named = args.workspace.as_deref();
        Ok(Self {
            context,
            manner: if args.jsonl {
                Manner::Stream
            } else {
                Manner::Once
            },
            recorder: context.recorder()?,
            workspace: workspace(&context.environment, named)?,
            known: RefCell::new(GuardState::load(context)?),
        })
    }

    fn decide(
        &self,
        skills: &[OsString],
        request: &GuardRequest,
    ) -> Result<GuardDecision, CommandError> {
        if !self.known.borrow().is_current(self.context) {
            self.known.replace(GuardState::load(self.context)?);
        }
        let mut active = Vec::with_capacity(skills.len());
        for word in skills {
            match self.skill(word)? {
                GuardSkill::Active(skill) => active.push(skill),
                GuardSkill::Withheld(denied) => return Ok(denied),
            }
        }
        let denied = &self.known.borrow().permissions.denied;
        Ok(check(request, &active, denied, &self.workspace))
    }

    /// Reads a skill anew: its list may have changed since the last call.
    fn skill(&self, word: &OsStr) -> Result<GuardSkill, CommandError> {
        let name = match SkillTarget::of(self.context, word)? {
            SkillTarget::Path(path) => return self.skill_at(&path),
            SkillTarget::Name(name) => name,
        };
        let mut known = self.known.borrow_mut();
        // What is not known may have been put there since, and what may not be used approved.
        let is_usable = |catalog: &Catalog| {
            let skill = catalog.resolve(&name);
            skill.is_some_and(|skill| !skill.status.is_refused())
        };
        let catalog = known.catalog(self.context, is_usable)?;
        let skill = match self.manner {
            Manner::Once => library::named(self.context, catalog, &name)?,
            // Nobody reads what thousands of calls would say again and again.
            Manner::Stream => library::meant(self.context, catalog, &name)?,
        };
        if let Some(withheld) = withheld(&skill.record.name, &skill.status) {
            return Ok(withheld);
        }
        if skill.kind == SourceKind::Builtin {
            let files = builtin::files(&skill.record.name).unwrap_or_default();
            let text = files.first().map_or("", |(_, text)| *text);
            let (folder, name) = (&skill.record.folder, &skill.record.name);
            return of_document(text.as_bytes(), folder, Some(name)).map(GuardSkill::Active);
        }
        active(&skill.record.folder).map(GuardSkill::Active)
    }

    /// The same for a path, by which a skill is no other than by its name.
    fn skill_at(&self, path: &Path) -> Result<GuardSkill, CommandError> {
        let file = skill_files::read_one(path)?;
        let skill = of_document(&file.bytes, &file.folder, file.directory().as_deref())?;
        let folder = known_folder(self.context, &file.folder)?;
        let status = self
            .known
            .borrow()
            .permissions
            .status_of(&skill.name, &folder);
        Ok(withheld(&skill.name, &status).unwrap_or(GuardSkill::Active(skill)))
    }
}

/// The answer for a skill that may not be used, if it may not.
fn withheld(name: &str, status: &Standing) -> Option<GuardSkill> {
    let reason = status.reason().filter(|_| status.is_refused())?;
    Some(GuardSkill::Withheld(GuardDecision::withheld(name, &reason)))
}

fn active(path: &Path) -> Result<ActiveSkill, CommandError> {
    let file = skill_files::read_one(path)?;
    of_document(&file.bytes, &file.folder, file.directory().as_deref())
}

fn of_document(
    bytes: &[u8],
    folder: &Path,
    directory: Option<&str>,
) -> Result<ActiveSkill, CommandError> {
    let document = Document::parse(bytes);
    let skill =
        Skill::from_document(&document, directory).ok_or_else(|| CommandError::NotLoadable {
            path: folder.to_owned(),
            reason: "its frontmatter cannot be read".into(),
        })?;
    let folder = folder.canonicalize().ok();
    Ok(ActiveSkill::of(&skill, folder.as_deref()))
}

/// How long a catalog is believed: no file tells of a skill that somebody puts into a folder.
const LASTS: Duration = Duration::from_secs(1);

/// What is known, and as of when.
struct GuardState {
    permissions: Permissions,
    catalog: Option<Catalog>,
    /// The files that the decisions came from, unless they may have changed unnoticed.
    files: Option<Vec<WatchedPath>>,
    since: Instant,
}

impl GuardState {
    /// What holds now.
    fn load(context: &Context) -> Result<Self, CommandError> {
        // Before they are read: what changes meanwhile is noticed the next time.
        let files = decisions::files(context);
        let permissions = Permissions::load(context)?;
        let now = SystemTime::now();
        let is_settled = !files.iter().any(|file| file.is_racy(now));
        Ok(Self {
            permissions,
            catalog: None,
            files: is_settled.then_some(files),
            since: Instant::now(),
        })
    }

    /// Whether nothing was decided or installed since; what nobody tells of counts after a moment.
    fn is_current(&self, context: &Context) -> bool {
        self.since.elapsed() < LASTS
            && self.files == Some(decisions::files(context))
            && self.permissions.is_current()
    }

    /// The catalog, if it satisfies, or else a new one.
    fn catalog(
        &mut self,
        context: &Context,
        satisfies: impl Fn(&Catalog) -> bool,
    ) -> Result<&Catalog, CommandError> {
        let known = self.catalog.take().filter(satisfies);
        Ok(self.catalog.insert(match known {
            Some(catalog) => catalog,
            None => library::load(context, IndexMode::Use, &NameFilter::default())?,
        }))
    }
}

/// How long a line may be.
const MAX_LINE: u64 = 1 << 20;
/// The mark of UTF-8 at the beginning of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    skills: Vec<String>,
    tool: String,
    input: GuardInput,
}

impl Guard<'_> {
    /// Answers every line of stdin; a bad one gets an error and ends nothing.
    fn stream(&self) -> Outcome {
        let mut lines = io::stdin().lock();
        let mut line = Vec::new();
        let mut is_first = true;
        loop {
            line.clear();
            let read = lines
                .by_ref()
                .take(MAX_LINE + 1)
                .read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(ExitStatus::Success);
            }
            let answer = if line.len() as u64 > MAX_LINE {
                lines.skip_until(b'\n')?;
                Err(format!("the line has more than {MAX_LINE} bytes"))
            } else {
                // Programs of Windows begin a text with it.
                let marked = line.strip_prefix(MARK).filter(|_| is_first);
                self.answer(marked.unwrap_or(&line))
            };
            is_first = false;
            let answer = match answer {
                Ok(decision) => json!(decision),
                Err(message) => json!({ "error": { "message": message } }),
            };
            self.context.printer.compact_json(&answer)?;
        }
    }

    fn answer(&self, line: &[u8]) -> Result<GuardDecision, String> {
        let call: Call = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let skills: Vec<OsString> = call.skills.iter().map(OsString::from).collect();
        let request = GuardRequest {
            tool: call.tool,
            input: call.input,
        };
        let decision = self.decide(&skills, &request);
        let decision = decision.map_err(|error| error.to_string())?;
        // A runtime that gets an answer may act on it, so it is written down first.
        let recorded = self.recorder.record(&decision_event(&request, &decision));
        recorded.map_err(|error| error.to_string())?;
        Ok(decision)
    }
}
