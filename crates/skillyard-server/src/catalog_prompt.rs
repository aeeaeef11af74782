//! The catalog for a prompt of somebody without our file system: names and descriptions.

use skillyard_catalog::budget::omission_line;
use skillyard_catalog::prompt::{Room, fitted, with_omission};
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};

use crate::host::Host;
use crate::shelf::Stock;

/// What a prompt is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) format: CatalogFormat,
    pub(crate) room: Room,
    pub(crate) task: Option<&'a str>,
}

/// The text, and how many skills had no room.
pub(crate) fn render(stock: &Stock, host: &dyn Host, wanted: Wanted<'_>) -> (String, usize) {
    let skills = stock.choosable();
    let entries: Vec<CatalogEntry> = skills
        .iter()
        .map(|skill| CatalogEntry {
            name: skill.record.name.to_string(),
            description: skill.record.description.to_string(),
            location: None,
        })
        .collect();
    let ranking = wanted.task.map(|task| {
        let hits = stock.matching(host, task, skills.len()).into_iter();
        let place = |name: &str| skills.iter().position(|it| *it.record.name == *name);
        hits.filter_map(|(skill, _)| place(&skill.record.name))
            .collect::<Vec<_>>()
    });
    let (kept, fitting) = fitted(&entries, wanted.format, wanted.room, ranking.as_deref());
    let text = catalog::render(&kept, wanted.format);
    let omitted = fitting.omitted.len();
    let text = match omission_line(omitted) {
        Some(line) => with_omission(&text, &line, omitted, wanted.format),
        None => text,
    };
    (text, omitted)
}
