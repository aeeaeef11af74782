//! `skillyard prompt`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;
use skillyard_catalog::budget::{self, Fitting};
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room, fitted, with_omission};
use skillyard_catalog::search::Detail;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, builtin};
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};
use skillyard_format::{Document, reference};

use super::Outcome;
use super::find::{choosable, rank};
use super::read::load;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::json::escaped;
use crate::library::{self, Choice, IndexMode};
use crate::report::for_people;
use crate::sanitize::visible;
use crate::skill_files::{self, SkillFileOnDisk};

/// Print the catalog of skills for a model's prompt
///
/// Without a path it holds the enabled skills of this machine, within a budget. Only the catalog
/// goes to stdout, so that it can be piped into a prompt.
///
/// Examples:
///   skillyard prompt                                    the skills that are here
///   skillyard prompt --task "fill in a form" --explain  the most relevant first, and why
///   skillyard prompt ./skills --mount skills            every skill below a folder
///   skillyard prompt --format json --no-location        for an agent that uses tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Skills' folders, or folders of skills, instead of the catalog
    paths: Vec<PathBuf>,
    /// The shape of the catalog [default: xml, or json with --json]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    choice: Choice,
    /// Write locations as DIR/NAME instead of absolute paths
    #[arg(long, value_name = "DIR")]
    mount: Option<String>,
    /// Leave locations out, for agents that load skills with a tool
    #[arg(long, conflicts_with = "mount")]
    no_location: bool,
    /// Shorten descriptions and leave skills out until about this many tokens are left
    /// [default: 4000, or all of it with paths]
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true)]
    budget: Option<usize>,
    /// What the prompt is for: the skills that fit it best stay when not all do
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    task: Option<String>,
    /// Add the sentences that tell a model how to use the catalog
    #[arg(long)]
    instructions: bool,
    /// Say on stderr what was shortened or left out
    #[arg(long)]
    explain: bool,
}

/// The shape of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `<available_skills>` with one element a line
    Xml,
    /// `{"available_skills": [...]}`
    Json,
    /// The same bytes as `skills-ref to-prompt`
    SkillsRef,
    /// A list with aliases for the folders, as Codex writes it
    Codex,
    /// A Markdown list
    Markdown,
    /// Names only
    Summary,
}

impl From<Format> for CatalogFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Xml => Self::Xml,
            Format::Json => Self::Json,
            Format::SkillsRef => Self::SkillsRef,
            Format::Codex => Self::Codex,
            Format::Markdown => Self::Markdown,
            Format::Summary => Self::Summary,
        }
    }
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let format = args.format.unwrap_or(if context.printer.is_json() {
        Format::Json
    } else {
        Format::Xml
    });
    let (entries, fitting) = if args.paths.is_empty() {
        from_catalog(context, args, format)?
    } else {
        from_paths(context, args, format)?
    };
    let mut text = catalog::render(&entries, format.into());
    let omitted = fitting.as_ref().map_or(0, |fitting| fitting.omitted.len());
    if let Some(line) = budget::omission_line(omitted) {
        text = with_omission(&text, &line, omitted, format.into());
    }
    if args.instructions && !entries.is_empty() {
        text = with_instructions(&text, catalog::activation_text(!args.no_location), format);
    }
    if format == Format::Json {
        text = escaped(&text).into_owned();
    }
    if text.is_empty() && context.printer.is_json() {
        // An empty catalog adds nothing to a prompt; but who asks for JSON gets some.
        text = format!("{:#}", json!({ "available_skills": [] }));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    // In a pipe the bytes are the answer; a terminal would obey them.
    let shown = if context.printer.is_terminal() {
        visible(&text)
    } else {
        text.as_str().into()
    };
    context.printer.raw(shown.as_bytes())?;
    if args.explain {
        explain(context, entries.len(), fitting.as_ref());
    }
    Ok(Status::Yes)
}

/// The enabled skills of this machine, made to fit.
fn from_catalog(
    context: &Context,
    args: &Args,
    format: Format,
) -> Result<(Vec<CatalogEntry>, Option<Fitting>), CommandError> {
    let catalog = library::load(context, IndexMode::Use, &args.choice)?;
    let mut skills = choosable(&catalog);
    let mut all = Vec::with_capacity(skills.len());
    let mut unwritten = None;
    skills.retain(|skill| match entry_of(context, args, skill) {
        Ok(entry) => {
            all.push(entry);
            true
        }
        Err(error) => {
            unwritten = Some(error);
            false
        }
    });
    if let Some(error) = unwritten {
        let folder = context.environment.skillyard_home.to_string_lossy();
        context.printer.note(&format!(
            "left out the built-in skills: cannot write them to {}: {error}",
            visible(&folder)
        ));
    }
    let ranking = args.task.as_ref().map(|task| {
        let hits = rank(context, &skills, task, skills.len(), Detail::Ranking);
        hits.iter()
            .map(|hit| hit.document as usize)
            .collect::<Vec<_>>()
    });
    let tokens = args.budget.unwrap_or(DEFAULT_BUDGET);
    let room = Room {
        tokens,
        skills: context.config()?.max_skills(),
    };
    let (entries, fitting) = fitted(&all, format.into(), room, ranking.as_deref());
    Ok((entries, Some(fitting)))
}

