//! Files that one thread makes and another one fills.
//!
//! On some file systems threads that make files wait for each other, and those that fill them do not.
//! Many are handed over at once: a thread that waits for a few at a time is hardly ever asleep, and
//! the file system's own threads have no processor but the one that makes files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::Scope;

use super::writer::{Empty, make};
use super::{Tree, TreeError, WriteAccess};
use crate::owner::Owner;

/// So many files that were handed over may be open; a thread that has more fills them itself.
const MOST: usize = 64;
/// About so many files are handed over at once.
const AT_ONCE: usize = MOST / 2;

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
    /// What was not handed over yet.
    made: RefCell<Vec<Made>>,
}

/// Files of a tree that were made, and are not filled.
struct Made {
    tree: Arc<Tree>,
    folder: PathBuf,
    files: Vec<Empty>,
}

/// Ends when all that was made with the filler has been filled.
pub(crate) fn filled<T>(making: impl FnOnce(&Filler<'_, '_>) -> T) -> Result<T, TreeError> {
    let course = Course::default();
    let made = rayon::in_place_scope(|scope| {
        let filler = Filler {
            scope,
            course: &course,
            made: RefCell::default(),
        };
        let made = making(&filler);
        filler.hand_over();
        made
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
        access: WriteAccess,
        owner: Option<Owner>,
    ) -> Result<(), TreeError> {
        make(tree, folder, access, owner, |empty| {
            self.add(tree, folder, empty);
            Ok(())
        })
    }

    fn add(&self, tree: &Arc<Tree>, folder: &Path, empty: Empty) {
        let mut made = self.made.borrow_mut();
        match made.last_mut() {
            Some(last) if last.folder == folder => last.files.push(empty),
            _ => made.push(Made {
                tree: Arc::clone(tree),
                folder: folder.to_owned(),
                files: vec![empty],
            }),
        }
        let count: usize = made.iter().map(|each| each.files.len()).sum();
        drop(made);
        if count >= AT_ONCE {
            self.hand_over();
        }
    }

    fn hand_over(&self) {
        let made = self.made.take();
        let count = made.iter().map(|each| each.files.len()).sum();
        let course = self.course;
        if course.open.fetch_add(count, Ordering::Relaxed) + count > MOST {
            course.fill(made, count);
        } else {
            self.scope.spawn(move |_| course.fill(made, count));
        }
    }
}

impl Course {
    /// Fills what was made; the first that cannot be is kept.
    fn fill(&self, made: Vec<Made>, count: usize) {
        let filled = made.into_iter().try_for_each(|each| {
            let mut files = each.files.into_iter();
            files.try_for_each(|empty| empty.fill(&each.tree, &each.folder))
        });
        if let Err(error) = filled {
            let failed = self.failed.lock();
            failed
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(error);
        }
        self.open.fetch_sub(count, Ordering::Relaxed);
    }
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
                filler
                    .write(tree, &folder, WriteAccess::Editable, None)
                    .unwrap();
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
        let made =
            filled(|filler| filler.write(&tree, &folder, WriteAccess::Editable, None)).unwrap();
        assert!(
            matches!(&made, Err(TreeError::Write { path, .. }) if *path == folder),
            "{made:?}"
        );
    }
}
