//! `skillyard doctor`: the skills that are here and that cannot be used, or not as they were meant.

use skillyard_catalog::Status;
use skillyard_catalog::walk::UNREADABLE;
use skillyard_format::text::one_line;

use crate::commands::doctor::{Check, Verdict};
use crate::commands::list;
use crate::context::Context;
use crate::error;
use crate::error::UNHASHABLE_REMEDY;
use crate::library;
use crate::library::{IndexMode, NameFilter};

const AREA: &str = "skills";

/// The skills whose files cannot be hashed, and those that need what is missing here.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    // What keeps skills from being found is told elsewhere.
    let Ok(mut catalog) = library::load(context, IndexMode::Use, &NameFilter::default()) else {
        return Vec::new();
    };
    library::look_unhashable(context, &mut catalog, |_| true);
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
            hint: Some(UNHASHABLE_REMEDY.to_owned()),
        }),
        _ => None,
    });
    let unmet = catalog.all().flat_map(|skill| {
        let unmet = list::unmet(skill, &context.environment).into_iter();
        unmet.map(|unmet| Check {
            area: AREA,
            name: "needs",
            verdict: Verdict::Missing,
            message: format!("skill `{}`: {}", skill.record.name, one_line(&unmet)),
            hint: None,
        })
    });
    let unread = catalog.skipped.iter();
    let unread = unread.filter(|each| each.reason.starts_with(UNREADABLE));
    let closed = unread.filter_map(|each| {
        let hint = error::remedy(&each.path)?;
        let path = each.path.display();
        Some(Check {
            area: AREA,
            name: "closed",
            verdict: Verdict::Warning,
            message: format!("`{path}` is passed over: {}", one_line(&each.reason)),
            hint: Some(hint),
        })
    });
    unavailable.chain(unmet).chain(closed).collect()
}
