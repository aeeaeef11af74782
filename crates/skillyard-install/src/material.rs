//! What a source offers, before it is known which of it is wanted.
//!
//! A repository may hold hundreds of skills. They are listed by their `SKILL.md` alone, and
//! only those that were chosen are loaded whole.

use std::collections::HashSet;

use skillyard_format::rules::{self, Subject};
use skillyard_format::skill::{is_spelled, misspelled};
use skillyard_format::{Document, Skill};

use crate::origin::Origin;
use crate::reference::SubPath;
use crate::source_path::{around, is_below, is_passed_over};
use crate::tree::Tree;

/// A skill that a source offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillOffer {
    /// Its folder within the source; empty for the source itself.
    pub path: String,
    /// Its name, as its `SKILL.md` says.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// Something that could be a skill, but is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declined {
    /// Its folder within the source.
    pub path: String,
    /// Why it cannot be loaded.
    pub reason: String,
}

impl Declined {
    /// A folder with a file that only some systems take for its `SKILL.md`.
    pub(crate) fn misspelled(path: &str, file: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: misspelled_as(file),
        }
    }
}

/// Why a folder with such a file is no skill that could be handed on.
pub(crate) fn misspelled_as(file: &str) -> String {
    format!(
        "its file is called `{file}`, which not every system takes for it; rename it to `SKILL.md`"
    )
}

/// All that a source has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillOffers {
    /// The skills, sorted by path.
    pub skills: Vec<SkillOffer>,
    /// What is not one, with the reason.
    pub declined: Vec<Declined>,
}

/// A source that was fetched.
pub trait Material: Send + Sync {
    /// Where it came from.
    fn origin(&self) -> &Origin;
    /// What it has in the folder `below`, which is empty for all of it.
    fn offers(&mut self, below: &str) -> Result<SkillOffers, MaterialError>;
    /// Hears that the skills at these paths will be asked for one by one, to have them at hand.
    fn expect(&mut self, _paths: &[String]) {}
    /// Whether its author keeps some files out of what a forge packs.
    fn is_packed_in_part(&mut self) -> bool {
        false
    }
    /// All files of the skills at these paths, in the same order.
    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError>;
}

/// Why a source cannot be used: whatever its kind is, as text with its causes.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MaterialError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

impl MaterialError {
    /// From the error of one kind of source.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

impl SkillOffer {
    /// What a `SKILL.md` says; `folder` is the name to fall back to.
    pub fn read(path: &str, folder: Option<&str>, bytes: &[u8]) -> Result<Self, Declined> {
        let document = Document::parse(bytes);
        let declined = || Declined {
            path: path.to_owned(),
            reason: rules::unloadable(&Subject::new(&document, folder)),
        };
        let skill = Skill::from_document(&document, folder).ok_or_else(declined)?;
        Ok(Self {
            path: path.to_owned(),
            name: skill.name,
            description: skill.description,
        })
    }
}

impl SkillOffer {
    /// The same in a source whose folders are named in references.
    pub(crate) fn read_named(
        path: &str,
        folder: Option<&str>,
        bytes: &[u8],
    ) -> Result<Self, Declined> {
        match SubPath::new(path) {
            Err(error) if !path.is_empty() => Err(Declined {
                path: path.to_owned(),
                reason: error.to_string(),
            }),
            _ => Self::read(path, folder, bytes),
        }
    }
}

impl SkillOffers {
    /// Adds what was read.
    pub fn add(&mut self, offer: Result<SkillOffer, Declined>) {
        match offer {
            Ok(skill) => self.skills.push(skill),
            Err(declined) => self.declined.push(declined),
        }
    }

    /// In order of paths, whatever order they were found in.
    pub fn sort(&mut self) {
        self.skills.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.declined.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }
}

/// The folders of a source without skills that would be some if their files were spelled as they
/// should, by the paths of all files. Beside skills such a file is likely about something else.
pub(crate) fn misspelled_in<'a>(
    files: impl Iterator<Item = &'a str>,
    below: &str,
) -> Vec<Declined> {
    let misspelled = files.filter_map(|path| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let is_meant =
            misspelled([file]).is_some() && is_below(folder, below) && !is_passed_over(folder);
        is_meant.then(|| Declined::misspelled(folder, file))
    });
    misspelled.collect()
}

/// The folders whose `SKILL.md` is a link, by the paths of all links of a source; what lies in one of
/// the `skills` is part of that.
pub(crate) fn linked_in<'a>(
    links: impl Iterator<Item = &'a str>,
    below: &str,
    skills: &HashSet<&str>,
) -> Vec<Declined> {
    let linked = links.filter_map(|path| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let is_meant = is_spelled(file)
            && is_below(folder, below)
            && !is_passed_over(folder)
            && !skills.contains(folder)
            && !around(folder).any(|outer| skills.contains(outer));
        is_meant.then(|| Declined {
            path: folder.to_owned(),
            reason: format!("its `{file}` is a link, and links of a source are not followed"),
        })
    });
    linked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_in_all_the_folders_above_it() {
        let all = |path| around(path).collect::<Vec<_>>();
        assert_eq!(all("a/b/c"), ["", "a", "a/b"]);
        assert_eq!(all("a"), [""]);
        assert!(all("").is_empty());
    }
}
