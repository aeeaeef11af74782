//! `skillyard new`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use skillyard_format::frontmatter::repair::quoted;
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::{Document, Severity, SkillName};

use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::printer::Printer;
use crate::report::{self, Checked, Summary};

/// Make a new skill
///
/// Writes NAME/SKILL.md with a valid frontmatter and a body to fill in. In a terminal it
/// asks for what was not given.
///
/// Examples:
///   skillyard new pdf-tools --description "Fills PDF forms. Use when a task involves PDF files."
///   skillyard new pdf-tools --scripts --references --edit
///   skillyard new pdf-tools -f draft.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skill's name: lowercase letters, digits and hyphens
    name: String,
    /// What the skill does and when to use it
    #[arg(short, long, conflicts_with = "file")]
    description: Option<String>,
    /// Start from this file instead of the template
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Open the new SKILL.md in $VISUAL or $EDITOR
    #[arg(long)]
    edit: bool,
    /// The folder to make the skill's folder in
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,
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
    let name = SkillName::new(&args.name).map_err(|problem| CommandError::Name {
        name: args.name.clone(),
        problem,
        proposal: SkillName::from_text(&args.name).map(|name| name.to_string()),
    })?;
    let folder = args.path.join(name.as_str());
    if folder.symlink_metadata().is_ok() {
        return Err(CommandError::Exists(folder));
    }
    let text = match &args.file {
        Some(file) => from_file(context, file, &name)?,
        None => template(&name, &description(context, args)?, args),
    };
    create(args, &folder, &text)?;
    if args.edit {
        edit(context, &folder.join("SKILL.md"))?;
    }
    report(&context.printer, &name, &folder)?;
    Ok(Status::Yes)
}

/// The description that was given, or the answer to a question.
fn description(context: &Context, args: &Args) -> Result<String, CommandError> {
    if let Some(description) = &args.description {
        return Some(description.trim().to_owned())
            .filter(|text| !text.is_empty())
            .ok_or(CommandError::NoDescription);
    }
    if context.printer.can_ask() {
        let answer: String = cliclack::input(format!(
            "What does `{}` do, and when should an agent use it?",
            args.name
        ))
        .placeholder("Fills PDF forms. Use when a task involves PDF files.")
        .interact()?;
        return Ok(answer.trim().to_owned());
    }
    if args.edit {
        return Ok("Say what this skill does. Use when …".to_owned());
    }
    Err(CommandError::NoDescription)
}

/// The text of `file`, if it makes a skill called `name` that can be loaded.
fn from_file(context: &Context, file: &Path, name: &SkillName) -> Result<String, CommandError> {
    let bytes = fs::read(file).map_err(|source| CommandError::Read {
        path: file.to_owned(),
        source,
    })?;
    let document = Document::parse(&bytes);
    let subject = Subject::new(&document, Some(name.as_str()));
    let diagnostics = rules::check(&subject, Profile::Spec);
    if diagnostics
        .iter()
        .any(|each| each.severity == Severity::Error)
    {
        let checked = [Checked {
            folder: file.to_owned(),
            path: file.to_owned(),
            name: None,
            text: document.text.into_owned(),
            diagnostics,
            fixed: 0,
        }];
        let summary = Summary::new(&checked, 0, std::time::Duration::ZERO);
        report::text::print(&context.printer, &checked, &summary)?;
        return Err(CommandError::Invalid);
    }
    Ok(document.text.into_owned())
}

fn template(name: &SkillName, description: &str, args: &Args) -> String {
    let title: Vec<String> = name.as_str().split('-').map(capitalised).collect();
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

/// Makes the whole folder beside its place and moves it there, so that it is never half there.
fn create(args: &Args, folder: &Path, text: &str) -> Result<(), CommandError> {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(&args.path)?;
        let staging = tempfile::Builder::new()
            .prefix(".skillyard-new-")
            .tempdir_in(&args.path)?;
        let root = staging.path();
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
        open_to_others(root)?;
        fs::rename(root, folder)?;
        // The folder has moved away; there is nothing left to clean up.
        let _ = staging.keep();
        Ok(())
    };
    write().map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })
}

fn script(path: &Path) -> std::io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(b"#!/bin/sh\nset -eu\necho \"hello from $(basename \"$0\")\"\n")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// A temporary folder is private; a skill's folder is not.
fn open_to_others(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this command owns the editor")]
fn edit(context: &Context, file: &Path) -> Result<(), CommandError> {
    let editor = context
        .environment
        .editor
        .clone()
        .ok_or(CommandError::NoEditor)?;
    let shown = editor.to_string_lossy().into_owned();
    // An editor may come with arguments: `code --wait`.
    let mut words = shown.split_whitespace();
    let program = words.next().ok_or(CommandError::NoEditor)?;
    let status = std::process::Command::new(program)
        .args(words)
        .arg(file)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(CommandError::Editor(shown)),
    }
}

fn report(printer: &Printer, name: &SkillName, folder: &Path) -> Result<(), CommandError> {
    let file = folder.join("SKILL.md");
    if printer.is_json() {
        printer.json(&json!({ "name": name.as_str(), "path": folder, "file": file }))?;
        return Ok(());
    }
    printer.data(&format!(" + {}\n", folder.display()))?;
    printer.note(&format!(
        "Made skill `{name}`; write its instructions in `{}`, then run `skillyard validate {}`",
        file.display(),
        folder.display()
    ));
    Ok(())
}