/// The skills of the given folders; they are made to fit only when a budget is given.
fn from_paths(
    context: &Context,
    args: &Args,
    format: Format,
) -> Result<(Vec<CatalogEntry>, Option<Fitting>), CommandError> {
    let chosen = args.choice.filter()?;
    let mut all = Vec::new();
    for path in &args.paths {
        all.extend(entries_of(context, args, path)?);
    }
    all.retain(|entry| chosen(&entry.name));
    Ok(match args.budget {
        Some(tokens) => {
            let room = Room {
                tokens,
                skills: context.config()?.max_skills(),
            };
            let (entries, fitting) = fitted(&all, format.into(), room, None);
            (entries, Some(fitting))
        }
        None => (all, None),
    })
}

/// How the catalog fares in a prompt of the default budget without a task.
pub(super) fn default_fitting(catalog: &Catalog, most_skills: usize) -> Fitting {
    let entries: Vec<CatalogEntry> = choosable(catalog)
        .iter()
        .map(|skill| CatalogEntry {
            name: skill.record.name.to_string(),
            description: skill.record.description.to_string(),
            location: Some(skill.record.path().to_string_lossy().into_owned()),
        })
        .collect();
    let room = Room {
        tokens: DEFAULT_BUDGET,
        skills: most_skills,
    };
    fitted(&entries, CatalogFormat::Xml, room, None).1
}

fn entry_of(context: &Context, args: &Args, skill: &CatalogSkill) -> io::Result<CatalogEntry> {
    let record = &skill.record;
    let on_disk = !args.no_location && args.mount.is_none();
    let folder = if skill.kind == SourceKind::Builtin && on_disk {
        // A model that reads files needs one.
        let folder = context.environment.skillyard_home.join("builtin");
        builtin::materialise(&record.name, &folder)?
    } else {
        record.folder.clone()
    };
    Ok(CatalogEntry {
        name: record.name.to_string(),
        description: record.description.to_string(),
        location: location(args, &folder, &record.file_name, &record.name),
    })
}

/// The entries of every skill that `path` names, in order of their folders.
fn entries_of(
    context: &Context,
    args: &Args,
    path: &Path,
) -> Result<Vec<CatalogEntry>, CommandError> {
    if args.format == Some(Format::SkillsRef) {
        return reference_entry(args, path).map(|entry| vec![entry]);
    }
    let files = skill_files::read_all(path)?;
    let mut entries = Vec::with_capacity(files.len());
    let only = files.len() == 1;
    for file in &files {
        let document = Document::parse(&file.bytes);
        match load(&file.folder, file, &document) {
            Ok((skill, _)) => entries.push(CatalogEntry {
                location: location(args, &file.folder, &file.file_name, &skill.name),
                name: skill.name.into_owned(),
                description: skill.description.into_owned(),
            }),
            Err(error) if only => return Err(error),
            Err(CommandError::NotLoadable { path, reason }) => {
                context.printer.note(&format!(
                    "left out {}: {}",
                    visible(&path.to_string_lossy()),
                    for_people(&reason)
                ));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// The entry as the reference implementation makes it; its errors are ours.
fn reference_entry(args: &Args, path: &Path) -> Result<CatalogEntry, CommandError> {
    let file: SkillFileOnDisk = match skill_files::read_one(path) {
        Err(CommandError::NotASkill(path) | CommandError::NotASkillFile(path)) => {
            let path = path.canonicalize().unwrap_or(path);
            return Err(CommandError::Reference(format!(
                "SKILL.md not found in {}",
                path.display()
            )));
        }
        other => other?,
    };
    let document = Document::parse(&file.bytes);
    let properties = reference::read_properties(&document.text).map_err(CommandError::Reference)?;
    Ok(CatalogEntry {
        location: location(args, &file.folder, &file.file_name, &properties.name),
        name: properties.name,
        description: properties.description,
    })
}

fn location(args: &Args, folder: &Path, file_name: &str, name: &str) -> Option<String> {
    if args.no_location {
        return None;
    }
    if let Some(mount) = &args.mount {
        return Some(format!("{}/{name}", mount.trim_end_matches('/')));
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Some(folder.join(file_name).to_string_lossy().into_owned())
}

fn with_instructions(text: &str, instructions: &str, format: Format) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut value) if format == Format::Json => {
            value["instructions"] = json!(instructions);
            format!("{value:#}")
        }
        _ => format!("{text}\n\n{instructions}"),
    }
}

fn explain(context: &Context, kept: usize, fitting: Option<&Fitting>) {
    let Some(fitting) = fitting else {
        context.printer.people(&format!("{kept} skills, no budget"));
        return;
    };
    let mut text = format!(
        "{kept} skills, about {} tokens of {}",
        fitting.tokens_after, fitting.tokens_before
    );
    for (name, before, after) in &fitting.shortened {
        let _ = write!(
            text,
            "\n ~ {} shortened from about {before} to {after} tokens",
            visible(name)
        );
    }
    for name in &fitting.omitted {
        let _ = write!(text, "\n - {} left out", visible(name));
    }
    context.printer.people(&text);
}
