//! A process and all its descendants, seen through `/proc`.

use std::fs;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

/// How many processes are looked for at once; what is beyond is found the next time.
const MAX_PROCESSES: usize = 1024;

/// All processes below `root`, parents first, without itself.
pub(crate) fn below(root: u32) -> Vec<u32> {
    let mut found = children(root);
    let mut next = 0;
    while let Some(process) = found.get(next).copied()
        && found.len() < MAX_PROCESSES
    {
        found.extend(children(process));
        next += 1;
    }
    found
}

/// The children of a process; each of its threads has a list of its own.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').flat_map(str::parse).collect::<Vec<u32>>())
        .collect()
}

/// Ends every process below `root` and returns whether there were any.
///
/// They are kept from making new ones and halted before the first is ended: what forks
/// faster than it can be found does not get away.
pub(crate) fn end_below(root: u32) -> bool {
    let found = below(root);
    let found = found.iter().filter_map(|process| pid(*process));
    let found: Vec<Pid> = found.collect();
    for process in &found {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = prlimit(Some(*process), Resource::Nproc, none);
        let _ = kill_process(*process, Signal::STOP);
    }
    for process in &found {
        let _ = kill_process(*process, Signal::KILL);
    }
    !found.is_empty()
}

fn pid(process: u32) -> Option<Pid> {
    Pid::from_raw(process.try_into().ok()?)
}

/// How many bytes of memory these processes use together.
///
/// Pages that a parent and its child share are counted once for each: too much rather than
/// too little. Files that are only mapped do not count.
pub(crate) fn memory(processes: &[u32]) -> u64 {
    let page = rustix::param::page_size() as u64;
    let private = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let mut numbers = status.split(' ').skip(1).flat_map(str::parse::<u64>);
        let (resident, shared) = (numbers.next()?, numbers.next()?);
        Some(resident.saturating_sub(shared) * page + shared_memory(*process))
    };
    processes.iter().filter_map(private).sum()
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
        assert!(memory(&below(shell.id())) > 0);
        assert!(end_below(shell.id()));
        assert!(shell.wait().is_ok());
    }
}
