//! Files that one thread makes and another one fills.
//!
//! On some file systems threads that make files wait for each other, and those that fill them do not.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::Scope;

use super::writer::{Empty, make};
use super::{Access, Tree, TreeError};
use crate::owner::Owner;

/// So many files may be open; a thread that has more fills them itself.
const MOST: usize = 64;

/// How far the filling is.
#[derive(Default)]
struct Course {
    open: AtomicUsize,
    failed: Mutex<Option<TreeError>>,
}

/// Fills what this thread makes, as far as other threads have time for it.
pub(crate) struct Filler<'a, 'scope> {
    scope: &'a Scope<'scope>,
    course: &'scope Course,
}

/// Ends when all that was made with the filler has been filled.
pub(crate) fn filled<T>(making: impl FnOnce(&Filler<'_, '_>) -> T) -> Result<T, TreeError> {
    let course = Course::default();
    let made = rayon::in_place_scope(|scope| {
        making(&Filler {
            scope,
            course: &course,
        })
    });
    let failed = course.failed.into_inner();
    match failed.unwrap_or_else(PoisonError::into_inner) {
        Some(failed) => Err(failed),
        None => Ok(made),
    }
}

impl Filler<'_, '_> {
    /// Makes the files of a tree in `folder`, which must not exist yet, and lets them be filled.
    pub(super) fn write(
        &self,
        tree: &Arc<Tree>,
        folder: &Path,
        access: Access,
        owner: Option<Owner>,
    ) -> Result<(), TreeError> {
        let mut made = Vec::new();
        make(tree, folder, access, owner, |empty| {
            made.push(empty);
            if made.len() < MOST / 4 {
                return Ok(());
            }
            self.fill(tree, folder, std::mem::take(&mut made))
        })?;
        self.fill(tree, folder, made)
    }

    fn fill(&self, tree: &Arc<Tree>, folder: &Path, made: Vec<Empty>) -> Result<(), TreeError> {
        let (course, count) = (self.course, made.len());
        if course.open.fetch_add(count, Ordering::Relaxed) + count > MOST {
            course.open.fetch_sub(count, Ordering::Relaxed);
            return fill(tree, folder, made);
        }
        let (tree, folder) = (Arc::clone(tree), folder.to_owned());
        self.scope.spawn(move |_| {
            if let Err(error) = fill(&tree, &folder, made) {
                let failed = course.failed.lock();
                failed
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
            }
            course.open.fetch_sub(count, Ordering::Relaxed);
        });
        Ok(())
    }
}

fn fill(tree: &Tree, folder: &Path, made: Vec<Empty>) -> Result<(), TreeError> {
    let mut made = made.into_iter();
    made.try_for_each(|empty| empty.fill(tree, folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeFile;

    fn tree(files: usize) -> Arc<Tree> {
        let file = |number: usize| TreeFile {
            path: format!("folder-{}/{number}.md", number % 7),
            executable: number.is_multiple_of(2),
            bytes: vec![b'x'; number * 100],
        };
        Arc::new(Tree::new((0..files).map(file).collect()).unwrap())
    }

    #[test]
    fn what_was_made_is_filled_in_the_end() {
        let place = tempfile::tempdir().unwrap();
        let trees = [1, MOST / 4, MOST * 3].map(tree);
        let write = |filler: &Filler<'_, '_>| {
            for (at, tree) in trees.iter().enumerate() {
                let folder = place.path().join(at.to_string());
                filler.write(tree, &folder, Access::Editable, None).unwrap();
            }
        };
        filled(write).unwrap();
        for (at, tree) in trees.iter().enumerate() {
            let folder = place.path().join(at.to_string());
            let found = Tree::read(&folder, &crate::tree::TreeLimits::default()).unwrap();
            assert_eq!(found.digest(), tree.digest());
        }
    }

    #[test]
    fn what_cannot_be_made_is_named() {
        let place = tempfile::tempdir().unwrap();
        let (folder, tree) = (place.path().join("folder-0"), tree(3));
        std::fs::write(&folder, "").unwrap();
        let made = filled(|filler| filler.write(&tree, &folder, Access::Editable, None)).unwrap();
        assert!(
            matches!(&made, Err(TreeError::Write { path, .. }) if *path == folder),
            "{made:?}"
        );
    }
}
