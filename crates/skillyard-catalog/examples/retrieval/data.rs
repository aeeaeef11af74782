//! Reads the labelled skills and queries.

use std::io::Read;

use serde::Deserialize;
use skillyard_catalog::search::SearchDocument;

/// One line of the data file.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Skill(Skill),
    Query(Query),
}

/// A skill to be found.
#[derive(Deserialize, Clone)]
pub(crate) struct Skill {
    set: String,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) body: Option<String>,
}

/// A task, with the skills that are right for it.
#[derive(Deserialize)]
pub(crate) struct Query {
    set: String,
    #[serde(rename = "query")]
    pub(crate) text: String,
    pub(crate) short: Option<String>,
    gold: Vec<String>,
    #[serde(skip)]
    pub(crate) wanted: Vec<u32>,
}

/// One collection with its tasks.
pub(crate) struct Collection {
    pub(crate) skills: Vec<Skill>,
    pub(crate) queries: Vec<Query>,
}

impl Collection {
    /// The skills of two collections, with no tasks; those of the first keep their places.
    pub(crate) fn joined(first: &Self, second: &Self) -> Self {
        Self {
            skills: first.skills.iter().chain(&second.skills).cloned().collect(),
            queries: Vec::new(),
        }
    }

    /// The tasks in their short wording, where they have one.
    pub(crate) fn short_tasks(&self) -> Vec<(&str, &[u32])> {
        let wanted = self.queries.iter().map(|query| query.wanted.as_slice());
        let short = self.queries.iter().map(|query| query.short.as_deref());
        short
            .zip(wanted)
            .filter_map(|(short, wanted)| Some((short?, wanted)))
            .collect()
    }

    /// The tasks in their long wording.
    pub(crate) fn tasks(&self) -> Vec<(&str, &[u32])> {
        self.queries
            .iter()
            .map(|query| (query.text.as_str(), query.wanted.as_slice()))
            .collect()
    }

    /// The skills as documents.
    pub(crate) fn documents(&self) -> impl Iterator<Item = SearchDocument<'_>> {
        self.skills.iter().map(|skill| SearchDocument {
            id: skill.id.as_str().into(),
            name: skill.name.as_str().into(),
            description: skill.description.as_str().into(),
            body: skill.body.as_deref().map(Into::into),
            ..SearchDocument::default()
        })
    }
}

/// Reads lines of JSON from standard input and takes the named sets out of them.
pub(crate) fn read(sets: &[&str]) -> Result<Vec<Collection>, Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let mut found: Vec<Collection> = sets
        .iter()
        .map(|_| Collection {
            skills: Vec::new(),
            queries: Vec::new(),
        })
        .collect();
    for line in text.lines() {
        match serde_json::from_str(line)? {
            Line::Skill(skill) => {
                if let Some(place) = sets.iter().position(|set| *set == skill.set) {
                    found[place].skills.push(skill);
                }
            }
            Line::Query(query) => {
                if let Some(place) = sets.iter().position(|set| *set == query.set) {
                    found[place].queries.push(query);
                }
            }
        }
    }
    for collection in &mut found {
        let places: std::collections::HashMap<&str, u32> = (0..)
            .zip(&collection.skills)
            .map(|(place, skill)| (skill.id.as_str(), place))
            .collect();
        for query in &mut collection.queries {
            query.wanted = query
                .gold
                .iter()
                .filter_map(|id| places.get(id.as_str()).copied())
                .collect();
        }
        collection.queries.retain(|query| !query.wanted.is_empty());
    }
    Ok(found)
}

/// The tasks with two neighbouring letters swapped inside every second word of at least five letters.
pub(crate) fn misspelt<'a>(tasks: &[(&str, &'a [u32])]) -> Vec<(String, &'a [u32])> {
    let misspell = |task: &str| {
        let mut long_words = 0;
        let words = task.split(' ').map(|word| {
            let mut letters: Vec<char> = word.chars().collect();
            if letters.len() >= 5 {
                long_words += 1;
                if long_words % 2 == 1 {
                    let place = letters.len() / 2;
                    letters.swap(place - 1, place);
                }
            }
            letters.into_iter().collect::<String>()
        });
        words.collect::<Vec<_>>().join(" ")
    };
    tasks
        .iter()
        .map(|(task, wanted)| (misspell(task), *wanted))
        .collect()
}
