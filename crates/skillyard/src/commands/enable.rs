//! `skillyard enable` and `skillyard disable`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::selection::{NamePattern, Selection};
use skillyard_catalog::{Catalog, CatalogSkill, Status as SkillStatus};

use crate::config::edit::ConfigFile;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::text::counted;
use crate::text::sanitize::visible;

/// Let disabled skills be used again
///
/// Examples:
///   skillyard enable pdf-tools
///   skillyard enable 'draft-*'    takes back `skillyard disable 'draft-*'`
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct EnableArgs {
    /// Skills' names (`SERVER:SKILL` for one of an MCP server), or a pattern that was disabled
    #[arg(required = true)]
    names: Vec<String>,
}

/// Keep skills out of prompts
///
/// Examples:
///   skillyard disable pdf-tools
///   skillyard disable 'draft-*'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct DisableArgs {
    /// Skills' names (`SERVER:SKILL` for one of an MCP server), or patterns such as `pdf-*`
    #[arg(required = true)]
    names: Vec<String>,
}

/// The key that both change.
const DISABLED: &str = "skills.disabled";

pub(crate) fn enable(context: &Context, args: &EnableArgs) -> Outcome {
    set(context, &args.names, false)
}

pub(crate) fn disable(context: &Context, args: &DisableArgs) -> Outcome {
    set(context, &args.names, true)
}

fn set(context: &Context, names: &[String], disabled: bool) -> Outcome {
    let file = ConfigFile::user(&context.environment);
    file.refuse_locked(DISABLED)?;
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    // Every name is looked at before any is written.
    let servers = context.config()?.mcp_servers();
    // What a server publishes is not asked for here.
    let is_foreign = |name: &str| {
        let server = name.split_once(':').map(|(server, _)| server);
        server.is_some_and(|server| servers.iter().any(|each| each == server))
    };
    let written = names
        .iter()
        .map(|name| written(context, &catalog, name, is_foreign(name)));
    let written = written.collect::<Result<Vec<_>, _>>()?;
    // To disable counts even where it cannot be recorded.
    if !disabled {
        context.ready_to_record()?;
    }
    let mut changed = Vec::new();
    for (name, written) in names.iter().zip(&written) {
        let mut is_changed = file.set_member(DISABLED, written, disabled)?;
        if !disabled && written != name {
            is_changed |= file.set_member(DISABLED, name, disabled)?;
        }
        if is_changed {
            let kind = if disabled {
                EventKind::SkillDisabled
            } else {
                EventKind::SkillEnabled
            };
            context.record(&Event::new(kind).skill(name))?;
            changed.push(name);
        }
    }
    let after = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let still = if disabled {
        still_enabled(&after, names, &written)?
    } else {
        let selection = library::selection(&context.config()?, &NameFilter::default())?;
        still_disabled(&after, &selection, names)
    };
    let status = if still.is_empty() {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    };
    if context.printer.is_json() {
        let still: Vec<_> = still
            .iter()
            .map(|(name, reason)| json!({ "name": name, "reason": reason }))
            .collect();
        let word = if disabled {
            "still_enabled"
        } else {
            "still_disabled"
        };
        context
            .printer
            .json(&json!({ "changed": changed, "enabled": !disabled, word: still }))?;
        return Ok(status);
    }
    let sign = if disabled { '-' } else { '+' };
    for name in &changed {
        context.printer.data(&format!(" {sign} {name}\n"))?;
    }
    let word = if disabled { "disabled" } else { "enabled" };
    let foreign = changed.iter().filter(|name| is_foreign(name)).count();
    let switched = switched(&catalog, &after) + foreign;
    if switched > 0 || still.is_empty() {
        context.printer.note(&if changed.is_empty() {
            format!("Nothing to do: already {word}")
        } else {
            format!("{} {word}", counted(switched, "skill"))
        });
    }
    for (name, reason) in &still {
        context
            .printer
            .note(&format!("`{}` is still {reason}", visible(name)));
    }
    Ok(status)
}

/// What stands in the configuration for a word: the name of a skill, or a pattern.
fn written(
    context: &Context,
    catalog: &Catalog,
    word: &str,
    is_foreign: bool,
) -> Result<String, CommandError> {
    if let Some(skill) = catalog.find(word) {
        let name = &skill.record.name;
        let names = catalog.skills.iter().map(|skill| &*skill.record.name);
        return Ok(if NamePattern::is_name(name, names) {
            NamePattern::exactly(name)
        } else {
            name.clone()
        });
    }
    match NamePattern::new(word) {
        Err(_) if is_foreign => return Ok(NamePattern::exactly(word)),
        Err(error) => return Err(CommandError::Pattern(error)),
        Ok(_) if is_foreign || NamePattern::is_one(word) => {}
        Ok(_) => {
            library::find(context, catalog, word)?;
        }
    }
    Ok(word.to_owned())
}

/// Of how many skills a change made what they were not before; a pattern may mean many, or none yet.
fn switched(before: &Catalog, after: &Catalog) -> usize {
    let is_disabled = |skill: &CatalogSkill| matches!(skill.status, SkillStatus::Disabled { .. });
    let was_disabled = |skill: &CatalogSkill| {
        let before = before.find(&skill.record.name);
        before.is_some_and(is_disabled)
    };
    let skills = after.skills.iter();
    skills
        .filter(|skill| is_disabled(skill) != was_disabled(skill))
        .count()
}

/// The skills that these names and patterns mean and that something stronger keeps in use, and what.
fn still_enabled<'a>(
    catalog: &'a Catalog,
    names: &[String],
    written: &[String],
) -> Result<Vec<(&'a str, String)>, CommandError> {
    let patterns = written.iter().map(|text| NamePattern::new(text));
    let patterns = patterns.collect::<Result<Vec<_>, _>>();
    let patterns = patterns.map_err(CommandError::Pattern)?;
    let skills = catalog.skills.iter().filter(|skill| {
        let name = skill.record.name.as_str();
        let is_meant =
            names.iter().any(|each| each == name) || patterns.iter().any(|each| each.matches(name));
        is_meant && matches!(skill.status, SkillStatus::Enabled)
    });
    let reason = "enabled: `skills.enabled` of this or a stronger layer names it";
    let still = skills.map(|skill| (skill.record.name.as_str(), reason.to_owned()));
    Ok(still.collect())
}

/// Those of `names` that something else keeps disabled, such as a pattern, and what.
fn still_disabled<'a>(
    catalog: &Catalog,
    selection: &Selection,
    names: &'a [String],
) -> Vec<(&'a str, String)> {
    let reason = |name: &str| match catalog.find(name) {
        Some(skill) => match &skill.status {
            SkillStatus::Disabled { reason } | SkillStatus::HeldBack { reason } => {
                Some(reason.clone())
            }
            _ => None,
        },
        None if NamePattern::is_one(name) => None,
        None => selection.reason_against(name),
    };
    let names = names.iter();
    names
        .filter_map(|name| Some((name.as_str(), reason(name)?)))
        .collect()
}
