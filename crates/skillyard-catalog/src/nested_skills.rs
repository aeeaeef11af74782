//! Skills inside a skill. They are ordinary files of it, but some agents look for a `SKILL.md`
//! everywhere and offer each as a skill of its own.

use std::path::Path;

use skillyard_format::document::MAX_BYTES;
use skillyard_format::{Document, Skill};

use crate::agents::{AGENTS, Agent};
use crate::regular_file::beginning;
use crate::resource::SkillRoot;

/// A skill inside of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedSkill {
    /// Its folder, relative to the skill around it.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

impl NestedSkill {
    /// The skill that a file of a skill is for such agents.
    pub fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        let folder = folder(path)?;
        let document = Document::parse(bytes);
        let skill = Skill::from_document(&document, folder.rsplit('/').next())?;
        Some(Self {
            folder: folder.to_owned(),
            name: skill.name.clone(),
            description: skill.description.clone(),
        })
    }
}

/// The skills inside of the one in a folder.
pub fn nested_skills(skill: &Path) -> Vec<NestedSkill> {
    let files = SkillRoot::open(skill).and_then(|root| root.list(None));
    let files = files.map(|listing| listing.files).unwrap_or_default();
    let most = MAX_BYTES as u64 + 1;
    let read = |path: &String| NestedSkill::of(path, &beginning(&skill.join(path), most).ok()?);
    let paths = files.iter().map(|file| &file.path);
    paths
        .filter(|path| folder(path).is_some())
        .filter_map(read)
        .collect()
}

/// The agents that offer skills inside of skills.
pub fn readers() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| agent.reads_inner)
}

/// The folder of a file that makes a folder below a skill's root another skill.
fn folder(path: &str) -> Option<&str> {
    path.strip_suffix("/SKILL.md")
}
