//! Whether the files of a skill can be hashed, found out without reading one.

use rustix::fs::{Access, AtFlags, accessat};

use super::digest::DigestLimits;
use super::error::ResourceError;
use super::root::{SkillRoot, explain};
use super::walk::{Visit, Walk, walk};

/// Why the files of a skill on this machine cannot be hashed, if they cannot.
pub fn probe(root: &SkillRoot) -> Result<(), ResourceError> {
    let DigestLimits {
        max_files,
        max_bytes,
    } = DigestLimits::HERE;
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let (mut files, mut bytes) = (0_usize, 0_u64);
    walk(folder, "", &mut |visit| {
        match visit {
            Visit::File {
                path,
                folder,
                name,
                stat,
            } => {
                files += 1;
                bytes = bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or_default());
                let access = accessat(folder, name, Access::READ_OK, AtFlags::empty());
                access.map_err(|error| explain(&String::from_utf8_lossy(path), error))?;
            }
            Visit::Other { reason, .. } if !matches!(reason, ResourceError::NotRegular { .. }) => {
                return Err(reason);
            }
            Visit::Link(_) | Visit::Litter { .. } | Visit::Other { .. } => {}
        }
        match () {
            () if files > max_files => Err(ResourceError::TooManyFiles { limit: max_files }),
            () if bytes > max_bytes => Err(ResourceError::TooManyBytes { limit: max_bytes }),
            () => Ok(Walk::On),
        }
    })?;
    Ok(())
}
