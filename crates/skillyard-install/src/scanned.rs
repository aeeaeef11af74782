//! Skills in which a scanner found nothing, so that it does not look at the same bytes again.
//!
//! A note says that one scanner found nothing in the tree with one digest: other bytes have another
//! digest, and another scanner has other notes. Notes lie beside the store. Whoever can write there
//! can also write the approvals and the settings in the same folder, so they gain nothing by it;
//! what comes with a project or a skill can do neither.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use skillyard_format::Digest;

use crate::store::Store;

/// Notes on this many bytes are enough for sixty thousand skills; then they start anew.
const LARGEST: u64 = 4 << 20;

/// What one scanner found nothing in.
#[derive(Debug)]
pub struct Scanned {
    file: PathBuf,
    clean: HashSet<Digest>,
}

impl Scanned {
    /// The notes of the scanner that `scanner` identifies; those that cannot be read are none.
    pub fn open(store: &Store, scanner: Digest) -> Self {
        let file = store.root().join("scanned").join(scanner.to_hex());
        let text = read(&file).unwrap_or_default();
        Self {
            clean: text
                .lines()
                .filter_map(|line| format!("sha256:{line}").parse().ok())
                .collect(),
            file,
        }
    }

    /// Whether there are no notes at all.
    pub fn is_empty(&self) -> bool {
        self.clean.is_empty()
    }

    /// Whether nothing was found in the tree with this digest.
    pub fn is_clean(&self, digest: Digest) -> bool {
        self.clean.contains(&digest)
    }

    /// Notes that nothing was found in these, and forgets what other scanners noted.
    pub fn remember(&self, clean: impl IntoIterator<Item = Digest>) -> io::Result<()> {
        let lines = clean.into_iter().filter(|digest| !self.is_clean(*digest));
        let text: String = lines.map(|digest| digest.to_hex() + "\n").collect();
        if text.is_empty() {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        // Another process may have noted something since.
        if self.is_empty() && read(&self.file).unwrap_or_default().is_empty() {
            for entry in std::fs::read_dir(folder)?.flatten() {
                // Also our own, if nothing in it could be read.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        // Several processes may write at once: each with one call, which goes to the end.
        let mut file = File::options()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&self.file)?;
        file.write_all(text.as_bytes())
    }
}

fn read(path: &Path) -> io::Result<String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::options()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Ok(String::new());
    }
    let mut text = String::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_of_one_scanner_and_of_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let [old, new, one, two] = [b"old", b"new", b"one", b"two"].map(|each| Digest::of(each));
        assert!(Scanned::open(&store, old).is_empty());
        Scanned::open(&store, old).remember([one]).unwrap();
        let noted = Scanned::open(&store, old);
        assert!(noted.is_clean(one) && !noted.is_clean(two));
        // A write that was cut off says nothing, and spoils at most the line after it.
        let file = folder.path().join("scanned").join(old.to_hex());
        std::fs::write(&file, &one.to_hex()[..40]).unwrap();
        assert!(Scanned::open(&store, old).is_empty());
        Scanned::open(&store, new).remember([two]).unwrap();
        assert!(Scanned::open(&store, new).is_clean(two) && !file.exists());
    }

    #[test]
    fn what_is_no_file_of_notes_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let one = Digest::of(b"one");
        let file = folder.path().join("scanned").join(one.to_hex());
        std::fs::create_dir(folder.path().join("scanned")).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, one.to_hex() + "\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        assert!(Scanned::open(&store, one).is_empty());
        Scanned::open(&store, one).remember([one]).unwrap();
        assert!(Scanned::open(&store, one).is_clean(one));
        assert!(!file.is_symlink());
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_len(LARGEST + 1)
            .unwrap();
        assert!(Scanned::open(&store, one).is_empty());
    }
}
