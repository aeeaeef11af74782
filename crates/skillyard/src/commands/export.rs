//! `skillyard export`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillyard_catalog::agents::Agent;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, Status as Standing};
use skillyard_format::package::archive::ArchivePath;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};
use skillyard_format::{Document, Skill};
use skillyard_install::export::{Loss, losses};
use skillyard_install::material::SkillOffer;
use skillyard_install::reference::ArchiveKind;
use skillyard_install::scope::Scope;
use skillyard_install::target::TargetError;
use skillyard_install::transaction::check_inside;
use skillyard_install::tree::{Tree, TreeError, TreeLimits, WriteAccess};

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files;
use crate::install::left_out;
use crate::library;
use crate::library::installed::Installed;
use crate::library::permission::Permissions;
use crate::library::skill_files::refuse_misspelled;
use crate::library::{IndexMode, NameFilter, withheld};
use crate::scope::whole;
use crate::text::sanitize::visible;

/// Write a skill into another agent's layout, and say what that agent will ignore
///
/// Examples:
///   skillyard export pdf-tools --agent codex                    only the report
///   skillyard export pdf-tools --agent gemini-cli --output out  out/.agents/skills/pdf-tools
///   skillyard export pdf-tools --archive pdf-tools.zip          the same bytes every time
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, group = clap::ArgGroup::new("form").required(true).args(["agent", "archive"]))]
pub(crate) struct ExportArgs {
    /// The name of a skill that is here, as `skillyard list` shows it
    name: String,
    /// The agent it is for
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// The folder to write the agent's layout into
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Pack it into this .zip, .skill or .tar.gz instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "output"])]
    archive: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, args: &ExportArgs) -> Outcome {
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let skill = library::named(context, &catalog, &args.name)?;
    if skill.kind == SourceKind::Builtin {
        return Err(InstallFailure::Builtin(args.name.clone()).into());
    }
    let is_written = args.archive.is_some() || args.output.is_some();
    if is_written {
        refuse_unusable(context, skill)?;
    }
    let limits = context.config()?.tree_limits();
    let folder = &skill.record.folder;
    refuse_misspelled(folder)?;
    let installed = Installed::readable(context).unwrap_or_default();
    let ignored = if is_written {
        installed.surely_ignored_in(context, folder)?
    } else {
        installed.ignored_in(context, folder)
    };
    let tree = Tree::read_delivered(folder, &limits, ignored);
    let tree = tree.map_err(InstallFailure::from)?;
    if let Some(line) = left_out::line(&skill.record.name, &tree) {
        context.printer.note(&line);
    }
    for path in tree.may_hold_secrets() {
        let warning = format!("warning: `{}` may hold secrets", visible(path));
        context.printer.note(&warning);
    }
    match (&args.archive, &args.agent) {
        (Some(file), _) => archive(context, &skill.record.name, &tree, file, &limits),
        (None, Some(agent)) => to_agent(context, args, &tree, known(agent)?),
        (None, None) => Ok(ExitStatus::Success),
    }
}

/// Refuses to hand on what no model may be given here. What the user merely switched off, or what
/// lacks commands, may well be meant for another agent, unless something else is against it, too.
fn refuse_unusable(context: &Context, skill: &CatalogSkill) -> Result<(), CommandError> {
    let (name, folder) = (&skill.record.name, &skill.record.folder);
    if skill.status == Standing::Enabled {
        return Ok(());
    }
    let permissions = Permissions::load(context)?;
    let status = match &skill.status {
        Standing::Disabled { .. } if !permissions.selection.lists_keep_out(name) => {
            permissions.objection(name, folder)
        }
        Standing::Unavailable { .. } => permissions.objection(name, folder),
        other => Some(other.clone()),
    };
    let refused = status.map(|status| CatalogSkill {
        status,
        ..skill.clone()
    });
    match refused.and_then(|skill| withheld::of(&skill, &permissions)) {
        Some(why) => Err(CommandError::NotExported {
            name: name.clone(),
            reason: why.reason,
            remedy: why.remedy,
        }),
        None => Ok(()),
    }
}

fn known(name: &str) -> Result<&'static Agent, CommandError> {
    Ok(TargetError::known(name).map_err(InstallFailure::Target)?)
}

