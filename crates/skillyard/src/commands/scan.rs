//! `skillyard scan`.

mod accepted;
mod reference;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use rayon::prelude::*;
use skillyard_catalog::walk::{FoundSkill, Skipped, UNREADABLE};
use skillyard_format::text::decode;
use skillyard_scan::Severity;

use self::accepted::{accept, warning, write_baseline};
use self::reference::{reference, registered, scan_reference};
use super::Outcome;
use super::validate::folder_of;
use crate::baseline::Baseline;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::library;
use crate::report::scan::{ScanSummary, Scanned};
use crate::report::{self, RuleNote};
use crate::sanitize::visible;
use crate::skill_files::{self, Contents, Visited, directory_name};

/// Look for attacks in skills: their instructions, scripts and files
///
/// A path is a skill's folder, a SKILL.md, or any folder with skills somewhere below it.
/// Exit code: 0 nothing at or above --fail-on, 1 something, 2 wrong usage or a file that
/// cannot be read. A scan that finds nothing is no proof: scripts still run in a sandbox.
///
/// Examples:
///   skillyard scan                                  everything below this folder
///   skillyard scan pdf-tools --fail-on medium       a skill by its name, more strictly
///   skillyard scan acme/skills/pdf-tools@v2         before it is installed
///   skillyard scan pdf-tools@1.2.0                  a version in the registry
///   skillyard scan skills --format sarif            for code scanning
///   skillyard scan skills --write-baseline --baseline accepted.toml --reason "reviewed"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Skills' folders, folders of skills, names of skills, or references as `install` takes them
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// The severity from which on a finding fails the scan
    #[arg(long, value_enum, default_value_t = FailOn::High, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// How to show the result
    #[arg(long, value_enum, conflicts_with = "sarif")]
    format: Option<Format>,
    /// The same as `--format sarif`
    #[arg(long)]
    sarif: bool,
    /// A file of findings that were accepted, each with its reason
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found into the baseline
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
    /// Why what is found is accepted, for `--write-baseline`
    #[arg(long, value_name = "TEXT", requires = "write_baseline")]
    reason: Option<String>,
}

/// Fewer folders are done before other threads are ready to help.
const FEW: usize = 24;

/// From which severity on a finding fails the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// An attack, as far as text can show one
    Critical,
    /// What blocks an install
    High,
    /// What a person should look at
    Medium,
    /// What is common in good skills too
    Low,
}

impl From<FailOn> for Severity {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Critical => Self::Critical,
            FailOn::High => Self::High,
            FailOn::Medium => Self::Medium,
            FailOn::Low => Self::Low,
        }
    }
}

