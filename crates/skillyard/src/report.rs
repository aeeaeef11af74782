//! The results of `validate` and `scan`, in every shape they can be asked for.

pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod sarif;
pub(crate) mod scan;
pub(crate) mod skills_ref;
pub(crate) mod text;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skillyard_format::{Diagnostic, Severity, Span};

use crate::sanitize::{shortened, visible};
pub(crate) use skillyard_format::text::counted;
pub(crate) use text::{elapsed, listed};

/// Most characters of a message that are shown to people.
const MAX_CHARACTERS: usize = 240;

/// How loud a finding is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Fails the command.
    Error,
    /// Worth a look.
    Warning,
    /// Worth knowing.
    Note,
}

/// One finding, as every shape shows it.
#[derive(Debug, Clone)]
pub(crate) struct Note<'a> {
    /// The rule.
    pub(crate) code: &'static str,
    /// How loud it is.
    pub(crate) loudness: Loudness,
    /// What it is called in text.
    pub(crate) label: &'static str,
    /// The bytes it is about.
    pub(crate) span: Option<Span>,
    /// What was found.
    pub(crate) message: &'a str,
    /// What to do about it.
    pub(crate) help: Option<&'a str>,
}

/// The findings of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileNotes<'a> {
    /// Its path.
    pub(crate) path: Cow<'a, str>,
    /// Its text, if there is something to show in it.
    pub(crate) text: &'a str,
    /// What was found.
    pub(crate) notes: Vec<Note<'a>>,
}

/// Something with findings in files.
pub(crate) trait Noted {
    /// The files that something was found in.
    fn files(&self) -> Vec<FileNotes<'_>>;
}

/// What is told of a path that leads to no skill, beside others that do.
pub(crate) const NOT_CHECKED: &str = "not-checked";
/// What is told of what nobody could look into.
pub(crate) const NOT_LOOKED_INTO: &str = "not-looked-into";
/// What is told of a skill whose files cannot be hashed.
pub(crate) const NOT_HASHABLE: &str = "not-hashable";
/// What is told of a skill that no source could deliver.
pub(crate) const NOT_DELIVERABLE: &str = "not-deliverable";
/// What is told of a file that `--fix` does not write.
pub(crate) const NOT_MENDED: &str = "not-mended";

/// A rule, as every shape names it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleNote {
    /// Its name.
    pub(crate) code: &'static str,
    /// Its documentation, as it stands in the source.
    pub(crate) documentation: &'static str,
}

impl RuleNote {
    /// The rules of `validate`.
    pub(crate) fn of_format() -> impl Iterator<Item = Self> {
        skillyard_format::rules::ALL.iter().map(|rule| Self {
            code: rule.code,
            documentation: rule.explanation,
        })
    }

    /// What `validate` tells beside the rules.
    pub(crate) fn beside_rules() -> impl Iterator<Item = Self> {
        let all = [
            (
                NOT_CHECKED,
                " Nothing was checked, because the path leads to no skill.\n\n Name a folder with a \
                 `SKILL.md`, or one with such folders below it.",
            ),
            (
                NOT_LOOKED_INTO,
                " Nobody could look into this folder or file, so nobody knows whether it is valid.\n\n \
                 Most often its permissions are in the way.",
            ),
            (
                NOT_HASHABLE,
                " The skill's files cannot be hashed, so that nobody could say what a model was given: it is in no \
                 prompt and cannot be activated.\n\n Take out of its folder what is no part of the skill, such as \
                 `node_modules` or `.venv`, and make all files in it readable.",
            ),
            (
                NOT_DELIVERABLE,
                " The skill can be used where it is, but not be installed, published or exported: a link, a pipe or a \
                 device is among its files, a name that not every system can have, two names that some systems take \
                 for one, or more than a skill may hold.\n\n Put files in the place of links, rename what has such a \
                 name, and take out what is no part of the skill. What is never delivered, such as `node_modules` and \
                 what git ignores, may be anything.",
            ),
            (
                NOT_MENDED,
                " `--fix` leaves this file as it is.\n\n What was installed is mended where it came \
                 from: here it would count as altered, and not be used.",
            ),
        ];
        let all = all.into_iter();
        all.map(|(code, documentation)| Self {
            code,
            documentation,
        })
    }

