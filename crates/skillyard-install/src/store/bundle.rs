//! Many skills that came together, in one file: which they are, where each is, then their packs.
//!
//! A repository of a hundred skills is put into the store with one file instead of a hundred. As
//! in a pack, nothing in it is believed: a table that leads astray leads to bytes with another
//! digest.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use super::pack::{self, Filed, PackError, Packed};
use crate::tree::Tree;

/// What every bundle starts with; another form of bundle gets another number.
const START: &[u8] = b"skillyard-bundle-1\n";
/// A digest, where its pack starts, and how long it is.
const ENTRY: usize = 32 + 8 + 8;

/// A skill, and where in a bundle its pack is.
type Entry = (Digest, Range<u64>);

/// What a bundle of packs begins with, and the name of its file.
pub(super) fn head(packs: &[impl Packed]) -> io::Result<(String, Vec<u8>)> {
    let too_many = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let count = u32::try_from(packs.len()).map_err(too_many)?;
    let mut bytes = START.to_vec();
    bytes.extend_from_slice(&count.to_le_bytes());
    let mut start = (bytes.len() + packs.len() * ENTRY) as u64;
    for pack in packs {
        bytes.extend_from_slice(pack.digest().as_bytes());
        bytes.extend_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&pack.size().to_le_bytes());
        start += pack.size();
    }
    Ok((Digest::of(&bytes).to_hex(), bytes))
}

/// The bundles of a store, opened, and where in them each skill is.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    files: Vec<Bundle>,
    places: HashMap<Digest, (usize, Range<u64>)>,
    /// The names of those that cannot be read.
    broken: Vec<Digest>,
}

#[derive(Debug)]
struct Bundle {
    path: PathBuf,
    file: File,
    skills: Vec<Digest>,
}

impl Bundles {
    /// Those in a folder, which need not be there.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        // One that goes while we look has been replaced by another.
        for _ in 0..8 {
            if let Some(bundles) = Self::look(folder)? {
                return Ok(bundles);
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }

    fn look(folder: &Path) -> io::Result<Option<Self>> {
        let mut bundles = Self::default();
        for name in super::names(folder)? {
            let Ok(digest) = format!("sha256:{name}").parse() else {
                continue;
            };
            let path = folder.join(name);
            match table(&path) {
                Ok((file, table)) => bundles.add(path, file, table),
                Err(PackError::Disk(error)) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(None);
                }
                Err(_) => bundles.broken.push(digest),
            }
        }
        Ok(Some(bundles))
    }

    fn add(&mut self, path: PathBuf, file: File, table: Vec<Entry>) {
        let skills = table.iter().map(|(digest, _)| *digest).collect();
        let number = self.files.len();
        for (digest, range) in table {
            self.places.insert(digest, (number, range));
        }
        self.files.push(Bundle { path, file, skills });
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.files.len() + self.broken.len()
    }

    /// What is in them, and what those are called that cannot be read.
    pub(super) fn list(&self) -> impl Iterator<Item = Digest> {
        self.places.keys().chain(&self.broken).copied()
    }

    /// How long the pack of a skill is, if it is in one.
    pub(super) fn size(&self, digest: Digest) -> Option<u64> {
        let (_, range) = self.places.get(&digest)?;
        Some(range.end - range.start)
    }

    /// The skill that is filed under a digest, if it is in one.
    pub(super) fn read(&self, digest: Digest) -> Option<Result<Tree, PackError>> {
        match self.pack(digest) {
            Some(pack) => Some(pack.and_then(|pack| pack::tree(&pack))),
            None if self.broken.contains(&digest) => Some(Err(PackError::Broken)),
            None => None,
        }
    }

    fn pack(&self, digest: Digest) -> Option<Result<Vec<u8>, PackError>> {
        let (number, range) = self.places.get(&digest)?;
        let length = usize::try_from(range.end - range.start).ok()?;
        let mut bytes = vec![0; length];
        let read = self.files[*number]
            .file
            .read_exact_at(&mut bytes, range.start);
        Some(read.map(|()| bytes).map_err(PackError::Disk))
    }

    /// What remains of the bundles that hold one of these: their paths and the packs of the others.
    pub(super) fn without(&self, gone: &[Digest]) -> Vec<(PathBuf, Vec<Filed>)> {
        let gone: HashSet<&Digest> = gone.iter().collect();
        let concerned = |bundle: &&Bundle| bundle.skills.iter().any(|each| gone.contains(each));
        let remains = |bundle: &Bundle| {
            let others = bundle.skills.iter().filter(|each| !gone.contains(each));
            // What cannot be read is gone anyway.
            let packs = others.filter_map(|each| Some((*each, self.pack(*each)?.ok()?)));
            (bundle.path.clone(), packs.collect())
        };
        self.files.iter().filter(concerned).map(remains).collect()
    }
}

