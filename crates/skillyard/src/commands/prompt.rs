//! `skillyard prompt`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};
use skillyard_format::{Document, reference};

use super::Outcome;
use super::read::load;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;
use crate::skill_files::{self, SkillFileOnDisk};

/// Print the catalog of skills for a model's prompt
///
/// The block goes to stdout and nothing else does.
///
/// Examples:
///   skillyard prompt ./skills                          every skill below a folder
///   skillyard prompt ./skills --mount skills           as the agent sees it
///   skillyard prompt a b --format json --no-location   for an agent that uses tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Skills' folders, or folders of skills
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The shape of the catalog
    #[arg(long, value_enum, default_value_t = Format::Xml)]
    format: Format,
    /// Write locations as DIR/NAME instead of absolute paths
    #[arg(long, value_name = "DIR")]
    mount: Option<String>,
    /// Leave locations out, for agents that load skills with a tool
    #[arg(long, conflicts_with = "mount")]
    no_location: bool,
    /// Add the sentences that tell a model how to use the catalog
    #[arg(long)]
    instructions: bool,
}

/// The shape of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// <available_skills> with one element a line
    Xml,
    /// JSON: {"available_skills": [...]}
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
    let mut entries = Vec::new();
    for path in &args.paths {
        entries.extend(entries_of(context, args, path)?);
    }
    let mut text = catalog::render(&entries, args.format.into());
    if args.instructions && !entries.is_empty() {
        let located = !args.no_location;
        text = format!("{text}\n\n{}", catalog::activation_text(located));
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
    Ok(Status::Yes)
}

/// The entries of every skill that `path` names, in order of their folders.
fn entries_of(
    context: &Context,
    args: &Args,
    path: &Path,
) -> Result<Vec<CatalogEntry>, CommandError> {
    if args.format == Format::SkillsRef {
        return reference_entry(args, path).map(|entry| vec![entry]);
    }
    let files = skill_files::read_all(path)?;
    let mut entries = Vec::with_capacity(files.len());
    let only = files.len() == 1;
    for file in &files {
        let document = Document::parse(&file.bytes);
        match load(&file.folder, file, &document) {
            Ok((skill, _)) => entries.push(CatalogEntry {
                location: location(args, file, &skill.name),
                name: skill.name,
                description: skill.description,
            }),
            Err(error) if only => return Err(error),
            Err(CommandError::NotLoadable { path, reason }) => {
                context.printer.note(&format!(
                    "left out {}: {}",
                    path.display(),
                    visible(&reason)
                ));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// The entry as the reference implementation makes it; its errors are ours.
fn reference_entry(args: &Args, path: &Path) -> Result<CatalogEntry, CommandError> {
    let file = match skill_files::read_one(path) {
        Err(CommandError::NotASkill(path)) => {
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
        location: location(args, &file, &properties.name),
        name: properties.name,
        description: properties.description,
    })
}

fn location(args: &Args, file: &SkillFileOnDisk, name: &str) -> Option<String> {
    if args.no_location {
        return None;
    }
    if let Some(mount) = &args.mount {
        return Some(format!("{}/{name}", mount.trim_end_matches('/')));
    }
    let folder = file
        .folder
        .canonicalize()
        .unwrap_or_else(|_| file.folder.clone());
    Some(folder.join(&file.file_name).to_string_lossy().into_owned())
}
