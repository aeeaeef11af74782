//! `skillyard validate`.

mod check;
mod delivery;
mod mend;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use parking_lot::Mutex;
use skillyard_catalog::regular_file::beginning;
use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::links::may_have_links;
use skillyard_format::{Document, rules};
use skillyard_install::tree::Ignored;

use self::check::check_path;
use self::delivery::Delivery;
use crate::agent;
use crate::commands::validate::mend::FixScope;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::ignored_links::{adding, ignored_links};
use crate::library;
use crate::library::installed::Installed;
use crate::library::{IndexMode, NameFilter};
use crate::report;
use crate::report::{Checked, NOT_CHECKED, NOT_MENDED, ReportSummary, RuleNote};
use crate::scope;

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
pub(crate) struct ValidateArgs {
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
    format: Option<ValidateFormat>,
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
enum ValidateFormat {
    /// Source lines with carets
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands for GitHub Actions
    Github,
}

pub(crate) fn run(context: &Context, args: &ValidateArgs) -> Outcome {
    let start = Instant::now();
    let format = args.format.unwrap_or(if context.printer.is_json() {
        ValidateFormat::Json
    } else {
        ValidateFormat::Text
    });
    let reach = if args.fix {
        Some(FixScope {
            named: &args.paths,
            installed: readable(context),
            store: scope::store(context).root().to_owned(),
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
    if format != ValidateFormat::Json && args.profile != Profile::SkillsRef {
        report::scan::print_passed(&context.printer, &passed);
    }
    let fixed = checked.iter().map(|each| each.fixed).sum();
    if matches!(args.profile, Profile::Spec | Profile::Strict) {
        add_similar_names(&mut checked, args.profile);
    }
    let summary = ReportSummary::new(&checked, fixed, start.elapsed());
    match (format, args.profile) {
        (ValidateFormat::Text, Profile::SkillsRef) => {
            report::print_skills_ref(&context.printer, &checked)?;
        }
        (ValidateFormat::Text, _) => report::text::print(&context.printer, &checked, &summary)?,
        (ValidateFormat::Json, _) => context
            .printer
            .json(&report::json_document(&checked, &passed, &summary))?,
        (ValidateFormat::Sarif, _) => context
            .printer
            .json(&report::sarif::document(&checked, RuleNote::of_format()))?,
        (ValidateFormat::Github, _) => context.printer.data(&report::github_commands(&checked))?,
    }
    let mut told = checked.iter().flat_map(|each| &each.diagnostics);
    let is_undone = told.any(|each| {
        each.severity == Severity::Error && [NOT_MENDED, NOT_CHECKED].contains(&each.code)
    });
    // The process ends now: thousands of results need not be given back one by one.
    std::mem::forget(checked);
    Ok(match summary.invalid {
        _ if is_undone => ExitStatus::Code(2),
        0 => ExitStatus::Success,
        _ => ExitStatus::Negative,
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
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
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

/// The folders of skills that may link files of theirs; others need not be asked about.
#[derive(Default)]
struct Linking(Mutex<Folders>);

#[derive(Default)]
struct Folders {
    plain: Vec<PathBuf>,
    /// Those with repositories in them, such as submodules, which are asked as well.
    holding: Vec<PathBuf>,
}

impl Linking {
    /// Notes a skill, if it may have such links.
    fn note(&self, folder: &Path, document: &Document<'_>, holds_repository: bool) {
        if may_have_links(&document.text, document.body_span()) {
            let mut folders = self.0.lock();
            let noted = if holds_repository {
                &mut folders.holding
            } else {
                &mut folders.plain
            };
            noted.push(folder.to_owned());
        }
    }

    /// Adds what is told of their links. Git is asked once for all skills of a repository; where it
    /// does not answer, nothing is known of them.
    fn tell(self, context: &Context, checked: &mut [Checked], profile: Profile) {
        let Folders {
            mut plain,
            mut holding,
        } = self.0.into_inner();
        if plain.is_empty() && holding.is_empty() {
            return;
        }
        // What was installed is here as a whole, whatever the project ignores.
        let installed = Installed::readable(context).unwrap_or_default();
        plain.retain(|folder| installed.entry(folder).is_none());
        holding.retain(|folder| installed.entry(folder).is_none());
        let ignoring = context.ignoring();
        let mut ignored = ignoring.around(&plain);
        ignored.extend(ignoring.in_folders(&holding));
        let folders = plain.into_iter().chain(holding);
        let is_known = |(_, ignored): &(PathBuf, Ignored)| {
            ignored.unasked().is_none() && ignored.paths().next().is_some()
        };
        let known = folders.zip(ignored).filter(is_known);
        let known: BTreeMap<PathBuf, Ignored> = known.collect();
        for each in checked {
            if let Some(ignored) = known.get(&each.folder) {
                add(each, ignored, profile);
            }
        }
    }
}

fn add(checked: &mut Checked, ignored: &Ignored, profile: Profile) {
    let bytes = beginning(&checked.path(), MAX_BYTES as u64).unwrap_or_default();
    let document = Document::parse(&bytes);
    for link in ignored_links(&document, |path| ignored.has(path)) {
        let place = checked.folder.join(&link.path);
        // One that leads to nothing is told already.
        if !place.exists() {
            continue;
        }
        let command = adding(&place);
        checked.diagnostics.push(Diagnostic {
            code: "link-broken",
            severity: match profile {
                Profile::Strict => Severity::Error,
                _ => Severity::Warning,
            },
            span: Some(link.span),
            message: format!(
                "git ignores `{}`, so that the skill is delivered without it",
                link.path
            ),
            help: Some(format!(
                "let git have it with `{command}`, or link another file"
            )),
            fix: Vec::new(),
        });
        if checked.text.is_empty() {
            checked.text = document.text.clone().into_owned();
        }
    }
}
