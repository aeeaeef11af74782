//! `skillyard explain skill`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_agent::shelf::Withheld;
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_catalog::{Catalog, CatalogSkill, Status as SkillStatus};
use skillyard_format::name::known_as;
use skillyard_format::text::one_line;

use crate::commands::list::mark;
use crate::commands::prompt::default_fitting;
use crate::context::Context;
use crate::error::{ExitStatus, Outcome};
use crate::library;
use crate::library::installed::Altered;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter, withheld};
use crate::text::sanitize::visible;
use crate::text::tilde;

pub(crate) fn run(context: &Context, name: &str) -> Outcome {
    let mut catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let name = known_as(name).into_owned();
    library::look_unhashable(context, &mut catalog, |skill| *skill.record.name == name);
    let skill = catalog.find(&name);
    let about = withheld::passed_over(&catalog, &name);
    if skill.is_none() && about.is_empty() {
        return library::find(context, &catalog, &name).map(|_| ExitStatus::Success);
    }
    let facts = facts(context, &catalog, &name, skill);
    if context.printer.is_json() {
        let passed: Vec<Value> = about
            .iter()
            .map(|each| json!({ "path": each.path.to_string_lossy(), "reason": each.reason }))
            .collect();
        context
            .printer
            .json(&json!({ "name": name, "facts": facts, "passed_over": passed }))?;
        return Ok(ExitStatus::Success);
    }
    let mut text = match skill {
        Some(skill) => format!(
            "{} {}\n",
            mark(skill),
            context.printer.heading(&visible(&name))
        ),
        None => format!("- {}\n", context.printer.heading(&visible(&name))),
    };
    for fact in &facts {
        let _ = writeln!(text, "  - {}", visible(fact));
    }
    for each in about {
        let _ = writeln!(
            text,
            "  - passed over: {}: {}",
            visible(&tilde(&each.path, context.environment.home.as_deref())),
            visible(&one_line(&each.reason))
        );
    }
    context.printer.data(&text)?;
    Ok(ExitStatus::Success)
}

/// Everything that decided about the skill, in the order it was decided.
fn facts(
    context: &Context,
    catalog: &Catalog,
    name: &str,
    skill: Option<&CatalogSkill>,
) -> Vec<String> {
    let home = context.environment.home.as_deref();
    let mut facts = Vec::new();
    let Some(skill) = skill else {
        facts.push("no file of this name could be loaded".to_owned());
        return facts;
    };
    facts.push(format!(
        "found at {}, by source {}, the strongest that has it",
        tilde(&skill.record.folder, home),
        skill.kind.as_str(),
    ));
    for loser in catalog
        .shadowed
        .iter()
        .filter(|each| each.skill.record.name == name)
    {
        facts.push(format!(
            "shadows {}, which has other content and comes later in precedence",
            tilde(&loser.skill.record.folder, home)
        ));
    }
    for problem in &skill.record.problems {
        facts.push(format!(
            "has a problem, {}: {}",
            problem.code, problem.message
        ));
    }
    let altered = altered(context, skill);
    let why = match Permissions::load(context) {
        Ok(permissions) => withheld::of(skill, &permissions),
        // What decides cannot be read, so nothing is known to help.
        Err(_) => skill.status.reason().map(|reason| Withheld {
            reason,
            detail: None,
            remedy: None,
        }),
    };
    match why {
        // What the files are is told below.
        Some(_) if altered.is_some() && skill.status == SkillStatus::Altered => {}
        Some(why) => {
            let status = skill.status.as_str();
            let reason = why.reason;
            facts.push(format!("{status}, so it reaches no prompt: {reason}"));
            facts.extend(why.remedy.map(|remedy| format!("to use it: {remedy}")));
        }
        None if !skill.record.model_invocable && !skill.record.user_invocable => {
            facts.push(
                "hidden from models by `disable-model-invocation` and from users by \
                 `user-invocable: false`, so nobody can activate it"
                    .into(),
            );
        }
        None if !skill.record.model_invocable => {
            facts.push(
                "hidden from models by `disable-model-invocation`; users can invoke it by name"
                    .into(),
            );
        }
        None => facts.push(prompt_fact(context, catalog, name)),
    }
    if skill.status == SkillStatus::Untrusted
        && let Some(other) = catalog.fallback_for_untrusted(name)
    {
        facts.push(format!(
            "{} stands in for it in prompts",
            tilde(&other.record.folder, home)
        ));
    }
    if let Some((altered, remedy)) = altered {
        facts.push(format!(
            "altered, so it reaches no prompt and no model is given it: {altered}"
        ));
        // What is revoked is not put right by it.
        if !matches!(skill.status, SkillStatus::Revoked { .. }) {
            facts.push(format!("to use it: {remedy}"));
        }
    }
    facts
}

/// What was installed, if the skill's files are something else that nobody approved, and what the
/// user can do about it.
fn altered(context: &Context, skill: &CatalogSkill) -> Option<(Altered, String)> {
    let permissions = Permissions::load(context).ok()?;
    let (name, folder) = (&skill.record.name, &skill.record.folder);
    let now = digest(&SkillRoot::open(folder).ok()?).ok()?;
    let altered = permissions.altered(name, folder, now)?;
    Some((altered, permissions.remedy(name, folder)))
}

/// How the skill fares in a prompt of the default budget.
fn prompt_fact(context: &Context, catalog: &Catalog, name: &str) -> String {
    // The catalog was made from it, so it can be read.
    let most = context.config().map(|config| config.max_skills());
    let fitting = default_fitting(catalog, most.unwrap_or(usize::MAX));
    if fitting.omitted.iter().any(|omitted| omitted == name) {
        return "left out of a prompt without a task: the catalog is over its budget".into();
    }
    if let Some((_, before, after)) = fitting.shortened.iter().find(|(each, _, _)| each == name) {
        return format!(
            "in the prompt with its description shortened from about {before} to {after} tokens"
        );
    }
    "in the prompt with its whole description".into()
}
