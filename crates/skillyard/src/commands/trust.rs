//! `skillyard trust`.

pub(crate) mod skill;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};
use skillyard_trust::approval::ApprovalChange;

use crate::commands::trust::skill::{approval_json, approve, described};
use crate::config::discovery::TrustProjects;
use crate::config::project;
use crate::context::Context;
use crate::error::trust::TrustFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files;
use crate::files::SealKey;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::mcp::PublishedSkills;
use crate::text::sanitize::visible;

/// Let a project's skills be used, or a skill's scripts run
///
/// Skills that a project brings along are listed, but kept out of prompts until you trust it.
/// What you approve of a skill holds for exactly its present files: a changed byte asks again.
/// A plain word is a skill if there is one of that name, else a folder; `./word` is a folder.
///
/// Examples:
///   skillyard trust .                              this project
///   skillyard trust pdf-tools --scripts            its scripts may run
///   skillyard trust pdf-tools --network pypi.org   and reach this host
///   skillyard trust list                           what is trusted
///   skillyard trust revoke pdf-tools               no longer
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct TrustArgs {
    /// A skill, a folder, `list`, or `revoke`
    target: String,
    /// The skill or the folder to revoke
    revoked: Option<PathBuf>,
    /// Approve the skill's scripts
    #[arg(long)]
    pub(super) scripts: bool,
    /// Approve that its scripts reach a host (may be repeated)
    #[arg(long, value_name = "HOST")]
    pub(super) network: Vec<String>,
    /// Approve that it uses a tool, as in `allowed-tools` (may be repeated)
    #[arg(long, value_name = "TOOL")]
    pub(super) tools: Vec<String>,
    /// Approve without being asked
    #[arg(short, long)]
    pub(super) yes: bool,
}

impl TrustArgs {
    /// Whether it was said what of a skill is approved.
    pub(super) fn has_scope(&self) -> bool {
        self.scripts || !self.network.is_empty() || !self.tools.is_empty()
    }
}

pub(crate) fn run(context: &Context, args: &TrustArgs) -> Outcome {
    let file = context.environment.approvals_file();
    match (args.target.as_str(), &args.revoked) {
        ("list", None) if !args.has_scope() => list(context, &file),
        ("revoke", Some(target)) if !args.has_scope() => revoke(context, &file, target),
        ("revoke", None) if !args.has_scope() => Err(CommandError::NoFolder),
        (target, None) => trust(context, &file, args, target),
        (_, Some(extra)) => Err(CommandError::UnexpectedArgument(
            extra.display().to_string(),
        )),
    }
}

