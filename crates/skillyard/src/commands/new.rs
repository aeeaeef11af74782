//! `skillyard new`.

mod folder;

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use serde_json::json;
use skillyard_format::document::MAX_BYTES;
use skillyard_format::package::archive::is_device;
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::{Document, Severity, SkillName};
use skillyard_install::scope::ScopeKind;
use skillyard_install::target::SHARED;
use skillyard_install::transaction::check_inside;

use folder::{create, template};

use super::Outcome;
use crate::believed::check_ours;
use crate::context::Context;
use crate::editor::Editor;
use crate::error::{CommandError, Status};
use crate::install::place::{Place, ScopeArgs, ScopeName};
use crate::install::renaming::valid_name;
use crate::printer::Printer;
use crate::question::{self, Shown};
use crate::report::{self, Checked};
use crate::sanitize::visible;
use crate::shell::shell_path;

/// Make a new skill
///
/// Writes NAME/SKILL.md with a valid frontmatter and a body to fill in. In a terminal it asks
/// for a description that was not given.
///
/// Examples:
///   skillyard new pdf-tools --description "Fills PDF forms. Use when a task involves PDF files."
///   skillyard new pdf-tools --scripts --references --edit
///   skillyard new pdf-tools -f draft.md
///   skillyard new pdf-tools --scope user   where agents find it, in your home directory
#[derive(Debug, Clone, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are flags of the command line"
)]
pub(crate) struct Args {
    /// The skill's name: lowercase letters, digits and hyphens
    name: String,
    /// What the skill does and when to use it
    #[arg(
        short,
        long,
        value_name = "TEXT",
        conflicts_with = "file",
        allow_hyphen_values = true
    )]
    description: Option<String>,
    /// Start from this file, or from stdin with `-`, instead of the template
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Open the new SKILL.md in $VISUAL or $EDITOR
    #[arg(long)]
    edit: bool,
    /// The folder to make the skill's folder in
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,
    /// Make it where agents find it, in `.agents/skills` or the folder that
    /// `discovery.precedence` reads: yours, or this project's
    #[arg(long, value_name = "SCOPE", conflicts_with = "path")]
    scope: Option<ScopeName>,
    /// Add scripts/ with an example
    #[arg(long)]
    scripts: bool,
    /// Add references/ with an example
    #[arg(long)]
    references: bool,
    /// Add assets/
    #[arg(long)]
    assets: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let name = valid_name(&args.name)?;
    if is_device(name.as_str()) {
        return Err(CommandError::DeviceName(name.to_string()));
    }
    let place = match args.scope {
        None => args.path.clone(),
        scope => {
            let place = Place::find(context, &ScopeArgs { scope })?;
            if place.scope.kind == ScopeKind::User {
                check_ours(&context.environment.skillyard_home)?;
            }
            let folder = place.preset.folder().unwrap_or(SHARED);
            check_inside(&place.scope, folder)?;
            place.scope.target(folder)
        }
    };
    if place.exists() && !place.is_dir() {
        return Err(CommandError::NotAFolder(place));
    }
    let folder = place.join(name.as_str());
    if folder.symlink_metadata().is_ok() {
        return Err(CommandError::Exists(folder));
    }
    let editor = args.edit.then(|| Editor::of(context)).transpose()?;
    let text = match &args.file {
        Some(file) => from_file(context, file, &name)?,
        None => from_template(context, args, &name)?,
    };
    create(args, &folder, &text)?;
    if let Some(editor) = editor {
        let file = folder.join("SKILL.md");
        let opened = editor.open(&file);
        opened.map_err(|failure| CommandError::Editor { failure, file })?;
    }
    report(&context.printer, &name, &folder, args)?;
    Ok(Status::Yes)
}

fn from_template(context: &Context, args: &Args, name: &SkillName) -> Result<String, CommandError> {
    let text = template(name, &description(context, args, name)?, args);
    check(name, &text)?;
    Ok(text)
}

