//! A cache of skills whose files cannot be hashed, so that their content cannot be recorded when a model uses them.
//!
//! Files are hashed when a skill is activated, not when it is listed. A failure is stored here, so that the skill is left out of
//! prompts as long as its files stay as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::cache_file::{self, Magic};
use crate::resource::{ResourceError, SkillRoot, stamps};

/// What the file starts with.
const MAGIC: Magic = *b"skyunh01";

/// Why the files of a skill could not be hashed while they had these stamps.
#[derive(Serialize, Deserialize)]
struct UnhashableReason {
    /// None where the files cannot even be counted.
    stamps: Option<Digest>,
    reason: String,
}

type Table = BTreeMap<PathBuf, UnhashableReason>;

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
    let mut table: Table = cache_file::read(&file, MAGIC).unwrap_or_default();
    let now = UnhashableReason {
        stamps: now(skill).ok().flatten(),
        reason: why.whole(),
    };
    let is_known =
        |known: &UnhashableReason| (known.stamps, &known.reason) == (now.stamps, &now.reason);
    if table.get(skill).is_some_and(is_known) {
        return;
    }
    table.insert(skill.to_owned(), now);
    table.retain(|folder, _| folder.exists());
    // A cache that cannot be written costs a try, not an answer.
    let _ = cache_file::write(&file, MAGIC, &table);
}

/// The skills that are known to be unhashable.
pub(crate) struct UnhashableSkills(Table);

impl UnhashableSkills {
    /// Reads the file in a folder of indexes.
    pub(crate) fn read(index_folder: &Path) -> Self {
        Self(cache_file::read(&file(index_folder), MAGIC).unwrap_or_default())
    }

    /// Why the skill in a folder cannot be hashed, as long as its files stay as they are.
    pub(crate) fn reason(&self, skill: &Path) -> Option<String> {
        let noted = self.0.get(skill)?;
        match now(skill) {
            Err(reason) => Some(reason),
            Ok(stamps) => {
                (stamps.is_some() && stamps == noted.stamps).then(|| noted.reason.clone())
            }
        }
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
    use crate::catalog::{Catalog, CatalogSettings};
    use crate::status::Status;
    use crate::surroundings::Surroundings;
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
        let settings = CatalogSettings {
            surroundings: Surroundings {
                home: Some(home),
                ..Surroundings::default()
            },
            index_folder: Some(index.clone()),
            ..CatalogSettings::default()
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