fn list(context: &Context, file: &Path) -> Outcome {
    let approvals = files::read_approvals(file)?;
    if context.printer.is_json() {
        let folders = approvals.folders.iter();
        let folders = folders.map(|each| each.path.to_string_lossy());
        let skills: Vec<Value> = approvals.skills.iter().map(approval_json).collect();
        context
            .printer
            .json(&json!({ "folders": folders.collect::<Vec<_>>(), "skills": skills }))?;
        return Ok(ExitStatus::Success);
    }
    for folder in &approvals.folders {
        let path = folder.path.to_string_lossy();
        let mark = if files::holds(folder) {
            ""
        } else {
            "  (not what is there now)"
        };
        context
            .printer
            .data(&format!("folder  {}{mark}\n", visible(&path)))?;
    }
    for approval in &approvals.skills {
        let line = format!(
            "skill   {}  {}  {}",
            approval.name,
            described(approval),
            approval.digest
        );
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    if approvals.folders.is_empty() && approvals.skills.is_empty() {
        context.printer.note("No folder and no skill is trusted");
    }
    Ok(ExitStatus::Success)
}

/// A word is a skill when something of it is approved, or when there is one of that name.
fn trust(context: &Context, file: &Path, args: &TrustArgs, word: &str) -> Outcome {
    if !args.has_scope() && is_path(word) {
        return set_folder(context, file, Path::new(word), true);
    }
    if let Some(skill) = PublishedSkills::loaded(context, word) {
        return approve(context, file, args, &skill);
    }
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let is_folder = Path::new(word).is_dir();
    match (catalog.find(word), is_folder) {
        (Some(_), true) if !args.has_scope() => Err(TrustFailure::Ambiguous(word.into()).into()),
        (Some(_), _) => {
            let skill = library::named(context, &catalog, word)?;
            approve(context, file, args, skill)
        }
        (None, _) if args.has_scope() => {
            library::find(context, &catalog, word).map(|_| ExitStatus::Success)
        }
        (None, true) => set_folder(context, file, Path::new(word), true),
        (None, false) => Err(library::not_here(context, word).unwrap_or_else(|| {
            TrustFailure::NoSuchTarget {
                word: word.to_owned(),
                nearest: catalog.nearest(word).map(str::to_owned),
            }
            .into()
        })),
    }
}

/// Whether a word can only be meant as a path.
fn is_path(word: &str) -> bool {
    library::looks_like_path(OsStr::new(word)) || word.starts_with('~')
}

/// A plain word is a skill of which something was approved, else a folder.
fn revoke(context: &Context, file: &Path, target: &Path) -> Outcome {
    // A yes for a session is one of this user, too, and no file of theirs says what it was about.
    if SealKey::forget(&context.environment)? {
        context
            .printer
            .note("What was allowed for sessions is asked about again");
    }
    let approvals = files::read_approvals(file)?;
    let word = target.to_string_lossy();
    let name = skillyard_format::name::known_as(&word);
    let is_skill = !is_path(&word) && approvals.skills.iter().any(|each| each.name == name);
    if !is_skill {
        return set_folder(context, file, target, false);
    }
    let folder = folder_to_revoke(context, target)?;
    if approvals.folders.iter().any(|each| each.path == folder) {
        return Err(TrustFailure::BothTrusted(word.into_owned()).into());
    }
    let changed = files::change_approvals(file, &ApprovalChange::RevokeSkill(&name))?;
    if changed {
        context.record(&Event::new(EventKind::ApprovalRevoked).skill(&*name))?;
    }
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "skill": name, "trusted": false, "changed": changed }))?;
        return Ok(ExitStatus::Success);
    }
    let name = visible(&name).into_owned();
    context.printer.data(&format!(" - {name}\n"))?;
    context
        .printer
        .note(&format!("Nothing of `{name}` is approved any more"));
    Ok(ExitStatus::Success)
}

/// The folder that is meant. What is gone can be revoked still, before something else takes its
/// place.
fn folder_to_revoke(context: &Context, folder: &Path) -> Result<PathBuf, CommandError> {
    match folder.canonicalize() {
        Ok(folder) if !folder.is_dir() => Err(CommandError::NotAFolder(folder)),
        Ok(folder) => Ok(folder),
        Err(_) => Ok(context.environment.current_dir.join(folder)),
    }
}

fn folder_to_trust(folder: &Path) -> Result<PathBuf, CommandError> {
    match folder.canonicalize() {
        Ok(folder) if !folder.is_dir() => Err(CommandError::NotAFolder(folder)),
        Ok(folder) => Ok(folder),
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            Err(CommandError::NoSuchPath(folder.to_owned()))
        }
        Err(source) => Err(CommandError::Read {
            path: folder.to_owned(),
            source,
        }),
    }
}

/// The trusted folder that another one is trusted with already. A part of a project is not trusted
/// alone, and refused where the project is not.
fn already_with(
    context: &Context,
    file: &Path,
    folder: &Path,
) -> Result<Option<PathBuf>, CommandError> {
    let folders = files::list_approvals(file)?;
    if let Some(by) = project::trusted_by(&context.environment, folder, &folders) {
        return Ok((by != folder).then(|| by.to_owned()));
    }
    let root = project::root_around(&context.environment, folder);
    if folder != root && folder.starts_with(&root) {
        let folder = folder.to_owned();
        return Err(TrustFailure::PartOfProject { folder, root }.into());
    }
    Ok(None)
}