/// Opens a bundle and reads which skills are in it, and where.
fn table(path: &Path) -> Result<(File, Vec<Entry>), PackError> {
    let (mut file, found) = pack::open(path)?;
    let size = found.len();
    let mut head = [0; START.len() + 4];
    file.read_exact(&mut head).map_err(|_| PackError::Broken)?;
    let count = head
        .strip_prefix(START)
        .and_then(|count| count.first_chunk());
    let count = count.copied().map(u32::from_le_bytes);
    let length = u64::from(count.ok_or(PackError::Broken)?) * ENTRY as u64;
    // Nothing is made room for that is not there.
    if length > size {
        return Err(PackError::Broken);
    }
    let mut entries = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    (&file).take(length).read_to_end(&mut entries)?;
    let table = entries
        .chunks_exact(ENTRY)
        .map(|entry| entry_of(entry, size));
    let table: Option<Vec<_>> = table.collect();
    let table = table.filter(|_| entries.len() as u64 == length);
    Ok((file, table.ok_or(PackError::Broken)?))
}

/// The skill that an entry names, and where in a bundle of so many bytes it is.
fn entry_of(entry: &[u8], size: u64) -> Option<Entry> {
    let (digest, rest) = entry.split_first_chunk::<32>()?;
    let (start, length) = rest.split_first_chunk()?;
    let start = u64::from_le_bytes(*start);
    let end = start.checked_add(u64::from_le_bytes(*length.first_chunk()?))?;
    (end <= size).then(|| (Digest::from(*digest), start..end))
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tree::TreeFile;
    use proptest::prelude::*;

    pub(in crate::store) fn skill(text: &str, size: usize) -> Arc<Tree> {
        let file = TreeFile {
            path: "SKILL.md".into(),
            executable: false,
            bytes: text.repeat(size).into_bytes(),
        };
        Arc::new(Tree::new(vec![file]).unwrap())
    }

    pub(in crate::store) fn skills(count: usize, size: usize) -> Vec<Arc<Tree>> {
        (0..count)
            .map(|number| skill(&number.to_string(), size))
            .collect()
    }

    fn bundle_of(skills: &[Arc<Tree>]) -> (String, Vec<u8>) {
        let skills: Vec<&Arc<Tree>> = skills.iter().collect();
        let (name, mut bytes) = head(&skills).unwrap();
        for skill in skills {
            skill.write(&mut bytes).unwrap();
        }
        (name, bytes)
    }

    #[test]
    fn a_bundle_holds_its_skills() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            Bundles::open(&folder.path().join("none")).unwrap().count(),
            0
        );
        let skills = skills(3, 10);
        let (name, bytes) = bundle_of(&skills);
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let bundles = Bundles::open(folder.path()).unwrap();
        for each in &skills {
            assert_eq!(bundles.size(each.digest()), Some(pack::size(each)));
            assert_eq!(bundles.read(each.digest()).unwrap().unwrap(), **each);
        }
        assert!(bundles.read(Digest::of(b"other")).is_none());
        let remains = bundles.without(&[skills[1].digest()]);
        let left: Vec<Digest> = remains[0].1.iter().map(|(digest, _)| *digest).collect();
        assert_eq!(left, [skills[0].digest(), skills[2].digest()]);
        assert!(bundles.without(&[Digest::of(b"other")]).is_empty());
    }

    #[test]
    fn no_part_of_a_bundle_gives_other_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let skills = skills(3, 10);
        let (name, bytes) = bundle_of(&skills);
        let path = folder.path().join(&name);
        for end in 0..bytes.len() {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let bundles = Bundles::open(folder.path()).unwrap();
            assert!(bundles.list().map(Digest::to_hex).eq([name.as_str()]));
            let named = Digest::from(*bundles.broken[0].as_bytes());
            assert!(bundles.read(named).unwrap().is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let bundles = Bundles::open(folder.path()).unwrap();
            for each in &skills {
                let found = bundles.read(each.digest()).and_then(Result::ok);
                let is_other =
                    found.is_some_and(|found| found.digest() == each.digest() && found != **each);
                assert!(!is_other, "{at}");
            }
        }
    }

    proptest! {
        #[test]
        fn strange_bytes_are_no_bundle(bytes: Vec<u8>) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(Digest::of(b"x").to_hex());
            std::fs::write(path, [START, &bytes].concat()).unwrap();
            let bundles = Bundles::open(folder.path()).unwrap();
            for digest in bundles.list() {
                let _ = bundles.read(digest);
            }
        }
    }
}
