//! Notes about what runs put into workspaces, for whoever comes after one that was killed.
//!
//! A run that ends removes its placeholders and puts links back; one that is killed cannot. It
//! has written down before where they are, in a file that it keeps locked: a note that nobody
//! holds any more is one of a run that is gone.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::beneath::{Inode, Root};
use super::link::{Fate, Link};
use super::placeholder;

const FOLDER: &[u8] = b"folder";
const PLACE: &[u8] = b"place";
const LINK: &[u8] = b"link";

/// The note of one run, which goes with it.
pub(crate) struct Note {
    path: PathBuf,
    _lock: File,
}

/// What a note will say: parts that each end in NUL, which no path holds.
#[derive(Default)]
pub(crate) struct Text {
    bytes: Vec<u8>,
}

impl Text {
    /// The program may write to a folder, in which places are protected.
    pub(crate) fn folder(&mut self, root: &Root) {
        self.put([OsStr::from_bytes(FOLDER), root.path().as_ref()]);
    }

    /// There will be a placeholder.
    pub(crate) fn place(&mut self, root: &Root, place: &Path) {
        self.put([
            OsStr::from_bytes(PLACE),
            root.path().as_ref(),
            place.as_ref(),
        ]);
    }

    /// There is a link.
    pub(crate) fn link(&mut self, link: &Link) -> io::Result<()> {
        let (root, folder) = (Inode::of(link.root.file())?, Inode::of(&link.folder)?);
        let numbers = [root.device, root.number, folder.device, folder.number];
        let owner = [link.owner.0, link.owner.1].map(u64::from);
        let numbers = numbers.iter().chain(&owner);
        let numbers: Vec<String> = numbers.map(u64::to_string).collect();
        let numbers = OsString::from(numbers.join(" "));
        self.put([OsStr::from_bytes(LINK), link.root.path().as_ref()]);
        self.put([link.place.as_ref(), link.says.as_ref(), numbers.as_os_str()]);
        Ok(())
    }

    /// Whether there is nothing to be written down.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn put<const N: usize>(&mut self, parts: [&OsStr; N]) {
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
            self.bytes.push(0);
        }
    }
}

impl Note {
    /// Writes it down.
    pub(crate) fn write(folder: &Path, text: &Text) -> io::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let own = std::process::id();
        let mut count = 0_u64;
        loop {
            let path = folder.join(format!("{own}-{count}"));
            count += 1;
            let made = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path);
            let mut file = match made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            file.lock()?;
            // Somebody who tidied up may have taken it for an old one before it was locked.
            let held = file.metadata()?.ino();
            if fs::symlink_metadata(&path).is_ok_and(|there| there.ino() == held) {
                file.write_all(&text.bytes)?;
                // A power cut must not leave placeholders of which nobody knows.
                file.sync_data()?;
                return Ok(Self { path, _lock: file });
            }
        }
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A link that a run replaced before it was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// Where it was.
    pub path: PathBuf,
    /// Whether it is there again.
    pub is_back: bool,
}

/// Removes the placeholders of runs that were killed, puts back the links that they replaced,
/// and names these. `folder` is that of [`Sandbox::with_notes`](crate::Sandbox::with_notes);
/// what cannot be read now is left for the next time.
pub fn tidy(folder: &Path) -> Vec<Replaced> {
    let Ok(notes) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let notes = notes
        .flatten()
        .filter_map(|note| tidy_one(&note.path()).ok());
    notes.flatten().collect()
}

fn tidy_one(note: &Path) -> io::Result<Vec<Replaced>> {
    let mut file = File::open(note)?;
    if file.try_lock().is_err() {
        return Ok(Vec::new());
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let mut parts = text.split(|byte| *byte == 0);
    let mut replaced = Vec::new();
    while let Some(kind) = parts.next() {
        let mut path = || Some(Path::new(OsStr::from_bytes(parts.next()?)));
        match kind {
            PLACE => {
                if let (Some(root), Some(place)) = (path(), path()) {
                    let _ = Root::open(root).map(|root| placeholder::remove(&root, place));
                }
            }
            LINK => {
                if let (Some(root), Some(place), Some(says), Some(numbers)) =
                    (path(), path(), path(), path())
                    && let Some(found) = put_back(root, place, says, numbers)
                {
                    replaced.push(found);
                }
            }
            FOLDER => {
                path();
            }
            _ => {}
        }
    }
    fs::remove_file(note)?;
    Ok(replaced)
}

/// The folder with this place in it that a program which runs now may write to, and where it must
/// not lose what is protected. `folder` is that of
/// [`Sandbox::with_notes`](crate::Sandbox::with_notes); `place` has no link in its path.
pub fn workspace_in_use(folder: &Path, place: &Path) -> Option<PathBuf> {
    let notes = fs::read_dir(folder).ok()?;
    let mut notes = notes.flatten().filter_map(|note| held(&note.path()).ok());
    notes.find_map(|text| {
        let mut parts = text.split(|byte| *byte == 0);
        while let Some(kind) = parts.next() {
            if kind == FOLDER {
                let root = Path::new(OsStr::from_bytes(parts.next()?));
                if place.starts_with(root) {
                    return Some(root.to_owned());
                }
            }
        }
        None
    })
}

/// What a note says, if somebody holds it.
fn held(note: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(note)?;
    let mut text = Vec::new();
    if file.try_lock_shared().is_err() {
        file.read_to_end(&mut text)?;
    }
    Ok(text)
}

/// Puts a link back, if it is no longer there and its folder is still the same.
fn put_back(root: &Path, place: &Path, says: &Path, numbers: &Path) -> Option<Replaced> {
    let path = root.join(place);
    // Nobody but us wrote the note, and a whole one has all of them.
    let numbers = numbers.to_str()?.split(' ').map(str::parse::<u64>);
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>().ok()?;
    let &[root_device, root_number, device, number, user, group] = &numbers[..] else {
        return None;
    };
    // A workspace that is gone misses nothing.
    let root = Root::open(root).ok()?;
    let is = |file: &File, device, number| {
        Inode::of(file).is_ok_and(|found| found == Inode { device, number })
    };
    if !is(root.file(), root_device, root_number) {
        return None;
    }
    let owner = (u32::try_from(user).ok()?, u32::try_from(group).ok()?);
    let folder = root.folder_of(place).ok();
    let fate = match folder.filter(|folder| is(folder, device, number)) {
        None => Fate::Lost,
        Some(folder) => Link {
            root: Rc::new(root),
            place: place.to_owned(),
            says: says.to_owned(),
            owner,
            folder,
        }
        .put_back(),
    };
    (fate != Fate::Kept).then_some(Replaced {
        path,
        is_back: fate == Fate::PutBack,
    })
}
