//! `skillyard doctor`: the skills that are here and that nobody can be given.

use skillyard_catalog::Status;

use super::doctor::{Check, Verdict};
use crate::context::Context;
use crate::hashable;
use crate::library::{self, Choice, IndexMode};

const AREA: &str = "skills";

/// The skills whose files cannot be hashed.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    // What keeps skills from being found is told elsewhere.
    let Ok(mut catalog) = library::load(context, IndexMode::Use, &Choice::default()) else {
        return Vec::new();
    };
    hashable::look(context, &mut catalog, |_| true);
    let unavailable = catalog.all().filter_map(|skill| match &skill.status {
        Status::Unhashable { reason } => Some(Check {
            area: AREA,
            name: "unhashable",
            verdict: Verdict::Warning,
            message: format!(
                "skill `{}` in {} is unavailable: its files cannot be hashed: {reason}",
                skill.record.name,
                skill.record.folder.display()
            ),
            hint: Some(hashable::REMEDY.to_owned()),
        }),
        _ => None,
    });
    unavailable.collect()
}
