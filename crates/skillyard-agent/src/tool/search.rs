//! `Glob` and `Grep`: searches in the files of the workspace.
//!
//! The guard decides about the folder that is searched. Files in it that are denied are left out
//! before they are looked into, and counted whether they would have been found or not: else the
//! number would tell what is in them. What else was not looked into is told, too: who reads that
//! nothing was found takes it for granted.

use std::fs::FileType;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{Glob, GlobMatcher};
use serde_json::{Map, Value};
use skillyard_catalog::ignored::IgnoreFiles;
use skillyard_catalog::resource::{
    BinaryContent, PathRules, ReadLimits, ReadRange, ResourceContent, ResourceError, SkillRoot,
};
use skillyard_trust::guard::SearchExclusions;

use super::skill::{only, optional, wanted};
use super::workspace::Workspace;
use super::workspace_path;

/// Most files that `Glob` names and lines that `Grep` gives.
const MAX_FOUND: usize = 200;
/// Characters of a line that `Grep` returns.
const MAX_LINE: usize = 300;

/// What a search gave, and what it did not look into.
#[derive(Default)]
struct SearchResult {
    lines: Vec<String>,
    /// Files that are denied.
    denied: usize,
    /// Files that could not be read.
    unread: usize,
    /// Files that hold no text.
    no_text: usize,
    /// Files that were only searched in part.
    part: Vec<String>,
    has_hidden: bool,
}

/// A pattern for paths below the workspace.
struct PathPattern {
    matcher: GlobMatcher,
    hidden: Hidden,
}

impl Workspace<'_> {
    pub(super) fn glob(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        only(arguments, &["pattern", "path"])?;
        let pattern = self.pattern(wanted(arguments, "pattern")?)?;
        let under = self.under(arguments)?;
        let mut found = SearchResult::default();
        self.search(&under, pattern.hidden, &mut found, |found, path| {
            if pattern.means(path, &under) {
                found.lines.push(path.to_owned());
            }
            ControlFlow::Continue(())
        })?;
        Ok(found.told())
    }

    pub(super) fn grep(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        only(arguments, &["pattern", "path", "glob"])?;
        let pattern = wanted(arguments, "pattern")?;
        // Not every text is UTF-8.
        let pattern = regex::bytes::RegexBuilder::new(pattern)
            .size_limit(1 << 20)
            .build()
            .map_err(|error| format!("the pattern cannot be understood: {error}"))?;
        let only = optional(arguments, "glob")?;
        let only = only.map(|only| self.pattern(only)).transpose()?;
        let hidden = only.as_ref().map_or(Hidden::Skipped, |only| only.hidden);
        let under = self.under(arguments)?;
        let root = self.root()?;
        let mut found = SearchResult::default();
        self.search(&under, hidden, &mut found, |found, path| {
            if only.as_ref().is_some_and(|only| !only.means(path, &under)) {
                return ControlFlow::Continue(());
            }
            let searched = lines(&root, path, self.cancel, |number, line| {
                if pattern.is_match(line) {
                    let line = String::from_utf8_lossy(line);
                    let line: String = line.chars().take(MAX_LINE).collect();
                    found.lines.push(format!("{path}:{number}: {line}"));
                }
                found.flow()
            });
            match searched {
                Ok(Searched::Whole) => {}
                Ok(Searched::NoText) => found.no_text += 1,
                Ok(Searched::Part) => found.part.push(path.to_owned()),
                Err(_) => found.unread += 1,
            }
            found.flow()
        })?;
        Ok(found.told())
    }

    /// The folder or file below the workspace that is to be searched.
    fn under(&self, arguments: &Map<String, Value>) -> Result<PathBuf, String> {
        let path = optional(arguments, "path")?.unwrap_or_default();
        workspace_path::below(self.host.surroundings().workspace(), path)
    }

    /// The pattern that is meant: like a path it may begin with the workspace or `.`.
    fn pattern(&self, text: &str) -> Result<PathPattern, String> {
        let folder = self.host.surroundings().workspace().to_string_lossy();
        let inside = text.strip_prefix(folder.trim_end_matches('/'));
        let inside = inside.filter(|inside| inside.starts_with('/'));
        let is_outside = inside.is_none() && text.starts_with('/');
        let parts = inside.unwrap_or(text).split('/');
        let mut parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
        if is_outside || parts.contains(&"..") {
            return Err(format!("`{text}` is no pattern for paths in the workspace"));
        }
        if text.ends_with('/') {
            parts.push("**");
        }
        let is_hidden = |part: &&str| {
            part.starts_with('.') || ["{.", ",."].iter().any(|named| part.contains(named))
        };
        let glob = Glob::new(&parts.join("/")).map_err(|error| error.to_string())?;
        Ok(PathPattern {
            matcher: glob.compile_matcher(),
            hidden: if parts.iter().any(is_hidden) {
                Hidden::Included
            } else {
                Hidden::Skipped
            },
        })
    }

    /// Visits the files in a folder, sorted; denied and ignored ones and links are passed over.
    /// There may be very many: whoever stops does not wait for the last.
    fn search(
        &self,
        under: &Path,
        hidden: Hidden,
        found: &mut SearchResult,
        mut visit: impl FnMut(&mut SearchResult, &str) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let world = self.host.surroundings();
        let denied = self.host.denied().map_err(|error| error.message)?;
        let unseen = SearchExclusions::of(self.skills, &denied);
        let folder = world.workspace();
        let mut is_there = false;
        let way = walk_files(folder, under, hidden);
        for entry in way.entries {
            let Ok(entry) = entry else { continue };
            let Ok(below) = entry.path().strip_prefix(folder) else {
                continue;
            };
            is_there |= below == under;
            let kind = entry.file_type();
            if below == under {
                refuse_odd(under, kind)?;
            }
            let is_file = kind.is_some_and(|kind| kind.is_file());
            let (true, Some(path), Some(whole)) = (is_file, below.to_str(), entry.path().to_str())
            else {
                continue;
            };
            let flow = if unseen.has(whole, world) {
                found.denied += 1;
                ControlFlow::Continue(())
            } else {
                visit(found, path)
            };
            if self.cancel.load(Ordering::Relaxed) {
                return Err("it was stopped".to_owned());
            }
            if flow.is_break() {
                break;
            }
        }
        if !is_there {
            let under = under.display();
            return Err(format!(
                "there is no `{under}` in the workspace, or it is passed over"
            ));
        }
        found.has_hidden = way.has_hidden.load(Ordering::Relaxed);
        Ok(())
    }
}

