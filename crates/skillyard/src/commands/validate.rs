//! `skillyard validate`.

mod mend;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::walk::{Found, Skipped};
use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::fix;
use skillyard_format::rules::{self, Profile as RuleProfile, Subject};
use skillyard_format::{Document, reference};

use self::mend::{NOT_MENDED, Reach};
use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::install::place;
use crate::installed::Installed;
use crate::library::{self, Choice, IndexMode};
use crate::report::{self, Checked, RuleNote, Summary};
use crate::skill_files::{self, directory_name};

/// What is told of what nobody could look into.
const NOT_LOOKED_INTO: &str = "not-looked-into";
/// What is told of a path that leads to no skill, beside others that do.
const NOT_CHECKED: &str = "not-checked";

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
            installed: Installed::read(context)?,
            store: place::store(context).root().to_owned(),
        })
    } else {
        None
    };
    let mut checked = Vec::with_capacity(args.paths.len());
    let mut passed = Vec::new();
    for path in &args.paths {
        let path = folder_of(context, path)?;
        check_path(&path, args, reach.as_ref(), &mut checked, &mut passed)?;
    }
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
    Ok(match skill.kind {
        SourceKind::Builtin => Cow::Borrowed(path),
        _ => Cow::Owned(skill.record.folder.clone()),
    })
}

/// `--fix` mends nothing that was installed, so that nothing of it can be.
fn leave_installed(context: &Context, checked: &mut [Checked]) {
    if checked.iter().all(|each| each.fixable == 0) {
        return;
    }
    let Ok(installed) = Installed::read(context) else {
        return;
    };
    for each in checked.iter_mut().filter(|each| each.fixable > 0) {
        if installed.entry(&each.folder).is_some() {
            each.fixable = 0;
        }
    }
}

/// Checks every skill that `path` names, in order of their folders.
fn check_path(
    path: &Path,
    args: &Args,
    reach: Option<&Reach<'_>>,
    checked: &mut Vec<Checked>,
    passed: &mut Vec<Skipped>,
) -> Result<(), CommandError> {
    match skill_files::visit(path, |found| check_file(found, args, reach)) {
        Ok(visited) => {
            checked.extend(visited.answers);
            // Whatever is in there, nobody has seen that it is valid.
            let (hidden, chosen): (Vec<Skipped>, Vec<Skipped>) =
                visited.skipped.into_iter().partition(Skipped::hides);
            // Nobody looks for skills in what git keeps.
            let chosen = chosen.into_iter();
            passed.extend(chosen.filter(|each| !each.path.ends_with(".git")));
            checked.extend(hidden.into_iter().map(|each| {
                let message = format!("it was not looked into: {}", each.reason);
                unchecked(each.path, NOT_LOOKED_INTO, message)
            }));
        }
        // What is wrong with one path must not hide what came of the others.
        Err(error) if args.paths.len() > 1 && args.profile != Profile::SkillsRef => {
            let message = error.to_string();
            checked.push(unchecked(path.to_owned(), NOT_CHECKED, message));
        }
        Err(error) => checked.push(reference_without_file(path, args.profile, error)?),
    }
    Ok(())
}

/// What nobody could look into, and why.
fn unchecked(path: PathBuf, code: &'static str, message: String) -> Checked {
    let is_file = path.ends_with("SKILL.md") || code == NOT_CHECKED;
    let file = is_file.then(|| path.clone());
    let mut unchecked = Checked::from_messages(path, file, vec![message]);
    for diagnostic in &mut unchecked.diagnostics {
        diagnostic.code = code;
    }
    unchecked
}

/// The reference validator calls a folder without a `SKILL.md` invalid, and a file too.
fn reference_without_file(
    path: &Path,
    profile: Profile,
    error: CommandError,
) -> Result<Checked, CommandError> {
    if profile != Profile::SkillsRef {
        return Err(error);
    }
    let message = match error {
        CommandError::NoSkills(_) => "Missing required file: SKILL.md".to_owned(),
        CommandError::NotASkillFile(path) => format!("Not a directory: {}", path.display()),
        other => return Err(other),
    };
    Ok(Checked::from_messages(
        path.to_owned(),
        Some(PathBuf::from("SKILL.md")),
        vec![message],
    ))
}

fn check_file(found: &Found<'_>, args: &Args, reach: Option<&Reach<'_>>) -> Checked {
    let directory = directory_name(found.folder);
    let file = || found.folder.join(found.file_name);
    // One that cannot be written says nothing about the others.
    let mended = reach.map(|reach| reach.mend(found, &file(), directory.as_deref()));
    let (fixed, unwritten) = match mended {
        None => (None, None),
        Some(Ok(fixed)) => (fixed, None),
        Some(Err(why)) => (None, Some(why)),
    };
    let file = (found.file_name != "SKILL.md").then(file);
    let (bytes, count) = match &fixed {
        Some(fixed) => (fixed.text.as_bytes(), fixed.count),
        None => (found.bytes, 0),
    };
    let mut checked = if args.profile == Profile::SkillsRef {
        let messages = reference_messages(bytes, found.file_name, directory.as_deref());
        Checked::from_messages(found.folder.to_owned(), file, messages)
    } else {
        let document = Document::parse(bytes);
        let rules = match args.profile {
            Profile::Strict => RuleProfile::Strict,
            Profile::Load => RuleProfile::Load,
            Profile::Spec | Profile::SkillsRef => RuleProfile::Spec,
        };
        let files = (rules != RuleProfile::Load).then(|| skill_files::files(found.folder));
        let subject = Subject {
            document: &document,
            file_name: found.file_name,
            directory: directory.as_deref(),
            files: files.as_deref(),
        };
        let diagnostics = rules::check(&subject, rules);
        // A repair may make room for another, so what `--fix` would do is found by doing it.
        let fixable = if diagnostics.iter().any(|each| !each.fix.is_empty()) {
            fix::fix(bytes, found.file_name, directory.as_deref()).map_or(0, |fixed| fixed.count)
        } else {
            0
        };
        let name = document
            .mapping()
            .and_then(|fields| fields.get("name")?.value.as_str());
        Checked {
            folder: found.folder.to_owned(),
            file,
            name: name.map(str::to_owned),
            text: if diagnostics.is_empty() {
                String::new()
            } else {
                document.text.into_owned()
            },
            diagnostics,
            fixable,
            fixed: 0,
        }
    };
    checked.fixed = count;
    if let Some(why) = unwritten {
        checked.fixable = 0;
        checked.diagnostics.push(why);
    }
    checked
}

fn reference_messages(bytes: &[u8], file_name: &str, directory: Option<&str>) -> Vec<String> {
    if !matches!(file_name, "SKILL.md" | "skill.md") {
        return vec!["Missing required file: SKILL.md".to_owned()];
    }
    match skillyard_format::text::utf8(bytes) {
        Ok(text) => reference::validate(text, directory.unwrap_or_default()),
        // The reference crashes here.
        Err(error) => vec![format!("SKILL.md is not UTF-8: {error}")],
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
