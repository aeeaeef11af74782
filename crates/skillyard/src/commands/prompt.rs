//! `skillyard prompt`.

mod entries;
mod paths;
mod relevant;

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};
use skillyard_catalog::Catalog;
use skillyard_catalog::budget::{self, Fitting, Way};
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room, fitted, with_omission};
use skillyard_catalog::search::Detail;
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};

use entries::from_catalog;
use paths::from_paths;
use relevant::Chosen;

use super::Outcome;
use super::find::choosable;
use crate::context::Context;
use crate::error::Status;
use crate::json::escaped;
use crate::library::Choice;
use crate::report::counted;
use crate::sanitize::visible;

/// Print the catalog of skills for a model's prompt
///
/// Without a path it holds the enabled skills of this machine, within a budget. Only the catalog
/// goes to stdout, so that it can be piped into a prompt.
///
/// Examples:
///   skillyard prompt                                    the skills that are here
///   skillyard prompt --task "fill in a form" --explain  the most relevant first, and why
///   skillyard prompt ./skills --mount skills            every skill below a folder
///   skillyard prompt --format json                      for an agent that uses tools
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
    /// Write locations below DIR, where the skills will lie as they do here; those inside skillyard,
    /// which lie in no folder, are left out
    #[arg(long, value_name = "DIR", value_parser = mount)]
    mount: Option<String>,
    /// Leave locations out, for agents that load skills with a tool
    #[arg(long, conflicts_with = "mount")]
    no_location: bool,
    /// Shorten descriptions and leave skills out until about this many tokens are left
    /// [default: 4000, or all of it with paths]
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true)]
    budget: Option<usize>,
    /// What the prompt is for: the skills that fit it best come first, and stay when not all do
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    task: Option<String>,
    /// Add the sentences that tell a model how to use the catalog
    #[arg(long)]
    instructions: bool,
    /// Say on stderr what fits the task and why, and what was shortened or left out; with `--json` in `report`
    #[arg(long)]
    explain: bool,
}

impl Args {
    /// How much is to be known of why a skill fits the task.
    fn detail(&self) -> Detail {
        if self.explain {
            Detail::Explained
        } else {
            Detail::Ranking
        }
    }

    /// Whether models are told where skills lie; JSON is for those that use tools.
    fn has_locations(&self, format: Format) -> bool {
        !self.no_location && (format != Format::Json || self.mount.is_some())
    }

    /// Where a model finds the file of a skill, whose folder lies `below` the mount if there is one.
    fn location(
        &self,
        format: Format,
        folder: &Path,
        file_name: &str,
        below: impl FnOnce() -> String,
    ) -> Option<String> {
        if !self.has_locations(format) {
            return None;
        }
        if let Some(mount) = &self.mount {
            let folder = format!("{}/{}", mount.trim_end_matches('/'), below());
            // Codex names files.
            return Some(match format {
                Format::Codex => format!("{folder}/{file_name}"),
                _ => folder,
            });
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Some(folder.join(file_name).to_string_lossy().into_owned())
    }
}

/// A folder that skills will be mounted at, which must not lead out of where it is.
fn mount(text: &str) -> Result<String, String> {
    let mut parts = Path::new(text).components();
    if parts.any(|part| part == Component::ParentDir) {
        return Err("it must not lead upwards; name the folder as the agent sees it".into());
    }
    Ok(text.to_owned())
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
    let chosen = if args.paths.is_empty() {
        from_catalog(context, args, format)?
    } else {
        from_paths(context, args, format)?
    };
    let mut text = catalog::render(&chosen.entries, format.into());
    let fitting = chosen.fitting.as_ref();
    let omitted = fitting.map_or(0, |fitting| fitting.omitted.len());
    let way = match (args.paths.is_empty(), args.has_locations(format)) {
        (true, true) => Way::Command,
        (true, false) if format == Format::Summary => Way::Command,
        (true, false) => Way::Tool,
        // What is searched are the skills of this machine, and not those of given folders.
        (false, true) if format != Format::Summary && !chosen.entries.is_empty() => Way::Around,
        (false, _) => Way::Unknown,
    };
    if let Some(line) = budget::omission_line(omitted, way) {
        text = with_omission(&text, &line, omitted, format.into());
    }
    if args.instructions && !chosen.entries.is_empty() {
        text = with_instructions(
            &text,
            catalog::activation_text(args.has_locations(format)),
            format,
        );
    }
    if text.is_empty() && context.printer.is_json() {
        // An empty catalog adds nothing to a prompt; but who asks for JSON gets some.
        text = format!("{:#}", json!({ "available_skills": [] }));
    }
    // A program has one document; what is for a prompt has nothing else in it.
    let is_reported = args.explain && format == Format::Json && context.printer.is_json();
    if is_reported {
        text = with_field(&text, "report", chosen.json());
    }
    if format == Format::Json {
        text = escaped(&text).into_owned();
    }
    if !text.is_empty() {
        text.push('\n');
    }
    context.printer.untrusted(&text)?;
    if args.explain && !is_reported {
        explain(context, &chosen);
    }
    Ok(Status::Yes)
}

/// How the catalog fares in a prompt of the default budget without a task.
pub(super) fn default_fitting(catalog: &Catalog, most_skills: usize) -> Fitting {
    let entries: Vec<CatalogEntry> = choosable(catalog)
        .iter()
        .map(|skill| CatalogEntry {
            name: skill.record.name.clone(),
            description: skill.record.description.clone(),
            location: Some(skill.record.path().to_string_lossy().into_owned()),
        })
        .collect();
    let room = Room {
        tokens: DEFAULT_BUDGET,
        skills: most_skills,
    };
    fitted(&entries, CatalogFormat::Xml, room, None).1
}

fn with_instructions(text: &str, instructions: &str, format: Format) -> String {
    match format {
        Format::Json => with_field(text, "instructions", json!(instructions)),
        _ => format!("{text}\n\n{instructions}"),
    }
}

/// A document with one more field.
fn with_field(text: &str, name: &str, field: Value) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            value[name] = field;
            format!("{value:#}")
        }
        Err(_) => text.to_owned(),
    }
}

/// Tells what the prompt holds, and why.
fn explain(context: &Context, chosen: &Chosen) {
    let kept = counted(chosen.entries.len(), "skill");
    let mut text = match &chosen.fitting {
        Some(fitting) => format!(
            "{kept}, about {} tokens of {}",
            fitting.tokens_after, fitting.tokens_before
        ),
        None => format!("{kept}, no budget"),
    };
    for (name, reasons) in &chosen.why {
        let _ = write!(text, "\n * {}: {}", visible(name), reasons.join(", "));
    }
    let Some(fitting) = &chosen.fitting else {
        context.printer.people(&text);
        return;
    };
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
