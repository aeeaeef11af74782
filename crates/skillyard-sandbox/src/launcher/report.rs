//! How the launcher reports what became of the program.

use serde::{Deserialize, Serialize};

/// What the launcher writes when the sandbox is made and it waits for its mounts. No report
/// begins like this.
pub(crate) const READY: u8 = 0xff;

/// What the launcher reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The launcher failed to do this, with this error number.
    Failed(String, i32),
    /// The program could not be executed, or its directory not be entered.
    NotStarted(i32),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_report_is_read() {
        let failed = Report::Failed("restrict files".to_owned(), 13);
        let ended = Report::Exited(125, Usage { memory: 7, cpu: 9 });
        let bytes = [&failed, &ended].map(|each| postcard::to_allocvec(each).unwrap());
        assert_eq!(Report::read(&bytes.concat()), Some(failed));
        assert_eq!(Report::read(&[]), None);
        assert_eq!(Report::read(&[READY]), None);
    }
}
