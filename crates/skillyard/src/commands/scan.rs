//! `skillyard scan`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use rayon::prelude::*;
use skillyard_catalog::walk::{FoundSkill, Skipped, UNREADABLE};
use skillyard_format::SkillName;
use skillyard_format::text::decode;
use skillyard_install::reference::ArchiveKind;
use skillyard_install::tree::WriteAccess;
use skillyard_scan::Severity;

use super::validate::folder_of;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::pick::Pick;
use crate::install::source_resolver::SourceResolver;
use crate::library;
use crate::library::skill_files;
use crate::library::skill_files::{Contents, Visited, directory_name};
use crate::report::baseline::{Baseline, BaselineRequest, Stale, Used, rendered};
use crate::report::scan::{ScanSummary, Scanned};
use crate::report::{self, RuleNote};
use crate::scope;
use crate::scope::ScopeArgs;
use crate::text::counted;
use crate::text::sanitize::visible;

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
pub(crate) struct ScanArgs {
    /// Skills' folders, folders of skills, names of skills, or references as `install` takes them
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// The severity from which on a finding fails the scan
    #[arg(long, value_enum, default_value_t = FailOn::High, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// How to show the result
    #[arg(long, value_enum, conflicts_with = "sarif")]
    format: Option<ScanFormat>,
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
const MIN_PARALLEL_SKILLS: usize = 24;

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
enum ScanFormat {
    /// Source lines with carets
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands for GitHub Actions
    Github,
}

pub(crate) fn run(context: &Context, args: &ScanArgs) -> Outcome {
    let start = Instant::now();
    let printer = &context.printer;
    let fail_on = args.fail_on.into();
    let format = match args.format {
        Some(format) => format,
        None if args.sarif => ScanFormat::Sarif,
        None if printer.is_json() => ScanFormat::Json,
        None => ScanFormat::Text,
    };
    // What nobody asked to see is left out of text, and kept for programs.
    let show = match format {
        ScanFormat::Text if !printer.is_verbose() => Severity::Low,
        _ => Severity::Info,
    };
    library::refuse_either(context, args.paths.iter().map(|path| path.as_os_str()))?;
    let local = |path: &Path, folder: &Path| {
        if *folder != *path && format == ScanFormat::Text {
            // Of a name nobody sees which skill it is.
            let note = format!("`{}` is `{}`", path.display(), folder.display());
            printer.note(&visible(&note));
        }
        scan_path(folder, fail_on, show)
    };
    // What is fetched is not fetched all at once: each tells how far it is.
    let look = |path| match (reference(path), folder_of(context, path)) {
        // The name of a skill that is here can look like a reference, as `plugin:skill` does.
        (Some(text), Ok(Cow::Borrowed(_))) => ScanTarget::Elsewhere(text),
        (_, folder) => ScanTarget::Here(folder.and_then(|folder| local(path, &folder))),
    };
    let places: Vec<ScanTarget<'_>> = if args.paths.len() < MIN_PARALLEL_SKILLS {
        args.paths.iter().map(PathBuf::as_path).map(look).collect()
    } else {
        args.paths.par_iter().map(|path| look(path)).collect()
    };
    let mut scanned = Vec::new();
    let mut passed = Vec::new();
    let mut is_undone = false;
    for (path, place) in args.paths.iter().zip(places) {
        let result = match place {
            ScanTarget::Here(Err(error @ CommandError::NoSuchPath(_))) => {
                let elsewhere = registered(context, path)?.ok_or(error);
                elsewhere.and_then(|text| scan_reference(context, text, fail_on, show))
            }
            ScanTarget::Here(local) => local.map(|local| {
                passed.extend(local.skipped);
                local.answers
            }),
            ScanTarget::Elsewhere(text) => scan_reference(context, text, fail_on, show),
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
    if format != ScanFormat::Json {
        report::scan::print_passed(printer, &passed);
        for warning in &warnings {
            printer.note(&visible(&format!("warning: {warning}")));
        }
    }
    match format {
        ScanFormat::Text => report::scan::print(printer, &scanned, &stale, &summary)?,
        ScanFormat::Json => {
            let document = report::scan::document(&scanned, &passed, &stale, &warnings, &summary);
            printer.json(&document)?;
        }
        ScanFormat::Sarif => {
            printer.json(&report::sarif::document(&scanned, RuleNote::of_scan()))?;
        }
        ScanFormat::Github => printer.data(&report::github_commands(&scanned))?,
    }
    Ok(match summary.failed + summary.hidden {
        _ if is_undone => ExitStatus::Code(2),
        0 => ExitStatus::Success,
        _ => ExitStatus::Negative,
    })
}

/// Where what is to be scanned lies.
enum ScanTarget<'a> {
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

/// A name that is neither a path nor installed, where there is a registry that may have it.
fn registered<'a>(context: &Context, path: &'a Path) -> Result<Option<&'a str>, CommandError> {
    let name = path.to_str().filter(|text| SkillName::new(text).is_ok());
    let registry = context.config()?.get("registry.url").is_some();
    Ok(name.filter(|_| registry))
}

