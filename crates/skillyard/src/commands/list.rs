//! `skillyard list`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use skillyard_catalog::catalog::Shadowed;
use skillyard_catalog::record::Problem;
use skillyard_catalog::walk::Skipped;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_format::render::one_line;

use super::Outcome;
use crate::context::Context;
use crate::error::Status as CommandStatus;
use crate::library::{self, Choice, IndexMode};
use crate::sanitize::visible;

/// List the skills on this machine and in this project
///
/// Grouped by source, the strongest first. Marks: ✓ enabled, ⚠ enabled with problems,
/// ○ disabled, ✗ commands missing, ! project not trusted.
///
/// Examples:
///   skillyard list
///   skillyard list --all             also what lost to another, and what was passed over and why
///   skillyard list --allow 'pdf-*'   only some
///   skillyard list --watch           and each change as it happens
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Also show skills that lost to another of the same name, and what was passed over
    #[arg(short, long)]
    all: bool,
    /// Walk every folder instead of trusting the index
    #[arg(long)]
    no_index: bool,
    /// Go on and tell each change of a skill as it happens
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    choice: Choice,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let mode = if args.no_index {
        IndexMode::Bypass
    } else {
        IndexMode::Use
    };
    let mut catalog = library::load(context, mode, &Choice::default())?;
    let chosen = args.choice.filter()?;
    catalog.skills.retain(|skill| chosen(&skill.record.name));
    catalog
        .shadowed
        .retain(|loser| chosen(&loser.skill.record.name));
    if context.printer.is_json() {
        context.printer.compact_json(&Listing::new(&catalog))?;
    } else {
        let text = text(&catalog, args.all, context);
        context.printer.data(&text)?;
        context.printer.note(&closing_line(&catalog, args.all));
    }
    if args.watch {
        return super::list_watch::run(context, &catalog);
    }
    Ok(CommandStatus::Yes)
}

/// The catalog as JSON, borrowed: ten thousand skills are written without a copy.
#[derive(Serialize)]
struct Listing<'a> {
    skills: Vec<SkillJson<'a>>,
    shadowed: Vec<ShadowedJson<'a>>,
    skipped: Vec<SkippedJson<'a>>,
}

#[derive(Serialize)]
struct SkillJson<'a> {
    id: String,
    name: &'a str,
    description: &'a str,
    source: &'static str,
    path: Cow<'a, str>,
    file: &'a str,
    #[serde(flatten)]
    status: &'a Status,
    modified: i64,
    model_invocable: bool,
    user_invocable: bool,
    problems: &'a [Problem],
    fields: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct ShadowedJson<'a> {
    name: &'a str,
    description: &'a str,
    source: &'static str,
    path: Cow<'a, str>,
    winner: Cow<'a, str>,
}

#[derive(Serialize)]
struct SkippedJson<'a> {
    path: Cow<'a, str>,
    reason: &'a str,
}

impl<'a> Listing<'a> {
    fn new(catalog: &'a Catalog) -> Self {
        Self {
            skills: catalog.skills.iter().map(SkillJson::new).collect(),
            shadowed: catalog.shadowed.iter().map(ShadowedJson::new).collect(),
            skipped: catalog.skipped.iter().map(SkippedJson::new).collect(),
        }
    }
}

impl<'a> SkillJson<'a> {
    fn new(skill: &'a CatalogSkill) -> Self {
        let record = &skill.record;
        Self {
            id: format!("{}/{}", skill.kind.as_str(), record.name),
            name: &record.name,
            description: &record.description,
            source: skill.kind.as_str(),
            path: record.folder.to_string_lossy(),
            file: &record.file_name,
            status: &skill.status,
            modified: record.stamp.modified / 1_000_000,
            model_invocable: record.model_invocable,
            user_invocable: record.user_invocable,
            problems: &record.problems,
            fields: serde_json::from_str(&record.fields).ok(),
        }
    }
}

impl<'a> ShadowedJson<'a> {
    fn new(shadowed: &'a Shadowed) -> Self {
        Self {
            name: &shadowed.skill.record.name,
            description: &shadowed.skill.record.description,
            source: shadowed.skill.kind.as_str(),
            path: shadowed.skill.record.folder.to_string_lossy(),
            winner: shadowed.winner.to_string_lossy(),
        }
    }
}

impl<'a> SkippedJson<'a> {
    fn new(skipped: &'a Skipped) -> Self {
        Self {
            path: skipped.path.to_string_lossy(),
            reason: &skipped.reason,
        }
    }
}

