//! All paths of an archive together: no two may be one on any system.

use std::collections::HashMap;

use super::characters::fold;
use super::path::ArchivePath;
use super::problem::EntryProblem;

/// A tree of the names seen so far. Every folder on the way counts, so `A/x` and `a/y` collide too.
#[derive(Debug, Default)]
pub(crate) struct Names {
    nodes: Vec<Node>,
    /// From a folder and a folded name to the node of that name.
    children: HashMap<(usize, String), usize>,
}

/// What takes the place at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file, or a link that is left out.
    File,
    /// A folder with an entry of its own.
    Folder,
    /// A folder that only paths below it tell of.
    ImpliedFolder,
}

#[derive(Debug)]
struct Node {
    name: String,
    parent: usize,
    place: Place,
}

/// Stands for the archive's root, which has no node.
const ROOT: usize = usize::MAX;

impl Names {
    /// Adds `path`, or says with what it clashes.
    pub(crate) fn add(&mut self, path: &ArchivePath, place: Place) -> Result<(), EntryProblem> {
        let mut parent = ROOT;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let wanted = if components.peek().is_some() {
                Place::ImpliedFolder
            } else {
                place
            };
            let key = (parent, fold(component));
            let Some(&found) = self.children.get(&key) else {
                let new = self.nodes.len();
                self.nodes.push(Node {
                    name: component.to_owned(),
                    parent,
                    place: wanted,
                });
                self.children.insert(key, new);
                parent = new;
                continue;
            };
            if self.nodes[found].name != component {
                return Err(EntryProblem::Collision(self.path_of(found)));
            }
            self.nodes[found].place = meet(self.nodes[found].place, wanted)?;
            parent = found;
        }
        Ok(())
    }

    fn path_of(&self, mut node: usize) -> String {
        let mut names = Vec::new();
        while node != ROOT {
            names.push(self.nodes[node].name.as_str());
            node = self.nodes[node].parent;
        }
        names.reverse();
        names.join("/")
    }
}

/// What a path is when it was `old` and is met again as `new`.
fn meet(old: Place, new: Place) -> Result<Place, EntryProblem> {
    match (old, new) {
        (Place::ImpliedFolder, Place::Folder) | (Place::Folder, Place::ImpliedFolder) => {
            Ok(Place::Folder)
        }
        (Place::ImpliedFolder, Place::ImpliedFolder) => Ok(Place::ImpliedFolder),
        (Place::File, Place::File) | (Place::Folder, Place::Folder) => Err(EntryProblem::Duplicate),
        (Place::File, _) | (_, Place::File) => Err(EntryProblem::FileAndFolder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clash(paths: &[(&str, Place)]) -> Option<&'static str> {
        let mut names = Names::default();
        let added = paths
            .iter()
            .try_for_each(|(path, place)| names.add(&ArchivePath::new(path).expect(path), *place));
        added.err().map(|problem| problem.code())
    }

    #[test]
    fn clashes_are_found_at_every_level() {
        use Place::{File, Folder};
        assert_eq!(
            clash(&[("a", Folder), ("a/b", File), ("c/d", File), ("c", Folder)]),
            None
        );
        assert_eq!(clash(&[("a", File), ("a", File)]), Some("entry-duplicate"));
        assert_eq!(
            clash(&[("a", Folder), ("a", Folder)]),
            Some("entry-duplicate")
        );
        assert_eq!(clash(&[("a", File), ("A", File)]), Some("entry-collision"));
        assert_eq!(
            clash(&[("A/x", File), ("a/y", File)]),
            Some("entry-collision")
        );
        assert_eq!(
            clash(&[("é", File), ("e\u{301}", File)]),
            Some("entry-collision")
        );
        assert_eq!(
            clash(&[("a", File), ("a/b", File)]),
            Some("entry-file-and-folder")
        );
        assert_eq!(
            clash(&[("a/b", File), ("a", File)]),
            Some("entry-file-and-folder")
        );
    }
}
