//! The file of an index: what there is of each source, a row of numbers for each of its skills,
//! and the texts of all skills in one piece, their paths before all others: every file is looked
//! at in an order of its own, and what lies close together is found faster.
//!
//! Rows have one size, and texts are never copied: records refer to them. A checksum finds
//! accidental damage; bytes that were made up with a right one are still only wrong answers,
//! since every place is checked before it is used.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::row::{self, Kind, Row};
use super::{Known, Snapshot};
use crate::record::{Problem, Reading, Record, Unloadable};
use crate::text::Text;
use crate::walk::{Listed, Skipped, Watched};

/// What an index file starts with; the number is its version.
const MAGIC: &[u8; 8] = b"skyidx07";
/// Index files not used for this long are removed.
const STALE: Duration = Duration::from_hours(30 * 24);

/// Magic, checksum and the lengths of the first two parts and of the paths.
const HEADER: usize = 36;

/// What one source held, without its skills.
#[derive(Serialize, Deserialize)]
struct StoredSource {
    root: PathBuf,
    /// How many rows are its skills.
    rows: usize,
    /// What few skills have, by their places among the rows.
    details: Vec<(usize, Details)>,
    skipped: Vec<Skipped>,
    listed: Vec<Listed>,
    watched: Vec<Watched>,
    walked: i64,
}

/// What few skills have.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Details {
    requires: Vec<String>,
    problems: Vec<Problem>,
}

/// Reads an index, if it is one.
pub(super) fn read(file: &Path) -> Option<Vec<Known>> {
    let mut file = File::open(file).ok()?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    let (magic, rest) = header.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let lengths: &[[u8; 8]; 3] = rest.as_chunks().0.try_into().ok()?;
    let length = |at: usize| usize::try_from(u64::from_le_bytes(lengths[at])).ok();
    let (head, rows, paths) = (length(0)?, length(1)?, length(2)?);
    // Made-up lengths must not ask for memory.
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let front = head.checked_add(rows)?;
    let behind = size.checked_sub(front.checked_add(HEADER)?)?;
    let mut numbers = vec![0; front];
    file.read_exact(&mut numbers).ok()?;
    let mut texts = Vec::with_capacity(behind + 1);
    file.read_to_end(&mut texts).ok()?;
    if magic != MAGIC || *sum != checksum(&numbers, &texts) {
        return None;
    }
    let sources: Vec<StoredSource> = postcard::from_bytes(&numbers[..head]).ok()?;
    let mut reader = Reader {
        rows: &numbers[head..],
        texts: Arc::new(String::from_utf8(texts).ok()?),
        path: 0,
        at: paths,
    };
    sources
        .into_iter()
        .map(|source| reader.source(source))
        .collect()
}

/// Writes an index in place of the old one.
pub(super) fn write(file: &Path, snapshots: &[Snapshot]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
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
    temporary.write_all(&checksum(&numbers, texts.as_bytes()))?;
    temporary.write_all(&head.to_le_bytes())?;
    temporary.write_all(&rows.to_le_bytes())?;
    temporary.write_all(&paths.to_le_bytes())?;
    temporary.write_all(&numbers)?;
    temporary.write_all(texts.as_bytes())?;
    temporary.persist(file)?;
    remove_stale(folder);
    Ok(())
}

/// Gives out rows and texts in order.
struct Reader<'a> {
    rows: &'a [u8],
    texts: Arc<String>,
    /// Where the next path starts.
    path: usize,
    /// Where the next of the other texts starts.
    at: usize,
}

impl Reader<'_> {
    fn source(&mut self, source: StoredSource) -> Option<Known> {
        let texts = Arc::clone(&self.texts);
        let mut details = source.details.into_iter().peekable();
        // Made-up counts must not ask for memory: there are as many rows as there are bytes.
        let count = source.rows.min(self.rows.len() / row::SIZE);
        let mut files = Vec::with_capacity(count);
        let mut readings = Vec::with_capacity(count);
        for number in 0..source.rows {
            let (row, rest) = self.rows.split_first_chunk()?;
            self.rows = rest;
            let row = Row::read(row)?;
            let start = self.path;
            let end = start.checked_add(row.path as usize)?;
            let path = texts.get(start..end)?;
            self.path = end;
            files.push((start..end, row.stamp));
            if row.kind == Kind::Unloadable {
                readings.push(Reading::Unloadable(Box::new(Unloadable {
                    path: source.root.join(path),
                    stamp: row.stamp,
                    reason: self.text(row.description)?.to_string(),
                })));
                continue;
            }
            let details = details
                .next_if(|(at, _)| *at == number)
                .map(|(_, details)| details)
                .unwrap_or_default();
            let name_start = end.checked_sub(row.file_name as usize)?;
            let folder = path.get(..name_start.checked_sub(start)?)?;
            readings.push(Reading::Skill(Box::new(Record {
                folder: match folder.strip_suffix('/') {
                    Some(folder) => below(&source.root, folder),
                    None => source.root.clone(),
                },
                file_name: Text::of(&texts, name_start..end)?,
                stamp: row.stamp,
                name: self.text(row.name)?,
                description: self.text(row.description)?,
                fields: self.text(row.fields)?,
                requires: details.requires,
                model_invocable: row.model_invocable,
                user_invocable: row.user_invocable,
                problems: details.problems,
            })));
        }
        Some(Known {
            files,
            texts,
            snapshot: Snapshot {
                root: source.root,
                readings,
                skipped: source.skipped,
                listed: source.listed,
                watched: source.watched,
                walked: source.walked,
            },
        })
    }

    fn text(&mut self, length: u32) -> Option<Text> {
        let start = self.at;
        self.at = start.checked_add(length as usize)?;
        Text::of(&self.texts, start..self.at)
    }
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
            let path = match reading {
                Reading::Skill(record) => &record.path(),
                Reading::Unloadable(unloadable) => &unloadable.path,
            };
            let path = path.strip_prefix(&snapshot.root).ok()?.to_str()?;
            self.paths.push_str(path);
            let path = u32::try_from(path.len()).ok()?;
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
                        path,
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
                    path,
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

/// A path that is joined in memory that is asked for once: there are as many as skills.
fn below(root: &Path, folder: &str) -> PathBuf {
    let mut path = PathBuf::with_capacity(root.as_os_str().len() + 1 + folder.len());
    path.push(root);
    path.push(folder);
    path
}

/// Guards against damage, not against an attacker: who can write here can write skills.
fn checksum(numbers: &[u8], texts: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(numbers);
    hasher.update(texts);
    hasher.finalize().to_le_bytes()
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
