//! The pipes of a running program: what it says, and what it is to read.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::capture::Capture;

/// The most that is read after the end, should somebody still be writing.
const LEFT_OVER: u64 = 16 * 1024 * 1024;

/// The end of a pipe to a program, and what it is to read.
pub(crate) type Feed = Option<(OwnedFd, Vec<u8>)>;

/// One of the program's outputs.
pub(super) struct Stream<'a> {
    pub(super) file: File,
    pub(super) capture: Capture<'a>,
    pub(super) open: bool,
    buffer: Vec<u8>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(
        pipe: &OwnedFd,
        limit: u64,
        live: Option<&'a mut dyn io::Write>,
    ) -> io::Result<Self> {
        let file = File::from(pipe.try_clone()?);
        unblock(&file)?;
        Ok(Self {
            file,
            capture: Capture::new(limit, live),
            open: true,
            buffer: vec![0; 64 * 1024],
        })
    }

    /// Reads once, and tells whether there may be more right now.
    pub(super) fn read(&mut self) -> bool {
        match self.file.read(&mut self.buffer) {
            Ok(0) => self.open = false,
            Ok(count) => {
                self.capture.add(&self.buffer[..count]);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.open = false,
        }
        false
    }

    /// Takes what lies in the pipe still.
    pub(super) fn drain(&mut self) {
        let start = self.capture.total();
        while self.open && self.read() && self.capture.total() - start < LEFT_OVER {}
    }
}

/// The program's input.
pub(super) struct Input {
    pub(super) pipe: Option<(OwnedFd, io::Cursor<Vec<u8>>)>,
}

impl Input {
    pub(super) fn new(stdin: Feed) -> io::Result<Self> {
        if let Some((pipe, _)) = &stdin {
            unblock(pipe)?;
        }
        Ok(Self {
            pipe: stdin.map(|(pipe, bytes)| (pipe, io::Cursor::new(bytes))),
        })
    }

    /// Writes once; at the end, or when nobody reads, the pipe is closed.
    pub(super) fn write(&mut self) {
        let Some((pipe, bytes)) = &mut self.pipe else {
            return;
        };
        let place = usize::try_from(bytes.position()).unwrap_or(usize::MAX);
        let rest = bytes.get_ref().get(place..).unwrap_or_default();
        let written = if rest.is_empty() {
            Ok(0)
        } else {
            rustix::io::write(&*pipe, rest)
        };
        match written {
            Ok(0) => self.pipe = None,
            Ok(count) => bytes.set_position((place + count) as u64),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => self.pipe = None,
        }
    }
}

fn unblock(descriptor: &impl std::os::fd::AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(descriptor)?;
    fcntl_setfl(descriptor, flags | OFlags::NONBLOCK)?;
    Ok(())
}
