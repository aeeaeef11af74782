//! The mounts that protect places in a writable folder.
//!
//! A place that exists is mounted read-only, and of a link what it leads to. The folders on the way
//! become mounts of their own: the parent of a mount could be renamed and another be put in its
//! place. Nothing can hold a place that does not exist, or a link itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// The mounts for one writable folder; all paths are relative to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Guard {
    /// Folders on the way to the others.
    pub(super) parents: BTreeSet<PathBuf>,
    /// What exists, and becomes read-only.
    pub(super) kept: BTreeSet<PathBuf>,
    /// What does not exist, and can come into being.
    pub(super) missing: BTreeSet<PathBuf>,
    /// Links with their targets.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
}

impl Guard {
    /// Looks at every place below `root`, whose path goes through no link.
    pub(super) fn of(root: &Path, places: &[PathBuf]) -> io::Result<Self> {
        let mut guard = Self::default();
        for place in places {
            guard.follow(root, place)?;
        }
        guard.leave_out_what_is_inside();
        Ok(guard)
    }

    /// Follows a place step by step, as the kernel would, and notes what is found. The way may
    /// lead out of the root and in again by another name; only what lies inside is noted.
    fn follow(&mut self, root: &Path, place: &Path) -> io::Result<()> {
        let inside = |path: &Path| match path.strip_prefix(root) {
            Ok(inside) if inside != Path::new("") => Some(inside.to_owned()),
            _ => None,
        };
        let mut ahead = steps(place);
        let (mut here, mut links) = (root.to_owned(), 0);
        while let Some(step) = ahead.pop_front() {
            if step == ".." {
                here.pop();
                continue;
            }
            here.push(&step);
            let place = inside(&here);
            let found = match here.symlink_metadata() {
                Ok(found) => Some(found),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                // What we cannot see outside, a program of ours cannot change there.
                Err(_) if place.is_none() => return Ok(()),
                Err(error) => return Err(error),
            };
            match found {
                None => {
                    let missing = ahead.iter().fold(here, |path, step| path.join(step));
                    self.missing.extend(inside(&missing));
                    return Ok(());
                }
                Some(found) if found.is_symlink() => {
                    let says = here.read_link()?;
                    if let Some(place) = place {
                        self.links.insert(place, says.clone());
                    }
                    links += 1;
                    if links > MAX_LINKS {
                        return Ok(());
                    }
                    if says.is_absolute() {
                        here = PathBuf::from("/");
                    } else {
                        here.pop();
                    }
                    for step in steps(&says).into_iter().rev() {
                        ahead.push_front(step);
                    }
                }
                Some(found) if found.is_dir() => {}
                // A file where a folder is expected: the program must not replace it by a folder.
                Some(_) => break,
            }
        }
        self.kept.extend(inside(&here));
        Ok(())
    }

    /// The contents of a protected place are protected with it.
    fn leave_out_what_is_inside(&mut self) {
        let kept = self.kept.clone();
        let is_inside = |path: &Path| path.ancestors().skip(1).any(|each| kept.contains(each));
        self.kept.retain(|path| !is_inside(path));
        self.missing.retain(|path| !is_inside(path));
        self.links.retain(|path, _| !is_inside(path));
        let places = self.kept.iter().chain(self.links.keys());
        let parents = places.flat_map(|path| path.ancestors().skip(1));
        let parents = parents.filter(|each| *each != Path::new(""));
        self.parents = parents.map(Path::to_owned).collect();
    }
}

/// The steps of a path; what is neither a name nor a step back says nothing.
fn steps(path: &Path) -> VecDeque<OsString> {
    let steps = path.components().filter_map(|step| match step {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn guard(root: &Path, places: &[&str]) -> Guard {
        let places: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
        Guard::of(root, &places).unwrap()
    }

    fn paths<const N: usize>(paths: [&str; N]) -> BTreeSet<PathBuf> {
        paths.map(PathBuf::from).into()
    }

    #[test]
    fn what_exists_is_kept_and_what_does_not_is_noted() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/.git/hooks")).unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let guard = guard(
            root.path(),
            &[
                "a/.git",
                "a/.git/hooks",
                "a/new/x",
                "file",
                "file/x",
                "gone/x",
            ],
        );
        assert_eq!(guard.kept, paths(["a/.git", "file"]));
        assert_eq!(guard.missing, paths(["a/new/x", "gone/x"]));
        assert_eq!(guard.parents, paths(["a"]));
    }

    #[test]
    fn links_are_followed_and_kept_themselves() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("docs")).unwrap();
        fs::write(path("docs/there.md"), "").unwrap();
        symlink("docs/there.md", path("one")).unwrap();
        symlink(path("docs/new.md"), path("two")).unwrap();
        symlink("../outside", path("three")).unwrap();
        symlink("/etc/passwd", path("four")).unwrap();
        symlink("five", path("five")).unwrap();
        symlink(".", path("six")).unwrap();
        let guard = guard(root.path(), &["one", "two", "three", "four", "five", "six"]);
        assert_eq!(guard.kept, paths(["docs/there.md"]));
        assert_eq!(guard.missing, paths(["docs/new.md"]));
        assert_eq!(guard.parents, paths(["docs"]));
        assert_eq!(guard.links.len(), 6);
        assert_eq!(guard.links[Path::new("one")], Path::new("docs/there.md"));
    }

    #[test]
    fn a_way_that_leads_out_and_in_again_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("root/docs")).unwrap();
        fs::write(path("root/docs/a.md"), "").unwrap();
        symlink("root", path("alias")).unwrap();
        symlink(path("alias/docs/a.md"), path("root/one")).unwrap();
        symlink("../root/docs/new.md", path("root/two")).unwrap();
        symlink("../../alias/three", path("root/docs/three")).unwrap();
        symlink("docs/three", path("root/three")).unwrap();
        symlink("../alias", path("root/four")).unwrap();
        let guard = guard(&path("root"), &["one", "two", "three", "four"]);
        assert_eq!(guard.kept, paths(["docs/a.md"]));
        assert_eq!(guard.missing, paths(["docs/new.md"]));
        let links: BTreeSet<PathBuf> = guard.links.into_keys().collect();
        assert_eq!(links, paths(["one", "two", "three", "four", "docs/three"]));
    }
}
