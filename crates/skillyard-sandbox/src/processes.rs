//! A process and all that came of it, seen through `/proc`.

use std::fs;

pub(crate) use crate::launcher::processes::{Found, end};

/// What the processes below one use together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// How many threads they have.
    pub(crate) threads: u64,
    /// How many bytes of memory are theirs.
    pub(crate) memory: u64,
}

/// What these processes use together.
///
/// Pages that a parent and its child share are counted once for each: too much rather than
/// too little. Files that are only mapped do not count.
pub(crate) fn usage(below: &Found) -> Usage {
    let page = rustix::param::page_size() as u64;
    let mut usage = Usage::default();
    for process in below.as_slice() {
        let Ok(status) = fs::read_to_string(format!("/proc/{process}/statm")) else {
            continue;
        };
        let numbers: Vec<u64> = status.split(' ').flat_map(str::parse).collect();
        let (resident, shared) = (
            numbers.get(1).copied().unwrap_or(0),
            numbers.get(2).copied().unwrap_or(0),
        );
        usage.memory += resident.saturating_sub(shared) * page + shared_memory(*process);
        usage.threads += threads(*process);
    }
    usage
}

/// Memory that is shared on purpose is no file and counts.
fn shared_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssShmem:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn threads(process: u32) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    // A folder has two links and one for each folder in it: one for each thread.
    let links = fs::metadata(format!("/proc/{process}/task")).map_or(0, |folder| folder.nlink());
    links.saturating_sub(2)
}

/// How many threads the user of this process has, in all of the system.
pub(crate) fn threads_of_user(uid: u32) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    let processes = entries.flatten().filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse::<u32>().ok()?;
        (entry.metadata().ok()?.uid() == uid).then_some(process)
    });
    processes.map(threads).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(root: u32) -> Vec<u32> {
        Found::below(root).as_slice().to_vec()
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a child to be found and ended")]
    fn children_of_children_are_found_and_ended() {
        let mut shell = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 1000 & sleep 1000; true"])
            .spawn()
            .unwrap();
        let waiting = std::time::Instant::now();
        while below(shell.id()).len() < 2 && waiting.elapsed().as_secs() < 20 {
            std::thread::yield_now();
        }
        assert_eq!(below(shell.id()).len(), 2);
        assert!(below(std::process::id()).contains(&shell.id()));
        let usage = usage(&Found::below(shell.id()));
        assert!(usage.threads == 2 && usage.memory > 0, "{usage:?}");
        assert!(end(shell.id()));
        assert!(shell.wait().is_ok());
    }
}
