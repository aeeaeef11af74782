//! The first pass, whatever the format: every header is judged and counted here.

use std::collections::HashSet;
use std::io::Read;

use super::error::EntryProblem;
use super::error::{ArchiveError, LimitProblem};
use super::limits::{OnBlemish, Rules};
use super::listing::junk;
use super::listing::{
    ArchiveEntry, ArchiveListing, ArchiveNote, Blemish, EntryKind, Mode, Remark, looks_nested,
    remark_on,
};
use super::path::{ArchivePath, check_ways_out};
use super::path::{NameTree, NodeKind};

/// Bytes of a file that tell whether it is an archive: a tar says so at 257.
const HEAD_BYTES: u64 = 512;

const SETUID: u32 = 0o4000;
const SPECIAL_BITS: u32 = 0o7000;
const OWNER_EXECUTES: u32 = 0o100;

/// One entry as a header describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryHeader {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: HeaderKind,
    pub(crate) size: u64,
    /// The compressed size, where entries are compressed one by one.
    pub(crate) packed: Option<u64>,
    pub(crate) mode: u32,
}

/// What a header says an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    File,
    Folder,
    Symlink,
    HardLink,
    Special(&'static str),
    Sparse,
}

/// Where a raw entry went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the entry of the listing with this index.
    Listed(usize),
    /// It is left out.
    LeftOut,
}

/// Judges headers one by one and becomes the listing.
pub(crate) struct Census<'a> {
    rules: &'a Rules,
    listing: ArchiveListing,
    names: NameTree,
    dropped: HashSet<ArchivePath>,
    entries: u64,
    files: u64,
    total_bytes: u64,
    names_bytes: u64,
}

impl<'a> Census<'a> {
    pub(crate) fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            listing: ArchiveListing::default(),
            names: NameTree::default(),
            dropped: HashSet::new(),
            entries: 0,
            files: 0,
            total_bytes: 0,
            names_bytes: 0,
        }
    }

    /// Judges one header; its content is read only afterwards.
    pub(crate) fn add(&mut self, head: &EntryHeader) -> Result<Verdict, ArchiveError> {
        self.count(head)?;
        match self.judge(head) {
            Ok(verdict) => {
                let limits = &self.rules.limits;
                limits.check_counts(self.files, self.total_bytes)?;
                Ok(verdict)
            }
            Err(problem) if problem.is_blemish() && self.rules.on_blemish == OnBlemish::Report => {
                self.listing.blemishes.push(Blemish {
                    name: String::from_utf8_lossy(&head.name).into_owned(),
                    problem,
                });
                Ok(Verdict::LeftOut)
            }
            Err(problem) => Err(ArchiveError::entry(&head.name, problem)),
        }
    }

    /// Reads the content of an entry to its end, and notes whether it is an archive.
    pub(crate) fn read_through(
        &mut self,
        verdict: Verdict,
        mut content: &mut dyn Read,
    ) -> Result<(), ArchiveError> {
        let mut head = Vec::new();
        (&mut content).take(HEAD_BYTES).read_to_end(&mut head)?;
        drain(content)?;
        if let Verdict::Listed(index) = verdict
            && looks_nested(&head)
        {
            self.note(
                self.listing.entries[index].path.clone(),
                Remark::NestedArchive,
            );
        }
        Ok(())
    }

    /// All content that headers promised so far.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub(crate) fn finish(self) -> ArchiveListing {
        self.listing
    }

    /// What an archive has too much of, counted before anything is kept.
    fn count(&mut self, head: &EntryHeader) -> Result<(), ArchiveError> {
        let limits = &self.rules.limits;
        self.entries += 1;
        if self.entries > limits.entries {
            return Err(LimitProblem::Entries {
                limit: limits.entries,
            }
            .into());
        }
        self.names_bytes += head.name.len() as u64;
        if self.names_bytes > limits.names_bytes {
            return Err(LimitProblem::NamesBytes {
                limit: limits.names_bytes,
            }
            .into());
        }
        if head.size > limits.file_bytes {
            let problem = EntryProblem::FileTooLarge {
                actual: head.size,
                limit: limits.file_bytes,
            };
            return Err(ArchiveError::entry(&head.name, problem));
        }
        self.total_bytes = self.total_bytes.saturating_add(head.size);
        limits.check_counts(0, self.total_bytes)?;
        Ok(())
    }

    fn judge(&mut self, head: &EntryHeader) -> Result<Verdict, EntryProblem> {
        let limit = self.rules.limits.path_bytes;
        let path = if plain_name(head).len() > limit {
            Err(too_long(head, limit))
        } else {
            path_of(head)
        };
        // What is no file at all outranks an odd name, and a way out outranks both.
        let hard = path
            .as_ref()
            .err()
            .is_some_and(|problem| !problem.is_blemish());
        if !hard {
            check_kind(head)?;
        }
        let path = path?;
        self.rules.limits.check_path(&path)?;
        let place = if head.kind == HeaderKind::Folder {
            NodeKind::Folder
        } else {
            NodeKind::File
        };
        self.names.add(&path, place)?;
        if head.kind == HeaderKind::Symlink {
            return Err(EntryProblem::Symlink);
        }
        let limits = &self.rules.limits;
        if head
            .packed
            .is_some_and(|packed| limits.is_bomb(packed, head.size))
        {
            return Err(EntryProblem::Ratio {
                limit: limits.ratio,
            });
        }
        if let Some((kind, depth)) = junk(&path) {
            self.note_dropped(&path, Remark::Dropped(kind), depth);
            return Ok(Verdict::LeftOut);
        }
        Ok(self.list(path, head))
    }

    fn list(&mut self, path: ArchivePath, head: &EntryHeader) -> Verdict {
        let kind = if head.kind == HeaderKind::Folder {
            EntryKind::Folder
        } else {
            self.files += 1;
            if let Some(remark) = remark_on(&path) {
                self.note(path.clone(), remark);
            }
            EntryKind::File {
                size: head.size,
                mode: mode_of(head.mode),
            }
        };
        self.listing.entries.push(ArchiveEntry { path, kind });
        Verdict::Listed(self.listing.entries.len() - 1)
    }

    fn note(&mut self, path: ArchivePath, remark: Remark) {
        self.listing.notes.push(ArchiveNote { path, remark });
    }

    /// One note for a whole folder of junk.
    fn note_dropped(&mut self, path: &ArchivePath, remark: Remark, depth: usize) {
        let mut top = path.clone();
        for _ in depth..path.components().count() {
            top = top.parent().unwrap_or(top);
        }
        if self.dropped.insert(top.clone()) {
            self.note(top, remark);
        }
    }
}

