//! A symbolic link in a skill, which counts by where it leads.
//!
//! Nothing is read through links but a `SKILL.md` that is one: agents read that, so what it holds
//! is part of what the skill is.

use std::borrow::Cow;
use std::ffi::CStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Mode, OFlags, Stat, openat, readlinkat, statat};
use rustix::io::Errno;
use skillyard_format::document::MAX_BYTES;
use skillyard_format::package::{ContentDigest, Digest};

use super::error::ResourceError;
use super::open::FILE;
use super::path::shown;
use super::read::regular;
use super::root::explain;
use crate::walk::Stamp;

/// A symbolic link that a walk came across, as it was when its folder was listed.
pub(super) struct Link<'a> {
    pub(super) path: &'a [u8],
    pub(super) folder: BorrowedFd<'a>,
    pub(super) name: &'a CStr,
    pub(super) stat: &'a Stat,
}

impl Link<'_> {
    /// Why it is not read.
    pub(super) fn reason(&self) -> ResourceError {
        ResourceError::Symlink {
            path: shown(&self.text()),
        }
    }

    /// Its path, as far as it is text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.path)
    }

    /// The digest of where it leads, and of what is read there.
    pub(super) fn digest(&self) -> Result<Digest, ResourceError> {
        let target = readlinkat(self.folder, self.name, Vec::new());
        let target = target.map_err(|error| match error {
            // Something else took its place since its folder was listed.
            Errno::INVAL => self.reason(),
            error => explain(&self.text(), error),
        })?;
        let mut leads = ContentDigest::default();
        leads.add(target.to_bytes());
        if let Some(file) = self.instructions() {
            let mut content = Vec::new();
            let read = file.take(MAX_BYTES as u64 + 1).read_to_end(&mut content);
            read.map_err(|source| ResourceError::Io {
                path: self.text().into_owned(),
                source,
            })?;
            leads.add(b"\0");
            leads.add(&content);
        }
        Ok(leads.finish())
    }

    /// Its stamp, and that of the file that is read through it.
    pub(super) fn stamps(&self) -> [Option<Stamp>; 2] {
        let behind = self
            .is_instructions()
            .then(|| statat(self.folder, self.name, AtFlags::empty()).ok());
        [
            Some(Stamp::of(self.stat)),
            behind.flatten().as_ref().map(Stamp::of),
        ]
    }

    /// The file that is read through it.
    fn instructions(&self) -> Option<File> {
        if !self.is_instructions() {
            return None;
        }
        let flags = FILE.difference(OFlags::NOFOLLOW);
        let opened = openat(self.folder, self.name, flags, Mode::empty()).ok()?;
        Some(regular(&self.text(), opened).ok()?.0)
    }

    fn is_instructions(&self) -> bool {
        self.path.eq_ignore_ascii_case(b"SKILL.md")
    }
}
