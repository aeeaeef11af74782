//! The catalog for prompts of clients without our file system: names and descriptions.

use std::collections::HashMap;

use parking_lot::Mutex;
use skillyard_catalog::budget::Way;
use skillyard_catalog::prompt::{self, Room};
use skillyard_catalog::selection::Selection;
use skillyard_format::render::catalog::{CatalogEntry, CatalogFormat};

use super::CatalogSnapshot;
use crate::host::Host;

/// What a prompt is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptRequest<'a> {
    pub(crate) format: CatalogFormat,
    pub(crate) room: Room,
    pub(crate) task: Option<&'a str>,
    /// Which skills are named at all.
    pub(crate) selection: &'a Selection,
    /// The folder that the skills are in for the reader of the prompt.
    pub(crate) mount: Option<&'a str>,
}

/// How many prompts of one state of the catalog are remembered.
const MAX_CACHED_PROMPTS: usize = 8;

/// Prompts without a task, which stay the same until the catalog changes.
#[derive(Debug, Default)]
pub(crate) struct PromptCache(Mutex<HashMap<String, (String, usize)>>);

/// The text, and how many skills had no room.
pub(crate) fn render(
    snapshot: &CatalogSnapshot,
    host: &dyn Host,
    mut wanted: PromptRequest<'_>,
) -> (String, usize) {
    wanted.room.skills = wanted.room.skills.min(host.portions().skills);
    if wanted.task.is_some() {
        return make(snapshot, wanted);
    }
    let key = format!("{wanted:?}");
    let prompts = || {
        let PromptCache(made) = &snapshot.prompts;
        made.lock()
    };
    if let Some(made) = prompts().get(&key) {
        return made.clone();
    }
    let made = make(snapshot, wanted);
    let mut prompts = prompts();
    if prompts.len() >= MAX_CACHED_PROMPTS {
        prompts.clear();
    }
    prompts.insert(key, made.clone());
    made
}

fn make(snapshot: &CatalogSnapshot, wanted: PromptRequest<'_>) -> (String, usize) {
    let mut skills = snapshot.choosable();
    let selection = wanted.selection;
    if !selection.is_silent() {
        skills.retain(|skill| selection.reason_against(&skill.record.name).is_none());
    }
    let entries: Vec<CatalogEntry> = skills
        .iter()
        .map(|skill| CatalogEntry {
            name: skill.record.name.clone(),
            description: skill.record.description.clone(),
            location: wanted
                .mount
                .map(|mount| format!("{}/{}", mount.trim_end_matches('/'), skill.record.name)),
        })
        .collect();
    let ranking = wanted.task.map(|task| {
        let hits = snapshot.matching(task, skills.len()).into_iter();
        let place = |name: &str| skills.iter().position(|it| *it.record.name == *name);
        hits.filter_map(|(skill, _)| place(&skill.record.name))
            .collect::<Vec<_>>()
    });
    let (format, room) = (wanted.format, wanted.room);
    let ranking = ranking.as_deref();
    let (text, fitting) = prompt::render(&entries, format, room, ranking, Way::Tool);
    (text, fitting.omitted.len())
}