/// The description that was given, or the answer to a question.
fn description(context: &Context, args: &Args, name: &SkillName) -> Result<String, CommandError> {
    if let Some(description) = &args.description {
        return Ok(description.trim().to_owned());
    }
    if context.printer.can_ask() {
        return ask(context, args, name);
    }
    if args.edit {
        return Ok("Say what this skill does. Use when …".to_owned());
    }
    Err(CommandError::NoDescription)
}

/// Asks until the answer makes a valid skill.
fn ask(context: &Context, args: &Args, name: &SkillName) -> Result<String, CommandError> {
    let judge = {
        let (name, args) = (name.clone(), args.clone());
        move |answer: &String| {
            let text = template(&name, answer.trim(), &args);
            check(&name, &text).map_err(|error| error.to_string())
        }
    };
    let question = format!("What does `{name}` do, and when should an agent use it?");
    let example = Shown::Example("Fills PDF forms. Use when a task involves PDF files.");
    match question::text(&context.printer, &question, example, judge) {
        Ok(answer) => Ok(answer.trim().to_owned()),
        Err(error) => Err(CommandError::unanswered(error)),
    }
}

/// Refuses a skill that would be invalid from the start, in the words of the rule.
fn check(name: &SkillName, text: &str) -> Result<(), CommandError> {
    let document = Document::parse(text.as_bytes());
    let subject = Subject::new(&document, Some(name.as_str()));
    let found = rules::check(&subject, Profile::Spec);
    let error = found
        .into_iter()
        .find(|each| each.severity == Severity::Error);
    error.map_or(Ok(()), |error| {
        Err(CommandError::Description {
            message: error.message,
            help: error.help,
        })
    })
}

/// The text of `file`, if it makes a valid skill called `name`.
fn from_file(context: &Context, file: &Path, name: &SkillName) -> Result<String, CommandError> {
    // One byte more than a skill may have says as much as a device without an end.
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        let opened = File::open(file);
        opened.and_then(|opened| opened.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|source| CommandError::Read {
        path: file.to_owned(),
        source,
    })?;
    let document = Document::parse(&bytes);
    let subject = Subject::new(&document, Some(name.as_str()));
    let diagnostics = rules::check(&subject, Profile::Spec);
    if diagnostics
        .iter()
        .all(|each| each.severity != Severity::Error)
    {
        return Ok(document.text.into_owned());
    }
    let mut findings = Vec::new();
    if context.printer.is_json() {
        findings.extend(diagnostics.into_iter().map(|each| each.message));
    } else {
        let checked = Checked {
            folder: file.to_owned(),
            file: Some(file.to_owned()),
            name: None,
            text: document.text.into_owned(),
            diagnostics,
            fixable: 0,
            fixed: 0,
        };
        report::text::print_findings(&context.printer, &[checked])?;
    }
    Err(CommandError::Invalid {
        path: file.to_owned(),
        findings,
    })
}

fn report(
    printer: &Printer,
    name: &SkillName,
    folder: &Path,
    args: &Args,
) -> Result<(), CommandError> {
    let file = folder.join("SKILL.md");
    if printer.is_json() {
        printer.json(&json!({
            "name": name.as_str(),
            "path": folder.to_string_lossy(),
            "file": file.to_string_lossy(),
        }))?;
        return Ok(());
    }
    let pasted = shell_path(folder);
    // Two words with a slash between them could also be a repository.
    let is_bare = matches!(folder.components().next(), Some(Component::Normal(_)));
    let start = if is_bare { "./" } else { "" };
    let folder = folder.to_string_lossy();
    printer.data(&format!(" + {}\n", visible(&folder)))?;
    let next = match args.scope {
        None => format!(
            ", then use it with `skillyard install {start}{}`",
            visible(&pasted)
        ),
        Some(_) => String::new(),
    };
    printer.note(&format!(
        "Made skill `{name}`; write its instructions in `{}`, check it with `skillyard validate {}`{next}",
        visible(&file.to_string_lossy()),
        visible(&pasted)
    ));
    Ok(())
}
