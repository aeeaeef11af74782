//! The skills that take no part in `skillyard eval` though tasks want them, or though the project has
//! them and is not trusted: without them the numbers mean something else.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use skillyard_catalog::{Catalog, CatalogSkill, Status};

use super::tasks::Labelled;
use crate::context::Context;
use crate::error::CommandError;
use crate::obstacle;
use crate::permission::Permissions;
use crate::report::listed;
use crate::sanitize::visible;

/// A skill that takes no part.
pub(super) struct Absent<'a> {
    name: &'a str,
    reason: String,
    remedy: Option<String>,
}

/// Those that take no part, in the order of the catalog.
pub(super) fn absent<'a>(
    context: &Context,
    catalog: &'a Catalog,
    tasks: &[Labelled],
) -> Result<Vec<Absent<'a>>, CommandError> {
    let is_wanted = |skill: &CatalogSkill| {
        let mut wanted = tasks.iter().flat_map(|task| &task.wanted);
        wanted.any(|name| *name == *skill.record.name)
    };
    let is_missed = |skill: &&CatalogSkill| match skill.status {
        Status::Enabled => !skill.record.model_invocable && is_wanted(skill),
        Status::Untrusted => true,
        _ => is_wanted(skill),
    };
    let missed: Vec<&CatalogSkill> = catalog.skills.iter().filter(is_missed).collect();
    if missed.is_empty() {
        return Ok(Vec::new());
    }
    let permissions = Permissions::load(context)?;
    let told = missed.into_iter().map(|skill| {
        let why = obstacle::of(skill, &permissions);
        let (reason, remedy) = why.map_or_else(
            || ("no model may choose it".to_owned(), None),
            |why| (why.reason, why.remedy),
        );
        Absent {
            name: &skill.record.name,
            reason,
            remedy,
        }
    });
    Ok(told.collect())
}

/// Tells people of them, all with the same reason at once.
pub(super) fn tell(context: &Context, absent: &[Absent<'_>]) {
    let mut reasons: BTreeMap<(&str, Option<&str>), Vec<&str>> = BTreeMap::new();
    for each in absent {
        let why = (each.reason.as_str(), each.remedy.as_deref());
        reasons.entry(why).or_default().push(each.name);
    }
    for ((reason, remedy), names) in reasons {
        let take = if names.len() == 1 { "takes" } else { "take" };
        let mut note = format!("{} {take} no part: {reason}", listed(&names));
        if let Some(remedy) = remedy {
            note.push_str(". ");
            note.push_str(remedy);
        }
        context.printer.note(&visible(&note));
    }
}

/// The same for programs.
pub(super) fn json(absent: &[Absent<'_>]) -> Value {
    let each = |each: &Absent<'_>| json!({ "name": each.name, "reason": each.reason, "remedy": each.remedy });
    absent.iter().map(each).collect()
}
