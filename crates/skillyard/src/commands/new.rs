//! `skillyard new`.

use std::fs::File;
use std::io::Read as _;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde_json::json;
use skillyard_format::document::MAX_BYTES;
use skillyard_format::frontmatter::repair::quoted;
use skillyard_format::package::archive::is_device;
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::yaml::is_typed;
use skillyard_format::{Document, Severity, SkillName};
use skillyard_install::scope::ScopeKind;
use skillyard_install::target::SHARED;
use skillyard_install::transaction::check_inside;

use crate::config::install::ScopeName;
use crate::context::Context;
use crate::editor::Editor;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files;
use crate::files::check_ours;
use crate::install::renaming::valid_name;
use crate::printer::Printer;
use crate::question;
use crate::question::AnswerHint;
use crate::report::{self, Checked};
use crate::scope::{ScopeArgs, ScopeContext};
use crate::text::sanitize::visible;
use crate::text::shell::shell_path;

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
pub(crate) struct NewArgs {
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

pub(crate) fn run(context: &Context, args: &NewArgs) -> Outcome {
    let name = valid_name(&args.name)?;
    if is_device(name.as_str()) {
        return Err(CommandError::DeviceName(name.to_string()));
    }
    let place = match args.scope {
        None => args.path.clone(),
        scope => {
            let place = ScopeContext::find(context, &ScopeArgs { scope })?;
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
    Ok(ExitStatus::Success)
}

fn from_template(
    context: &Context,
    args: &NewArgs,
    name: &SkillName,
) -> Result<String, CommandError> {
    let text = template(name, &description(context, args, name)?, args);
    check(name, &text)?;
    Ok(text)
}

/// The description that was given, or the answer to a question.
fn description(
    context: &Context,
    args: &NewArgs,
    name: &SkillName,
) -> Result<String, CommandError> {
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
fn ask(context: &Context, args: &NewArgs, name: &SkillName) -> Result<String, CommandError> {
    let judge = {
        let (name, args) = (name.clone(), args.clone());
        move |answer: &String| {
            let text = template(&name, answer.trim(), &args);
            check(&name, &text).map_err(|error| error.to_string())
        }
    };
    let question = format!("What does `{name}` do, and when should an agent use it?");
    let example = AnswerHint::Example("Fills PDF forms. Use when a task involves PDF files.");
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
    args: &NewArgs,
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

/// The text of a skill that is to be filled in.
fn template(name: &SkillName, description: &str, args: &NewArgs) -> String {
    let title: Vec<String> = name.as_str().split('-').map(capitalised).collect();
    // Some names, such as `2048` and `null`, are no text without quotes.
    let quoted_name = is_typed(name.as_str()).then(|| quoted(name.as_str()));
    let name = quoted_name.as_deref().unwrap_or(name.as_str());
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n## Instructions\n\n\
         1. Say what the agent should do first.\n\
         2. Say how it can tell that it is done.\n",
        quoted(description),
        title.join(" "),
    );
    if args.scripts {
        text.push_str("\n## Scripts\n\n- `scripts/run.sh` prints a greeting. Run it from the skill's folder.\n");
    }
    if args.references {
        text.push_str("\n## References\n\n- Read [references/details.md](references/details.md) when the steps above are not enough.\n");
    }
    text
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Makes the folder with all that is to be in it, as open to others as the user's mask leaves it.
fn create(args: &NewArgs, folder: &Path, text: &str) -> Result<(), CommandError> {
    let write = |root: &Path| -> io::Result<()> {
        fs::create_dir(root)?;
        fs::write(root.join("SKILL.md"), text)?;
        if args.scripts {
            fs::create_dir(root.join("scripts"))?;
            script(&root.join("scripts/run.sh"))?;
        }
        if args.references {
            fs::create_dir(root.join("references"))?;
            fs::write(
                root.join("references/details.md"),
                "# Details\n\nWhat the agent needs to know only sometimes.\n",
            )?;
        }
        if args.assets {
            fs::create_dir(root.join("assets"))?;
        }
        Ok(())
    };
    files::put_atomic_folder(folder, write).map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })
}

fn script(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o777)
        .open(path)?;
    file.write_all(b"#!/bin/sh\nset -eu\necho \"hello from $(basename \"$0\")\"\n")
}