/// The text of a reference: an archive, or what is no path and has the form of one.
fn reference(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let is_archive = path.is_file() && ArchiveKind::of(text).is_some();
    let is_address =
        text.contains([':', '@']) || text.contains('/') && !text.starts_with(['.', '/', '~']);
    (is_archive || !path.exists() && is_address).then_some(text)
}

/// Scans what an installation would bring, in a folder that goes afterwards.
fn scan_reference(
    context: &Context,
    text: &str,
    fail_on: Severity,
    show: Severity,
) -> Result<Vec<Scanned>, CommandError> {
    let place = scope::ScopeContext::find(context, &ScopeArgs::default())?;
    let mut supply = SourceResolver::new(context, &place);
    let reference = supply.typed(text)?;
    let candidates = supply.candidates(&reference, &Pick::All)?;
    let quarantine = place.store.staging().map_err(InstallFailure::from)?;
    let mut scanned = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let folder = quarantine.path().join(at.to_string());
        let written = candidate.tree.write(&folder, WriteAccess::ReadOnly);
        written.map_err(InstallFailure::from)?;
        scanned.push(Scanned {
            folder: PathBuf::from(&candidate.source),
            name: candidate.name.clone(),
            ..scan_folder(&folder, fail_on, show)?
        });
    }
    Ok(scanned)
}

/// Takes out what the baseline accepts, and returns what it accepts in vain.
fn accept(baseline: &Baseline, scanned: &mut [Scanned]) -> Vec<Stale> {
    let mut used = Used::new(baseline);
    for skill in scanned.iter_mut() {
        skill.accepted = used.apply(&skill.name, &mut skill.report);
    }
    let skills: Vec<&str> = scanned.iter().map(|skill| skill.name.as_str()).collect();
    used.stale(&skills)
}

/// What is wrong with a baseline that can be used nevertheless.
fn warning(file: &Path, baseline: &Baseline) -> Option<String> {
    let (accept, them) = match baseline.loose() {
        0 => return None,
        1 => ("1 entry accepts".to_owned(), "it"),
        many => (format!("{many} entries accept"), "them"),
    };
    let file = file.display();
    Some(format!(
        "{accept} by the first words of what was found (`evidence`), whatever follows them and however often; \
         look at what is accepted (`scan --baseline {file} --json`), and write {them} anew with `scan --baseline {file} --write-baseline`, which keeps the reasons"
    ))
}

/// Writes what was found into the baseline.
fn write_baseline(
    context: &Context,
    file: &Path,
    scanned: &[Scanned],
    reason: Option<&str>,
) -> Outcome {
    let reason = reason.unwrap_or_default();
    let found: Vec<BaselineRequest<'_>> = scanned
        .iter()
        .map(|skill| BaselineRequest {
            skill: &skill.name,
            findings: skill.report.at_least(Severity::Low).collect(),
        })
        .collect();
    let count: usize = found.iter().map(|each| each.findings.len()).sum();
    let entries = Baseline::begun(file)?.renewed(&found, reason);
    let lacks_reason = entries.iter().any(|entry| entry.reason.trim().is_empty());
    std::fs::write(file, rendered(entries)).map_err(|source| CommandError::Write {
        path: file.to_owned(),
        source,
    })?;
    let shown = crate::text::sanitize::visible(&file.to_string_lossy()).into_owned();
    context
        .printer
        .note(&format!("Wrote {} to `{shown}`", counted(count, "finding")));
    let more = scanned.iter().flat_map(|skill| &skill.report.more);
    let more: usize = more.map(|each| each.count).sum();
    if more > 0 {
        context.printer.note(&format!(
            "{} are too many to be accepted one by one, and will still be found",
            counted(more, "finding")
        ));
    }
    if lacks_reason {
        context
            .printer
            .note("Give each a `reason` before it is used");
    }
    Ok(ExitStatus::Success)
}
