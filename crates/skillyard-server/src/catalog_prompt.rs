//! The catalog for a prompt of somebody without our file system: names and descriptions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use skillyard_catalog::budget::Way;
use skillyard_catalog::prompt::{self, Room};
use skillyard_catalog::selection::Selection;
use skillyard_format::render::catalog::{CatalogEntry, CatalogFormat};

use crate::host::Host;
use crate::shelf::Stock;

/// What a prompt is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) format: CatalogFormat,
    pub(crate) room: Room,
    pub(crate) task: Option<&'a str>,
    /// Which skills are named at all.
    pub(crate) selection: &'a Selection,
    /// The folder that the skills are in for whoever reads it.
    pub(crate) mount: Option<&'a str>,
}

/// How many prompts of one state of the catalog are remembered.
const MOST: usize = 8;

/// Prompts for no task in particular, which are the same until the catalog changes.
#[derive(Debug, Default)]
pub(crate) struct Prompts(Mutex<HashMap<String, (String, usize)>>);

/// The text, and how many skills had no room.
pub(crate) fn render(stock: &Stock, host: &dyn Host, mut wanted: Wanted<'_>) -> (String, usize) {
    wanted.room.skills = wanted.room.skills.min(host.portions().skills);
    if wanted.task.is_some() {
        return make(stock, host, wanted);
    }
    let key = format!("{wanted:?}");
    let prompts = || {
        let Prompts(made) = &stock.prompts;
        made.lock().unwrap_or_else(PoisonError::into_inner)
    };
    if let Some(made) = prompts().get(&key) {
        return made.clone();
    }
    let made = make(stock, host, wanted);
    let mut prompts = prompts();
    if prompts.len() >= MOST {
        prompts.clear();
    }
    prompts.insert(key, made.clone());
    made
}

fn make(stock: &Stock, host: &dyn Host, wanted: Wanted<'_>) -> (String, usize) {
    let mut skills = stock.choosable();
    let selection = wanted.selection;
    if !selection.is_silent() {
        skills.retain(|skill| selection.reason_against(&skill.record.name).is_none());
    }
    let entries: Vec<CatalogEntry> = skills
        .iter()
        .map(|skill| CatalogEntry {
            name: skill.record.name.to_string(),
            description: skill.record.description.to_string(),
            location: wanted
                .mount
                .map(|mount| format!("{}/{}", mount.trim_end_matches('/'), skill.record.name)),
        })
        .collect();
    let ranking = wanted.task.map(|task| {
        let hits = stock.matching(host, task, skills.len()).into_iter();
        let place = |name: &str| skills.iter().position(|it| *it.record.name == *name);
        hits.filter_map(|(skill, _)| place(&skill.record.name))
            .collect::<Vec<_>>()
    });
    let (format, room) = (wanted.format, wanted.room);
    let ranking = ranking.as_deref();
    let (text, fitting) = prompt::render(&entries, format, room, ranking, Way::Tool);
    (text, fitting.omitted.len())
}
