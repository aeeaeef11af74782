//! `skillyard validate`.

mod check;
mod delivery;
mod ignored;
mod mend;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::rules;

use self::check::check_path;
use self::delivery::Delivery;
use self::mend::Reach;
use super::Outcome;
use crate::agent;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::place;
use crate::installed::Installed;
use crate::library::{self, Choice, IndexMode};
use crate::report::{self, Checked, NOT_CHECKED, NOT_MENDED, RuleNote, Summary};

/// Check skills against the specification
///
/// A path is a skill's folder, a SKILL.md, or any folder with skills somewhere below it.
/// Exit code: 0 all valid, 1 some invalid, 2 wrong usage, or a file that cannot be read or mended.
///
/// Examples:
///   skillyard validate                              everything below this folder
///   skillyard validate ./pdf-tools --fix            mend what can be mended safely
///   skillyard validate skills --profile strict      closed set of fields, warnings are errors
///   skillyard validate skills --format github       annotations for GitHub Actions
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Skills' folders, SKILL.md files, folders of skills, or names of skills
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// How strictly to judge
    #[arg(long, value_enum, default_value_t = Profile::Spec)]
    profile: Profile,
    /// Mend what can be mended safely, then check again
    #[arg(long)]
    fix: bool,
    /// How to show the result
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// How strictly to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// The specification's text; fields outside it are a warning
    Spec,
    /// The six standard fields only, and every warning is an error
    Strict,
    /// Verdicts and messages of the reference validator
    SkillsRef,
    /// Only what keeps a skill from being loaded is an error
    Load,
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
    let format = args.format.unwrap_or(if context.printer.is_json() {
        Format::Json
    } else {
        Format::Text
    });
    let reach = if args.fix {
        Some(Reach {
            named: &args.paths,
            installed: readable(context),
            store: place::store(context).root().to_owned(),
        })
    } else {
        None
    };
    let mut checked = Vec::with_capacity(args.paths.len());
    let mut passed = Vec::new();
    let delivery = Delivery::new(context);
    for path in &args.paths {
        let path = folder_of(context, path)?;
        check_path(
            &path,
            args,
            &delivery,
            reach.as_ref(),
            &mut checked,
            &mut passed,
        )?;
    }
    delivery.linking.tell(context, &mut checked, args.profile);
    leave_installed(context, &mut checked);
    // The reference validator looks into no folder, so it passes over none.
    if format != Format::Json && args.profile != Profile::SkillsRef {
        report::scan::print_passed(&context.printer, &passed);
    }
    let fixed = checked.iter().map(|each| each.fixed).sum();
    if matches!(args.profile, Profile::Spec | Profile::Strict) {
        add_similar_names(&mut checked, args.profile);
    }
    let summary = Summary::new(&checked, fixed, start.elapsed());
    match (format, args.profile) {
        (Format::Text, Profile::SkillsRef) => {
            report::skills_ref::print(&context.printer, &checked)?;
        }
        (Format::Text, _) => report::text::print(&context.printer, &checked, &summary)?,
        (Format::Json, _) => context
            .printer
            .json(&report::json::document(&checked, &passed, &summary))?,
        (Format::Sarif, _) => context
            .printer
            .json(&report::sarif::document(&checked, RuleNote::of_format()))?,
        (Format::Github, _) => context.printer.data(&report::github::commands(&checked))?,
    }
    let mut told = checked.iter().flat_map(|each| &each.diagnostics);
    let is_undone = told.any(|each| {
        each.severity == Severity::Error && [NOT_MENDED, NOT_CHECKED].contains(&each.code)
    });
    // The process ends now: thousands of results need not be given back one by one.
    std::mem::forget(checked);
    Ok(match summary.invalid {
        _ if is_undone => Status::Code(2),
        0 => Status::Yes,
        _ => Status::No,
    })
}

/// The path itself, or the folder of the skill that is called so.
pub(super) fn folder_of<'a>(
    context: &Context,
    path: &'a Path,
) -> Result<Cow<'a, Path>, CommandError> {
    let name = path
        .to_str()
        .filter(|name| !name.contains('/') && !name.starts_with('.'));
    let Some(name) = name.filter(|_| !path.exists()) else {
        return Ok(Cow::Borrowed(path));
    };
    let catalog = library::load(context, IndexMode::Use, &Choice::default())?;
    if catalog.find(name).is_none() {
        return Ok(Cow::Borrowed(path));
    }
    let skill = library::named(context, &catalog, name)?;
    Ok(Cow::Owned(agent::folder_of(context, skill)?))
}

/// What was installed, as far as locks can be read; those that cannot be are told, and so is what
/// they keep from being mended. Nothing where it is the user's own.
fn readable(context: &Context) -> Option<Installed> {
    for error in Installed::unread(context) {
        let error = CommandError::from(InstallFailure::from(error));
        context.printer.warn(&error.with_causes());
        if let Some(hint) = error.hint() {
            context.printer.note(&format!("hint: {hint}"));
        }
    }
    Installed::readable(context).ok()
}

/// `--fix` mends nothing that was installed, so that nothing of it can be.
fn leave_installed(context: &Context, checked: &mut [Checked]) {
    if checked.iter().all(|each| each.fixable == 0) {
        return;
    }
    let Ok(installed) = Installed::readable(context) else {
        return;
    };
    for each in checked.iter_mut().filter(|each| each.fixable > 0) {
        if installed.entry(&each.folder).is_some() {
            each.fixable = 0;
        }
    }
}

/// Names that are easily confused are a property of all the skills together.
fn add_similar_names(checked: &mut [Checked], profile: Profile) {
    let names: Vec<&str> = checked
        .iter()
        .filter_map(|each| each.name.as_deref())
        .collect();
    let pairs: Vec<(String, String)> = rules::similar_names(&names)
        .into_iter()
        .map(|(first, second)| (first.to_owned(), second.to_owned()))
        .collect();
    for (first, second) in pairs {
        if let Some(each) = checked
            .iter_mut()
            .find(|each| each.name.as_deref() == Some(&second))
        {
            each.diagnostics.push(Diagnostic {
                code: "name-similar",
                severity: if profile == Profile::Strict {
                    Severity::Error
                } else {
                    Severity::Warning
                },
                span: None,
                message: format!("`{second}` is easily confused with `{first}`"),
                help: Some("rename one so that the names say how the skills differ".into()),
                fix: Vec::new(),
            });
        }
    }
}
