//! Reading the file of an index: first its front, which tells what to look at, then all of it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use super::Snapshot;
use super::file::{HEADER, MAGIC, StoredSource, checksum};
use super::row::{self, Kind, Row};
use crate::record::{Reading, Record, Unloadable};
use crate::remembered;
use crate::text::Text;
use crate::walk::Stamp;

/// The front of an index, which was not compared with its checksum yet.
pub(super) struct Front {
    file: File,
    checksum: [u8; 4],
    /// What postcard wrote, and the rows behind it.
    numbers: Vec<u8>,
    /// Where the rows begin.
    rows: usize,
    paths: Arc<String>,
    /// Where the texts begin, and how many bytes they have.
    texts: (u64, usize),
    sources: Vec<StoredSource>,
}

impl Front {
    /// Opens an index, if it is one.
    pub(super) fn open(file: &Path) -> Option<Self> {
        let (mut file, metadata) = remembered::open(file)?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let (magic, rest) = header.split_first_chunk::<8>()?;
        let (sum, rest) = rest.split_first_chunk::<4>()?;
        let lengths: &[[u8; 8]; 3] = rest.as_chunks().0.try_into().ok()?;
        let length = |at: usize| usize::try_from(u64::from_le_bytes(lengths[at])).ok();
        let (head, rows, paths) = (length(0)?, length(1)?, length(2)?);
        // Made-up lengths must not ask for memory.
        let size = usize::try_from(metadata.len()).ok()?;
        let front = head.checked_add(rows)?;
        let before = front.checked_add(paths)?.checked_add(HEADER)?;
        let behind = size.checked_sub(before).filter(|_| magic == MAGIC)?;
        let mut numbers = vec![0; front];
        file.read_exact(&mut numbers).ok()?;
        let mut names = vec![0; paths];
        file.read_exact(&mut names).ok()?;
        Some(Self {
            file,
            checksum: *sum,
            sources: postcard::from_bytes(&numbers[..head]).ok()?,
            numbers,
            rows: head,
            paths: Arc::new(String::from_utf8(names).ok()?),
            texts: (u64::try_from(before).ok()?, behind),
        })
    }

    /// What there is of each source, without its skills.
    pub(super) fn sources(&self) -> &[StoredSource] {
        &self.sources
    }

    /// Which rows belong to each source.
    pub(super) fn ranges(&self) -> Option<Vec<Range<usize>>> {
        // Made-up counts must not ask for memory: there are as many rows as there are bytes.
        let all = (self.numbers.len() - self.rows) / row::SIZE;
        let mut start = 0_usize;
        let range = |source: &StoredSource| {
            let end = start.checked_add(source.rows).filter(|end| *end <= all)?;
            Some(std::mem::replace(&mut start, end)..end)
        };
        self.sources.iter().map(range).collect()
    }

    /// The path of one `SKILL.md` below the root of its source, and its stamp.
    pub(super) fn file(&self, at: usize) -> Option<(&str, Stamp)> {
        let rows = self.rows();
        let start = match at.checked_sub(1) {
            Some(before) => Row::read(rows.get(before)?)?.path_end,
            None => 0,
        };
        let row = Row::read(rows.get(at)?)?;
        let path = self.paths.get(start as usize..row.path_end as usize)?;
        Some((path, row.stamp))
    }

    fn rows(&self) -> &[[u8; row::SIZE]] {
        self.numbers[self.rows..].as_chunks().0
    }

    /// All of it, if it is what was written.
    pub(super) fn read(&self) -> Option<Vec<Snapshot>> {
        let (start, length) = self.texts;
        let mut texts = Vec::with_capacity(length + 1);
        (&self.file).seek(SeekFrom::Start(start)).ok()?;
        (&self.file).read_to_end(&mut texts).ok()?;
        if self.checksum != checksum([&self.numbers, self.paths.as_bytes(), &texts]) {
            return None;
        }
        let mut reader = Reader {
            rows: self.rows().iter(),
            paths: &self.paths,
            texts: Arc::new(String::from_utf8(texts).ok()?),
            path: 0,
            at: 0,
        };
        let sources = self.sources.iter();
        sources.map(|source| reader.source(source)).collect()
    }
}

/// Gives out rows and texts in order.
struct Reader<'a> {
    rows: slice::Iter<'a, [u8; row::SIZE]>,
    paths: &'a Arc<String>,
    texts: Arc<String>,
    /// Where the next path starts.
    path: usize,
    /// Where the next of the other texts starts.
    at: usize,
}

impl Reader<'_> {
    fn source(&mut self, source: &StoredSource) -> Option<Snapshot> {
        let mut details = source.details.iter().peekable();
        let mut readings = Vec::with_capacity(source.rows.min(self.rows.len()));
        for number in 0..source.rows {
            let row = Row::read(self.rows.next()?)?;
            let (start, end) = (self.path, row.path_end as usize);
            let path = self.paths.get(start..end)?;
            self.path = end;
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
                .map(|(_, details)| details.clone())
                .unwrap_or_default();
            let name_start = end.checked_sub(row.file_name as usize)?;
            let folder = path.get(..name_start.checked_sub(start)?)?;
            readings.push(Reading::Skill(Box::new(Record {
                folder: match folder.strip_suffix('/') {
                    Some(folder) => below(&source.root, folder),
                    None => source.root.clone(),
                },
                file_name: Text::of(self.paths, name_start..end)?,
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
        Some(Snapshot {
            root: source.root.clone(),
            readings,
            skipped: source.skipped.clone(),
            listed: source.listed.clone(),
            watched: source.watched.clone(),
            walked: source.walked,
        })
    }

    fn text(&mut self, length: u32) -> Option<Text> {
        let start = self.at;
        self.at = start.checked_add(length as usize)?;
        Text::of(&self.texts, start..self.at)
    }
}

/// A path that is joined in memory that is asked for once: there are as many as skills.
fn below(root: &Path, folder: &str) -> PathBuf {
    let mut path = PathBuf::with_capacity(root.as_os_str().len() + 1 + folder.len());
    path.push(root);
    path.push(folder);
    path
}
