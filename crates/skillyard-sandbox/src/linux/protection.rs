//! Protecting places in writable folders.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::guard::Guard;
use super::mounts::{self, GuardedFolder, Inode, MountStep};
use crate::backend::Backend;
use crate::command::Command;
use crate::error::SandboxError;
use crate::outcome::Denial;
use crate::profile::{MountAccess, Profile};
use crate::setup::Setup;

/// What protects places in writable folders, and what they were before a run.
#[derive(Default)]
pub(super) struct Protection {
    /// What is to be done in the namespace of the sandbox.
    pub(super) steps: Vec<MountStep>,
    kept: Vec<(PathBuf, Inode)>,
    links: Vec<(PathBuf, PathBuf)>,
    missing: Vec<PathBuf>,
}

impl Protection {
    /// Looks at everything that is to be mounted. Only bubblewrap can keep single places; the
    /// other back ends refuse such a profile or protect nothing at all.
    pub(super) fn prepare(
        setup: &Setup,
        profile: &Profile,
        command: &Command,
    ) -> Result<Self, SandboxError> {
        if setup.backend != Backend::Bubblewrap || !mounts::is_needed(profile) {
            return Ok(Self::default());
        }
        let opened = profile.mounts.iter().map(|mount| {
            let failed = |source| SandboxError::Mount {
                path: mount.source.clone(),
                source,
            };
            mounts::open(mount, &command.directory).map_err(failed)
        });
        let opened: Vec<File> = opened.collect::<Result<_, _>>()?;
        let (mut protection, mut folders) = (Self::default(), Vec::new());
        for (number, (mount, file)) in profile.mounts.iter().zip(&opened).enumerate() {
            if mount.access == MountAccess::Write
                && file.metadata().is_ok_and(|found| found.is_dir())
            {
                let guard = Guard::of(&mount.source, &profile.protected);
                let guard = guard.map_err(|source| failed(&mount.source, source))?;
                protection
                    .note(&mount.source, &guard)
                    .map_err(|source| failed(&mount.source, source))?;
                folders.push(GuardedFolder { number, guard });
            }
        }
        let inodes = opened.iter().map(|file| file.metadata().map(Inode::from));
        let inodes: io::Result<Vec<Inode>> = inodes.collect();
        let steps = inodes.and_then(|inodes| mounts::steps(profile, &inodes, &folders));
        protection.steps = steps.map_err(|source| failed(&command.directory, source))?;
        Ok(protection)
    }

    /// Remembers what the places in a folder are, to compare them after the run.
    fn note(&mut self, root: &Path, guard: &Guard) -> io::Result<()> {
        for place in &guard.kept {
            let path = root.join(place);
            let inode = fs::symlink_metadata(&path)?.into();
            self.kept.push((path, inode));
        }
        let links = guard.links.iter();
        self.links
            .extend(links.map(|(place, target)| (root.join(place), target.clone())));
        self.missing
            .extend(guard.missing.iter().map(|place| root.join(place)));
        Ok(())
    }

    /// What the read-only mounts could not prevent: links that were replaced, and places that
    /// another program replaced outside, which ends their protection.
    pub(super) fn violations(&self) -> Vec<Denial> {
        let is_replaced = |(link, target): &&(PathBuf, PathBuf)| {
            fs::read_link(link).map_or(true, |found| found != *target)
        };
        let links = self.links.iter().filter(is_replaced);
        let links = links.map(|(path, _)| Denial::Link { path: path.clone() });
        let is_exposed = |(path, before): &&(PathBuf, Inode)| match fs::symlink_metadata(path) {
            Ok(found) => Inode::from(found) != *before,
            Err(error) => is_change(&error),
        };
        let exposed = self.kept.iter().filter(is_exposed);
        let exposed = exposed.map(|(path, _)| Denial::Exposed { path: path.clone() });
        links.chain(exposed).collect()
    }

    /// The protected places that came into being.
    pub(super) fn created(&self) -> Vec<PathBuf> {
        let missing = self.missing.iter();
        let created = missing.filter(|path| path.symlink_metadata().is_ok());
        created.cloned().collect()
    }
}

/// Why places cannot be protected: mostly because another process has just changed them.
fn failed(path: &Path, source: io::Error) -> SandboxError {
    if is_change(&source) {
        let path = path.to_owned();
        return SandboxError::Changed { path, source };
    }
    SandboxError::Setup {
        action: "protect places in the workspace",
        source,
    }
}

/// Whether an error means that a file changed after it was inspected.
pub(super) fn is_change(error: &io::Error) -> bool {
    let changes = [
        Errno::NOENT,
        Errno::NOTDIR,
        Errno::LOOP,
        Errno::EXIST,
        Errno::XDEV,
        Errno::STALE,
    ];
    changes
        .iter()
        .any(|each| Some(each.raw_os_error()) == error.raw_os_error())
}