/// The name of an entry without the one slash that a folder may have at its end.
pub(crate) fn plain_name(head: &EntryHeader) -> &[u8] {
    match head.name.strip_suffix(b"/") {
        Some(name) if head.kind == HeaderKind::Folder && !name.is_empty() => name,
        _ => &head.name,
    }
}

/// The path of an entry.
pub(crate) fn path_of(head: &EntryHeader) -> Result<ArchivePath, EntryProblem> {
    let name = plain_name(head);
    if name.contains(&0) {
        return Err(EntryProblem::ControlCharacter);
    }
    match std::str::from_utf8(name) {
        Ok(text) => ArchivePath::new(text),
        // The ways out are looked for even where the rest cannot be read.
        Err(_) => match ArchivePath::new(&String::from_utf8_lossy(name)) {
            Err(problem) if !problem.is_blemish() => Err(problem),
            _ => Err(EntryProblem::NotUtf8),
        },
    }
}

/// The problem of a path over the limit, whose single characters are not worth looking at.
fn too_long(head: &EntryHeader, limit: usize) -> EntryProblem {
    match check_ways_out(&String::from_utf8_lossy(plain_name(head))) {
        Err(problem) if !problem.is_blemish() => problem,
        _ => EntryProblem::PathTooLong {
            actual: plain_name(head).len(),
            limit,
        },
    }
}

/// The mode that is kept of all permission bits.
pub(crate) fn mode_of(bits: u32) -> Mode {
    if bits & OWNER_EXECUTES == 0 {
        Mode::Plain
    } else {
        Mode::Executable
    }
}

/// Reads to the end and keeps nothing.
pub(crate) fn drain(content: &mut dyn Read) -> Result<u64, ArchiveError> {
    Ok(std::io::copy(content, &mut std::io::sink())?)
}

fn check_kind(head: &EntryHeader) -> Result<(), EntryProblem> {
    match head.kind {
        HeaderKind::HardLink => return Err(EntryProblem::HardLink),
        HeaderKind::Special(what) => return Err(EntryProblem::Special(what)),
        HeaderKind::Sparse => return Err(EntryProblem::Sparse),
        HeaderKind::Folder if head.size > 0 => return Err(EntryProblem::UnexpectedContent),
        HeaderKind::File | HeaderKind::Folder | HeaderKind::Symlink => {}
    }
    // Folders of a shared group often carry setgid; folders are made afresh, so it does not matter.
    let refused = if head.kind == HeaderKind::Folder {
        SETUID
    } else {
        SPECIAL_BITS
    };
    if head.kind != HeaderKind::Symlink && head.mode & refused != 0 {
        return Err(EntryProblem::SpecialMode);
    }
    Ok(())
}
