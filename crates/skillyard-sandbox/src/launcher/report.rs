//! How the launcher reports what became of the program.

use serde::{Deserialize, Serialize};

/// What the launcher writes when the sandbox is made and it waits for its mounts. No report
/// begins like this.
pub(crate) const READY: u8 = 0xff;

/// What the launcher reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// A step failed with this error number, so the program did not start.
    Failed(LaunchStep, i32),
    /// The program ended by itself with this code.
    Exited(i32, Usage),
    /// This signal ended the program.
    Signalled(i32, Usage),
}

/// What the program and its children used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// The largest process's memory, in kilobytes.
    pub(crate) memory: u64,
    /// Processor time, in microseconds.
    pub(crate) cpu: u64,
}

impl Report {
    /// The first report in these bytes.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        Some(postcard::take_from_bytes(bytes).ok()?.0)
    }
}

/// A step of the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LaunchStep {
    Orders,
    Descriptors,
    Proxy,
    Adopt,
    Hide,
    Signals,
    Fork,
    Privileges,
    Limit,
    Directory,
    Files,
    SystemCalls,
    Execute,
    Mount,
    Identity,
    Bubblewrap,
    Wait,
}

impl LaunchStep {
    /// What the launcher tried, for error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orders => "read its orders",
            Self::Descriptors => "close descriptors",
            Self::Proxy => "open the proxy's socket",
            Self::Adopt => "adopt processes",
            Self::Hide => "hide the launcher",
            Self::Signals => "hear of ended processes",
            Self::Fork => "make a process",
            Self::Privileges => "refuse new privileges",
            Self::Limit => "set a resource limit",
            Self::Directory => "enter the working directory",
            Self::Files => "restrict files",
            Self::SystemCalls => "restrict system calls",
            Self::Execute => "exec",
            Self::Mount => "make the workspace's mount",
            Self::Identity => "give up root",
            Self::Bubblewrap => "start bubblewrap",
            Self::Wait => "wait for the mounts",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_report_is_read() {
        let failed = Report::Failed(LaunchStep::Execute, 13);
        let ended = Report::Exited(125, Usage { memory: 7, cpu: 9 });
        let bytes = [failed, ended].map(|each| postcard::to_allocvec(&each).unwrap());
        assert_eq!(Report::read(&bytes.concat()), Some(failed));
        assert_eq!(Report::read(&[]), None);
        assert_eq!(Report::read(&[READY]), None);
    }
}
