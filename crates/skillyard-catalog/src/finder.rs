//! Searching a catalog: the search core over its skills, kept on disk.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use skillyard_format::triggers::SkillTriggers;
use skillyard_format::{Digest, Document};

use crate::builtin;
use crate::catalog::CatalogSkill;
use crate::own_folder;
use crate::remembered;
use crate::search::{Document as SearchDocument, Index, Triggers};
use crate::source::SourceKind;

/// A search index whose document numbers are places in the list it was made from.
#[derive(Debug)]
pub struct Finder {
    /// The index.
    pub index: Index,
}

impl Finder {
    /// The index of `skills`, from `folder` where it is still true, else made and kept there.
    pub fn load(skills: &[&CatalogSkill], folder: Option<&Path>) -> Self {
        let file = folder.map(|folder| folder.join(format!("{}.search", fingerprint(skills))));
        if let Some(file) = &file
            && let Some(index) =
                remembered::bytes(file).and_then(|bytes| Index::from_bytes(&bytes).ok())
            && index.len() == skills.len()
        {
            return Self { index };
        }
        let index = Index::build(skills.iter().map(|skill| document(skill)));
        if let (Some(file), Some(folder)) = (&file, folder) {
            // A cache that cannot be written costs time, not answers.
            let _ = write(folder, file, &index.to_bytes());
        }
        Self { index }
    }
}

/// A text that changes when any skill does.
fn fingerprint(skills: &[&CatalogSkill]) -> String {
    let mut key = String::new();
    for skill in skills {
        let record = &skill.record;
        let _ = writeln!(key, "{}\n{:?}", record.folder.display(), record.stamp);
    }
    Digest::of(key.as_bytes()).to_hex()[..32].to_owned()
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
        skill
            .as_ref()
            .map(|skill| skill.metadata_words(key))
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect::<Vec<_>>()
    };
    let triggers = skill.as_ref().map(SkillTriggers::of).unwrap_or_default();
    SearchDocument {
        id: record.folder.to_string_lossy().into_owned().into(),
        name: record.name.to_string().into(),
        description: record.description.to_string().into(),
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

fn write(folder: &Path, file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    own_folder::make(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(file)?;
    Ok(())
}