fn to_agent(context: &Context, args: &ExportArgs, tree: &Tree, agent: &'static Agent) -> Outcome {
    let bytes = tree.skill_file().map(|file| file.bytes.as_slice());
    let document = Document::parse(bytes.unwrap_or_default());
    let skill = Skill::from_document(&document, Some(&args.name));
    let losses = skill
        .map(|skill| losses(&skill, tree, &agent.id))
        .unwrap_or_default();
    let written = args
        .output
        .as_ref()
        .map(|output| output.join(&agent.project).join(&args.name));
    if let (Some(folder), Some(output)) = (&written, &args.output) {
        let environment = &context.environment;
        let home = environment.home.as_deref().map(whole);
        // At home a link is the user's own, elsewhere somebody may have brought it along.
        if home.is_none_or(|home| home != whole(output)) {
            let scope = Scope::project(output, &environment.skillyard_home);
            check_inside(&scope, &agent.project)?;
        }
        if folder.symlink_metadata().is_ok() {
            return Err(CommandError::InTheWay(folder.clone()));
        }
        let write = |folder: &Path| match tree.write(folder, WriteAccess::Editable) {
            // Where it waits is of no use to anybody.
            Err(TreeError::Write { source, .. }) => Err(source),
            other => other.map_err(std::io::Error::other),
        };
        files::put_atomic_folder(folder, write).map_err(|source| CommandError::Write {
            path: folder.clone(),
            source,
        })?;
    }
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": args.name,
            "agent": agent.id,
            "folder": written,
            "left_out": tree.left_out(),
            "may_hold_secrets": tree.may_hold_secrets().collect::<Vec<_>>(),
            "losses": losses.iter().map(as_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    let mut text = String::new();
    for loss in &losses {
        let _ = writeln!(text, " ! {}: {}", visible(&loss.what), loss.why);
    }
    context.printer.data(&text)?;
    if let Some(folder) = &written {
        context
            .printer
            .note(&format!("Wrote `{}`", visible(&folder.to_string_lossy())));
    }
    let agent = &agent.name;
    context.printer.note(&match losses.len() {
        0 => format!("{agent} understands all of it"),
        1 => format!("{agent} will not understand 1 thing"),
        count => format!("{agent} will not understand {count} things"),
    });
    Ok(ExitStatus::Success)
}

fn as_json(loss: &Loss) -> Value {
    json!({ "what": loss.what, "why": loss.why })
}

fn archive(
    context: &Context,
    name: &str,
    tree: &Tree,
    file: &Path,
    limits: &TreeLimits,
) -> Outcome {
    let format = match ArchiveKind::of(&file.to_string_lossy()) {
        Some(ArchiveKind::Zip) => PackFormat::Zip,
        Some(ArchiveKind::TarGz) => PackFormat::TarGz,
        _ => return Err(InstallFailure::ArchiveName(file.display().to_string()).into()),
    };
    let inner = inner_folder(name, tree);
    let path =
        |path: &str| inner.map_or_else(|| path.to_owned(), |inner| format!("{inner}/{path}"));
    let paths: Vec<String> = tree.files().iter().map(|each| path(&each.path)).collect();
    let files: Vec<PackFile<'_>> = tree
        .files()
        .iter()
        .zip(&paths)
        .map(|(each, path)| PackFile::new(path, each.executable, &each.bytes))
        .collect();
    let bytes = pack(&files, format, &limits.of_archive()).map_err(InstallFailure::from)?;
    put(file, &bytes).map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists => CommandError::InTheWay(file.to_owned()),
        _ => CommandError::Write {
            path: file.to_owned(),
            source,
        },
    })?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": name,
            "archive": file,
            "folder": inner,
            "bytes": bytes.len(),
            "digest": tree.digest(),
            "left_out": tree.left_out(),
            "may_hold_secrets": tree.may_hold_secrets().collect::<Vec<_>>(),
        }))?;
    } else {
        context.printer.note(&format!(
            "Packed `{}`: {} bytes",
            visible(&file.to_string_lossy()),
            bytes.len()
        ));
        if inner.is_none() {
            context.printer.note(&format!(
                "Its files lie in no folder there: none can be called `{}` on all systems",
                visible(name)
            ));
        }
    }
    Ok(ExitStatus::Success)
}

/// The folder that a skill lies in in its archive: one that is called like it, unless not every system
/// can have that and the skill says itself what it is called.
fn inner_folder<'n>(name: &'n str, tree: &Tree) -> Option<&'n str> {
    let bytes = tree.skill_file().map(|file| file.bytes.as_slice());
    let says = || SkillOffer::read("", None, bytes.unwrap_or_default());
    let is_flat = ArchivePath::new(name).is_err() && says().is_ok_and(|offer| offer.name == name);
    (!is_flat).then_some(name)
}

/// Writes a file that is there whole or not at all, and only where there is none.
fn put(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As other programs make files: the user's mask takes away what others may not do.
    let mode = std::fs::Permissions::from_mode(0o666);
    let mut temporary = builder.permissions(mode).tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(file)?;
    Ok(())
}
