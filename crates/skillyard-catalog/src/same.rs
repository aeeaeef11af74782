//! Whether two skills of one name are the same skill twice.

use std::fs;
use std::path::Path;

use skillyard_format::Digest;

use crate::catalog::Settings;
use crate::known_digests;
use crate::record::Record;
use crate::resource::{DigestLimits, ResourceError, SkillRoot, digest_within};

/// Whether both are one folder, or hold the same bytes.
///
/// A skill is often found twice, by a link or as a copy for another agent. That is no
/// conflict; two skills with different content are.
pub(crate) fn is_same_skill(first: &Record, second: &Record, settings: &Settings) -> bool {
    if first.stamp.inode == second.stamp.inode
        && let (Ok(a), Ok(b)) = (
            fs::canonicalize(&first.folder),
            fs::canonicalize(&second.folder),
        )
        && a == b
    {
        return true;
    }
    if first.stamp.size != second.stamp.size
        || (&first.description, &first.fields) != (&second.description, &second.fields)
    {
        return false;
    }
    let digest = |record: &Record| {
        let root = SkillRoot::open(&record.folder)?;
        digest_within(&root, &DigestLimits::USUAL)
    };
    match digest(first) {
        Ok(first) => digest(second).is_ok_and(|second| first == second),
        // Every listing asks: of large ones it is remembered what they consist of.
        Err(ResourceError::TooManyFiles { .. } | ResourceError::TooManyBytes { .. }) => {
            let large = large([&first.folder, &second.folder], settings);
            matches!(large.as_slice(), [Ok(a), Ok(b)] if a == b)
        }
        Err(_) => false,
    }
}

fn large(folders: [&Path; 2], settings: &Settings) -> Vec<Result<Digest, ResourceError>> {
    let file = settings.index_folder.as_deref().map(known_digests::file);
    if settings.leaves_index {
        known_digests::looked_up(&folders, file.as_deref()).0
    } else {
        known_digests::digests(&folders, file.as_deref())
    }
}
