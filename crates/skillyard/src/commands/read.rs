//! `skillyard read`.

mod resource;

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value, json};
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Status as Standing, builtin};
use skillyard_format::reference::Properties;
use skillyard_format::{Document, reference};

use resource::resource;

use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::installed::{Altered, Installed};
use crate::library::signers::Signers;
use crate::library::skill_files::{SkillFileOnDisk, load};
use crate::library::{IndexMode, NameFilter, SkillTarget, skill_files};
use crate::report::{Diagnostics, for_people};
use crate::text::json::escaped;
use crate::text::sanitize::visible;

/// Print a skill's instructions, one of its files, or its properties
///
/// A file with mistakes is read as far as it can be; `-v` says what is wrong with it. Files are
/// read from inside the skill's folder and from nowhere else.
///
/// Examples:
///   skillyard read pdf-tools                         the instructions
///   skillyard read pdf-tools references/forms.md     one file
///   skillyard read ./pdf-tools --properties --json   the fields, as skills-ref prints them
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReadArgs {
    /// The skill's name, its folder or its SKILL.md
    skill: OsString,
    /// A file of the skill, relative to its folder
    resource: Option<String>,
    /// Start at this byte of the file
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        requires = "resource",
        allow_negative_numbers = true
    )]
    offset: u64,
    /// Read at most this many bytes of the file
    #[arg(
        long,
        value_name = "BYTES",
        requires = "resource",
        value_parser = clap::value_parser!(u64).range(1..),
        allow_negative_numbers = true
    )]
    limit: Option<u64>,
    /// Print the fields of the frontmatter as JSON
    #[arg(long, conflicts_with = "resource")]
    properties: bool,
}

pub(crate) fn run(context: &Context, args: &ReadArgs) -> Outcome {
    let file = match source(context, args) {
        Err(CommandError::NotASkill(path) | CommandError::NotASkillFile(path))
            if args.properties =>
        {
            return Err(CommandError::Reference(format!(
                "SKILL.md not found in {}",
                path.display()
            )));
        }
        other => other?,
    };
    let altered = altered(context, &file.folder)?;
    if let Some(altered) = &altered {
        context.printer.note(&format!(
            "warning: the skill is not as it is locked: {altered}"
        ));
    }
    match revoked(context, &file.folder) {
        Ok(None) => {}
        Ok(Some(reason)) => context
            .printer
            .note(&format!("warning: the skill is revoked: {reason}")),
        Err(error) => context.printer.note(&format!(
            "warning: nobody knows whether the skill is revoked: {}",
            visible(&error.with_causes())
        )),
    }
    if let Some(path) = &args.resource {
        return resource(context, args, &file, path, altered);
    }
    let document = Document::parse(&file.bytes);
    if args.properties {
        let text = properties(&file, &document)?;
        context.printer.data(&format!("{}\n", escaped(&text)))?;
        return Ok(ExitStatus::Success);
    }
    let (skill, problems) = load(&file.folder, &file, &document)?;
    if context.printer.is_json() {
        let mut value = json!({
            "name": skill.name,
            "description": skill.description,
            "path": file.path().to_string_lossy(),
            "frontmatter": skill.frontmatter.to_json(),
            "body": document.body(),
            "diagnostics": Diagnostics { diagnostics: &problems, text: &document.text },
        });
        tell(altered, &mut value);
        context.printer.json(&value)?;
    } else {
        for problem in &problems {
            let message = for_people(&problem.message);
            context
                .printer
                .detail(&format!("{}: {message}", problem.code));
        }
        let body = document.body().trim_start_matches(['\n', '\r']);
        context.printer.untrusted(body)?;
    }
    Ok(ExitStatus::Success)
}

/// What was installed into the folder, if its files are something else now.
fn altered(context: &Context, folder: &Path) -> Result<Option<Altered>, CommandError> {
    let installed = Installed::about(context, [folder])?;
    // Nothing is hashed where nothing was installed.
    let now = || digest(&SkillRoot::open(folder).ok()?).ok();
    let now = installed.entry(folder).and_then(|_| now());
    Ok(now.and_then(|now| installed.altered(folder, now)))
}

/// Why the skill in the folder must not be used any more, if it is revoked.
fn revoked(context: &Context, folder: &Path) -> Result<Option<String>, CommandError> {
    // What is inside the binary has no folder.
    if !folder.is_dir() {
        return Ok(None);
    }
    let signers = Signers::load(&context.environment)?;
    Ok(signers.revoked(folder, &Installed::readable(context)?))
}

/// The file that a path or a name leads to.
fn source(context: &Context, args: &ReadArgs) -> Result<SkillFileOnDisk, CommandError> {
    let name = match SkillTarget::of(context, &args.skill)? {
        SkillTarget::Path(path) => return skill_files::read_one(&path),
        SkillTarget::Name(name) => name,
    };
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let skill = library::named(context, &catalog, &name)?;
    if skill.status == Standing::Untrusted {
        context
            .printer
            .note("warning: the skill belongs to a project that is not trusted");
    }
    if skill.kind == SourceKind::Builtin {
        let files = builtin::files(&skill.record.name).unwrap_or_default();
        return Ok(SkillFileOnDisk {
            folder: skill.record.folder.clone(),
            file_name: skill.record.file_name.clone(),
            bytes: files
                .first()
                .map(|(_, text)| text.as_bytes().to_vec())
                .unwrap_or_default(),
        });
    }
    skill_files::read_one(&skill.record.folder)
}

/// Tells programs that the skill was altered.
fn tell(altered: Option<Altered>, value: &mut Value) {
    if let Some(Altered { now, installed }) = altered {
        let digests = json!({ "digest": now.to_string(), "installed": installed.to_string() });
        value["altered"] = digests;
    }
}

/// The fields as the reference implementation prints them; where only its dialect of YAML
/// stands in the way, as they were loaded.
fn properties(file: &SkillFileOnDisk, document: &Document<'_>) -> Result<String, CommandError> {
    match reference::read_properties(&document.text) {
        Ok(properties) => Ok(properties.to_json()),
        Err(message) if message.starts_with("Invalid YAML") => {
            let (skill, _) = load(&file.folder, file, document)?;
            let fields = skill.frontmatter.to_json();
            let mut printed = Map::new();
            printed.insert("name".into(), skill.name.clone().into());
            printed.insert("description".into(), skill.description.clone().into());
            for key in ["license", "compatibility", "allowed-tools", "metadata"] {
                if let Some(value) = fields.get(key).filter(|value| !value.is_null()) {
                    printed.insert(key.into(), value.clone());
                }
            }
            let properties = Properties {
                name: skill.name,
                description: skill.description,
                fields: printed,
            };
            Ok(properties.to_json())
        }
        Err(message) => Err(CommandError::Reference(message)),
    }
}
