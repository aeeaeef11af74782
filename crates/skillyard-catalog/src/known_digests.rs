//! A cache of tree digests with the stamps of the hashed files: a skill that did not change is not hashed again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::cache_file::{self, Magic};
use crate::parallel;
use crate::resource::{ResourceError, SkillRoot, Stamps, digest, stamps};
use crate::walk::{RACY_NANOSECONDS, now};

/// What the file starts with; the number is its version.
const MAGIC: Magic = *b"skydig01";
/// How many skills one thread looks at before it takes the next.
const SKILLS_PER_BLOCK: usize = 16;

/// What a skill consisted of while its files had these stamps.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownDigest {
    stamps: Digest,
    digest: Digest,
}

pub(crate) type Table = BTreeMap<PathBuf, KnownDigest>;

/// The file in a folder of indexes that remembers what skills consist of.
pub fn file(index_folder: &Path) -> PathBuf {
    index_folder.join("digests")
}

/// The tree digests of skills by their folders, which `file` remembers.
pub fn digests(folders: &[&Path], file: Option<&Path>) -> Vec<Result<Digest, ResourceError>> {
    let (digests, changed) = looked_up(folders, file);
    if let (Some(file), Some(mut table)) = (file, changed) {
        table.retain(|folder, _| folder.exists());
        // A cache that cannot be written costs time, not answers.
        let _ = cache_file::write(file, MAGIC, &table);
    }
    digests
}

/// The tree digests, with the new content of `file` if that changed.
pub(crate) fn looked_up(
    folders: &[&Path],
    file: Option<&Path>,
) -> (Vec<Result<Digest, ResourceError>>, Option<Table>) {
    let mut table: Table = file
        .and_then(|file| cache_file::read(file, MAGIC))
        .unwrap_or_default();
    let look = |(): &mut (), folder: &&Path| look(folder, table.get(*folder));
    let looked = parallel::map(folders, SKILLS_PER_BLOCK, || (), look);
    let mut changed = false;
    let mut digests = Vec::with_capacity(looked.len());
    for (folder, looked) in folders.iter().zip(looked) {
        digests.push(looked.map(|(now, known)| {
            if let Some(known) = known {
                changed = true;
                table.insert(folder.to_path_buf(), known);
            }
            now
        }));
    }
    (digests, changed.then_some(table))
}

/// The digest of a skill, and the new entry of the cache.
fn look(
    folder: &Path,
    known: Option<&KnownDigest>,
) -> Result<(Digest, Option<KnownDigest>), ResourceError> {
    let before = now();
    let root = SkillRoot::open(folder)?;
    let Stamps { all, last } = stamps(&root)?;
    if let Some(known) = known.filter(|known| known.stamps == all) {
        return Ok((known.digest, None));
    }
    let digest = digest(&root)?;
    let known = KnownDigest {
        stamps: all,
        digest,
    };
    // A clock's tick may hide a change that comes right after the last one.
    Ok((digest, (last < before - RACY_NANOSECONDS).then_some(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn one(folder: &Path, file: &Path) -> Digest {
        digests(&[folder], Some(file)).remove(0).unwrap()
    }

    #[test]
    fn what_did_not_change_is_not_hashed_again() {
        let place = tempfile::tempdir().unwrap();
        let (skill, file) = (place.path().join("pdf"), place.path().join("index/digests"));
        fs::create_dir(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "one").unwrap();
        let whole = one(&skill, &file);
        let stamps = stamps(&SkillRoot::open(&skill).unwrap()).unwrap().all;
        // A wrong digest is used as long as the stamps are these.
        let digest = Digest::of(b"something else");
        let table = Table::from([(skill.clone(), KnownDigest { stamps, digest })]);
        cache_file::write(&file, MAGIC, &table).unwrap();
        assert_eq!(one(&skill, &file), digest);
        // What programs leave behind does not belong to a skill.
        fs::create_dir(skill.join("__pycache__")).unwrap();
        fs::write(skill.join("__pycache__/a.pyc"), "x").unwrap();
        assert_eq!(one(&skill, &file), digest);
        fs::write(skill.join("SKILL.md"), "two").unwrap();
        let two = one(&skill, &file);
        assert!(![whole, digest].contains(&two));
        fs::write(skill.join("more"), "").unwrap();
        assert_ne!(one(&skill, &file), two);
        fs::remove_file(skill.join("more")).unwrap();
        assert_eq!(one(&skill, &file), two);
        // A cache that is damaged is none.
        cache_file::write(&file, MAGIC, &table).unwrap();
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        assert_eq!(one(&skill, &file), two);
        assert!(digests(&[&place.path().join("none")], None)[0].is_err());
    }
}
