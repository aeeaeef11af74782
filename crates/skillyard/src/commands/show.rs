//! `skillyard show`.

pub(crate) mod security;

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_catalog::prompt::prompt_tokens;
use skillyard_catalog::record::Record;
use skillyard_catalog::resource::{FileListing, SkillRoot, digest};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, builtin};
use skillyard_format::Document;
use skillyard_format::package::Digest;
use skillyard_format::text::one_line;
use skillyard_format::tokens::estimate;

use super::list::mark;
use crate::agent::activation_tokens;
use crate::commands::show::security::Security;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::revoked::Revoked;
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter};
use crate::text::sanitize::visible;
use crate::text::{counted, tilde};

/// Show everything about one skill
///
/// Examples:
///   skillyard show pdf-tools           its fields, where it is, what it costs
///   skillyard show pdf-tools --files   its files too
///   skillyard show pdf-tools --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ShowArgs {
    /// The skill's name, or the folder that it lies in
    name: String,
    /// List its files with their sizes
    #[arg(long)]
    files: bool,
}

pub(crate) fn run(context: &Context, args: &ShowArgs) -> Outcome {
    let mut catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let meant = match library::lying_at(&catalog, &args.name) {
        Some(skill) => skill.record.folder.clone(),
        None => found(context, &catalog, &args.name)?.record.folder.clone(),
    };
    library::look_unhashable(context, &mut catalog, |skill| skill.record.folder == meant);
    let skill = match library::lying_at(&catalog, &args.name) {
        Some(skill) => skill,
        None => library::find(context, &catalog, &args.name)?,
    };
    let details = Details::of(context, skill)?;
    let security = Security::of(context, skill, details.digest.as_ref())?;
    if context.printer.is_json() {
        let mut shown = json(skill, &details, &catalog);
        shown["needs"] = needs_json(context, &skill.record);
        shown["security"] = security.json();
        context.printer.json(&shown)?;
    } else {
        context
            .printer
            .data(&text(skill, &details, &security, &catalog, args, context))?;
    }
    Ok(ExitStatus::Success)
}

/// The skill of a name; of one that is locked and in no folder it is said why.
fn found<'a>(
    context: &Context,
    catalog: &'a Catalog,
    name: &str,
) -> Result<&'a CatalogSkill, CommandError> {
    library::find(context, catalog, name).map_err(|error| {
        let absent = Revoked::absent(context).unwrap_or_default();
        let absent = absent.iter().find(|each| each.name == name);
        absent.map_or(error, |each| each.refusal().into())
    })
}

/// What is only read when it is asked for.
struct Details {
    digest: Option<Digest>,
    body_tokens: usize,
    /// The same with what a session has around it once it is activated.
    activation_tokens: usize,
    files: Vec<(String, u64, bool)>,
    unreadable: Vec<(String, String)>,
    /// Whether there are more files than these.
    truncated: bool,
}

impl Details {
    fn of(context: &Context, skill: &CatalogSkill) -> Result<Self, CommandError> {
        let record = &skill.record;
        let permissions = Permissions::to_look(context)?;
        let tokens = activation_tokens(context, &permissions, skill);
        if skill.kind == SourceKind::Builtin {
            let files = builtin::files(&record.name).unwrap_or_default();
            let body = files
                .first()
                .map_or(0, |(_, text)| body_tokens(text.as_bytes()));
            return Ok(Self {
                digest: None,
                body_tokens: body,
                activation_tokens: tokens.unwrap_or(body),
                files: files
                    .iter()
                    .map(|(path, text)| {
                        let executable = builtin::is_executable(text);
                        ((*path).to_owned(), text.len() as u64, executable)
                    })
                    .collect(),
                unreadable: Vec::new(),
                truncated: false,
            });
        }
        let root = SkillRoot::open(&record.folder).map_err(CommandError::Resource)?;
        let FileListing {
            files,
            skipped,
            truncated,
        } = root.list(None).map_err(CommandError::Resource)?;
        let bytes = record.read().map_err(|source| CommandError::Read {
            path: record.path(),
            source,
        })?;
        let body = body_tokens(&bytes);
        Ok(Self {
            digest: digest(&root).ok(),
            body_tokens: body,
            activation_tokens: tokens.unwrap_or(body),
            files: files
                .into_iter()
                .map(|file| (file.path, file.size, file.executable))
                .collect(),
            unreadable: skipped
                .into_iter()
                .map(|each| (each.path, each.reason.to_string()))
                .collect(),
            truncated,
        })
    }
}

fn body_tokens(bytes: &[u8]) -> usize {
    estimate(Document::parse(bytes).body())
}

