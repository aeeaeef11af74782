//! How much a program may use before it is stopped.

use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// The limits of one run, for all its processes together where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take.
    pub wall: Duration,
    /// How much processor time one process may use.
    pub cpu: Duration,
    /// How many bytes of memory.
    pub memory: u64,
    /// How many processes and threads at once.
    pub processes: u64,
    /// How many open files one process may have.
    pub open_files: u64,
    /// How many bytes one file may have that is written.
    pub file_size: u64,
    /// How many bytes the private folder for temporary files may hold.
    pub scratch: u64,
    /// How many bytes of each of stdout and stderr are kept.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_mins(1),
            cpu: Duration::from_mins(1),
            memory: 1024 * MIB,
            processes: 128,
            open_files: 1024,
            file_size: 256 * MIB,
            scratch: 256 * MIB,
            output: MIB,
        }
    }
}
