//! Writing the file of an index.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use super::Snapshot;
use super::file::{Details, MAGIC, StoredSource, checksum};
use super::row::{Kind, Row};
use crate::own_folder;
use crate::record::Reading;

/// Index files not used for this long are removed.
const STALE: Duration = Duration::from_hours(30 * 24);

/// Writes an index in place of the old one.
pub(super) fn write(file: &Path, snapshots: &[Snapshot]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    own_folder::make(folder)?;
    let mut writer = Writer::default();
    let sources = snapshots
        .iter()
        .map(|snapshot| writer.source(snapshot))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| io::Error::other("a path is not UTF-8, or a text is too long"))?;
    let mut numbers = postcard::to_allocvec(&sources).map_err(io::Error::other)?;
    let head = numbers.len() as u64;
    numbers.append(&mut writer.rows);
    let rows = numbers.len() as u64 - head;
    let paths = writer.paths.len() as u64;
    let texts = writer.paths + &writer.texts;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(MAGIC)?;
    temporary.write_all(&checksum([numbers.as_slice(), texts.as_bytes()]))?;
    temporary.write_all(&head.to_le_bytes())?;
    temporary.write_all(&rows.to_le_bytes())?;
    temporary.write_all(&paths.to_le_bytes())?;
    temporary.write_all(&numbers)?;
    temporary.write_all(texts.as_bytes())?;
    temporary.persist(file)?;
    remove_stale(folder);
    Ok(())
}

/// Collects rows and texts in order.
#[derive(Default)]
struct Writer {
    rows: Vec<u8>,
    paths: String,
    texts: String,
}

impl Writer {
    /// A source without its skills, if all its paths are text.
    fn source(&mut self, snapshot: &Snapshot) -> Option<StoredSource> {
        let mut all_details = Vec::new();
        for (number, reading) in snapshot.readings.iter().enumerate() {
            let path = reading.path();
            let path = path.strip_prefix(&snapshot.root).ok()?.to_str()?;
            self.paths.push_str(path);
            let path_end = u32::try_from(self.paths.len()).ok()?;
            let row = match reading {
                Reading::Skill(record) => {
                    let details = Details {
                        requires: record.requires.clone(),
                        problems: record.problems.clone(),
                    };
                    if details != Details::default() {
                        all_details.push((number, details));
                    }
                    Row {
                        stamp: record.stamp,
                        kind: Kind::Skill,
                        path_end,
                        file_name: u32::try_from(record.file_name.len()).ok()?,
                        name: self.push(&record.name)?,
                        description: self.push(&record.description)?,
                        fields: self.push(&record.fields)?,
                        model_invocable: record.model_invocable,
                        user_invocable: record.user_invocable,
                    }
                }
                Reading::Unloadable(unloadable) => Row {
                    stamp: unloadable.stamp,
                    kind: Kind::Unloadable,
                    path_end,
                    file_name: 0,
                    name: 0,
                    description: self.push(&unloadable.reason)?,
                    fields: 0,
                    model_invocable: false,
                    user_invocable: false,
                },
            };
            self.rows.extend_from_slice(&row.to_bytes());
        }
        Some(StoredSource {
            root: snapshot.root.clone(),
            rows: snapshot.readings.len(),
            details: all_details,
            skipped: snapshot.skipped.clone(),
            listed: snapshot.listed.clone(),
            watched: snapshot.watched.clone(),
            walked: snapshot.walked,
        })
    }

    fn push(&mut self, text: &str) -> Option<u32> {
        self.texts.push_str(text);
        u32::try_from(text.len()).ok()
    }
}

/// Removes indexes of projects that nobody works in any more.
fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let old = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > STALE));
        if old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
