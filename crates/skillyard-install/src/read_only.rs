//! Folders that their owner may not write to, as a copy from a read-only place has them, or after
//! `chmod -R a-w`, or not even read. They are moved like all others: whoever owns them asked for it.
//!
//! To get another parent, a folder has to be one that may be written to, because it names its parent.

#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::fd::AsRawFd as _;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

/// Does what moves `folders`. Where it fails because one of them is read-only, it may be written to for
/// that moment; what its mode was, it is afterwards, whatever came of it.
pub(crate) fn moving<T>(
    folders: &[&Path],
    act: impl Fn() -> rustix::io::Result<T>,
) -> rustix::io::Result<T> {
    match act() {
        Err(Errno::ACCESS) => {}
        done => return done,
    }
    let opened: Vec<Opened> = folders
        .iter()
        .filter_map(|each| Opened::new(each))
        .collect();
    if opened.is_empty() {
        return Err(Errno::ACCESS);
    }
    act()
}

/// A read-only folder that may be written to until this is dropped, wherever it is by then.
struct Opened {
    folder: OwnedFd,
    mode: Mode,
}

impl Opened {
    fn new(path: &Path) -> Option<Self> {
        let folder = openat(CWD, path, HELD, Mode::empty()).ok()?;
        let mode = Mode::from_raw_mode(fstat(&folder).ok()?.st_mode);
        if mode.contains(Mode::WUSR) {
            return None;
        }
        set_mode(&folder, mode | Mode::WUSR).ok()?;
        Some(Self { folder, mode })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // Nobody could do anything about it.
        let _ = set_mode(&self.folder, self.mode);
    }
}

/// A folder itself, which nobody has to be allowed to read for that where the system knows `O_PATH`.
#[cfg(any(target_os = "linux", target_os = "android"))]
const HELD: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const HELD: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Sets the mode of the very folder that was opened, whatever its path leads to by now.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn set_mode(folder: &OwnedFd, mode: Mode) -> rustix::io::Result<()> {
    // What was opened in this way has no other name that its mode could be set by.
    let name = format!("/proc/self/fd/{}", folder.as_raw_fd());
    rustix::fs::chmod(name, mode)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn set_mode(folder: &OwnedFd, mode: Mode) -> rustix::io::Result<()> {
    rustix::fs::fchmod(folder, mode)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_mode_is_what_it_was_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
        std::fs::create_dir(&from).unwrap();
        std::fs::set_permissions(&from, Permissions::from_mode(0o555)).unwrap();
        let seen = Cell::new(0);
        // As it is for everybody but root.
        let denied = |then: rustix::io::Result<()>| {
            if mode(&from) & 0o200 == 0 {
                return Err(Errno::ACCESS);
            }
            seen.set(mode(&from));
            then
        };
        assert_eq!(moving(&[&from], || denied(Err(Errno::IO))), Err(Errno::IO));
        assert_eq!((seen.get(), mode(&from)), (0o755, 0o555));
        moving(&[&to, &from], || {
            denied(Ok(()))?;
            rustix::fs::rename(&from, &to)
        })
        .unwrap();
        assert_eq!(mode(&to), 0o555);
        // Another reason is not mended by it.
        std::fs::set_permissions(&to, Permissions::from_mode(0o755)).unwrap();
        let calls = Cell::new(0);
        let refused = moving(&[&to], || -> rustix::io::Result<()> {
            calls.set(calls.get() + 1);
            Err(Errno::ACCESS)
        });
        assert_eq!((refused, calls.get()), (Err(Errno::ACCESS), 1));
    }
}
