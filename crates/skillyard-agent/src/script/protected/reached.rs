//! What protected places lead to: through links in protected folders, and by other names.
//!
//! A hook can be a link to a file among the sources, and so can a skill or settings. What is
//! kept is then the link, and whoever obeys it reads what it leads to. A file with a second name
//! is changed through either of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};

use super::git::plain;
use super::{MAX_FOLDERS, NOT_LOOKED_FOR};

/// Folders of a repository that hold what git was given, and nothing that it obeys.
const OF_GIT: &[&str] = &["lfs", "logs", "objects", "refs"];

/// The same of one of Mercurial or Sapling, where the first has a folder for each of the sources.
const OF_MERCURIAL: &[&str] = &["cache", "store", "wcache"];

/// The places that protected ones lead to; `None` if there is too much to be looked through.
pub(super) fn reached(workspace: &Path, places: &BTreeSet<PathBuf>) -> Option<BTreeSet<PathBuf>> {
    let mut search = Search {
        workspace,
        ahead: Vec::new(),
        seen: HashSet::new(),
        found: BTreeSet::new(),
        twins: HashMap::new(),
    };
    for place in places {
        if let Ok(found) = fs::metadata(workspace.join(place)) {
            search.note(place.clone(), &found, 0);
        }
    }
    while let Some((folder, depth)) = search.ahead.pop() {
        if search.seen.len() > MAX_FOLDERS {
            return None;
        }
        search.look(&folder, depth);
    }
    search.other_names(places)?;
    Some(search.found)
}

struct Search<'a> {
    workspace: &'a Path,
    /// Folders, and how deep they lie in what is kept.
    ahead: Vec<(PathBuf, usize)>,
    seen: HashSet<(u64, u64)>,
    found: BTreeSet<PathBuf>,
    /// Kept files with several names, and how many of these were not met yet.
    twins: HashMap<(u64, u64), u64>,
}

impl Search<'_> {
    /// Takes note of something that is kept.
    fn note(&mut self, place: PathBuf, found: &Metadata, depth: usize) {
        let inode = (found.dev(), found.ino());
        if found.is_dir() {
            if self.seen.insert(inode) {
                self.ahead.push((place, depth));
            }
        } else if found.nlink() > 1 && self.seen.insert(inode) {
            self.twins.insert(inode, found.nlink());
        }
    }

    /// Looks through one kept folder.
    fn look(&mut self, folder: &Path, depth: usize) {
        let path = self.workspace.join(folder);
        let has = |names: [&str; 2]| names.map(|name| path.join(name).exists()) == [true; 2];
        let (is_git, is_mercurial) = (has(["HEAD", "objects"]), has(["requires", "store"]));
        let Ok(entries) = fs::read_dir(path) else {
            return;
        };
        for entry in entries.flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else {
                continue;
            };
            let place = folder.join(&name);
            let is = |names: &[&str]| names.iter().any(|each| name == OsStr::new(each));
            let is_passed_over =
                is(&[NOT_LOOKED_FOR]) || is_git && is(OF_GIT) || is_mercurial && is(OF_MERCURIAL);
            if kind.is_symlink() {
                self.follow(place, depth);
            } else if !(kind.is_dir() && is_passed_over)
                && let Ok(found) = entry.metadata()
            {
                self.note(place, &found, depth + 1);
            }
        }
    }

    /// A link in a kept folder matters when it leads out of that, and not out of the workspace.
    fn follow(&mut self, place: PathBuf, depth: usize) {
        let path = self.workspace.join(&place);
        let Ok(says) = fs::read_link(&path) else {
            return;
        };
        if stays(&says, depth) {
            return;
        }
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let next = folder.map(|folder| plain(&folder.join(&says)));
        let end = path.canonicalize();
        let is_inside = |path: &PathBuf| path.starts_with(self.workspace);
        if !next.is_some_and(|next| is_inside(&next))
            && end.as_ref().is_ok_and(|end| !is_inside(end))
        {
            return;
        }
        if end.is_ok_and(|end| is_inside(&end) && end != self.workspace)
            && let Ok(found) = fs::metadata(&path)
        {
            self.note(place.clone(), &found, 0);
        }
        self.found.insert(place);
    }

    /// Looks for the other names of kept files in the whole workspace.
    fn other_names(&mut self, places: &BTreeSet<PathBuf>) -> Option<()> {
        let mut ahead = vec![PathBuf::new()];
        let mut folders = 0;
        let numbers: HashSet<u64> = self.twins.keys().map(|(_, number)| *number).collect();
        while !self.twins.is_empty()
            && let Some(folder) = ahead.pop()
        {
            folders += 1;
            if folders > MAX_FOLDERS {
                return None;
            }
            let entries = fs::read_dir(self.workspace.join(&folder));
            for entry in entries.into_iter().flatten().flatten() {
                let place = folder.join(entry.file_name());
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    ahead.push(place);
                } else if numbers.contains(&entry.ino())
                    && let Ok(found) = entry.metadata()
                    && let Some(rest) = self.twins.get_mut(&(found.dev(), found.ino()))
                {
                    *rest -= 1;
                    if *rest == 0 {
                        self.twins.remove(&(found.dev(), found.ino()));
                    }
                    if !places.contains(&place) {
                        self.found.insert(place);
                    }
                }
            }
        }
        Some(())
    }
}

/// Whether a link so deep in a folder leads to something in that folder: those on the way are
/// looked at themselves.
fn stays(says: &Path, depth: usize) -> bool {
    let mut back = 0;
    let mut ahead = false;
    for step in says.components() {
        match step {
            Component::ParentDir if ahead => return false,
            Component::ParentDir => back += 1,
            Component::Normal(_) => ahead = true,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    back <= depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repository_only_holds_is_not_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        fs::create_dir_all(workspace.join(".hg/store/data")).unwrap();
        fs::create_dir(workspace.join("src")).unwrap();
        fs::write(workspace.join(".hg/requires"), "").unwrap();
        for link in [".hg/hooks", ".hg/store/data/src"] {
            std::os::unix::fs::symlink(workspace.join("src"), workspace.join(link)).unwrap();
        }
        let places = BTreeSet::from([PathBuf::from(".hg")]);
        let found = reached(&workspace, &places).unwrap();
        assert_eq!(found, BTreeSet::from([PathBuf::from(".hg/hooks")]));
    }

    #[test]
    fn what_stays_in_its_folder_is_known() {
        for (says, depth, expected) in [
            ("x", 0, true),
            ("../x", 0, false),
            ("../x", 1, true),
            ("./../../x", 1, false),
            ("a/../x", 5, false),
            ("/x", 5, false),
        ] {
            assert_eq!(stays(Path::new(says), depth), expected, "{says}");
        }
    }
}
