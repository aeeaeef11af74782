//! Skills that are older than they might be, because newer ones would not go together.

use serde_json::{Value, json};
use skillyard_install::dependencies::Needed;

use crate::context::Context;
use crate::text::sanitize::visible;

/// Tells which skills are older than they might be, and why.
pub(crate) fn tell(context: &Context, needed: &[Needed]) {
    for each in needed {
        if let Some(held_back) = &each.held_back {
            let version = each.candidate.origin.version.as_deref();
            let line = format!(
                " ! {}: {} is taken, not {}: {}",
                each.candidate.name,
                version.unwrap_or_default(),
                held_back.newest,
                held_back.reason
            );
            context.printer.people(&visible(&line));
        }
    }
}

/// The same for programs.
pub(crate) fn json(needed: &[Needed]) -> Value {
    let held_back = needed.iter().filter_map(|each| {
        let held_back = each.held_back.as_ref()?;
        Some(json!({
            "name": each.candidate.name,
            "version": each.candidate.origin.version,
            "newest": held_back.newest,
            "reason": held_back.reason,
        }))
    });
    held_back.collect()
}
