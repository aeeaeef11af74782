//! What a scanner found in skills, so that it does not look at the same bytes again.
//!
//! A note says what one scanner found in the tree with one digest: other bytes have another digest,
//! and another scanner has other notes. Notes lie beside the store. Whoever can write there can also
//! write the approvals and the settings in the same folder, so they gain nothing by it; what comes
//! with a project or a skill can do neither.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use skillyard_catalog::private_dir;
use skillyard_format::Digest;

use crate::store::Store;

/// Notes on this many bytes are enough for sixty thousand skills in which there is nothing; then
/// they start anew.
const LARGEST: u64 = 4 << 20;
/// A longer note is not worth its place.
const LONGEST: usize = 16 << 10;

/// What one scanner found.
#[derive(Debug)]
pub struct Scanned {
    file: PathBuf,
    found: HashMap<Digest, String>,
}

impl Scanned {
    /// The notes of the scanner that `scanner` identifies; those that cannot be read are none.
    pub fn open(store: &Store, scanner: Digest) -> Self {
        let file = store.root().join("scanned").join(scanner.to_hex());
        let text = read(&file).unwrap_or_default();
        Self {
            found: text.lines().filter_map(note).collect(),
            file,
        }
    }

    /// Whether there are no notes at all.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found in the tree with this digest, in the scanner's words. Where a write was cut
    /// off they may be followed by others, which the scanner does not take for its own.
    pub fn found(&self, digest: Digest) -> Option<&str> {
        self.found.get(&digest).map(String::as_str)
    }

    /// Notes what was found in these, on one line each, and forgets what other scanners noted.
    pub fn remember(&self, found: impl IntoIterator<Item = (Digest, String)>) -> io::Result<()> {
        let new = found.into_iter().filter(|(digest, words)| {
            let fits = words.len() <= LONGEST && !words.contains('\n');
            fits && self.found(*digest) != Some(words)
        });
        // The digest comes last: what was cut off has none.
        let lines = new.map(|(digest, words)| format!("{words} {}\n", digest.to_hex()));
        let text: String = lines.collect();
        if text.is_empty() {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        private_dir::create(folder)?;
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

/// What a line says: a digest, and what was found behind it.
fn note(line: &str) -> Option<(Digest, String)> {
    let (words, digest) = line.rsplit_once(' ')?;
    let digest = format!("sha256:{digest}").parse().ok()?;
    Some((digest, words.to_owned()))
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

    fn clean(digest: Digest) -> [(Digest, String); 1] {
        [(digest, "[]".into())]
    }

    #[test]
    fn notes_are_of_one_scanner() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let [old, new, one, two] = [b"old", b"new", b"one", b"two"].map(|each| Digest::of(each));
        assert!(Scanned::open(&store, old).is_empty());
        Scanned::open(&store, old).remember(clean(one)).unwrap();
        let noted = Scanned::open(&store, old);
        assert_eq!((noted.found(one), noted.found(two)), (Some("[]"), None));
        let words = "[a b]".to_owned();
        noted.remember([(two, words.clone())]).unwrap();
        let noted = Scanned::open(&store, old);
        assert_eq!(noted.found(two), Some(&*words));
        assert_eq!(noted.found(one), Some("[]"));
        Scanned::open(&store, new).remember(clean(two)).unwrap();
        assert_eq!(Scanned::open(&store, new).found(two), Some("[]"));
        assert!(Scanned::open(&store, old).is_empty());
    }

    #[test]
    fn two_that_begin_at_once_keep_both_notes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let [scanner, one, two] = [b"old", b"one", b"two"].map(|each| Digest::of(each));
        let [first, second] = [(); 2].map(|()| Scanned::open(&store, scanner));
        first.remember(clean(one)).unwrap();
        second.remember(clean(two)).unwrap();
        let noted = Scanned::open(&store, scanner);
        assert!(noted.found(one).is_some() && noted.found(two).is_some());
    }

    #[test]
    fn a_note_that_was_cut_off_is_never_a_better_one() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let [scanner, bad, next] = [b"old", b"bad", b"new"].map(|each| Digest::of(each));
        let file = folder.path().join("scanned").join(scanner.to_hex());
        let words = "[{\"code\":\"SKY512\"}]";
        let first = Scanned::open(&store, scanner);
        first.remember([(bad, words.to_owned())]).unwrap();
        let whole = std::fs::read_to_string(&file).unwrap();
        for end in 0..whole.len() {
            for rest in [String::new(), format!("[] {}\n", next.to_hex())] {
                std::fs::write(&file, format!("{}{rest}", &whole[..end])).unwrap();
                let noted = Scanned::open(&store, scanner);
                // Only the end of the line may be missing.
                let is_right = |found: &str| found == words && end == whole.len() - 1;
                assert!(noted.found(bad).is_none_or(is_right), "{end}");
                // Together with what was cut off it is nothing that the scanner writes.
                let found = noted.found(next).filter(|found| *found != "[]");
                let is_json = |found| serde_json::from_str::<serde_json::Value>(found).is_ok();
                assert!(!found.is_some_and(is_json), "{end}");
            }
        }
    }

    #[test]
    fn long_words_are_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let one = Digest::of(b"one");
        for words in ["x".repeat(LONGEST + 1), "[]\n[]".into()] {
            Scanned::open(&store, one).remember([(one, words)]).unwrap();
            assert!(Scanned::open(&store, one).is_empty());
        }
    }

    #[test]
    fn what_is_no_file_of_notes_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let one = Digest::of(b"one");
        let file = folder.path().join("scanned").join(one.to_hex());
        std::fs::create_dir(folder.path().join("scanned")).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, format!("[] {}\n", one.to_hex())).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        assert!(Scanned::open(&store, one).is_empty());
        Scanned::open(&store, one).remember(clean(one)).unwrap();
        assert_eq!(Scanned::open(&store, one).found(one), Some("[]"));
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
