//! Places that are protected in a sandbox, watched from outside of it.
//!
//! What protects a place is a mount, and that is on a file and not on its name. Whoever replaces,
//! moves or removes the file outside, as editors, git and package managers do, takes the mount away
//! with it, and then the name is a file like any other to the program. Nobody can be kept from
//! that, so it is noticed at once: in the sandbox the names are mounts, which cannot be changed, and
//! whatever the kernel tells of them comes from outside. A disk of another machine tells of nothing,
//! and watches can run out; so the files themselves are looked at from time to time, too.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::beneath::{Inode, Root, is_change};

/// How many places are looked at each time, where the kernel tells of changes.
const SOME: usize = 16;

/// The most that is heard at once: more than the kernel keeps.
const MAX_HEARD: usize = 20_000;

/// The protected places of one run.
#[derive(Default)]
pub(crate) struct Watch {
    places: Vec<Place>,
    queue: Option<Queue>,
    /// Some folders are not watched: all places are looked at each time.
    is_blind: bool,
    /// The place to be looked at next.
    next: Cell<usize>,
    /// Those that are no longer what is mounted there, by their numbers.
    exposed: RefCell<BTreeSet<usize>>,
}

/// A place, and what is mounted there.
struct Place {
    root: Rc<Root>,
    path: PathBuf,
    mounted: Inode,
    /// Where the kernel does not tell of it: its number is not given to another file.
    _held: Option<File>,
}

/// What the kernel tells of folders.
struct Queue {
    descriptor: OwnedFd,
    /// The places of each folder, by their names.
    folders: HashMap<i32, HashMap<OsString, usize>>,
}

impl Watch {
    /// Watches a place, which is there and about to become a mount.
    pub(crate) fn add(&mut self, root: &Rc<Root>, path: &Path) -> io::Result<()> {
        // What happens between the two is noticed twice, and not missed.
        let is_told = self.listen(root, path).is_ok();
        self.put(root, path, is_told)
    }

    /// What becomes readable when there is something to see.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.queue.as_ref().map(|queue| queue.descriptor.as_fd())
    }

    /// Whether a place is seen to be no longer what is mounted there; not all of them are looked at
    /// each time.
    pub(crate) fn is_exposed(&self) -> bool {
        let is_told = self.hear().is_some();
        let count = if is_told && !self.is_blind {
            SOME
        } else {
            usize::MAX
        };
        self.look(count);
        !self.exposed.borrow().is_empty()
    }

    /// All places that are no longer what is mounted there.
    pub(crate) fn exposed(&self) -> Vec<PathBuf> {
        let _ = self.hear();
        self.look(usize::MAX);
        let numbers = self.exposed.borrow();
        let places = numbers.iter().filter_map(|number| self.places.get(*number));
        places
            .map(|place| place.root.path().join(&place.path))
            .collect()
    }

    fn put(&mut self, root: &Rc<Root>, path: &Path, is_told: bool) -> io::Result<()> {
        let found = root.open_at(path)?;
        self.is_blind |= !is_told;
        self.places.push(Place {
            mounted: Inode::of(&found)?,
            root: Rc::clone(root),
            path: path.to_owned(),
            _held: (!is_told).then_some(found),
        });
        Ok(())
    }

    /// Asks the kernel to tell of the place that is added next.
    fn listen(&mut self, root: &Root, path: &Path) -> io::Result<()> {
        let queue = match &mut self.queue {
            Some(queue) => queue,
            none => none.insert(Queue {
                descriptor: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
                folders: HashMap::new(),
            }),
        };
        let folder = root.folder_of(path)?;
        let folder = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let flags = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVE;
        let number = inotify::add_watch(&queue.descriptor, folder, flags)?;
        let name = path.file_name().unwrap_or_default().to_owned();
        let names = queue.folders.entry(number).or_default();
        names.insert(name, self.places.len());
        Ok(())
    }

    /// Takes what the kernel has told since the last time; nothing if that is not all there was.
    fn hear(&self) -> Option<()> {
        let queue = self.queue.as_ref()?;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&queue.descriptor, &mut buffer);
        let mut is_all = true;
        // A program can make files without end, and is not to keep us from everything else.
        for _ in 0..MAX_HEARD {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return is_all.then_some(()),
                Err(_) => return None,
            };
            is_all &= !event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let name = event
                .file_name()
                .map(|name| OsStr::from_bytes(name.to_bytes()));
            let names = queue.folders.get(&event.wd());
            if let (Some(names), Some(name)) = (names, name)
                && let Some(place) = names.get(name)
            {
                self.exposed.borrow_mut().insert(*place);
            }
        }
        None
    }

    /// Looks at as many places, each in its turn.
    fn look(&self, count: usize) {
        let all = self.places.len();
        for _ in 0..count.min(all) {
            let number = self.next.get() % all;
            self.next.set(number + 1);
            if self.places.get(number).is_some_and(Place::is_exposed) {
                self.exposed.borrow_mut().insert(number);
            }
        }
    }
}