/// Refuses to search what was named and is neither a folder nor a file: nothing would be found.
fn refuse_odd(under: &Path, kind: Option<FileType>) -> Result<(), String> {
    let what = match kind {
        Some(kind) if kind.is_symlink() => "a symbolic link",
        Some(kind) if !kind.is_dir() && !kind.is_file() => "neither a file nor a folder",
        _ => return Ok(()),
    };
    let under = under.display();
    Err(format!("`{under}` is {what}, and is not searched"))
}

impl PathPattern {
    /// Whether it names a file, from the workspace or from the folder that is searched.
    fn means(&self, path: &str, under: &Path) -> bool {
        let below = Path::new(path).strip_prefix(under);
        self.matcher.is_match(path) || below.is_ok_and(|below| self.matcher.is_match(below))
    }
}

impl SearchResult {
    /// Whether there is more than is told.
    fn flow(&self) -> ControlFlow<()> {
        if self.lines.len() > MAX_FOUND {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn told(self) -> String {
        let mut lines = self.lines;
        let is_nothing = lines.is_empty();
        if is_nothing {
            lines.push("Nothing was found.".to_owned());
            if self.has_hidden {
                lines.push("[hidden files were passed over; name one to look into it]".to_owned());
            }
        }
        if lines.len() > MAX_FOUND {
            lines.truncate(MAX_FOUND);
            lines.push(format!("[only the first {MAX_FOUND} are shown]"));
        }
        for path in &self.part {
            lines.push(format!("[only the beginning of `{path}` was searched]"));
        }
        let files = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("[1 file {what} and was left out]")),
            many => Some(format!("[{many} files {what} and were left out]")),
        };
        lines.extend(files(self.denied, "may not be read"));
        lines.extend(files(self.unread, "could not be read"));
        // Who found something does not ask about pictures.
        let no_text = if is_nothing { self.no_text } else { 0 };
        lines.extend(match no_text {
            0 => None,
            1 => Some("[1 file is no text and was left out]".to_owned()),
            many => Some(format!("[{many} files are no text and were left out]")),
        });
        lines.join("\n")
    }
}

/// Whether a search includes hidden files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// It skips them, unless it begins at one.
    Skipped,
    Included,
}

/// The files of a search.
struct FileWalk {
    entries: ignore::Walk,
    /// Becomes true when something hidden is skipped.
    has_hidden: Arc<AtomicBool>,
}

