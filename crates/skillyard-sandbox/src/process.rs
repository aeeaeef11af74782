//! A process that we started.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// A process that we started, and that we wait for ourselves.
#[derive(Debug)]
pub(crate) struct Process {
    number: i32,
    ended: Option<ExitStatus>,
}

impl Process {
    /// The process of this number, which must be a child of ours that nobody else waits for.
    pub(crate) fn new(number: i32) -> Self {
        Self {
            number,
            ended: None,
        }
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.number.unsigned_abs()
    }

    /// Its number, as long as it is its own: a process that was waited for has lost it.
    pub(crate) fn pid(&self) -> Option<Pid> {
        let number = Pid::from_raw(self.number);
        number.filter(|_| self.ended.is_none())
    }

    /// How it ended, if it did.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.wait_for(WaitOptions::NOHANG)
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.wait_for(WaitOptions::empty())? {
                return Ok(status);
            }
        }
    }

    fn wait_for(&mut self, options: WaitOptions) -> io::Result<Option<ExitStatus>> {
        let Some(process) = self.pid() else {
            return Ok(self.ended);
        };
        self.ended = match waitpid(Some(process), options) {
            Ok(ended) => ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw())),
            Err(rustix::io::Errno::INTR) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(self.ended)
    }

    /// Ends it.
    pub(crate) fn kill(&self) {
        if let Some(process) = self.pid() {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    /// Waits for one that could not be started; how it ended does not matter.
    #[cfg(target_os = "linux")]
    pub(crate) fn forget(mut self) {
        let _ = self.wait();
    }
}

impl From<Child> for Process {
    fn from(child: Child) -> Self {
        Self::new(child.id().cast_signed())
    }
}
