//! Skills whose files cannot be hashed, so that nobody could say what was given to a model.
//!
//! Files are hashed when a skill is activated, not when it is listed. What is found out then is
//! written down here, so that the skill is in no prompt from then on, as long as its files stay.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::catalog::Catalog;
use crate::remembered::{self, Magic};
use crate::resource::{ResourceError, SkillRoot, stamps};
use crate::status::Status;

/// What the file starts with.
const MAGIC: Magic = *b"skyunh01";

/// Why the files of a skill could not be hashed while they had these stamps.
#[derive(Serialize, Deserialize)]
struct Noted {
    /// None where the files cannot even be counted.
    stamps: Option<Digest>,
    reason: String,
}

type Table = BTreeMap<PathBuf, Noted>;

/// The file in a folder of indexes that remembers such skills.
pub fn file(index_folder: &Path) -> PathBuf {
    index_folder.join("unhashable")
}

/// Remembers that the files in `skill` cannot be hashed, if that is so as long as they stay: a disk
/// that is full, or too many open files, will be another time.
pub fn note(index_folder: &Path, skill: &Path, why: &ResourceError) {
    if !why.stays() {
        return;
    }
    let file = file(index_folder);
    let mut table: Table = remembered::read(&file, MAGIC).unwrap_or_default();
    let now = Noted {
        stamps: now(skill).ok().flatten(),
        reason: why.whole(),
    };
    let is_known = |known: &Noted| (known.stamps, &known.reason) == (now.stamps, &now.reason);
    if table.get(skill).is_some_and(is_known) {
        return;
    }
    table.insert(skill.to_owned(), now);
    table.retain(|folder, _| folder.exists());
    // A cache that cannot be written costs a try, not an answer.
    let _ = remembered::write(&file, MAGIC, &table);
}

/// Takes from the skills that are known to be such the standing that lets them into prompts.
pub(crate) fn mark(catalog: &mut Catalog, index_folder: &Path) {
    let table: Option<Table> = remembered::read(&file(index_folder), MAGIC);
    let Some(table) = table else { return };
    for skill in catalog.enabled_mut() {
        let Some(noted) = table.get(&skill.record.folder) else {
            continue;
        };
        let reason = match now(&skill.record.folder) {
            Err(reason) => reason,
            Ok(stamps) if stamps.is_some() && stamps == noted.stamps => noted.reason.clone(),
            Ok(_) => continue,
        };
        skill.status = Status::Unhashable { reason };
    }
}

/// The stamps of a skill's files, none if the folder cannot be opened, or why there are none.
fn now(skill: &Path) -> Result<Option<Digest>, String> {
    let Ok(root) = SkillRoot::open(skill) else {
        return Ok(None);
    };
    let stamps = stamps(&root).map_err(|error| error.whole())?;
    Ok(Some(stamps.all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Settings;
    use crate::source::Surroundings;
    use std::fs;

    #[test]
    fn what_cannot_be_hashed_is_in_no_prompt_until_its_files_change() {
        let place = tempfile::tempdir().unwrap();
        let (home, index) = (place.path().join("home"), place.path().join("index"));
        let skill = home.join(".agents/skills/big");
        fs::create_dir_all(&skill).unwrap();
        fs::write(
            skill.join("SKILL.md"),
            "---\nname: big\ndescription: x\n---\n",
        )
        .unwrap();
        let settings = Settings {
            surroundings: Surroundings {
                home: Some(home),
                ..Surroundings::default()
            },
            index_folder: Some(index.clone()),
            ..Settings::default()
        };
        let status = || Catalog::load(&settings).find("big").unwrap().status.clone();
        assert_eq!(status(), Status::Enabled);
        let folder = Catalog::load(&settings);
        let folder = folder.find("big").unwrap().record.folder.clone();
        // What the system refused just now says nothing of the files.
        let (path, source) = ("x".to_owned(), std::io::ErrorKind::Other.into());
        note(&index, &folder, &ResourceError::Io { path, source });
        assert_eq!(status(), Status::Enabled);
        note(&index, &folder, &ResourceError::TooManyBytes { limit: 7 });
        let refused = status();
        assert_eq!(refused.as_str(), "unavailable");
        assert!(refused.is_refused());
        assert_eq!(
            refused.reason().unwrap(),
            "its files cannot be hashed: the files of the skill have more than 7 bytes"
        );
        fs::write(skill.join("other"), "").unwrap();
        assert_eq!(status(), Status::Enabled);
    }
}
