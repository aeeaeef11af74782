//! What the user can do about a lock that cannot be used, whoever finds that out.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use skillyard_catalog::regular_file::NotRead;
use skillyard_install::lockfile::LockfileError;

use crate::text::shell::shell_path;

/// What to do about a link where a file has to be.
pub(super) const LINK: &str =
    "Look what it leads to; if that is yours, put a copy of it there instead of the link";

/// What can be done about a lock; `folder` is its project's where that is another one than this.
pub(crate) fn lock_hint(error: &LockfileError, folder: Option<&Path>) -> String {
    let place = folder.map(|folder| format!(" in `{}`", folder.display()));
    let place = place.unwrap_or_default();
    match error {
        LockfileError::Version { .. } => "Use a newer skillyard".into(),
        LockfileError::Unknown { .. } => {
            "A newer skillyard may know it: use the version that wrote the lock, or a later one"
                .into()
        }
        LockfileError::Read { source, .. } if is_link(source) => LINK.into(),
        LockfileError::Read { source, .. } if NotRead::of(source) == Some(NotRead::Dangling) => {
            "Bring back what the link leads to, as by mounting its disk".into()
        }
        // It is whole, and whoever removed it would lose what it pins.
        LockfileError::Read { path, source }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            opening_hint(path)
        }
        // No skills.toml says what was in it, and skills that no lock names are trusted as the
        // user's own.
        LockfileError::Read { path, .. } | LockfileError::Format { path, .. }
            if path.file_name() == Some(OsStr::new("lock.toml")) =>
        {
            "Mend it, or put a copy of it back. Without it the skills that it names would count \
             as written by you: remove their folders with it, and install them again"
                .into()
        }
        LockfileError::Format { message, .. } if message.contains("merge conflicts") => format!(
            "Say in skills.toml which side is right; then take one side of the lock, as with \
             `git checkout --ours skills.lock`, and run `skillyard sync`{place}"
        ),
        _ => format!("Take it from the repository, or remove it and run `skillyard sync`{place}"),
    }
}

/// What opens what may not be read: it is whole, and nothing needs to be removed.
pub(crate) fn opening_hint(path: &Path) -> String {
    let mode = if path.is_dir() { "u+rwx" } else { "u+r" };
    // Without the `.` that a reference may have in it.
    let path: PathBuf = path.components().collect();
    let path = shell_path(&path);
    format!(
        "Look at who may read it with `ls -ld {path}`; if it is yours, `chmod {mode} {path}` opens it"
    )
}

pub(super) fn is_link(error: &io::Error) -> bool {
    NotRead::of(error) == Some(NotRead::Link)
}
