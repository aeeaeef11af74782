//! `Glob` and `Grep`: searches in the files of the workspace.
//!
//! The guard decides about the folder that is searched. Files in it that are denied are left out
//! before they are looked into, and counted whether they would have been found or not: else the
//! number would tell what is in them.

use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;

use globset::{Glob, GlobMatcher};
use serde_json::{Map, Value};
use skillyard_catalog::resource::{Content, ReadLimits, ReadRange};
use skillyard_trust::guard::Unseen;

use super::skill::{optional, wanted};
use super::workspace::Workspace;

/// Most files that `Glob` names and lines that `Grep` gives.
const MOST_FOUND: usize = 200;
/// Longest line that `Grep` gives.
const LONGEST_LINE: usize = 300;
/// Largest file that `Grep` looks into.
const LARGEST: u64 = 1_000_000;

impl Workspace<'_> {
    pub(super) fn glob(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        only(arguments, &["pattern", "path"])?;
        let matcher = matcher(wanted(arguments, "pattern")?)?;
        let under = self.under(arguments)?;
        let mut found = Vec::new();
        let left_out = self.search(&under, |path| {
            if is_meant(&matcher, path, &under) {
                found.push(path.to_owned());
            }
            ControlFlow::Continue(())
        })?;
        Ok(listed(found, left_out))
    }

    pub(super) fn grep(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        only(arguments, &["pattern", "path", "glob"])?;
        let pattern = wanted(arguments, "pattern")?;
        let pattern = regex::RegexBuilder::new(pattern)
            .size_limit(1 << 20)
            .build()
            .map_err(|error| format!("the pattern cannot be understood: {error}"))?;
        let only = optional(arguments, "glob")?.map(matcher).transpose()?;
        let under = self.under(arguments)?;
        let root = self.root()?;
        let limits = ReadLimits {
            max_bytes: LARGEST,
            ..ReadLimits::default()
        };
        let mut found = Vec::new();
        let left_out = self.search(&under, |path| {
            let is_other = |only: &GlobMatcher| !is_meant(only, path, &under);
            if only.as_ref().is_some_and(is_other) {
                return ControlFlow::Continue(());
            }
            let read = root.read(path, ReadRange::default(), &limits);
            let Ok(Content::Text(text)) = read.map(|read| read.content) else {
                return ControlFlow::Continue(());
            };
            for (at, line) in text.lines().enumerate() {
                if pattern.is_match(line) {
                    let line: String = line.chars().take(LONGEST_LINE).collect();
                    found.push(format!("{path}:{}: {line}", at + 1));
                }
            }
            if found.len() > MOST_FOUND {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok(listed(found, left_out))
    }

    /// The folder or file below the workspace that is to be searched.
    fn under(&self, arguments: &Map<String, Value>) -> Result<PathBuf, String> {
        let Some(path) = optional(arguments, "path")? else {
            return Ok(PathBuf::new());
        };
        let mut under = PathBuf::new();
        for component in Path::new(&self.below(path)).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(part) => under.push(part),
                _ => return Err(format!("`{path}` is no path in the workspace")),
            }
        }
        Ok(under)
    }

    /// Visits the files in a folder, sorted, and says how many were left out because they are
    /// denied; ignored ones and links are passed over. There may be very many: whoever stops does
    /// not wait for the last.
    fn search(
        &self,
        under: &Path,
        mut visit: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<usize, String> {
        let world = self.host.surroundings();
        let unseen = Unseen::of(self.skills, self.host.denied());
        let folder = world.workspace();
        let mut left_out = 0;
        let mut is_there = false;
        for entry in walk(folder, under) {
            if self.cancel.load(Ordering::Relaxed) {
                return Err("it was stopped".to_owned());
            }
            let Ok(entry) = entry else { continue };
            let Ok(below) = entry.path().strip_prefix(folder) else {
                continue;
            };
            is_there |= below == under;
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let (true, Some(path), Some(whole)) = (is_file, below.to_str(), entry.path().to_str())
            else {
                continue;
            };
            if unseen.has(whole, world) {
                left_out += 1;
            } else if visit(path).is_break() {
                break;
            }
        }
        if !is_there {
            let under = under.display();
            return Err(format!(
                "there is no `{under}` in the workspace, or it is passed over"
            ));
        }
        Ok(left_out)
    }
}

/// The way through a folder of the workspace. It begins at the top, where ignored files are named,
/// and follows no link on its way down.
fn walk(folder: &Path, under: &Path) -> ignore::Walk {
    let (top, under) = (folder.to_owned(), under.to_owned());
    ignore::WalkBuilder::new(folder)
        .follow_links(false)
        .require_git(false)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| {
            let below = entry.path().strip_prefix(&top);
            below.is_ok_and(|below| below.starts_with(&under) || under.starts_with(below))
        })
        .build()
}

/// Whether a pattern names a file, from the workspace or from the folder that is searched.
fn is_meant(matcher: &GlobMatcher, path: &str, under: &Path) -> bool {
    let below = Path::new(path).strip_prefix(under);
    matcher.is_match(path) || below.is_ok_and(|below| matcher.is_match(below))
}

/// Refuses arguments that are not known: the guard may have judged the call by them.
fn only(arguments: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    let mut others = arguments
        .keys()
        .filter(|key| !known.contains(&key.as_str()));
    match others.next() {
        None => Ok(()),
        Some(other) => Err(format!(
            "there is no argument `{other}`; there are `{}`",
            known.join("`, `")
        )),
    }
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = Glob::new(pattern).map_err(|error| error.to_string())?;
    Ok(glob.compile_matcher())
}

fn listed(mut found: Vec<String>, left_out: usize) -> String {
    if found.is_empty() {
        found.push("Nothing was found.".to_owned());
    }
    if found.len() > MOST_FOUND {
        found.truncate(MOST_FOUND);
        found.push(format!("[only the first {MOST_FOUND} are shown]"));
    }
    match left_out {
        0 => {}
        1 => found.push("[1 file may not be read and was left out]".to_owned()),
        many => found.push(format!("[{many} files may not be read and were left out]")),
    }
    found.join("\n")
}
