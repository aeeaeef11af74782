//! Notes about placeholders, for whoever comes after a run that was killed.
//!
//! A run that ends removes its placeholders; one that is killed cannot. It has written down
//! where they are before it made them, in a file that it keeps locked: a note that nobody
//! holds any more is one of a run that is gone.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::placeholder;

/// The note of one run, which goes with it.
pub(crate) struct Note {
    path: PathBuf,
    _lock: File,
}

impl Note {
    /// Writes down where placeholders will be.
    pub(crate) fn write<'a>(
        folder: &Path,
        places: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let mut text = Vec::new();
        for place in places {
            text.extend_from_slice(place.as_os_str().as_bytes());
            text.push(0);
        }
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
                file.write_all(&text)?;
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

/// Removes the placeholders of runs that were killed. `folder` is that of
/// [`Sandbox::with_notes`](crate::Sandbox::with_notes); what cannot be done now is left for the
/// next time.
pub fn tidy(folder: &Path) {
    let Ok(notes) = fs::read_dir(folder) else {
        return;
    };
    for note in notes.flatten() {
        let _ = tidy_one(&note.path());
    }
}

fn tidy_one(note: &Path) -> io::Result<()> {
    let mut file = File::open(note)?;
    if file.try_lock().is_err() {
        return Ok(());
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    for place in text.split(|byte| *byte == 0).rev() {
        placeholder::remove(Path::new(OsStr::from_bytes(place)));
    }
    fs::remove_file(note)
}
