//! What git obeys, besides `.git` at the top.
//!
//! A repository's configuration can name programs that `git status` starts. It is read from
//! wherever a `.git` file points, and for a submodule from the submodule's own `.git`: also
//! where nobody has fetched the submodule yet, and anybody could make that folder.

mod config;
mod index;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use skillyard_catalog::regular_file::{Links, read};

/// Most bytes of a file that only names a place, as git has it for its own.
const LONGEST_PATH: u64 = 1 << 20;
/// Most bytes of an index, which is that of millions of files.
const LARGEST_INDEX: u64 = 256 << 20;
/// Most indexes of one repository that are read; git shares one with another.
const MAX_INDEXES: usize = 20;

/// The entries by which git knows a repository without a working tree.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an entry that is there or not"
)]
pub(super) struct Shape {
    head: bool,
    objects: bool,
    refs: bool,
    common: bool,
}

/// The names of those entries.
const SHAPE: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

/// Whether git reads the entry of this name as a file.
pub(super) fn is_file(name: &OsStr) -> bool {
    ["HEAD", "commondir"]
        .iter()
        .any(|each| name.eq_ignore_ascii_case(each))
}

impl Shape {
    /// That of a folder, once it has an entry of this name; none where the name says nothing.
    pub(super) fn with(name: &OsStr, folder: &Path) -> Self {
        let mut shape = Self::default();
        if SHAPE.iter().any(|each| name.eq_ignore_ascii_case(each)) {
            let is_there = |each: &&&str| folder.join(each).symlink_metadata().is_ok();
            let there = SHAPE.iter().filter(is_there);
            there.for_each(|each| shape.has(OsStr::new(each)));
            shape.has(name);
        }
        shape
    }

    /// Takes note of an entry of the folder.
    pub(super) fn has(&mut self, name: &OsStr) {
        // Git finds them in any spelling on a disk that ignores case.
        match name.to_ascii_lowercase().as_bytes() {
            b"head" => self.head = true,
            b"objects" => self.objects = true,
            b"refs" => self.refs = true,
            b"commondir" => self.common = true,
            _ => {}
        }
    }

    /// Whether git would take the folder for a repository.
    pub(super) fn is_repository(&self) -> bool {
        self.head && (self.common || self.objects && self.refs)
    }
}

/// What the repository of a folder in the workspace obeys there, besides its `.git`.
pub(super) fn of(workspace: &Path, folder: &Path) -> Vec<PathBuf> {
    obeyed(workspace, &workspace.join(folder)).unwrap_or_default()
}

/// What a repository around the workspace obeys in it.
pub(super) fn around(workspace: &Path) -> Vec<PathBuf> {
    let mut outside = workspace.ancestors().skip(1);
    let found = outside.find_map(|folder| obeyed(workspace, folder));
    found.unwrap_or_default()
}

/// The place that the `.git` of a folder names, the `.git` of its submodules, and what its
/// configuration names, as far as they lie in the workspace.
fn obeyed(workspace: &Path, folder: &Path) -> Option<Vec<PathBuf>> {
    let repository = repository(folder)?;
    let submodules = submodules(&repository).map(|each| folder.join(each).join(".git"));
    let named = config::named(&repository, folder);
    let named = named.into_iter().map(|place| plain(&place));
    let all = submodules.chain(named).chain([repository.clone()]);
    let inside = all.filter_map(|place| {
        // It may be named by another way to the same folder.
        let real = place.canonicalize().unwrap_or_default();
        let inside = place.strip_prefix(workspace);
        let inside = inside.or_else(|_| real.strip_prefix(workspace));
        inside.ok().map(Path::to_owned)
    });
    Some(inside.filter(|place| place != Path::new("")).collect())
}

/// The repository that a folder's `.git` is or names, with no link and no step back in its path.
fn repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let place = if fs::metadata(&git).ok()?.is_file() {
        let text = read(&git, Links::Followed, LONGEST_PATH).ok()?;
        let text = text.strip_prefix(b"gitdir:")?.trim_ascii();
        folder.join(OsStr::from_bytes(text))
    } else {
        git
    };
    Some(place.canonicalize().unwrap_or_else(|_| plain(&place)))
}

/// A path that leads nowhere yet, without its steps back.
pub(in crate::script) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The paths of a repository's submodules, from its index and what the index is shared with.
fn submodules(repository: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(repository).into_iter().flatten().flatten();
    let is_index = |name: &OsStr| name == "index" || name.as_bytes().starts_with(b"sharedindex.");
    let indexes = entries.filter(move |entry| {
        is_index(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_file())
    });
    let indexes = indexes.take(MAX_INDEXES).map(|entry| entry.path());
    let read = indexes.filter_map(|path| read(&path, Links::Refused, LARGEST_INDEX).ok());
    read.flat_map(|bytes| index::submodules(&bytes))
}
