//! Whether two skills of one name are the same skill twice.

use std::fs;

use crate::record::Record;
use crate::resource::{DigestLimits, SkillRoot, digest_within};

/// Whether both are one folder, or hold the same bytes.
///
/// A skill is often found twice, by a link or as a copy for another agent. That is no
/// conflict; two skills with different content are.
pub(crate) fn is_same_skill(first: &Record, second: &Record) -> bool {
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
        let root = SkillRoot::open(&record.folder).ok()?;
        // Every listing asks; for large ones that would take too long.
        digest_within(&root, &DigestLimits::USUAL).ok()
    };
    matches!((digest(first), digest(second)), (Some(a), Some(b)) if a == b)
}
