//! What hosts were promised: a state of the catalog whose bytes do not change.
//!
//! A host reads a skill's digests first and its files later, and compares. So the state that was
//! listed stays for as long as hosts were promised, and is then replaced by
//! the next. A file is read once for its digest and its content, so the two cannot disagree.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{
    BinaryContent, DigestLimits, ReadLimits, ReadRange, ResourceContent,
};
use skillyard_format::package::{Digest, TreeDigest};

use super::{CatalogCache, CatalogSnapshot};
use crate::contents::{Contents, ContentsError, media_type};

/// How long a listed state stays.
pub(crate) const LIFETIME: Duration = Duration::from_secs(5);
/// How many bytes all skills of a state may have; those beyond are read when they are asked for.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The state that is shown.
#[derive(Default)]
pub(crate) struct Editions {
    current: Mutex<Option<Arc<Edition>>>,
}

/// One state.
pub(crate) struct Edition {
    pub(crate) snapshot: Arc<CatalogSnapshot>,
    /// When hosts were first told of it.
    told: OnceLock<Instant>,
    packages: BTreeMap<String, OnceLock<Package>>,
    bytes: AtomicU64,
}

/// The files of a skill.
#[derive(Debug)]
pub(crate) enum Package {
    /// All of them, at hand.
    Files(Packed),
    /// The skill is too large, or a file of it cannot be read.
    Dynamic,
}

/// All files of a skill, as they were when they were read.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) files: BTreeMap<String, PackedFile>,
    /// What they are, whatever becomes of those on disk.
    pub(crate) digest: Digest,
}

/// A file that does not change any more.
#[derive(Debug)]
pub(crate) struct PackedFile {
    pub(crate) digest: Digest,
    pub(crate) content: ResourceContent,
    pub(crate) media_type: String,
    pub(crate) size: u64,
}

impl Editions {
    /// The state that is shown now.
    pub(crate) fn current(&self, skills: &CatalogCache) -> Arc<Edition> {
        let mut current = self.current.lock();
        let snapshot = skills.snapshot();
        if let Some(edition) = &*current
            && (Arc::ptr_eq(&edition.snapshot, &snapshot) || edition.lasts().is_some())
        {
            return Arc::clone(edition);
        }
        let edition = Arc::new(Edition::new(snapshot));
        *current = Some(Arc::clone(&edition));
        edition
    }

    /// How long the state that is shown will still be shown, although there is another.
    pub(crate) fn lasts(&self) -> Option<Duration> {
        let current = self.current.lock();
        current.as_ref()?.lasts()
    }
}

impl Edition {
    fn new(snapshot: Arc<CatalogSnapshot>) -> Self {
        let names = snapshot.catalog.enabled();
        let packages = names
            .map(|skill| (skill.record.name.clone(), OnceLock::new()))
            .collect();
        Self {
            snapshot,
            told: OnceLock::new(),
            packages,
            bytes: AtomicU64::new(0),
        }
    }

    /// Marks it as listed; returns how long it stays.
    pub(crate) fn tell(&self) -> Duration {
        let told = self.told.get_or_init(Instant::now);
        LIFETIME.saturating_sub(told.elapsed())
    }

    fn lasts(&self) -> Option<Duration> {
        LIFETIME.checked_sub(self.told.get()?.elapsed())
    }

    /// The skills, in the order of their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }

    /// The skill of a name.
    pub(crate) fn skill(&self, name: &str) -> Option<(&CatalogSkill, &Package)> {
        let package = self.packages.get(name)?;
        let skill = self.snapshot.usable(name)?;
        Some((skill, package.get_or_init(|| self.pack(skill))))
    }

    fn pack(&self, skill: &CatalogSkill) -> Package {
        match packed(skill) {
            Ok(Some(packed)) => {
                let bytes = packed.files.values().map(|file| file.size).sum();
                let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
                if before.saturating_add(bytes) > MAX_BYTES {
                    Package::Dynamic
                } else {
                    Package::Files(packed)
                }
            }
            Ok(None) | Err(_) => Package::Dynamic,
        }
    }
}

/// All files of a skill, unless they are too many or too large.
fn packed(skill: &CatalogSkill) -> Result<Option<Packed>, ContentsError> {
    let most = DigestLimits::USUAL;
    let contents = Contents::open(skill)?;
    let list = contents.list(None)?;
    let total: u64 = list.files.iter().map(|file| file.size).sum();
    if list.truncated || list.files.len() > most.max_files || total > most.max_bytes {
        return Ok(None);
    }
    let mut files = BTreeMap::new();
    let mut tree = TreeDigest::default();
    // What has an unusual name is a part of the digest, too. It comes first, so that what is read is
    // what was hashed.
    let is_whole = list.unreadable.is_empty();
    let whole = (!is_whole).then(|| contents.digest()).transpose()?;
    for file in list.files {
        let packed = pack_file(&contents, &file.path, most.max_bytes)?;
        let Some(packed) = packed else {
            return Ok(None);
        };
        tree.add(&file.path, file.executable, packed.digest);
        files.insert(file.path, packed);
    }
    let digest = whole.unwrap_or_else(|| tree.finish());
    Ok(Some(Packed { files, digest }))
}

/// One file, read whole.
pub(crate) fn pack_file(
    contents: &Contents<'_>,
    path: &str,
    most: u64,
) -> Result<Option<PackedFile>, ContentsError> {
    let limits = ReadLimits {
        max_bytes: most,
        binary: BinaryContent::Include,
        ..ReadLimits::default()
    };
    let read = contents.read(path, ReadRange::default(), limits)?;
    if read.next_offset.is_some() {
        return Ok(None);
    }
    let media_type = media_type(&read.path, &read.content).into_owned();
    let bytes = match &read.content {
        ResourceContent::Text(text) => text.as_bytes(),
        ResourceContent::Binary { bytes, .. } => bytes.as_deref().unwrap_or_default(),
    };
    Ok(Some(PackedFile {
        digest: Digest::of(bytes),
        size: bytes.len() as u64,
        media_type,
        content: read.content,
    }))
}
