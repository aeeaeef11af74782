//! The stamps of a skill's files: whether any of them changed, without reading one.

use std::io::Write as _;

use skillyard_format::Digest;

use super::error::ResourceError;
use super::root::{SkillRoot, explain};
use super::walk::{Visit, Walk, walk};
use crate::walk::Stamp;

/// The stamps of all files of a skill.
pub(crate) struct Stamps {
    /// Differs when any stamp does.
    pub(crate) all: Digest,
    /// When a file was changed last, in nanoseconds since 1970.
    pub(crate) last: i64,
}

/// The stamps of the files that the tree digest is made of.
pub(crate) fn stamps(root: &SkillRoot) -> Result<Stamps, ResourceError> {
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let (mut key, mut last) = (Vec::new(), 0);
    walk(folder, "", &mut |visit| {
        match visit {
            Visit::File { path, stat, .. } => {
                let stamp = Stamp::of(stat);
                last = last.max(stamp.changed);
                key.extend_from_slice(path);
                let _ = writeln!(key, "\0{stamp:?}");
            }
            Visit::Link(link) => {
                let stamps = link.stamps();
                let changed = stamps.iter().flatten().map(|stamp| stamp.changed);
                last = changed.fold(last, i64::max);
                key.extend_from_slice(link.path);
                let _ = writeln!(key, "\0{stamps:?}");
            }
            Visit::Litter { .. } => {}
            Visit::Other {
                path,
                reason: ResourceError::NotRegular { kind, .. },
            } => {
                let _ = writeln!(key, "{path}\0{kind}");
            }
            Visit::Other { reason, .. } => return Err(reason),
        }
        Ok(Walk::On)
    })?;
    let all = Digest::of(&key);
    Ok(Stamps { all, last })
}