/// The way to `under`, a folder or file below the workspace, and all that is in it. It begins at
/// the top, where ignored files are named, follows no link on its way down, and never comes to
/// `.git`.
fn walk_files(folder: &Path, under: &Path, hidden: Hidden) -> FileWalk {
    let (top, under) = (folder.to_owned(), under.to_owned());
    let has_hidden = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&has_hidden);
    let ignored = ignored_around(folder);
    let entries = ignore::WalkBuilder::new(folder)
        // Lists of what is ignored come with a checkout, and are read with care.
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| {
            let Ok(below) = entry.path().strip_prefix(&top) else {
                return false;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.depth() > 0 && ignored.is_ignored(entry.path(), is_folder) {
                return false;
            }
            if under.starts_with(below) {
                return entry.file_name() != ".git" || entry.depth() == 0;
            }
            let name = entry.file_name().as_encoded_bytes();
            if !below.starts_with(&under) || name == b".git" {
                return false;
            }
            let is_passed = hidden == Hidden::Skipped && name.starts_with(b".");
            if is_passed {
                seen.store(true, Ordering::Relaxed);
            }
            !is_passed
        })
        .build();
    FileWalk {
        entries,
        has_hidden,
    }
}

/// The files that say what is ignored, the last word last.
const LISTS: [&str; 2] = [".gitignore", ".ignore"];

/// What is ignored in a workspace: by the lists in it, and by those above it of the repository that it
/// is a folder of, unless they ignore all of it. Many a home has a `.gitignore` of `*`.
fn ignored_around(folder: &Path) -> IgnoreFiles {
    let is_repository = |each: &&Path| each.join(".git").exists();
    let top = folder.ancestors().find(is_repository);
    let heeding = top.and_then(|top| {
        let lists = IgnoreFiles::below(top, &LISTS);
        let mut parts = folder.ancestors();
        let is_whole =
            parts.any(|part| part != top && part.starts_with(top) && lists.is_ignored(part, true));
        (!is_whole).then_some(lists)
    });
    heeding.unwrap_or_else(|| IgnoreFiles::below(folder, &LISTS))
}

/// Bytes that are read at once.
const PIECE: u64 = 1_000_000;
/// Bytes of a file that are looked into.
const MAX_BYTES: u64 = 100_000_000;
/// The type of what is known to be nothing else; it is text if it has no zero byte.
const UNKNOWN: &str = "application/octet-stream";

/// How much of a file was looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Searched {
    /// All of it, or as much as was wanted.
    Whole,
    /// Its beginning.
    Part,
    /// Nothing, because it is no text.
    NoText,
}

/// Visits the lines of a file with their numbers, until there is no more, or no more is wanted.
fn lines(
    root: &SkillRoot,
    path: &str,
    cancel: &AtomicBool,
    mut visit: impl FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<Searched, ResourceError> {
    let limits = ReadLimits {
        max_bytes: PIECE,
        binary: BinaryContent::Include,
        names: PathRules::Any,
        ..ReadLimits::default()
    };
    let (mut offset, mut number) = (0, 0);
    // The beginning of a line whose end is in the next piece.
    let mut begun = Vec::new();
    while !cancel.load(Ordering::Relaxed) {
        let range = ReadRange {
            offset,
            limit: None,
        };
        let read = root.read(path, range, &limits)?;
        let piece = match read.content {
            ResourceContent::Text(text) => text.into_bytes(),
            ResourceContent::Binary {
                media_type: UNKNOWN,
                bytes: Some(bytes),
            } if !bytes.contains(&0) => bytes,
            ResourceContent::Binary { .. } if offset == 0 => return Ok(Searched::NoText),
            ResourceContent::Binary { .. } => return Ok(Searched::Part),
        };
        let whole = match (
            read.next_offset,
            piece.iter().rposition(|byte| *byte == b'\n'),
        ) {
            (None, _) => begun.len() + piece.len(),
            (Some(_), Some(at)) => begun.len() + at + 1,
            (Some(_), None) => 0,
        };
        begun.extend_from_slice(&piece);
        for line in begun[..whole].split_inclusive(|byte| *byte == b'\n') {
            number += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if visit(number, line).is_break() {
                return Ok(Searched::Whole);
            }
        }
        begun.drain(..whole);
        match read.next_offset {
            None => break,
            Some(next) if next >= MAX_BYTES => return Ok(Searched::Part),
            Some(next) => offset = next,
        }
    }
    Ok(Searched::Whole)
}
