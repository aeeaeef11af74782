//! Places in a workspace that decide what other programs do later; no script changes them.
//!
//! A place that exists is protected. One that does not exist is reported when a script creates it.

mod git;
mod names;
mod reached;
mod spelling;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::fs::{Access, access};

use super::{ScriptError, SkillFolders};

pub(super) use git::plain;
use spelling::Names;

/// The most folders that are looked through, which takes about a second.
const MAX_FOLDERS: usize = 100_000;

/// Nobody looks for instructions among installed packages, and they are many.
const NOT_LOOKED_FOR: &str = "node_modules";

/// The most places that are protected: each is a mount.
const MAX_PLACES: usize = 2_000;

/// Every place in a workspace that has to stay as it is, by its relative path.
pub(super) fn places(
    workspace: &Path,
    skill_folders: &SkillFolders,
) -> Result<Vec<PathBuf>, ScriptError> {
    let failed = |reason: &str| ScriptError::Workspace {
        path: workspace.to_owned(),
        reason: reason.to_owned(),
    };
    // What is in a repository is kept with it.
    let found = find(workspace, skill_folders, |_| true);
    if found.has_deeper {
        return Err(failed(
            "it has folders too deep below each other to find what must stay as it is",
        ));
    }
    let too_many = || failed("it has too many folders to find what must stay as it is");
    if !found.is_all {
        return Err(too_many());
    }
    let mut places = found.places;
    if places.contains(Path::new("")) {
        return Err(failed(
            "it is a repository of git itself, or may not be read",
        ));
    }
    places.extend(reached::reached(workspace, &places).ok_or_else(too_many)?);
    if places.len() > MAX_PLACES {
        return Err(too_many());
    }
    Ok(places.into_iter().collect())
}

/// Places of a workspace.
pub(super) struct Found {
    /// Their relative paths.
    pub(super) places: BTreeSet<PathBuf>,
    /// Whether there are no more.
    pub(super) is_all: bool,
    /// Whether some folders lie so deep that no path leads to them, and were not looked into.
    has_deeper: bool,
}

/// Whether a path in a workspace, however deep, has a name in it that is held shut at the top, or
/// that editors open, also as disks spell it that ignore case.
pub fn is_obeyed(path: &Path) -> bool {
    let held = Names::new(names::held());
    let mut steps = path.ancestors();
    steps.any(|step| match (step.parent(), step.file_name()) {
        (Some(folder), Some(name)) => held.has(folder, name) || names::is_opened(name),
        _ => false,
    })
}

/// Whether a path in a workspace leads into one of these places, or to what a link there leads to.
pub fn leads_into(workspace: &Path, path: &Path, places: &[PathBuf]) -> bool {
    let top = real(workspace);
    let end = real(&workspace.join(path));
    places.iter().any(|place| {
        let kept = real(&workspace.join(place));
        let is_inside = kept != top && kept.starts_with(&top);
        path.starts_with(place) || is_inside && end.starts_with(kept)
    })
}

/// Whether a file at a path in a workspace would make a folder around it what git takes for a
/// repository, whose configuration names programs.
pub fn makes_repository(workspace: &Path, path: &Path) -> bool {
    path.ancestors().skip(1).any(|folder| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        let there = workspace.join(folder);
        let mut steps = below.iter();
        let Some(name) = steps.next() else {
            return false;
        };
        // What is a file to git is none of its where it is a folder.
        let is_folder = steps.next().is_some();
        (!is_folder || !git::is_file(name)) && git::Shape::with(name, &there).is_repository()
    })
}

/// Where a path leads, also where nothing is there yet.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name(), fs::read_link(path)) {
        (Some(folder), _, Ok(says)) => git::plain(&real(folder).join(says)),
        (Some(folder), Some(name), Err(_)) => real(folder).join(name),
        _ => path.to_owned(),
    }
}

/// As many of the places as can be looked for; those in a repository of git only where it is not
/// kept as it is.
pub(super) fn find(
    workspace: &Path,
    skill_folders: &SkillFolders,
    is_kept: impl Fn(&Path) -> bool,
) -> Found {
    let mut walk = Walk {
        workspace,
        names: Names::new(names::held().chain(names::kept())),
        places: names::held().map(PathBuf::from).collect(),
        ahead: vec![PathBuf::new()],
        has_deeper: false,
    };
    walk.places.extend(names::held_in(workspace));
    walk.places.extend(git::around(workspace));
    walk.places.extend(skill_folders.within(workspace));
    let mut folders = 0;
    let mut is_all = true;
    while is_all && let Some(folder) = walk.ahead.pop() {
        folders += 1;
        walk.look(folder, &is_kept);
        is_all = folders <= MAX_FOLDERS && walk.places.len() <= MAX_PLACES;
    }
    Found {
        places: walk.places,
        is_all: is_all && !walk.has_deeper,
        has_deeper: walk.has_deeper,
    }
}

struct Walk<'a> {
    workspace: &'a Path,
    names: Names,
    places: BTreeSet<PathBuf>,
    ahead: Vec<PathBuf>,
    has_deeper: bool,
}

impl Walk<'_> {
    /// Looks through one folder, and notes those in it for later.
    fn look(&mut self, folder: PathBuf, is_kept: impl Fn(&Path) -> bool) {
        let place = self.workspace.join(&folder);
        let entries = match fs::read_dir(&place) {
            Ok(entries) if access(&place, Access::EXEC_OK).is_ok() => entries,
            // Nothing can be mounted there either.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                self.has_deeper = true;
                return;
            }
            // Also one whose names are seen, but nothing behind them.
            _ => {
                // What we may not look into, its owner could open up again.
                self.places.insert(folder);
                return;
            }
        };
        let (mut below, mut shape) = (Vec::new(), git::Shape::default());
        for entry in entries.flatten() {
            let name = entry.file_name();
            shape.has(&name);
            if self.names.has(&folder, &name) || names::is_opened(&name) {
                self.places.insert(folder.join(&name));
                if spelling::folded(&name) == ".git" {
                    self.places.extend(git::of(self.workspace, &folder));
                }
            } else if name != NOT_LOOKED_FOR && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below.push(folder.join(name));
            }
        }
        let is_repository = shape.is_repository();
        if !is_repository || !is_kept(&folder) {
            self.ahead.extend(below);
        }
        if is_repository {
            self.places.insert(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_however_they_are_spelled() {
        for path in [
            ".GIT/hooks/x",
            "sub/.Git/config",
            "sub/.jj/repo/config.toml",
            ".HG/hgrc",
            "claude.md",
            ".ENVRC",
            "sub/.VSCODE/tasks.json",
            "a/.g\u{200c}it/x",
            "sub/CLAUDE.md",
            "Skills.toml",
        ] {
            assert!(is_obeyed(Path::new(path)), "{path}");
        }
        for path in ["docs/agents.md.txt", ".gitignore", "src/git/x", "gits"] {
            assert!(!is_obeyed(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_is_there_in_another_spelling_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        fs::create_dir_all(workspace.join("sub/.VSCODE")).unwrap();
        fs::create_dir_all(workspace.join("bare/objects")).unwrap();
        fs::create_dir_all(workspace.join("bare/refs")).unwrap();
        fs::write(workspace.join("claude.md"), "").unwrap();
        assert!(makes_repository(&workspace, Path::new("bare/head")));
        assert!(!makes_repository(
            &workspace,
            Path::new("bare/head/index.html")
        ));
        let found = find(&workspace, &SkillFolders::default(), |_| true).places;
        for place in ["sub/.VSCODE", "claude.md"] {
            assert!(found.contains(Path::new(place)), "{place}");
        }
    }
}
