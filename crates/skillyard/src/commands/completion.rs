//! Values and files that shells complete.

pub(crate) mod values;

use std::ffi::{OsStr, OsString};

use skillyard_catalog::builtin;
use skillyard_catalog::resource::SkillRoot;
use skillyard_catalog::source::SourceKind;

use crate::context::Context;
use crate::library;
use crate::library::skill_files::read_one;
use crate::library::{IndexMode, NameFilter, SkillTarget};

/// Which files are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompletedFiles {
    All,
    /// Those that can be run: what lies in `scripts/`, and what is executable.
    Scripts,
}

/// The paths of the files of the skill that `words` name behind `read` or `run`.
pub(crate) fn paths(context: &Context, words: &[OsString], which: CompletedFiles) -> Vec<String> {
    let behind = words
        .iter()
        .skip_while(|word| *word != "read" && *word != "run");
    let mut behind = behind.skip(1);
    let skill = behind.find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let files = skill
        .and_then(|skill| files(context, skill))
        .unwrap_or_default();
    let is_meant = |(path, executable): &(String, bool)| {
        which == CompletedFiles::All || *executable || path.starts_with("scripts/")
    };
    let meant = files.into_iter().filter(is_meant);
    meant.map(|(path, _)| path).collect()
}

/// The files of a skill, and which are executable; none of what cannot be read.
fn files(context: &Context, skill: &OsStr) -> Option<Vec<(String, bool)>> {
    let folder = match SkillTarget::of(context, skill).ok()? {
        SkillTarget::Path(path) => read_one(&path).ok()?.folder,
        SkillTarget::Name(name) => {
            let catalog = library::load(context, IndexMode::Use, &NameFilter::default()).ok()?;
            let skill = catalog.find(&name)?;
            if skill.kind == SourceKind::Builtin {
                let files = builtin::files(&name)?.iter();
                return Some(files.map(|(path, _)| ((*path).to_owned(), false)).collect());
            }
            skill.record.folder.clone()
        }
    };
    let listing = SkillRoot::open(&folder).ok()?.list(None).ok()?;
    let files = listing.files.into_iter();
    Some(files.map(|file| (file.path, file.executable)).collect())
}