    /// The rules of `scan`.
    pub(crate) fn of_scan() -> impl Iterator<Item = Self> {
        skillyard_scan::rules::ALL.iter().map(|rule| Self {
            code: rule.code,
            documentation: rule.explanation,
        })
    }

    /// The documentation without the space that doc comments start with.
    pub(crate) fn explanation(self) -> String {
        let lines: Vec<&str> = self
            .documentation
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        format!("{}\n", lines.join("\n").trim())
    }
}

/// A skill that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// Its file, where that is not the `SKILL.md` in its folder.
    pub(crate) file: Option<PathBuf>,
    /// Its name, if it has one.
    pub(crate) name: Option<String>,
    /// The text of the file, if there is something to show in it.
    pub(crate) text: String,
    /// What was found.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many findings `--fix` would mend.
    pub(crate) fixable: usize,
    /// How many findings were mended before this check.
    pub(crate) fixed: usize,
}

impl Checked {
    /// A check whose findings are messages without a place.
    pub(crate) fn from_messages(
        folder: PathBuf,
        file: Option<PathBuf>,
        messages: Vec<String>,
    ) -> Self {
        let diagnostics = messages
            .into_iter()
            .map(|message| Diagnostic {
                code: "skills-ref",
                severity: Severity::Error,
                span: None,
                message,
                help: None,
                fix: Vec::new(),
            })
            .collect();
        Self {
            folder,
            file,
            name: None,
            text: String::new(),
            diagnostics,
            fixable: 0,
            fixed: 0,
        }
    }

    /// The path of its file.
    pub(crate) fn path(&self) -> Cow<'_, Path> {
        match &self.file {
            Some(file) => Cow::Borrowed(file),
            None => Cow::Owned(self.folder.join("SKILL.md")),
        }
    }

    /// Whether nothing is an error.
    pub(crate) fn is_valid(&self) -> bool {
        self.diagnostics
            .iter()
            .all(|each| each.severity != Severity::Error)
    }
}

/// A message of a rule, which may quote a stranger at any length: harmless, and short.
pub(crate) fn for_people(message: &str) -> String {
    shortened(&visible(message), MAX_CHARACTERS).into_owned()
}

impl Noted for Checked {
    fn files(&self) -> Vec<FileNotes<'_>> {
        let notes = self.diagnostics.iter().map(|diagnostic| {
            let (loudness, label) = match diagnostic.severity {
                Severity::Error => (Loudness::Error, "error"),
                Severity::Warning => (Loudness::Warning, "warning"),
            };
            Note {
                code: diagnostic.code,
                loudness,
                label,
                span: diagnostic.span,
                message: &diagnostic.message,
                help: diagnostic.help.as_deref(),
            }
        });
        vec![FileNotes {
            path: Cow::Owned(self.path().to_string_lossy().into_owned()),
            text: &self.text,
            notes: notes.collect(),
        }]
    }
}

/// The result in numbers.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    /// Skills checked.
    pub(crate) skills: usize,
    /// Skills with an error.
    pub(crate) invalid: usize,
    /// Paths that could not be looked at.
    pub(crate) unchecked: usize,
    /// Errors in all.
    pub(crate) errors: usize,
    /// Warnings in all.
    pub(crate) warnings: usize,
    /// Findings that `--fix` would mend.
    pub(crate) fixable: usize,
    /// Findings that were mended.
    pub(crate) fixed: usize,
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl Summary {
    /// Counts.
    pub(crate) fn new(checked: &[Checked], fixed: usize, elapsed: Duration) -> Self {
        let all = || checked.iter().flat_map(|each| &each.diagnostics);
        let is_none = |each: &Diagnostic| each.code == NOT_CHECKED;
        let skills = || {
            let skills = checked.iter();
            skills.filter(|each| !each.diagnostics.iter().any(is_none))
        };
        Self {
            skills: skills().count(),
            invalid: skills().filter(|each| !each.is_valid()).count(),
            unchecked: checked.len() - skills().count(),
            errors: all()
                .filter(|each| each.severity == Severity::Error)
                .count(),
            warnings: all()
                .filter(|each| each.severity == Severity::Warning)
                .count(),
            fixable: checked.iter().map(|each| each.fixable).sum(),
            fixed,
            elapsed,
        }
    }
}