/// How to show the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Source lines with carets
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands for GitHub Actions
    Github,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    let printer = &context.printer;
    let fail_on = args.fail_on.into();
    let format = match args.format {
        Some(format) => format,
        None if args.sarif => Format::Sarif,
        None if printer.is_json() => Format::Json,
        None => Format::Text,
    };
    // What nobody asked to see is left out of text, and kept for programs.
    let show = match format {
        Format::Text if !printer.is_verbose() => Severity::Low,
        _ => Severity::Info,
    };
    library::refuse_either(context, args.paths.iter().map(|path| path.as_os_str()))?;
    let local = |path: &Path, folder: &Path| {
        if *folder != *path && format == Format::Text {
            // Of a name nobody sees which skill it is.
            let note = format!("`{}` is `{}`", path.display(), folder.display());
            printer.note(&visible(&note));
        }
        scan_path(folder, fail_on, show)
    };
    // What is fetched is not fetched all at once: each tells how far it is.
    let look = |path| match (reference(path), folder_of(context, path)) {
        // The name of a skill that is here can look like a reference, as `plugin:skill` does.
        (Some(text), Ok(Cow::Borrowed(_))) => Place::Elsewhere(text),
        (_, folder) => Place::Here(folder.and_then(|folder| local(path, &folder))),
    };
    let places: Vec<Place<'_>> = if args.paths.len() < FEW {
        args.paths.iter().map(PathBuf::as_path).map(look).collect()
    } else {
        args.paths.par_iter().map(|path| look(path)).collect()
    };
    let mut scanned = Vec::new();
    let mut passed = Vec::new();
    let mut is_undone = false;
    for (path, place) in args.paths.iter().zip(places) {
        let result = match place {
            Place::Here(Err(error @ CommandError::NoSuchPath(_))) => {
                let elsewhere = registered(context, path)?.ok_or(error);
                elsewhere.and_then(|text| scan_reference(context, text, fail_on, show))
            }
            Place::Here(local) => local.map(|local| {
                passed.extend(local.skipped);
                local.answers
            }),
            Place::Elsewhere(text) => scan_reference(context, text, fail_on, show),
        };
        match result {
            Ok(found) => scanned.extend(found),
            // What is wrong with one path must not hide what came of the others.
            Err(error) if args.paths.len() > 1 && !args.write_baseline => {
                is_undone = true;
                passed.push(Skipped {
                    path: path.clone(),
                    reason: format!("{UNREADABLE}{error}"),
                });
            }
            Err(error) => return Err(error),
        }
    }
    if let (true, Some(file)) = (args.write_baseline, &args.baseline) {
        return write_baseline(context, file, &scanned, args.reason.as_deref());
    }
    let mut stale = Vec::new();
    let mut warnings = Vec::new();
    if let Some(file) = &args.baseline {
        let baseline = Baseline::read(file)?;
        warnings.extend(warning(file, &baseline));
        stale = accept(&baseline, &mut scanned);
    }
    // Only now: what was accepted takes no room from what is new.
    for skill in &mut scanned {
        skill.report.shorten();
    }
    let summary = ScanSummary::new(&scanned, &passed, fail_on, start.elapsed());
    if format != Format::Json {
        report::scan::print_passed(printer, &passed);
        for warning in &warnings {
            printer.note(&visible(&format!("warning: {warning}")));
        }
    }
    match format {
        Format::Text => report::scan::print(printer, &scanned, &stale, &summary)?,
        Format::Json => {
            let document = report::scan::document(&scanned, &passed, &stale, &warnings, &summary);
            printer.json(&document)?;
        }
        Format::Sarif => printer.json(&report::sarif::document(&scanned, RuleNote::of_scan()))?,
        Format::Github => printer.data(&report::github::commands(&scanned))?,
    }
    Ok(match summary.failed + summary.hidden {
        _ if is_undone => Status::Code(2),
        0 => Status::Yes,
        _ => Status::No,
    })
}

/// Where what is to be scanned lies.
enum Place<'a> {
    /// On this machine, and what came of it.
    Here(Result<Visited<Scanned>, CommandError>),
    /// Where a reference leads.
    Elsewhere(&'a str),
}

/// Scans every skill that `path` names, in order of their folders.
fn scan_path(
    path: &Path,
    fail_on: Severity,
    show: Severity,
) -> Result<Visited<Scanned>, CommandError> {
    let look = |found: &FoundSkill<'_>| scan_folder(found.folder, fail_on, show);
    let Visited { answers, skipped } = skill_files::visit_everything(path, look)?;
    let answers = answers.into_iter().collect::<Result<_, _>>()?;
    Ok(Visited { answers, skipped })
}

/// Scans one skill, wherever its files came from; an install calls the same with a quarantine.
fn scan_folder(folder: &Path, fail_on: Severity, show: Severity) -> Result<Scanned, CommandError> {
    let Contents { files, skipped } = skill_files::contents(folder)?;
    let borrowed: Vec<skillyard_scan::File<'_>> = files
        .iter()
        .map(|file| skillyard_scan::File {
            path: &file.path,
            bytes: &file.bytes,
            executable: file.executable,
        })
        .collect();
    let report = skillyard_scan::examine(&borrowed);
    let mut texts = BTreeMap::new();
    for finding in report.findings.iter().filter(|each| each.span.is_some()) {
        let file = files.iter().find(|file| file.path == finding.path);
        if let Some(file) = file.filter(|file| !texts.contains_key(&file.path)) {
            texts.insert(file.path.clone(), decode(&file.bytes).text.into_owned());
        }
    }
    Ok(Scanned {
        folder: folder.to_owned(),
        name: directory_name(folder).unwrap_or_default().into_owned(),
        report,
        accepted: Vec::new(),
        texts,
        skipped,
        fail_on,
        show,
    })
}
