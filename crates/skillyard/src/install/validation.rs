//! What the specification has against skills that are to be installed.
//!
//! Clients are lenient, so none of it stops an installation; but who installs should know.

use serde_json::{Value, json};
use skillyard_format::rules::{self, Profile, SkillFile, Subject};
use skillyard_format::script::is_compiled;
use skillyard_format::{Diagnostic, Document, LineIndex, Severity};
use skillyard_install::candidate::Candidate;

use super::check::Checked;
use crate::context::Context;
use crate::report::Diagnostics;
use crate::text::counted;
use crate::text::sanitize::visible;

/// Most problems of a skill that are listed.
const MAX_DIAGNOSTICS: usize = 5;
/// Most skills that are told of one by one.
const MAX_SKILLS: usize = 20;

/// Everything that is wrong with a skill in the folder that it will have.
pub(super) fn validate(candidate: &Candidate) -> Vec<Diagnostic> {
    let Some(file) = candidate.tree.skill_file() else {
        return Vec::new();
    };
    let document = Document::parse(&file.bytes);
    let files = candidate.tree.files().iter();
    let files: Vec<SkillFile> = files
        .map(|file| SkillFile {
            path: file.path.clone(),
            executable: file.executable,
            shebang: file.bytes.starts_with(b"#!"),
            compiled: is_compiled(&file.bytes),
        })
        .collect();
    let subject = Subject {
        document: &document,
        file_name: &file.path,
        directory: Some(&candidate.name),
        files: Some(&files),
    };
    rules::check(&subject, Profile::Spec)
}

/// Tells which skills are not what the specification asks for; warnings only to who wants details.
pub(super) fn tell(context: &Context, checked: &[&Checked<'_>]) {
    let mut invalid = 0;
    for each in checked {
        let name = &each.candidate.name;
        if context.printer.is_verbose() {
            for problem in lines(each, usize::MAX) {
                context
                    .printer
                    .detail(&visible(&format!("{name}: {problem}")));
            }
        }
        let errors = errors(&each.problems);
        if let [first, more @ ..] = &errors[..] {
            invalid += 1;
            if invalid <= MAX_SKILLS {
                let more = match more.len() {
                    0 => String::new(),
                    count => format!(", and {} more", counted(count, "error")),
                };
                let note = format!("warning: `{name}` is not valid: {}{more}", first.message);
                context.printer.note(&visible(&note));
            }
        }
    }
    if invalid > MAX_SKILLS {
        let note = format!("warning: {} more are not valid", invalid - MAX_SKILLS);
        context.printer.note(&note);
    }
}

/// What is wrong with skills, for the question whether to install them: how many, and the first.
pub(super) fn listed(checked: &[&Checked<'_>]) -> Option<(String, Vec<String>)> {
    let problems = || checked.iter().flat_map(|each| &each.problems);
    let all = problems().count();
    let errors = problems().filter(|each| is_error(each)).count();
    if all == 0 {
        return None;
    }
    let heading = format!(
        "Validation found {} and {}:",
        counted(errors, "error"),
        counted(all - errors, "warning")
    );
    let lines = checked.iter().flat_map(|each| {
        let name = &each.candidate.name;
        let lines = lines(each, MAX_DIAGNOSTICS).into_iter();
        lines.map(move |line| match checked.len() {
            1 => line,
            _ => format!("{name}: {line}"),
        })
    });
    let mut lines: Vec<String> = lines.take(MAX_DIAGNOSTICS).collect();
    if all > lines.len() {
        lines.push(format!("… and {} more", all - lines.len()));
    }
    Some((heading, lines))
}

/// What is wrong with a skill, for programs.
pub(super) fn json(checked: &Checked<'_>) -> Value {
    let file = checked.candidate.tree.skill_file();
    let document = Document::parse(file.map_or(&[], |file| &file.bytes));
    json!(Diagnostics {
        diagnostics: &checked.problems,
        text: &document.text,
    })
}

/// What is wrong with a skill, one line each, errors first.
fn lines(checked: &Checked<'_>, most: usize) -> Vec<String> {
    if checked.problems.is_empty() {
        return Vec::new();
    }
    let file = checked.candidate.tree.skill_file();
    let (name, bytes) = file.map_or(("", &[][..]), |file| (&file.path, &file.bytes));
    let document = Document::parse(bytes);
    let index = LineIndex::new(&document.text);
    let mut problems: Vec<&Diagnostic> = checked.problems.iter().collect();
    problems.sort_by_key(|each| each.severity);
    let problems = problems.into_iter().take(most);
    problems
        .map(|each| {
            let severity = if is_error(each) { "error" } else { "warning" };
            let place = each.span.map_or_else(String::new, |span| {
                format!(" ({name}:{})", index.position(span.start).line)
            });
            format!("{severity} {}: {}{place}", each.code, each.message)
        })
        .collect()
}

fn errors(problems: &[Diagnostic]) -> Vec<&Diagnostic> {
    problems.iter().filter(|each| is_error(each)).collect()
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}
