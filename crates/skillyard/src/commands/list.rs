//! `skillyard list`.

pub(crate) mod installed;
pub(crate) mod json;
pub(crate) mod watch;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use skillyard_catalog::walk::UNREADABLE;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_format::text::one_line;

use crate::config::discovery::TrustProjects;
use crate::config::project;
use crate::context::Context;
use crate::environment::Environment;
use crate::error;
use crate::error::Outcome;
use crate::error::{CommandError, ExitStatus as CommandStatus};
use crate::install::revoked::Revoked;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;
use crate::text::tilde;

/// Most places that are closed to the user that are named.
const MAX_CLOSED: usize = 5;

/// List the skills on this machine and in this project
///
/// Grouped by source, the strongest first. Marks: ✓ enabled, ⚠ enabled with problems or unmet needs,
/// ○ disabled, ✗ commands missing, held back or revoked, ! project not trusted, ≠ altered: not as it is locked.
///
/// Examples:
///   skillyard list
///   skillyard list --all             also what lost to another, and what was passed over and why
///   skillyard list --allow 'pdf-*'   only some
///   skillyard list --installed       only what was installed, and where it came from
///   skillyard list --watch           and each change as it happens
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are flags of the command line"
)]
pub(crate) struct ListArgs {
    /// Also show skills that lost to another of the same name, and what was passed over
    #[arg(short, long)]
    all: bool,
    /// Only show skills that were installed, and where each came from
    #[arg(long, conflicts_with = "watch")]
    installed: bool,
    /// Walk every folder instead of trusting the index
    #[arg(long)]
    no_index: bool,
    /// Go on and tell each change of a skill as it happens
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    choice: NameFilter,
}

pub(crate) fn run(context: &Context, args: &ListArgs) -> Outcome {
    let mode = if args.no_index {
        IndexMode::Bypass
    } else {
        IndexMode::Use
    };
    let catalog = library::load(context, mode, &NameFilter::default())?;
    let catalog = chosen(catalog, &args.choice)?;
    // Where the policy cannot be read, the skills can still be listed.
    let mut revoked = Revoked::absent(context).unwrap_or_default();
    let is_chosen = args.choice.filter()?;
    revoked.retain(|each| is_chosen(&each.name));
    if args.installed {
        let closed = closed_lines(&catalog);
        let status = crate::commands::list::installed::run(context, catalog, &revoked);
        if !context.printer.is_json() {
            for line in closed {
                context.printer.people(&line);
            }
        }
        return status;
    }
    if context.printer.is_json() {
        let pieces = context.printer.pieces()?;
        json::write(&catalog, &revoked, &context.environment, pieces)?;
    } else {
        let text = text(&catalog, args.all, context);
        context.printer.data(&text)?;
        Revoked::tell(context, &revoked);
        let line = closing_line(&catalog, args.all, || trust_remedy(context, &catalog));
        context.printer.note(&line);
        for line in closed_lines(&catalog) {
            context.printer.people(&line);
        }
    }
    if args.watch {
        return crate::commands::list::watch::run(context, &catalog, &args.choice);
    }
    // The process ends now; giving back the memory of ten thousand skills piece by piece was a
    // twentieth of the instructions of a warm start.
    std::mem::forget(catalog);
    Ok(CommandStatus::Success)
}

/// What may be a skill and is closed to the user, who did not choose to pass it over.
fn closed_lines(catalog: &Catalog) -> Vec<String> {
    let unread = catalog.skipped.iter();
    let unread = unread.filter(|each| each.reason.starts_with(UNREADABLE));
    let lines = unread.filter_map(|each| {
        let remedy = error::remedy(&each.path)?;
        let (path, reason) = (each.path.display(), one_line(&each.reason));
        let line = format!(" ! `{path}` is passed over: {reason} ({remedy})");
        Some(visible(&line).into_owned())
    });
    lines.take(MAX_CLOSED).collect()
}

/// The skills that were chosen, of all.
pub(super) fn chosen(mut catalog: Catalog, choice: &NameFilter) -> Result<Catalog, CommandError> {
    if choice.is_given() {
        let chosen = choice.filter()?;
        catalog.skills.retain(|skill| chosen(&skill.record.name));
        catalog
            .shadowed
            .retain(|loser| chosen(&loser.skill.record.name));
    }
    Ok(catalog)
}

