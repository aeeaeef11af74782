//! The results of `validate` and `scan`, in every shape they can be asked for.

pub(crate) mod baseline;
pub(crate) mod sarif;
pub(crate) mod scan;
pub(crate) mod text;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use skillyard_catalog::walk::Skipped;
use skillyard_format::{Diagnostic, LineIndex, Severity, Span};

use crate::printer::Printer;
use crate::text::sanitize::{shortened, visible};

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
pub(crate) struct FindingNote<'a> {
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
    pub(crate) notes: Vec<FindingNote<'a>>,
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
            FindingNote {
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
pub(crate) struct ReportSummary {
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

impl ReportSummary {
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

/// One command a finding.
pub(crate) fn github_commands(skills: &[impl Noted]) -> String {
    let mut text = String::new();
    for file in skills.iter().flat_map(Noted::files) {
        let lines = LineIndex::new(file.text);
        for note in &file.notes {
            let level = match note.loudness {
                Loudness::Error => "error",
                Loudness::Warning => "warning",
                Loudness::Note => "notice",
            };
            let place = note.span.map_or_else(String::new, |span| {
                let start = lines.position(span.start);
                format!(",line={},col={}", start.line, start.column)
            });
            let mut message = for_people(note.message);
            if let Some(help) = note.help {
                let _ = write!(message, "\nhelp: {}", for_people(help));
            }
            let _ = writeln!(
                text,
                "::{level} file={}{place},title={}::{}",
                property(&file.path),
                property(note.code),
                data(&message),
            );
        }
    }
    text
}

/// Text of a command, which ends at a line break.
fn data(text: &str) -> String {
    visible(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property, which ends at a comma or colon too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// One block a skill.
pub(crate) fn print_skills_ref(printer: &Printer, checked: &[Checked]) -> io::Result<()> {
    let mut valid = String::new();
    let mut invalid = String::new();
    for skill in checked {
        let path = normalised(&skill.folder);
        if skill.is_valid() {
            push(&mut valid, ["Valid skill: ", &path, "\n"]);
            continue;
        }
        push(&mut invalid, ["Validation failed for ", &path, ":\n"]);
        for diagnostic in &skill.diagnostics {
            push(&mut invalid, ["  - ", &visible(&diagnostic.message), "\n"]);
        }
    }
    printer.data(&valid)?;
    if !invalid.is_empty() {
        invalid.truncate(invalid.trim_end_matches('\n').len());
        invalid.push('\n');
        printer.people_lines(&invalid);
    }
    Ok(())
}

/// Appends a line in pieces: formatting each costs as much as all the rest of a report.
fn push(text: &mut String, line: [&str; 3]) {
    for piece in line {
        text.push_str(piece);
    }
}

/// The path as Python's `pathlib` writes it: without `.` parts and needless slashes.
fn normalised(path: &Path) -> Cow<'_, str> {
    // Only a dot or a slash behind a slash, or at an end, can be needless.
    if let Some(text) = path.to_str()
        && !text.starts_with('.')
        && !text.ends_with(['/', '.'])
        && !text
            .as_bytes()
            .windows(2)
            .any(|two| matches!(two, b"//" | b"/."))
    {
        return visible(text);
    }
    let mut normalised: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    if normalised.as_os_str().is_empty() {
        normalised.push(".");
    }
    Cow::Owned(visible(&normalised.to_string_lossy()).into_owned())
}

/// `{"results": […], "skipped": […], "summary": {…}}`.
pub(crate) fn json_document<'a>(
    checked: &'a [Checked],
    passed: &[Skipped],
    summary: &ReportSummary,
) -> impl Serialize + use<'a> {
    #[derive(Serialize)]
    struct JsonReport<'a> {
        results: Vec<CheckedJson<'a>>,
        skipped: Vec<Value>,
        summary: Value,
    }
    JsonReport {
        results: checked.iter().map(CheckedJson::new).collect(),
        skipped: passed
            .iter()
            .map(|each| json!({ "path": each.path.to_string_lossy(), "reason": each.reason }))
            .collect(),
        summary: json!({
            "skills": summary.skills,
            "invalid": summary.invalid,
            "errors": summary.errors,
            "warnings": summary.warnings,
            "fixable": summary.fixable,
            "fixed": summary.fixed,
        }),
    }
}

#[derive(Serialize)]
struct CheckedJson<'a> {
    path: String,
    file: String,
    name: Option<&'a str>,
    valid: bool,
    errors: Vec<&'a str>,
    diagnostics: Diagnostics<'a>,
}

impl<'a> CheckedJson<'a> {
    fn new(checked: &'a Checked) -> Self {
        let diagnostics = &checked.diagnostics;
        Self {
            path: checked.folder.to_string_lossy().into_owned(),
            file: checked.path().to_string_lossy().into_owned(),
            name: checked.name.as_deref(),
            valid: checked.is_valid(),
            errors: diagnostics
                .iter()
                .filter(|each| each.severity == Severity::Error)
                .map(|each| each.message.as_str())
                .collect(),
            diagnostics: Diagnostics {
                diagnostics,
                text: &checked.text,
            },
        }
    }
}

/// Diagnostics with their places as bytes and as lines and columns.
pub(crate) struct Diagnostics<'a> {
    /// What was found.
    pub(crate) diagnostics: &'a [Diagnostic],
    /// The text it was found in.
    pub(crate) text: &'a str,
}

impl Serialize for Diagnostics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = LineIndex::new(self.text);
        serializer.collect_seq(self.diagnostics.iter().map(|each| diagnostic(each, &lines)))
    }
}

fn diagnostic(diagnostic: &Diagnostic, lines: &LineIndex<'_>) -> Value {
    let mut value = json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "fixable": !diagnostic.fix.is_empty(),
    });
    if let Some(span) = diagnostic.span {
        value["span"] = json!(span);
        value["start"] = json!(lines.position(span.start));
        value["end"] = json!(lines.position(span.end));
    }
    if let Some(help) = &diagnostic.help {
        value["help"] = json!(help);
    }
    value
}