fn json(skill: &CatalogSkill, details: &Details, catalog: &Catalog) -> Value {
    let record = &skill.record;
    let fields: Value = serde_json::from_str(&record.fields).unwrap_or_default();
    let losers: Vec<Value> = catalog
        .shadowed
        .iter()
        .filter(|each| each.skill.record.name == record.name)
        .map(|each| json!({ "path": each.skill.record.folder.to_string_lossy(), "source": each.skill.kind.as_str() }))
        .collect();
    let files: Vec<Value> = details
        .files
        .iter()
        .map(|(path, size, executable)| json!({ "path": path, "size": size, "executable": executable }))
        .collect();
    json!({
        "name": record.name,
        "description": record.description,
        "source": skill.kind.as_str(),
        "path": record.folder.to_string_lossy(),
        "status": skill.status.as_str(),
        "reason": skill.status.reason(),
        "digest": details.digest.map(|digest| digest.to_string()),
        "tokens": { "catalog": prompt_tokens(record), "instructions": details.body_tokens, "activation": details.activation_tokens },
        "fields": fields,
        "files": files,
        "truncated": details.truncated,
        "unreadable": details.unreadable.iter().map(|(path, reason)| json!({ "path": path, "reason": reason })).collect::<Vec<_>>(),
        "problems": record.problems,
        "shadows": losers,
        "stand_in": stand_in(skill, catalog).map(|other| other.record.folder.to_string_lossy()),
    })
}

/// What it says it needs, and what of that is missing here.
fn needs_json(context: &Context, record: &Record) -> Value {
    let needs = library::requirements_of(record);
    json!({
        "commands": record.requires,
        "systems": needs.systems,
        "variables": needs.variables,
        "settings": needs.settings,
        "unmet": library::unmet(&context.environment, record),
    })
}

/// What is used in place of a skill of a project that is not trusted.
fn stand_in<'a>(skill: &CatalogSkill, catalog: &'a Catalog) -> Option<&'a CatalogSkill> {
    let meant = catalog.resolve(&skill.record.name)?;
    (meant.record.folder != skill.record.folder).then_some(meant)
}

fn text(
    skill: &CatalogSkill,
    details: &Details,
    security: &Security,
    catalog: &Catalog,
    args: &ShowArgs,
    context: &Context,
) -> String {
    let record = &skill.record;
    let home = context.environment.home.as_deref();
    let mut text = format!(
        "{} {}\n",
        mark(skill),
        context.printer.heading(&visible(&record.name))
    );
    let mut row = |label: &str, value: &str| {
        if !value.is_empty() {
            // A field may be called anything too.
            let label = visible(label);
            let _ = writeln!(text, "  {label:<17} {}", visible(value));
        }
    };
    row("description", &one_line(&record.description));
    row(
        "status",
        &skill.status.reason().map_or_else(
            || "enabled".to_owned(),
            |reason| format!("{}: {reason}", skill.status.as_str()),
        ),
    );
    row("source", skill.kind.as_str());
    row("folder", &tilde(&record.folder, home));
    let digest = details.digest.map(|digest| digest.to_string());
    row("digest", &digest.unwrap_or_default());
    row(
        "tokens",
        &format!(
            "{} in every prompt, about {} when activated",
            match prompt_tokens(record) {
                0 => "none".to_owned(),
                tokens => format!("about {tokens}"),
            },
            details.activation_tokens
        ),
    );
    let fields: serde_json::Map<String, Value> =
        serde_json::from_str(&record.fields).unwrap_or_default();
    for (key, value) in &fields {
        match value {
            Value::Object(map) => {
                for (inner, value) in map {
                    row(&format!("{key}.{inner}"), &plain(value));
                }
            }
            value => row(key, &plain(value)),
        }
    }
    let needs = library::requirements_of(record);
    row("commands", &record.requires.join(", ").replace('|', " or "));
    row("systems", &needs.systems.join(", "));
    row("variables", &needs.variables.join(", "));
    row("settings", &needs.settings.join(", "));
    for unmet in library::unmet(&context.environment, record) {
        row("unmet", &unmet);
    }
    let size: u64 = details.files.iter().map(|(_, size, _)| size).sum();
    let more = if details.truncated {
        ", and there are more"
    } else {
        ""
    };
    let (files, size) = (details.files.len(), counted(size, "byte"));
    row("files", &format!("{files} ({size}){more}"));
    for loser in catalog
        .shadowed
        .iter()
        .filter(|each| each.skill.record.name == record.name)
    {
        row("shadows", &tilde(&loser.skill.record.folder, home));
    }
    if let Some(other) = stand_in(skill, catalog) {
        row("stand-in", &tilde(&other.record.folder, home));
    }
    for (label, value) in security.rows() {
        row(label, &value);
    }
    for problem in &record.problems {
        row(
            "problem",
            &format!("{}: {}", problem.code, one_line(&problem.message)),
        );
    }
    for (path, reason) in &details.unreadable {
        row("not readable", &format!("{path}: {reason}"));
    }
    if args.files {
        text.push('\n');
        for (path, size, executable) in &details.files {
            let mark = if *executable { "x" } else { "-" };
            let _ = writeln!(text, "  {mark} {size:>9}  {}", visible(path));
        }
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text).into_owned(),
        other => other.to_string(),
    }
}
