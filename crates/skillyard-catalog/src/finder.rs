//! A search index over the skills of a catalog.

use skillyard_format::Document;
use skillyard_format::triggers::SkillTriggers;

use crate::builtin;
use crate::catalog::CatalogSkill;
use crate::parallel;
use crate::search::{Index, SearchDocument, Triggers};
use crate::source::SourceKind;

/// How many skills one thread reads before it takes the next.
const SKILLS_PER_BLOCK: usize = 16;

/// Reads `skills` and indexes them; the document numbers are positions in `skills`.
pub fn build_index(skills: &[&CatalogSkill]) -> Index {
    let read = |(): &mut (), skill: &&CatalogSkill| document(skill);
    Index::build(parallel::map(skills, SKILLS_PER_BLOCK, || (), read))
}

/// A skill's name and description as a document, without reading its body.
pub fn describe(skill: &CatalogSkill) -> SearchDocument<'_> {
    SearchDocument {
        id: skill.record.folder.to_string_lossy(),
        name: skill.record.name.as_str().into(),
        description: skill.record.description.as_str().into(),
        tags: Vec::new(),
        triggers: Triggers::default(),
        body: None,
    }
}

fn document(skill: &CatalogSkill) -> SearchDocument<'static> {
    let record = &skill.record;
    let bytes = match skill.kind {
        SourceKind::Builtin => builtin::files(&record.name)
            .and_then(|files| files.first())
            .map(|(_, text)| text.as_bytes().to_vec()),
        _ => record.read().ok(),
    };
    let parsed = bytes.as_deref().map(Document::parse);
    let skill = parsed
        .as_ref()
        .and_then(|document| skillyard_format::Skill::from_document(document, Some(&record.name)));
    let words = |key: &str| {
        let words = skill.as_ref().map(|skill| skill.metadata_words(key));
        let words = words.unwrap_or_default().into_iter();
        words.map(Into::into).collect::<Vec<_>>()
    };
    let triggers = skill.as_ref().map(SkillTriggers::of).unwrap_or_default();
    SearchDocument {
        id: record.folder.to_string_lossy().into_owned().into(),
        name: record.name.clone().into(),
        description: record.description.clone().into(),
        tags: words("tags"),
        triggers: Triggers {
            keywords: triggers.keywords.into_iter().map(Into::into).collect(),
            verbs: triggers.verbs.into_iter().map(Into::into).collect(),
            patterns: triggers.patterns.into_iter().map(Into::into).collect(),
        },
        body: parsed
            .as_ref()
            .map(|document| document.body().to_owned().into()),
    }
}
