//! The scanner of this very program, and what it found before.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fs, iter};

use parking_lot::Mutex;
use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::scanned::Scanned;
use skillyard_install::store::Store;
use skillyard_install::tree::{Tree, TreeLimits};
use skillyard_scan::{File, Finding, scan};

use super::check::Checked;

/// How many entries of a folder are looked at for a skill.
const MAX_LOOKS: usize = 20;

/// The scanner, with its memory.
pub(crate) struct Scanner {
    store: Store,
    /// Read when it is first needed; nothing where it is not known which program this is.
    scanned: OnceLock<Option<Scanned>>,
    /// The skills that are looked at, by their digests.
    looks: Mutex<HashMap<Digest, Arc<Look>>>,
}

impl Scanner {
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            scanned: OnceLock::new(),
            looks: Mutex::default(),
        }
    }

    fn scanned(&self) -> Option<&Scanned> {
        let open = || program().map(|program| Scanned::open(&self.store, program));
        self.scanned.get_or_init(open).as_ref()
    }

    /// Gets ready in the background where it will surely have something to do: its tables take as
    /// long as reading the skills. What one of the skills in `folder` needs, the others need too.
    pub(crate) fn warm_up(&self, folder: Option<PathBuf>) {
        if !self.scanned().is_none_or(Scanned::is_empty) {
            return;
        }
        in_background(move || {
            let sample = folder.and_then(|folder| sample(&folder));
            match sample {
                Some(tree) => drop(findings(&tree)),
                None => drop(scan(&[File {
                    path: "SKILL.md",
                    bytes: b"# Getting ready\n",
                    executable: false,
                }])),
            }
        });
    }

    /// Begins to look at skills that will be new, as far as can be told by now.
    pub(crate) fn foresee(&self, candidates: &[Candidate]) {
        for candidate in candidates {
            let _ = self.begin(candidate);
        }
    }

    /// Begins to look at a skill, on another thread if one has time.
    pub(super) fn begin(&self, candidate: &Candidate) -> Arc<Look> {
        let mut looks = self.looks.lock();
        let look = looks.entry(candidate.tree.digest());
        Arc::clone(look.or_insert_with(|| self.look_at(candidate)))
    }

    fn look_at(&self, candidate: &Candidate) -> Arc<Look> {
        let noted = self.scanned();
        let noted = noted.and_then(|notes| notes.found(candidate.tree.digest()));
        let known = noted.and_then(Finding::read_all);
        let look = Arc::new(Look {
            tree: Arc::clone(&candidate.tree),
            taken: AtomicBool::new(known.is_some()),
            found: known.map_or_else(OnceLock::new, OnceLock::from),
        });
        if look.found.get().is_none() {
            let look = Arc::clone(&look);
            in_background(move || look.help());
        }
        look
    }

    /// Remembers what was found.
    pub(crate) fn remember(&self, checked: &[Checked<'_>]) {
        if checked.is_empty() {
            return;
        }
        let found = checked.iter().filter_map(|each| {
            let words = serde_json::to_string(each.findings()).ok()?;
            Some((each.candidate.tree.digest(), words))
        });
        if let Some(scanned) = self.scanned() {
            // What cannot be noted is scanned again.
            let _ = scanned.remember(found);
        }
    }
}

/// A skill that is looked at, by whichever thread comes to it first.
#[derive(Debug)]
pub(crate) struct Look {
    tree: Arc<Tree>,
    /// Whether a thread looks at it already, or has.
    taken: AtomicBool,
    found: OnceLock<Vec<Finding>>,
}

impl Look {
    /// Looks at the skill, unless somebody else does.
    pub(super) fn help(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            let _ = self.findings();
        }
    }

    /// What is wrong with the skill.
    pub(super) fn findings(&self) -> &[Finding] {
        self.found.get_or_init(|| findings(&self.tree))
    }
}

fn findings(tree: &Tree) -> Vec<Finding> {
    let files = tree.files().iter().map(|file| File {
        path: &file.path,
        bytes: &file.bytes,
        executable: file.executable,
    });
    scan(&files.collect::<Vec<_>>()).findings
}

/// The skill in a folder, or the first one of those below it.
fn sample(folder: &Path) -> Option<Tree> {
    let below = fs::read_dir(folder).ok()?.take(MAX_LOOKS);
    let below = below.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders = iter::once(folder.to_owned()).chain(below);
    let skill = folders.find(|folder| folder.join("SKILL.md").is_file())?;
    Tree::read(&skill, &TreeLimits::default()).ok()
}

/// The program file: the rules and all that they are built on are in it. The time of the last
/// change of its entry cannot be set by hand, as others can that some systems make equal.
fn program() -> Option<Digest> {
    let path = std::env::current_exe().ok()?;
    let file = path.metadata().ok()?;
    let times = [
        file.mtime(),
        file.mtime_nsec(),
        file.ctime(),
        file.ctime_nsec(),
    ];
    let place = (file.dev(), file.ino(), file.size());
    Some(Digest::of(
        format!("{} {place:?} {times:?}", path.display()).as_bytes(),
    ))
}

/// Runs work on another thread. If it panics, whoever needs its result does the work again and panics, too.
fn in_background(work: impl FnOnce() + Send + 'static) {
    rayon::spawn(|| drop(catch_unwind(AssertUnwindSafe(work))));
}