fn text(catalog: &Catalog, all: bool, context: &Context) -> String {
    let home = context.environment.home.as_deref();
    let mut text = String::new();
    // The skills are in the order of their sources.
    for skills in catalog.skills.chunk_by(|a, b| a.source == b.source) {
        let source = &catalog.sources[skills[0].source];
        let place = tilde(&source.root, home);
        let heading = context.printer.heading(source.kind.as_str());
        text.push_str(format!("{heading}  {}\n", visible(&place)).trim_end());
        text.push('\n');
        let width = skills
            .iter()
            .map(|skill| skill.record.name.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        for skill in skills {
            text.push_str(&line(skill, width, context));
        }
        text.push('\n');
    }
    if all && !catalog.shadowed.is_empty() {
        let _ = writeln!(text, "{}", context.printer.heading("shadowed"));
        for shadowed in &catalog.shadowed {
            let _ = writeln!(
                text,
                "  - {} at {}, by {}",
                visible(&shadowed.skill.record.name),
                visible(&tilde(&shadowed.skill.record.folder, home)),
                visible(&tilde(&shadowed.winner, home)),
            );
        }
        text.push('\n');
    }
    if all && !catalog.skipped.is_empty() {
        let _ = writeln!(text, "{}", context.printer.heading("passed over"));
        for skipped in &catalog.skipped {
            let _ = writeln!(
                text,
                "  - {}: {}",
                visible(&tilde(&skipped.path, home)),
                visible(&one_line(&skipped.reason))
            );
        }
        text.push('\n');
    }
    text
}

fn line(skill: &CatalogSkill, width: usize, context: &Context) -> String {
    let record = &skill.record;
    let name = visible(&record.name);
    let room = context.printer.width().saturating_sub(width + 6).max(20);
    let detail = match skill.status.reason() {
        Some(reason) => format!("({}) {reason}", skill.status.as_str()),
        None => beginning(&record.description, room),
    };
    let mut text = format!(
        "  {} {name:<width$}  {}\n",
        mark(skill),
        cut(&visible(&detail), room)
    );
    for problem in record.problems.iter().take(3) {
        let told = format!("{}: {}", problem.code, one_line(&problem.message));
        let room = context.printer.width().saturating_sub(6);
        let _ = writeln!(text, "      {}", cut(&visible(&told), room));
    }
    text
}

/// The mark of a skill's standing.
pub(super) fn mark(skill: &CatalogSkill) -> &'static str {
    match &skill.status {
        Status::Enabled if skill.record.problems.is_empty() => "✓",
        Status::Enabled => "⚠",
        Status::Disabled { .. } => "○",
        Status::Unavailable { .. } => "✗",
        Status::Untrusted => "!",
    }
}

/// Enough of a long text to fill `room` characters, on one line.
fn beginning(text: &str, room: usize) -> String {
    let end = text
        .char_indices()
        .nth(room * 2)
        .map_or(text.len(), |(at, _)| at);
    one_line(&text[..end])
}

fn cut(text: &str, room: usize) -> String {
    if text.len() <= room || text.chars().nth(room).is_none() {
        return text.to_owned();
    }
    let last = text.char_indices().nth(room.saturating_sub(1));
    let kept = last.map_or(text, |(at, _)| &text[..at]);
    format!("{}…", kept.trim_end())
}

/// A path as the user writes it, with `~` for the home directory.
pub(super) fn tilde(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", on_one_line(rest)),
        None => on_one_line(path),
    }
}

/// A path whose line breaks cannot be taken for another line of a list.
fn on_one_line(path: &Path) -> String {
    path.to_string_lossy()
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

fn closing_line(catalog: &Catalog, all: bool) -> String {
    let count = catalog.skills.len();
    let enabled = catalog
        .skills
        .iter()
        .filter(|skill| skill.status == Status::Enabled)
        .count();
    let mut line = match count {
        0 => "No skills found; make one with `skillyard new NAME`".to_owned(),
        1 => format!("1 skill, {enabled} enabled"),
        _ => format!("{count} skills, {enabled} enabled"),
    };
    let untrusted = catalog
        .skills
        .iter()
        .filter(|skill| skill.status == Status::Untrusted)
        .count();
    if untrusted > 0 {
        let _ = write!(
            line,
            "; {untrusted} of a project that is not trusted (`skillyard trust .`)"
        );
    }
    let hidden = catalog.shadowed.len() + catalog.skipped.len();
    if hidden > 0 && !all {
        let _ = write!(
            line,
            "\n{} shadowed and {} passed over; see them with `--all`",
            catalog.shadowed.len(),
            catalog.skipped.len()
        );
    }
    line
}