impl Place {
    /// Whether something else is there now, or nothing. A folder that was closed to us tells
    /// neither.
    fn is_exposed(&self) -> bool {
        let now = self.root.open_at(&self.path);
        match now.and_then(|now| Inode::of(&now)) {
            Ok(now) => now != self.mounted,
            Err(error) => is_change(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn watched(root: &Path, is_blind: bool) -> Watch {
        let root = Rc::new(Root::open(root).unwrap());
        let mut watch = Watch::default();
        for place in ["sub", "sub/CLAUDE.md", "AGENTS.md", ".envrc"].map(Path::new) {
            if is_blind {
                watch.put(&root, place, false).unwrap();
            } else {
                watch.add(&root, place).unwrap();
            }
        }
        assert_eq!(watch.is_blind, is_blind);
        watch
    }

    /// What is seen of a change, with the kernel's help and without.
    fn check(change: fn(&Path), seen: &[&str]) {
        for is_blind in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            fs::create_dir_all(root.join("sub")).unwrap();
            fs::create_dir_all(root.join(".envrc")).unwrap();
            fs::write(root.join("AGENTS.md"), "mine").unwrap();
            fs::write(root.join("sub/CLAUDE.md"), "mine").unwrap();
            let watch = watched(root, is_blind);
            assert!(!watch.is_exposed());
            change(root);
            assert_eq!(watch.is_exposed(), !seen.is_empty(), "blind: {is_blind}");
            let seen: Vec<PathBuf> = seen.iter().map(|place| root.join(place)).collect();
            assert_eq!(watch.exposed(), seen, "blind: {is_blind}");
        }
    }

    #[test]
    fn a_file_that_is_replaced_is_exposed() {
        let change = |root: &Path| {
            fs::write(root.join("new"), "").unwrap();
            fs::rename(root.join("new"), root.join("AGENTS.md")).unwrap();
        };
        check(change, &["AGENTS.md"]);
    }

    #[test]
    fn a_file_that_is_removed_and_made_again_is_exposed() {
        let change = |root: &Path| {
            fs::remove_file(root.join("sub/CLAUDE.md")).unwrap();
            fs::write(root.join("sub/CLAUDE.md"), "mine").unwrap();
        };
        check(change, &["sub/CLAUDE.md"]);
    }

    #[test]
    fn a_placeholder_that_is_removed_is_exposed() {
        check(
            |root| fs::remove_dir(root.join(".envrc")).unwrap(),
            &[".envrc"],
        );
    }

    #[test]
    fn what_is_written_or_made_besides_exposes_nothing() {
        let change = |root: &Path| {
            fs::write(root.join("AGENTS.md"), "other").unwrap();
            fs::set_permissions(root.join("AGENTS.md"), Permissions::from_mode(0o600)).unwrap();
            fs::write(root.join("new"), "").unwrap();
            fs::rename(root.join("new"), root.join("sub/new")).unwrap();
            fs::write(root.join(".envrc/new"), "").unwrap();
        };
        check(change, &[]);
    }

    #[test]
    fn more_than_the_kernel_remembers_is_not_missed() {
        let change = |root: &Path| {
            for _ in 0..20_000 {
                fs::write(root.join("new"), "").unwrap();
                fs::remove_file(root.join("new")).unwrap();
            }
            fs::remove_file(root.join("AGENTS.md")).unwrap();
        };
        check(change, &["AGENTS.md"]);
    }
}