fn text(catalog: &Catalog, all: bool, context: &Context) -> String {
    let home = context.environment.home.as_deref();
    let stand_ins = catalog.fallbacks_for_untrusted();
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
            .map(|skill| length(&skill.record.name))
            .max()
            .unwrap_or(0)
            .min(40);
        for skill in skills {
            push_line(&mut text, skill, width, context);
            if let Some(other) = stand_in(skill, &stand_ins) {
                let folder = visible(&tilde(&other.record.folder, home)).into_owned();
                let _ = writeln!(text, "      stand-in: {folder}");
            }
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

fn push_line(text: &mut String, skill: &CatalogSkill, width: usize, context: &Context) {
    let record = &skill.record;
    let name = visible(&record.name);
    let room = context.printer.width().saturating_sub(width + 6).max(20);
    let detail = match skill.status.reason() {
        Some(reason) => format!("({}) {reason}", skill.status.as_str()).into(),
        None => one_line(beginning(&record.description, room * 2).trim_end()),
    };
    let unmet = unmet(skill, &context.environment);
    text.push_str("  ");
    text.push_str(if unmet.is_empty() { mark(skill) } else { "⚠" });
    text.push(' ');
    text.push_str(&name);
    let padding = width.saturating_sub(length(&name));
    text.extend(std::iter::repeat_n(' ', padding + 2));
    push_cut(text, &visible(&detail), room);
    let problems = record.problems.iter().take(3);
    let problems = problems.map(|each| format!("{}: {}", each.code, one_line(&each.message)));
    let unmet = unmet
        .iter()
        .map(|each| format!("needs: {}", one_line(each)));
    for told in problems.chain(unmet) {
        text.push_str("      ");
        push_cut(
            text,
            &visible(&told),
            context.printer.width().saturating_sub(6),
        );
    }
}

/// What is used in place of a skill of a project that is not trusted.
pub(super) fn stand_in<'a>(
    skill: &CatalogSkill,
    stand_ins: &HashMap<&str, &'a CatalogSkill>,
) -> Option<&'a CatalogSkill> {
    match skill.status {
        Status::Untrusted => stand_ins.get(&*skill.record.name).copied(),
        _ => None,
    }
}

/// What an enabled skill needs and is missing here; of others more has to be mended first.
pub(super) fn unmet(skill: &CatalogSkill, environment: &Environment) -> Vec<String> {
    match skill.status {
        Status::Enabled => library::unmet(environment, &skill.record),
        _ => Vec::new(),
    }
}

/// The mark of a skill's standing.
pub(super) fn mark(skill: &CatalogSkill) -> &'static str {
    match &skill.status {
        Status::Enabled if skill.record.problems.is_empty() => "✓",
        Status::Enabled => "⚠",
        Status::Disabled { .. } => "○",
        Status::Unavailable { .. }
        | Status::Unhashable { .. }
        | Status::HeldBack { .. }
        | Status::Revoked { .. } => "✗",
        Status::Untrusted => "!",
        Status::Altered => "≠",
    }
}

/// The first `most` characters of a text.
fn beginning(text: &str, most: usize) -> &str {
    // In ASCII, as most text is, characters need not be counted.
    match text.as_bytes().get(..most) {
        None => text,
        Some(start) if start.is_ascii() => &text[..most],
        Some(_) => text
            .char_indices()
            .nth(most)
            .map_or(text, |(end, _)| &text[..end]),
    }
}

/// How many characters a text has.
pub(super) fn length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Appends a line with as much of `line` as fits into `room` characters.
pub(super) fn push_cut(text: &mut String, line: &str, room: usize) {
    if beginning(line, room).len() == line.len() {
        text.push_str(line);
    } else {
        text.push_str(beginning(line, room.saturating_sub(1)).trim_end());
        text.push('…');
    }
    text.push('\n');
}

/// What can be done about the projects that are not trusted, whose skills wait for it.
pub(super) fn trust_remedy(context: &Context, catalog: &Catalog) -> String {
    let wish = context.config().map(|config| config.trust_projects());
    if let Ok(TrustProjects::Never) = wish {
        return "`discovery.trust_projects` is `never`".to_owned();
    }
    let skills = catalog.skills.iter();
    let waiting = skills.filter(|skill| skill.status == Status::Untrusted);
    let roots: BTreeSet<Option<&Path>> = waiting
        .map(|skill| catalog.sources[skill.source].other.as_ref())
        .map(|other| other.map(|other| other.root.as_path()))
        .collect();
    let command = |root: Option<&Path>| {
        let (root, typed) = match root {
            Some(other) => (other.to_owned(), other.to_string_lossy().into_owned()),
            None => (
                project::root(&context.environment),
                project::typed_here(&context.environment),
            ),
        };
        match root.to_str() {
            Some(_) => format!("`skillyard trust {}`", visible(&shell_word(&typed))),
            None => project::TO_RENAME.to_owned(),
        }
    };
    let commands: Vec<String> = roots.into_iter().map(command).collect();
    commands.join(", ")
}

/// How many there are, and what could be done for more.
fn closing_line(catalog: &Catalog, all: bool, trust_remedy: impl FnOnce() -> String) -> String {
    let count = catalog.skills.len();
    let with = |status: &Status| {
        let skills = catalog.skills.iter();
        skills.filter(|skill| skill.status == *status).count()
    };
    let enabled = with(&Status::Enabled);
    let mut line = match count {
        0 => "No skills found; make one with `skillyard new NAME`".to_owned(),
        1 => format!("1 skill, {enabled} enabled"),
        _ => format!("{count} skills, {enabled} enabled"),
    };
    let untrusted = with(&Status::Untrusted);
    if untrusted > 0 {
        let _ = write!(
            line,
            "; {untrusted} of a project that is not trusted ({}): Skillyard does not use them, coding agents that read their folder do",
            trust_remedy()
        );
    }
    let altered = with(&Status::Altered);
    if altered > 0 {
        let _ = write!(
            line,
            "; {altered} altered (`skillyard explain skill NAME` says what to do)"
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
