//! `skillyard read`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use skillyard_format::rules::{self, Profile};
use skillyard_format::{Document, Severity, Skill, Subject, reference};

use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::report::json::diagnostic;
use crate::sanitize::visible;
use crate::skill_files::{self, SkillFileOnDisk};

/// Print a skill's instructions or properties
///
/// The skill is loaded leniently: what can be understood is, and what is wrong is said.
///
/// Examples:
///   skillyard read ./pdf-tools                       the instructions
///   skillyard read ./pdf-tools --properties --json   the fields, as skills-ref prints them
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skill's folder or its SKILL.md
    path: PathBuf,
    /// Print the fields of the frontmatter as JSON
    #[arg(long)]
    properties: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let file = match skill_files::read_one(&args.path) {
        Err(CommandError::NotASkill(path)) if args.properties => {
            return Err(CommandError::Reference(format!(
                "SKILL.md not found in {}",
                path.display()
            )));
        }
        other => other?,
    };
    let document = Document::parse(&file.bytes);
    if args.properties {
        let text = properties(&args.path, &file, &document)?;
        context.printer.data(&format!("{text}\n"))?;
        return Ok(Status::Yes);
    }
    let (skill, problems) = load(&args.path, &file, &document)?;
    if context.printer.is_json() {
        let problems: Vec<Value> = problems
            .iter()
            .map(|each| diagnostic(each, &document.text))
            .collect();
        context.printer.json(&json!({
            "name": skill.name,
            "description": skill.description,
            "path": file.path(),
            "frontmatter": skill.frontmatter.to_json(),
            "body": document.body(),
            "diagnostics": problems,
        }))?;
    } else {
        for problem in &problems {
            context
                .printer
                .detail(&format!("{}: {}", problem.code, visible(&problem.message)));
        }
        let body = document.body().trim_start_matches(['\n', '\r']);
        let shown = if context.printer.is_terminal() {
            visible(body)
        } else {
            body.into()
        };
        context.printer.raw(shown.as_bytes())?;
    }
    Ok(Status::Yes)
}

/// Loads a skill leniently, with what is wrong about it.
pub(super) fn load(
    path: &Path,
    file: &SkillFileOnDisk,
    document: &Document<'_>,
) -> Result<(Skill, Vec<skillyard_format::Diagnostic>), CommandError> {
    let directory = file.directory();
    let subject = Subject {
        file_name: &file.file_name,
        ..Subject::new(document, directory.as_deref())
    };
    let problems = rules::check(&subject, Profile::Load);
    let reason = problems
        .iter()
        .find(|each| each.severity == Severity::Error);
    match (Skill::from_document(document, directory.as_deref()), reason) {
        (Some(skill), None) => Ok((skill, problems)),
        (_, reason) => Err(CommandError::NotLoadable {
            path: path.to_owned(),
            reason: reason.map_or_else(|| "it has no name".into(), |each| each.message.clone()),
        }),
    }
}

/// The fields as the reference implementation prints them; where only its dialect of YAML
/// stands in the way, as they were loaded.
fn properties(
    path: &Path,
    file: &SkillFileOnDisk,
    document: &Document<'_>,
) -> Result<String, CommandError> {
    match reference::read_properties(&document.text) {
        Ok(properties) => Ok(properties.to_json()),
        Err(message) if message.starts_with("Invalid YAML") => {
            let (skill, _) = load(path, file, document)?;
            let fields = skill.frontmatter.to_json();
            let mut printed = Map::new();
            printed.insert("name".into(), skill.name.into());
            printed.insert("description".into(), skill.description.into());
            for key in ["license", "compatibility", "allowed-tools", "metadata"] {
                if let Some(value) = fields.get(key).filter(|value| !value.is_null()) {
                    printed.insert(key.into(), value.clone());
                }
            }
            Ok(format!("{:#}", Value::Object(printed)))
        }
        Err(message) => Err(CommandError::Reference(message)),
    }
}
