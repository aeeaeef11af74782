//! How many connections fit among the files that a process may have open.
//!
//! Whoever has none left lets nobody in, reads no session and writes no log.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many connections there may be of those that are wanted. The limit that a shell sets is raised
/// as far as they need it and the system lets us.
pub(crate) fn room(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(now) = current else {
        return wanted;
    };
    let needed = u64::try_from(wanted).unwrap_or(u64::MAX);
    // The rest is for everything else.
    let needed = needed.saturating_mul(4).div_ceil(3);
    let raised = maximum.map_or(needed, |most| needed.min(most));
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    let is_raised = raised > now && setrlimit(Resource::Nofile, limit).is_ok();
    within(wanted, if is_raised { raised } else { now })
}

/// Whether the system had no room for a connection.
pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// How many of these connections may be open where so many files may.
fn within(wanted: usize, files: u64) -> usize {
    let most = usize::try_from(files - files / 4).unwrap_or(usize::MAX);
    wanted.min(most).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_left_for_everything_else() {
        assert_eq!(within(1_024, 20_000), 1_024);
        assert_eq!(within(1_024, 1_366), 1_024);
        assert_eq!(within(1_024, 1_024), 768);
        assert_eq!(within(1_024, 120), 90);
        assert_eq!(within(1_024, 0), 1);
    }
}
