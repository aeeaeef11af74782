//! What is done in the mount namespace of a sandbox, after `bwrap` has made it and before its
//! program begins.
//!
//! `bwrap` takes paths and follows links in them. In a folder that another program may write
//! to at the same time a path can lead elsewhere by then, so `bwrap` mounts only whole folders.
//! They are compared with what was opened before; what lies in a writable one is mounted here,
//! from an open folder on and through no link.

use std::ffi::CString;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::guard::Guard;
use crate::profile::{Access, Mount, Profile};

/// What a file is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inode {
    /// The file system.
    pub(crate) device: u64,
    /// Its number there.
    pub(crate) number: u64,
}

impl From<Metadata> for Inode {
    fn from(found: Metadata) -> Self {
        Self {
            device: found.dev(),
            number: found.ino(),
        }
    }
}

/// A writable folder, and what has to be done in it.
pub(crate) struct GuardedFolder {
    /// Its number among the mounts.
    pub(crate) number: usize,
    /// What has to be done.
    pub(crate) guard: Guard,
}

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// What.
    pub(crate) act: Act,
    /// Where: in the folder that was entered last, or by its whole path.
    pub(crate) path: CString,
}

/// What is to be done with a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// It must be this file, and is the folder that the next steps are about.
    Enter(Inode),
    /// It must be this file.
    Compare(Inode),
    /// It becomes a mount, so that it can be neither moved nor removed.
    Pin,
    /// It becomes a mount that can only be read.
    Keep,
    /// The mount at this path belongs there.
    Receive(CString),
}

/// Whether there is a folder that another program could change while this one is begun: ours
/// are shown elsewhere, those of users in their own place.
pub(crate) fn is_needed(profile: &Profile) -> bool {
    let mut mounts = profile.mounts.iter();
    mounts.any(|mount| mount.access == Access::Write || mount.source == mount.target)
}

/// Where `bwrap` has to mount something: there, or beside, if its place is in a writable folder.
pub(crate) fn first_place(profile: &Profile, number: usize, mount: &Mount) -> PathBuf {
    match holder(profile, mount) {
        Some(_) => PathBuf::from(format!("/tmp/.mount-{number}")),
        None => mount.target.clone(),
    }
}

/// The writable folder that a mount is in, by its number, and the place there.
fn holder<'a>(profile: &Profile, mount: &'a Mount) -> Option<(usize, &'a Path)> {
    let folders = profile.mounts.iter().enumerate();
    let mut folders = folders.filter(|(_, each)| each.access == Access::Write);
    folders.find_map(|(number, folder)| {
        let place = mount.target.strip_prefix(&folder.target).ok()?;
        (place != Path::new("")).then_some((number, place))
    })
}

/// Opens what is to be mounted. A folder to work in has no link in its path; where there is one,
/// somebody has just put it there.
pub(crate) fn open(mount: &Mount, directory: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let how = if mount.access == Access::Write || mount.source == directory {
        ResolveFlags::NO_SYMLINKS
    } else {
        ResolveFlags::empty()
    };
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(openat2(CWD, &mount.source, flags, Mode::empty(), how)?.into())
}

/// Everything that is to be done; `opened` are the profile's mounts.
pub(crate) fn steps(
    profile: &Profile,
    opened: &[Inode],
    folders: &[GuardedFolder],
) -> io::Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mounts = || profile.mounts.iter().zip(opened).enumerate();
    for (number, (mount, inode)) in mounts() {
        let place = first_place(profile, number, mount);
        steps.push(Step::new(Act::Compare(*inode), &place)?);
    }
    for folder in folders {
        let Some((_, (mount, inode))) = mounts().find(|(number, _)| *number == folder.number)
        else {
            continue;
        };
        steps.push(Step::new(Act::Enter(*inode), &mount.target)?);
        steps.extend(in_folder(profile, folder)?);
    }
    Ok(steps)
}

/// What is to be done in one folder. Parents come first: a mount covers what was mounted below.
fn in_folder(profile: &Profile, folder: &GuardedFolder) -> io::Result<Vec<Step>> {
    let mounts = profile.mounts.iter().enumerate();
    let received = mounts.filter_map(|(number, mount)| {
        let (holder, place) = holder(profile, mount)?;
        let from = first_place(profile, number, mount);
        (holder == folder.number).then_some((place.to_owned(), from))
    });
    let received: Vec<(PathBuf, PathBuf)> = received.collect();
    let guard = &folder.guard;
    let mut acts: Vec<(&Path, Act)> = Vec::new();
    acts.extend(
        guard
            .parents
            .iter()
            .map(|place| (place.as_path(), Act::Pin)),
    );
    acts.extend(guard.kept.iter().map(|place| (place.as_path(), Act::Keep)));
    // Another mount hides what is below it.
    let is_hidden = |place: &Path| {
        let mut above = place.ancestors().skip(1);
        above.any(|above| received.iter().any(|(place, _)| place == above))
    };
    acts.retain(|(place, _)| !is_hidden(place));
    for (place, from) in &received {
        acts.push((
            place,
            Act::Receive(CString::new(from.as_os_str().as_bytes())?),
        ));
    }
    acts.sort_by_key(|(place, _)| place.components().count());
    let steps = acts.into_iter().map(|(place, act)| Step::new(act, place));
    steps.collect()
}

impl Step {
    fn new(act: Act, path: &Path) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        Ok(Self { act, path })
    }
}
