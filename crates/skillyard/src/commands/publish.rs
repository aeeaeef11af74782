//! `skillyard publish`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};
use skillyard_format::package::archive::Limits;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};
use skillyard_format::qualified::is_tag;
use skillyard_format::{Namespace, QualifiedName};
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::{Destination, PublishedVersion, RegistryError};
use skillyard_install::tree::{Tree, TreeLimits};
use skillyard_registry::package::{Package, examine};

use super::validate::folder_of;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::remote::{RegistryArg, Remote};
use crate::library::skill_files::{read_one, refuse_misspelled};
use crate::question::agreed;
use crate::text::elapsed;
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;

/// Publish a skill to the registry
///
/// The version is `metadata.version` of its SKILL.md. It is checked and scanned here as the
/// registry does it; a published version can be withdrawn, but never replaced.
///
/// Examples:
///   skillyard publish ./pdf-tools --dry-run
///   skillyard publish ./pdf-tools --yes
///   skillyard publish ./pdf-tools --namespace acme --tag beta
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct PublishArgs {
    /// The skill's folder
    folder: PathBuf,
    /// Check everything and show what would be published
    #[arg(long)]
    dry_run: bool,
    /// Publish without asking
    #[arg(short, long)]
    yes: bool,
    /// Publish it as `@NAMESPACE/name`; your own is named like your account
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Let this tag stand for it, so that `install name@TAG` finds it
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &PublishArgs) -> Outcome {
    let start = Instant::now();
    let folder = match read_one(&args.folder) {
        Err(CommandError::NoSuchPath(path)) => return Err(no_folder(context, path)),
        other => other?.folder,
    };
    refuse_misspelled(&folder)?;
    let Packed { mut package, notes } = Packed::read(context, &folder)?;
    let namespace = args.namespace.as_deref().map(namespace).transpose()?;
    package.name = QualifiedName::new(namespace, package.name.name().clone());
    if let Some(tag) = args.tag.as_deref().filter(|tag| !is_tag(tag)) {
        return Err(RegistryFailure::Tag(tag.to_owned()).into());
    }
    if args.dry_run {
        return dry_run(context, &package, &notes);
    }
    let remote = args.registry.open(context)?;
    if !context.printer.is_json() {
        show(context, &package, &notes);
    }
    if !args.yes {
        confirm(context, &package, &remote)?;
    }
    let destination = Destination {
        namespace: package.name.namespace(),
        tag: args.tag.as_deref(),
    };
    let archive = package.archive.to_vec();
    let sent = remote.registry.publish(&remote.http, archive, &destination);
    let published = sent.map_err(|error| match error {
        // What the server says is the reason; what to do about it we know here.
        RegistryError::Http(HttpError::Unknown(source)) => {
            CommandError::from(RegistryFailure::MaybePublished {
                name: package.name.to_string(),
                source,
            })
        }
        RegistryError::Http(error) if error.status().is_some() => {
            CommandError::from(RegistryFailure::NotPublished {
                name: package.name.to_string(),
                alias: remote.registry.alias.clone(),
                source: Box::new(RegistryError::Http(error)),
            })
        }
        error => InstallFailure::from(error).into(),
    })?;
    let event = Event::new(EventKind::RegistryPublished)
        .skill(package.name.as_str())
        .digest(package.tree.to_string())
        .origin(remote.address())
        .trigger("publish")
        .detail("version", package.version.to_string());
    context.record(&event)?;
    if context.printer.is_json() {
        let mut answer = document(context, &package, &notes, false);
        answer["registry"] = json!(remote.address());
        answer["published"] = json!(published.new);
        answer["yanked"] = json!(published.yanked);
        answer["yank_reason"] = json!(published.yank_reason);
        context.printer.json(&answer)?;
        return Ok(ExitStatus::Success);
    }
    let id = format!("{}@{}", package.name, package.version);
    if published.new {
        context.printer.data(&format!(" + {}\n", visible(&id)))?;
        context.printer.note(&format!(
            "Published to {} in {}",
            visible(&remote.address()),
            elapsed(start.elapsed())
        ));
    } else {
        let tag = args.tag.as_deref();
        let tag = tag.map(|tag| format!("; `{tag}` stands for it"));
        context.printer.note(&format!(
            "{} is published already, with these very files{}",
            visible(&id),
            tag.unwrap_or_default()
        ));
        if let Some(reason) = withdrawn(&published) {
            context
                .printer
                .warn(&format!("it was withdrawn, and stays so: {reason}"));
            let back = format!("skillyard yank {} --undo", shell_word(&id));
            context
                .printer
                .note(&format!("hint: Offer it again with `{back}`"));
        }
    }
    Ok(ExitStatus::Success)
}

