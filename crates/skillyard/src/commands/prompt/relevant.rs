//! The order of a prompt by what it is for, and why it is so.

use serde_json::{Value, json};
use skillyard_catalog::budget::Fitting;
use skillyard_catalog::prompt::{Room, fitted};
use skillyard_catalog::search::Hit;
use skillyard_format::render::catalog::{CatalogEntry, CatalogFormat};

use crate::commands::find::reasons;

/// What a prompt holds.
pub(super) struct Chosen {
    pub(super) entries: Vec<CatalogEntry>,
    /// How they were made to fit, where there is a budget.
    pub(super) fitting: Option<Fitting>,
    /// What each of them has in common with the task, the best first.
    pub(super) why: Vec<(String, Vec<String>)>,
}

impl Chosen {
    /// The skills, those that fit a task best first, and as many as there is room for.
    pub(super) fn new(
        all: Vec<CatalogEntry>,
        hits: &[Hit],
        room: Option<Room>,
        format: CatalogFormat,
    ) -> Self {
        let found = hits.iter().filter_map(|hit| {
            let entry = all.get(hit.document as usize)?;
            let reasons = reasons(hit, &format!("{} {}", entry.name, entry.description));
            let reasons = reasons.into_iter().map(|(_, reason)| reason).collect();
            Some((entry.name.clone(), reasons))
        });
        let why = found.collect();
        let all = in_order(all, hits);
        let (entries, fitting) = match room {
            Some(room) => {
                let (entries, fitting) = fitted(&all, format, room, None);
                (entries, Some(fitting))
            }
            None => (all, None),
        };
        Self {
            entries,
            fitting,
            why,
        }
    }

    /// The report for programs.
    pub(super) fn json(&self) -> Value {
        let why = self.why.iter();
        let why = why.map(|(name, reasons)| json!({ "name": name, "why": reasons }));
        let mut report =
            json!({ "skills": self.entries.len(), "relevant": why.collect::<Vec<_>>() });
        if let Some(fitting) = &self.fitting {
            let shortened = fitting.shortened.iter();
            let shortened = shortened
                .map(|(name, before, after)| json!({ "name": name, "tokens_before": before, "tokens": after }));
            report["tokens_before"] = json!(fitting.tokens_before);
            report["tokens"] = json!(fitting.tokens_after);
            report["shortened"] = shortened.collect();
            report["omitted"] = json!(fitting.omitted);
        }
        report
    }
}

/// What was found first, in its order, and then the rest in its own.
fn in_order(all: Vec<CatalogEntry>, hits: &[Hit]) -> Vec<CatalogEntry> {
    let mut left: Vec<Option<CatalogEntry>> = all.into_iter().map(Some).collect();
    let found = hits.iter();
    let found = found.filter_map(|hit| left.get_mut(hit.document as usize)?.take());
    let mut ordered: Vec<CatalogEntry> = found.collect();
    ordered.extend(left.into_iter().flatten());
    ordered
}
