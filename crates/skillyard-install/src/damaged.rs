//! Which of the records in `placed/` cannot be read. Commands go on without them, but what they said is
//! not known any more, so somebody has to tell.

use std::path::{Path, PathBuf};

use crate::lockfile::Lockfile;
use crate::scope::is_folder_record;
use crate::text::text_if_there;
use crate::transaction::made_folders;

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRecord {
    /// The file.
    pub path: PathBuf,
    /// What it was about.
    pub about: RecordKind,
    /// What is wrong with it.
    pub reason: String,
}

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// What was put into a project.
    Project,
    /// What was put into a folder of the user's agents, whose skills are held back without it.
    Folder,
    /// Which folders were made for skills, or which skills were there before.
    Making,
}

/// The records that cannot be read, in the order of their names.
pub fn damaged_records(skillyard_home: &Path) -> Vec<DamagedRecord> {
    let entries = skillyard_home.join("placed").read_dir();
    let paths = entries.into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths.into_iter().filter_map(damaged).collect()
}

fn damaged(path: PathBuf) -> Option<DamagedRecord> {
    let about = match path.extension()?.to_str()? {
        "toml" if path.file_name().is_some_and(is_folder_record) => RecordKind::Folder,
        "toml" => RecordKind::Project,
        "made" | "found" => RecordKind::Making,
        _ => return None,
    };
    let text = match text_if_there(&path) {
        Ok(text) => text?,
        Err(error) => {
            let reason = error.to_string();
            return Some(DamagedRecord {
                path,
                about,
                reason,
            });
        }
    };
    let reason = match about {
        RecordKind::Making => made_folders(&text).err().map(|error| error.to_string()),
        _ => Lockfile::parse(&text, &path)
            .err()
            .map(|error| error.to_string()),
    };
    reason.map(|reason| DamagedRecord {
        path,
        about,
        reason,
    })
}
