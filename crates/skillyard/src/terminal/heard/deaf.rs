//! Signals that the program was started to ignore, as by `nohup` or behind `&` in a script: whoever
//! handled them would be ended by them.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Those that end programs.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Those that are ignored.
#[cfg(target_os = "linux")]
pub(super) fn signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored(&status)
}

/// Elsewhere nobody says it: those that a terminal sends are taken for ignored where there is none.
#[cfg(not(target_os = "linux"))]
pub(super) fn signals() -> Vec<i32> {
    use std::io::IsTerminal as _;
    if std::io::stdin().is_terminal() || std::io::stderr().is_terminal() {
        return Vec::new();
    }
    ENDING
        .into_iter()
        .filter(|signal| *signal != SIGTERM)
        .collect()
}

/// What the line `SigIgn: 0000000000000001` says, whose lowest bit is the first signal.
#[cfg(target_os = "linux")]
fn ignored(status: &str) -> Vec<i32> {
    let mut masks = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigIgn:"));
    let mask = masks
        .next()
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_in = |signal: &i32| mask.unwrap_or_default() >> (signal - 1) & 1 == 1;
    ENDING.into_iter().filter(is_in).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read_from_its_lowest_bit() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000000001\n"), [SIGHUP]);
        assert_eq!(ignored("SigIgn:\t0000000000001006\n"), [SIGINT, SIGQUIT]);
        assert_eq!(ignored("SigIgn:\t0000000000004000\n"), [SIGTERM]);
        assert!(ignored("SigBlk:\t0000000000000001\n").is_empty());
    }
}