/// Why a version that was there already is not offered to anybody.
fn withdrawn(published: &PublishedVersion) -> Option<&str> {
    let reason = published.yank_reason.as_deref();
    published
        .yanked
        .then(|| reason.unwrap_or("no reason was given"))
}

/// What is published is a folder; whoever names a skill that is here learns which one is its.
fn no_folder(context: &Context, path: PathBuf) -> CommandError {
    let folder = match folder_of(context, &path) {
        Ok(Cow::Owned(folder)) => Some(folder),
        _ => None,
    };
    match folder {
        Some(folder) => RegistryFailure::NotAFolder { name: path, folder }.into(),
        None => CommandError::NoSuchPath(path),
    }
}

/// A namespace that was typed.
fn namespace(text: &str) -> Result<Namespace, CommandError> {
    Ok(Namespace::new(text).map_err(RegistryFailure::from)?)
}

fn dry_run(context: &Context, package: &Package, notes: &Notes) -> Outcome {
    if context.printer.is_json() {
        let mut answer = document(context, package, notes, true);
        answer["published"] = json!(false);
        context.printer.json(&answer)?;
        return Ok(ExitStatus::Success);
    }
    show(context, package, notes);
    context
        .printer
        .note("Nothing was published: this was a dry run");
    Ok(ExitStatus::Success)
}

/// What is or would be published, for programs.
fn document(context: &Context, package: &Package, notes: &Notes, dry_run: bool) -> Value {
    json!({
        "name": package.name.as_str(),
        "version": package.version,
        "dry_run": dry_run,
        "digest": package.digest,
        "tree": package.tree,
        "size": package.archive.len(),
        "files": package.facts.files,
        "findings": package.facts.findings,
        "signer": package.signer,
        "left_out": notes.left_out,
        "ignored": notes.ignored,
        "may_hold_secrets": notes.secrets,
        "warnings": context.printer.warnings(),
    })
}

fn show(context: &Context, package: &Package, notes: &Notes) {
    let printer = &context.printer;
    printer.note(&format!("{} {}", package.name, package.version));
    for file in &package.facts.files {
        let mark = if file.executable { " (can be run)" } else { "" };
        printer.note(&format!(
            "  {:>9}  {}{mark}",
            file.size,
            visible(&file.path)
        ));
    }
    for path in &notes.left_out {
        let is_ignored = notes.ignored.contains(path);
        let reason = if is_ignored { " (git ignores it)" } else { "" };
        printer.note(&format!("   left out  {}{reason}", visible(path)));
    }
    for path in &notes.secrets {
        printer.note(&format!("warning: `{}` may hold secrets", visible(path)));
    }
    for finding in &package.facts.findings {
        printer.note(&visible(&format!(
            "  {}: {} ({}, {})",
            finding.severity, finding.message, finding.code, finding.path
        )));
    }
    let signed = package.signer.as_deref().unwrap_or("nobody");
    printer.note(&format!(
        "  packed {} bytes, {}, signed by {}",
        package.archive.len(),
        package.digest,
        visible(signed)
    ));
}

fn confirm(context: &Context, package: &Package, remote: &Remote) -> Result<(), CommandError> {
    if !context.printer.can_ask() {
        return Err(RegistryFailure::NotAsked.into());
    }
    let question = format!(
        "Publish {}@{} to {}? It can never be replaced",
        package.name,
        package.version,
        remote.address()
    );
    agreed(&context.printer, &question)
}

/// What would be published.
struct Packed {
    /// As the registry will see it.
    package: Package,
    notes: Notes,
}

/// What the files of the folder do not show.
#[derive(Debug)]
struct Notes {
    /// Files and folders that nobody wants delivered.
    left_out: Vec<String>,
    /// Those of them that git ignores.
    ignored: Vec<String>,
    /// Files that are published and should perhaps not be.
    secrets: Vec<String>,
}

impl Packed {
    /// Packs a folder.
    fn read(context: &Context, folder: &Path) -> Result<Self, CommandError> {
        let ignored = context.surely_ignored_in(folder)?;
        let tree = Tree::read_delivered(folder, &TreeLimits::default(), ignored);
        let tree = tree.map_err(RegistryFailure::from)?;
        let notes = Notes {
            left_out: tree.left_out().to_vec(),
            ignored: tree.ignored().to_vec(),
            secrets: tree.may_hold_secrets().map(str::to_owned).collect(),
        };
        let files = tree.files().iter();
        let files = files.map(|file| PackFile::new(&file.path, file.executable, &file.bytes));
        let files: Vec<PackFile<'_>> = files.collect();
        let archive = pack(&files, PackFormat::TarGz, &Limits::skill());
        let archive = archive.map_err(RegistryFailure::from)?;
        let package = examine(&archive, context.now());
        let package = package.map_err(|source| RegistryFailure::Refused {
            folder: folder.to_owned(),
            source: Box::new(source),
        })?;
        Ok(Self { package, notes })
    }
}
