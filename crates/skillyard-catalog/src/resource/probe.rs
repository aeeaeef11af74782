//! Whether the files of a skill can be hashed, found out without reading one.

use rustix::fs::{Access, AtFlags, accessat};

use super::digest::DigestLimits;
use super::error::ResourceError;
use super::root::{SkillRoot, explain};
use super::walk::{Visit, Walk, walk};

/// Something in a skill's folder, as far as it is seen without reading it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its path below the folder; not all names are text.
    pub path: &'a [u8],
    /// What it is.
    pub kind: SeenKind,
}

/// What something in a skill's folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenKind {
    /// A regular file with so many bytes.
    File(u64),
    /// A symbolic link.
    Link,
    /// A pipe, a device or the like.
    Other,
}

/// Why the files of a skill on this machine cannot be hashed, if they cannot.
pub fn probe(root: &SkillRoot) -> Result<(), ResourceError> {
    probe_seeing(root, &mut |_| {})
}

/// The same; tells all that is seen on the way, but for what programs left behind.
pub fn probe_seeing(root: &SkillRoot, seen: &mut dyn FnMut(Seen<'_>)) -> Result<(), ResourceError> {
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
                let size = u64::try_from(stat.st_size).unwrap_or_default();
                bytes = bytes.saturating_add(size);
                let kind = SeenKind::File(size);
                seen(Seen { path, kind });
                let access = accessat(folder, name, Access::READ_OK, AtFlags::empty());
                access.map_err(|error| explain(&String::from_utf8_lossy(path), error))?;
            }
            Visit::Other { reason, .. } if !matches!(reason, ResourceError::NotRegular { .. }) => {
                return Err(reason);
            }
            Visit::Link(link) => seen(Seen {
                path: link.path,
                kind: SeenKind::Link,
            }),
            Visit::Other { path, .. } => seen(Seen {
                path: path.as_bytes(),
                kind: SeenKind::Other,
            }),
            Visit::Litter { .. } => {}
        }
        match () {
            () if files > max_files => Err(ResourceError::TooManyFiles { limit: max_files }),
            () if bytes > max_bytes => Err(ResourceError::TooManyBytes { limit: max_bytes }),
            () => Ok(Walk::On),
        }
    })?;
    Ok(())
}
