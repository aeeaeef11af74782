//! `skillyard prompt`.

mod paths;

use std::fmt::Write as _;
use std::io;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};
use skillyard_catalog::budget::{self, Fitting, Way};
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room, fitted, with_omission};
use skillyard_catalog::search::{Detail, Hit};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, builtin};
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};

use paths::from_paths;

use super::find::choosable;

use crate::commands::find::{rank, reasons};

use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::text::json::escaped;
use crate::text::sanitize::visible;
use crate::text::{counted, listed};

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
pub(crate) struct PromptArgs {
    /// Skills' folders, or folders of skills, instead of the catalog
    paths: Vec<PathBuf>,
    /// The shape of the catalog [default: xml, or json with --json]
    #[arg(long, value_enum)]
    format: Option<PromptFormat>,
    #[command(flatten)]
    choice: NameFilter,
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

impl PromptArgs {
    /// How much is to be known of why a skill fits the task.
    fn detail(&self) -> Detail {
        if self.explain {
            Detail::Explained
        } else {
            Detail::Ranking
        }
    }

    /// Whether models are told where skills lie; JSON is for those that use tools.
    fn has_locations(&self, format: PromptFormat) -> bool {
        !self.no_location && (format != PromptFormat::Json || self.mount.is_some())
    }

    /// Where a model finds the file of a skill, whose folder lies `below` the mount if there is one.
    fn location(
        &self,
        format: PromptFormat,
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
                PromptFormat::Codex => format!("{folder}/{file_name}"),
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
enum PromptFormat {
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

impl From<PromptFormat> for CatalogFormat {
    fn from(format: PromptFormat) -> Self {
        match format {
            PromptFormat::Xml => Self::Xml,
            PromptFormat::Json => Self::Json,
            PromptFormat::SkillsRef => Self::SkillsRef,
            PromptFormat::Codex => Self::Codex,
            PromptFormat::Markdown => Self::Markdown,
            PromptFormat::Summary => Self::Summary,
        }
    }
}

pub(crate) fn run(context: &Context, args: &PromptArgs) -> Outcome {
    let format = args.format.unwrap_or(if context.printer.is_json() {
        PromptFormat::Json
    } else {
        PromptFormat::Xml
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
        (true, false) if format == PromptFormat::Summary => Way::Command,
        (true, false) => Way::Tool,
        // What is searched are the skills of this machine, and not those of given folders.
        (false, true) if format != PromptFormat::Summary && !chosen.entries.is_empty() => {
            Way::Around
        }
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
    let is_reported = args.explain && format == PromptFormat::Json && context.printer.is_json();
    if is_reported {
        text = with_field(&text, "report", chosen.json());
    }
    if format == PromptFormat::Json {
        text = escaped(&text).into_owned();
    }
    if !text.is_empty() {
        text.push('\n');
    }
    context.printer.untrusted(&text)?;
    if args.explain && !is_reported {
        explain(context, &chosen);
    }
    Ok(ExitStatus::Success)
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

fn with_instructions(text: &str, instructions: &str, format: PromptFormat) -> String {
    match format {
        PromptFormat::Json => with_field(text, "instructions", json!(instructions)),
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
fn explain(context: &Context, chosen: &PromptSkills) {
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

/// What a prompt holds.
struct PromptSkills {
    entries: Vec<CatalogEntry>,
    /// How they were made to fit, where there is a budget.
    fitting: Option<Fitting>,
    /// What each of them has in common with the task, the best first.
    why: Vec<(String, Vec<String>)>,
}

impl PromptSkills {
    /// The skills, those that fit a task best first, and as many as there is room for.
    fn new(
        all: Vec<CatalogEntry>,
        hits: &[Hit],
        room: Option<Room>,
        format: CatalogFormat,
    ) -> Self {
        let found = hits.iter().filter_map(|hit| {
            let entry = all.get(hit.document as usize)?;
            let reasons = reasons(hit, &format!("{} {}", entry.name, entry.description));
            let reasons = reasons.into_iter().map(|(_, reason)| reason).collect();
            Some((entry.name.clone(), reasons))
        });
        let why = found.collect();
        let all = in_order(all, hits);
        let (entries, fitting) = match room {
            Some(room) => {
                let (entries, fitting) = fitted(&all, format, room, None);
                (entries, Some(fitting))
            }
            None => (all, None),
        };
        Self {
            entries,
            fitting,
            why,
        }
    }

    /// The report for programs.
    fn json(&self) -> Value {
        let why = self.why.iter();
        let why = why.map(|(name, reasons)| json!({ "name": name, "why": reasons }));
        let mut report =
            json!({ "skills": self.entries.len(), "relevant": why.collect::<Vec<_>>() });
        if let Some(fitting) = &self.fitting {
            let shortened = fitting.shortened.iter();
            let shortened = shortened
                .map(|(name, before, after)| json!({ "name": name, "tokens_before": before, "tokens": after }));
            report["tokens_before"] = json!(fitting.tokens_before);
            report["tokens"] = json!(fitting.tokens_after);
            report["shortened"] = shortened.collect();
            report["omitted"] = json!(fitting.omitted);
        }
        report
    }
}

/// What was found first, in its order, and then the rest in its own.
fn in_order(all: Vec<CatalogEntry>, hits: &[Hit]) -> Vec<CatalogEntry> {
    let mut left: Vec<Option<CatalogEntry>> = all.into_iter().map(Some).collect();
    let found = hits.iter();
    let found = found.filter_map(|hit| left.get_mut(hit.document as usize)?.take());
    let mut ordered: Vec<CatalogEntry> = found.collect();
    ordered.extend(left.into_iter().flatten());
    ordered
}

/// The enabled skills of this machine, made to fit.
fn from_catalog(
    context: &Context,
    args: &PromptArgs,
    format: PromptFormat,
) -> Result<PromptSkills, CommandError> {
    let catalog = library::load(context, IndexMode::Use, &args.choice)?;
    let mut skills = choosable(&catalog);
    if args.mount.is_some() {
        leave_out_builtin(context, &mut skills);
    }
    let mut all = Vec::with_capacity(skills.len());
    let mut unwritten = None;
    skills.retain(
        |skill| match entry_of(context, args, format, &catalog, skill) {
            Ok(entry) => {
                all.push(entry);
                true
            }
            Err(error) => {
                unwritten = Some(error);
                false
            }
        },
    );
    if let Some(error) = unwritten {
        let folder = context.environment.skillyard_home.to_string_lossy();
        context.printer.note(&format!(
            "left out the built-in skills: cannot write them to {}: {error}",
            visible(&folder)
        ));
    }
    let detail = args.detail();
    let task = args.task.as_ref();
    let hits = task.map(|task| rank(&skills, task, skills.len(), detail));
    let room = Room {
        tokens: args.budget.unwrap_or(DEFAULT_BUDGET),
        skills: context.config()?.max_skills(),
    };
    let hits = hits.unwrap_or_default();
    Ok(PromptSkills::new(all, &hits, Some(room), format.into()))
}

/// Leaves out the skills that lie in no folder, which nothing is mounted of.
fn leave_out_builtin(context: &Context, skills: &mut Vec<&CatalogSkill>) {
    let is_inside = |skill: &CatalogSkill| skill.kind == SourceKind::Builtin;
    let inside = skills.iter().filter(|skill| is_inside(skill));
    let names: Vec<&str> = inside.map(|skill| skill.record.name.as_str()).collect();
    if names.is_empty() {
        return;
    }
    let note = format!(
        "left out {}, which lie in no folder that could be mounted: they are inside skillyard",
        listed(&names)
    );
    context.printer.note(&visible(&note));
    skills.retain(|skill| !is_inside(skill));
}

fn entry_of(
    context: &Context,
    args: &PromptArgs,
    format: PromptFormat,
    catalog: &Catalog,
    skill: &CatalogSkill,
) -> io::Result<CatalogEntry> {
    let record = &skill.record;
    let folder = if skill.kind == SourceKind::Builtin && args.has_locations(format) {
        // A model that reads files needs one.
        let folder = context.environment.skillyard_home.join("builtin");
        builtin::materialise(&record.name, &folder)?
    } else {
        record.folder.clone()
    };
    Ok(CatalogEntry {
        name: record.name.clone(),
        description: record.description.clone(),
        location: args.location(format, &folder, &record.file_name, || {
            let root = catalog.sources.get(skill.source).map(|source| &source.root);
            match root.and_then(|root| record.folder.strip_prefix(root).ok()) {
                Some(below) if below != Path::new("") => below.to_string_lossy().into_owned(),
                _ => record.name.clone(),
            }
        }),
    })
}