fn set_folder(context: &Context, file: &Path, folder: &Path, trusted: bool) -> Outcome {
    let mut covered_by = None;
    let (folder, changed) = if trusted {
        let folder = folder_to_trust(folder)?;
        covered_by = already_with(context, file, &folder)?;
        // What is taken back counts even where it cannot be recorded.
        context.ready_to_record()?;
        // A second record would outlive that the whole is not trusted any more.
        let changed = covered_by.is_none()
            && files::change_approvals(file, &ApprovalChange::TrustFolder(&files::noted(&folder)))?;
        (folder, changed)
    } else {
        let folder = folder_to_revoke(context, folder)?;
        let changed = files::change_approvals(file, &ApprovalChange::RevokeFolder(&folder))?;
        (folder, changed)
    };
    if changed {
        let kind = if trusted {
            EventKind::ApprovalGranted
        } else {
            EventKind::ApprovalRevoked
        };
        let event = Event::new(kind).detail("folder", folder.to_string_lossy());
        context.record(&event)?;
    }
    let wish = context.config().ok().map(|config| config.trust_projects());
    if !trusted {
        refuse_if_covered(context, file, &folder)?;
        if wish == Some(TrustProjects::Always) {
            return Err(TrustFailure::AlwaysTrusted(folder).into());
        }
    }
    let keeps_out = wish == Some(TrustProjects::Never);
    if context.printer.is_json() {
        let mut answer =
            json!({ "folder": folder.to_string_lossy(), "trusted": trusted, "changed": changed });
        if trusted && keeps_out {
            answer["kept_out_by"] = "discovery.trust_projects".into();
        }
        if trusted && let Some(owner) = stranger(&folder) {
            answer["owner"] = owner.into();
        }
        if let Some(root) = &covered_by {
            answer["with"] = root.to_string_lossy().into();
        }
        context.printer.json(&answer)?;
        return Ok(ExitStatus::Success);
    }
    let shown = visible(&folder.to_string_lossy()).into_owned();
    let word = if trusted { "trusted" } else { "not trusted" };
    if changed {
        let sign = if trusted { '+' } else { '-' };
        context.printer.data(&format!(" {sign} {shown}\n"))?;
        if !(trusted && keeps_out) {
            context
                .printer
                .note(&format!("Skills in `{shown}` are now {word}"));
        }
    } else {
        let already = match &covered_by {
            Some(root) => format!(" already, with `{}`", visible(&root.to_string_lossy())),
            None if trusted => " already".to_owned(),
            None => String::new(),
        };
        context
            .printer
            .note(&format!("Nothing to do: `{shown}` is {word}{already}"));
    }
    if trusted && let Some(owner) = stranger(&folder) {
        context.printer.note(&format!(
            "warning: it belongs to another user, with the number {owner}, who can change what is in it"
        ));
    }
    if trusted && keeps_out {
        context
            .printer
            .note(&TrustProjects::Never.remedy(Path::new("."), "."));
    }
    Ok(ExitStatus::Success)
}

/// Whose a folder is, if not ours or root's.
fn stranger(folder: &Path) -> Option<u32> {
    let found = folder.metadata().ok()?;
    files::stranger(&found).map(|(owner, _)| owner)
}

/// A folder that lies in a trusted one is as trusted as before, whatever was taken back.
fn refuse_if_covered(context: &Context, file: &Path, folder: &Path) -> Result<(), CommandError> {
    let folders = files::list_approvals(file)?;
    match project::trusted_by(&context.environment, folder, &folders) {
        Some(by) => Err(TrustFailure::StillTrusted {
            folder: folder.to_owned(),
            by: by.to_owned(),
        }
        .into()),
        None => Ok(()),
    }
}
