//! Tells new lines as they are written, through rotations.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::AuditError;
use crate::files::{CURRENT, Folder};

/// A reader at the end of the log.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: Option<File>,
    /// What was read of a line that has no end yet.
    pending: Vec<u8>,
}

impl Follow {
    /// Stands at the end of the log as it is now.
    pub fn new(folder: &Path) -> Result<Self, AuditError> {
        let mut follow = Self {
            path: folder.to_owned(),
            file: None,
            pending: Vec::new(),
        };
        follow.poll()?;
        Ok(follow)
    }

    /// The lines that were written since the last call.
    pub fn poll(&mut self) -> Result<Vec<Vec<u8>>, AuditError> {
        let Some(folder) = Folder::open(&self.path)? else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::new();
        loop {
            if let Some(mut file) = self.file.take() {
                let read = file.read_to_end(&mut self.pending);
                read.map_err(|error| folder.failed(CURRENT, error))?;
                self.take_lines(&mut lines);
                let mine = folder.identity_of(CURRENT, &file)?;
                // A file that was put aside is not written to again.
                let now = folder.identity(CURRENT)?;
                if now.is_none_or(|now| now.is_same_file(mine)) {
                    self.file = Some(file);
                    return Ok(lines);
                }
                self.pending.clear();
            }
            self.file = folder.open_to_read(CURRENT)?;
            if self.file.is_none() {
                return Ok(lines);
            }
        }
    }

    fn take_lines(&mut self, lines: &mut Vec<Vec<u8>>) {
        let Some(end) = memchr::memrchr(b'\n', &self.pending) else {
            return;
        };
        let rest = self.pending.split_off(end + 1);
        let whole = std::mem::replace(&mut self.pending, rest);
        let each = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        lines.extend(each.map(<[u8]>::to_vec));
    }
}
