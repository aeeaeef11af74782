//! Files that decide what is trusted: read only where nobody else can have written them.
//!
//! Whoever can write to their folder can take such a file away and put another in its place, so
//! the folder counts as well.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::config::private_file::read_text;
use crate::error::CommandError;
use crate::error::trust::TrustFailure;

/// Permission for the group or for others to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The same for the group alone.
const WRITABLE_BY_GROUP: u32 = 0o020;
/// In such a folder everybody can take away only what is their own.
const STICKY: u32 = 0o1000;

/// The text of a file; nothing when it is not there.
pub(crate) fn text(file: &Path) -> Result<String, CommandError> {
    check(file)?;
    read_text(file)
}

/// Fails where somebody else can have written a file, or can put another in its place.
pub(crate) fn check(file: &Path) -> Result<(), TrustFailure> {
    // Who keeps the file elsewhere has a link to it.
    let target = file.canonicalize().ok();
    for folder in [Some(file), target.as_deref()].into_iter().flatten() {
        let Some(folder) = folder.parent() else {
            continue;
        };
        check_ours(folder)?;
        if let Ok(metadata) = folder.metadata()
            && is_open(&metadata)
        {
            return Err(TrustFailure::WritableFolder {
                path: folder.to_owned(),
                mode: metadata.mode() & 0o7777,
            });
        }
    }
    let Ok(metadata) = file.metadata() else {
        return Ok(());
    };
    if let Some((owner, user)) = stranger(&metadata) {
        return Err(TrustFailure::Foreign {
            path: file.to_owned(),
            owner,
            user,
        });
    }
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(TrustFailure::Writable {
            path: file.to_owned(),
            mode: metadata.mode() & 0o777,
        });
    }
    Ok(())
}

/// Fails where a folder of Skillyard's own is somebody else's: what it says is theirs, and they could
/// not use what root writes into it with the home of a user.
pub(crate) fn check_ours(folder: &Path) -> Result<(), TrustFailure> {
    let Some((owner, user)) = folder.metadata().ok().and_then(|found| stranger(&found)) else {
        return Ok(());
    };
    Err(TrustFailure::ForeignFolder {
        path: folder.to_owned(),
        owner,
        user,
    })
}

/// Whose something is, if not ours, and who we are. Root can write everything anyway.
pub(crate) fn stranger(metadata: &Metadata) -> Option<(u32, u32)> {
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    (![0, user].contains(&owner)).then_some((owner, user))
}

/// Whether others can take away what is in a folder. Where users have groups of their own, with
/// the same number, folders are often made for the group too.
fn is_open(folder: &Metadata) -> bool {
    let mut open = folder.mode() & WRITABLE_BY_OTHERS;
    if folder.gid() == folder.uid() {
        open &= !WRITABLE_BY_GROUP;
    }
    open != 0 && folder.mode() & STICKY == 0
}
