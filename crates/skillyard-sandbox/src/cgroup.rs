//! Control groups: the kernel counts and limits what all processes of a program use together.
//!
//! They are an addition to the limits that every process has and to looking at all of them
//! from time to time. Moving a process into a group waits for every processor, which can take
//! longer than a whole run; so a program joins its group when it has run for a moment, and a
//! short one never pays for it. The stage stays outside: it has to tell how the program ended.

mod places;

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use places::ControlGroups;

use crate::limits::Limits;

/// What the folders of our groups begin with; the number of our process follows.
const PREFIX: &str = "skillyard-";

/// A group of one program's processes, which goes when it ends.
#[derive(Debug)]
pub(crate) struct Group {
    version: u8,
    folders: Vec<PathBuf>,
    /// Whether all processes are in it, and so all that come of them.
    settled: Cell<bool>,
}

impl Group {
    /// A new group with these limits.
    pub(crate) fn make(groups: &ControlGroups, limits: &Limits) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let mut group = Self {
            version: groups.version(),
            folders: Vec::new(),
            settled: Cell::new(false),
        };
        let mut add = |parent: &Path| {
            remove_left_over(parent);
            let folder = parent.join(&name);
            fs::create_dir(&folder)?;
            group.folders.push(folder.clone());
            io::Result::Ok(folder)
        };
        let (memory, processes) = (limits.memory.to_string(), limits.processes.to_string());
        match groups {
            ControlGroups::Unified(parent) => {
                let folder = add(parent)?;
                fs::write(folder.join("memory.max"), memory)?;
                fs::write(folder.join("pids.max"), processes)?;
                // One process out of many would leave the others in a state of their own.
                fs::write(folder.join("memory.oom.group"), "1")?;
                // Where there is no swap there is no such file.
                let _ = fs::write(folder.join("memory.swap.max"), "0");
            }
            ControlGroups::Separate {
                memory: parent,
                processes: other,
            } => {
                fs::write(add(parent)?.join("memory.limit_in_bytes"), memory)?;
                fs::write(add(other)?.join("pids.max"), processes)?;
            }
        }
        Ok(group)
    }

    /// Lets all these processes join; those that come of them are in it by themselves.
    pub(crate) fn gather(&self, processes: &[u32]) {
        if self.settled.get() {
            return;
        }
        let Some(inside) = self.members() else {
            return;
        };
        let outside = || processes.iter().filter(|each| !inside.contains(each));
        for process in outside() {
            for folder in &self.folders {
                // It may have ended.
                let _ = fs::write(folder.join("cgroup.procs"), process.to_string());
            }
        }
        // Somebody outside may have forked meanwhile, so only a look that finds nobody counts.
        self.settled
            .set(!processes.is_empty() && outside().next().is_none());
    }

    fn members(&self) -> Option<Vec<u32>> {
        let list = fs::read_to_string(self.folders.last()?.join("cgroup.procs")).ok()?;
        Some(list.lines().flat_map(str::parse).collect())
    }

    /// How many processes the kernel ended because there was no memory left for them.
    pub(crate) fn killed_for_memory(&self) -> u64 {
        let name = match self.version {
            2 => "memory.events",
            _ => "memory.oom_control",
        };
        let Some(folder) = self.folders.first() else {
            return 0;
        };
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    /// The most memory that its processes had together; zero where the kernel does not say.
    pub(crate) fn peak_memory(&self) -> u64 {
        let name = match self.version {
            2 => "memory.peak",
            _ => "memory.max_usage_in_bytes",
        };
        let folder = self.folders.first();
        let text = folder.and_then(|folder| fs::read_to_string(folder.join(name)).ok());
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // The last process may not be quite gone.
            for _ in 0..20 {
                match fs::remove_dir(folder) {
                    Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// Removes groups of processes of ours that were ended before they could do so themselves.
fn remove_left_over(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = owner.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            // One that holds processes stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders stand in for the kernel's, to see what is written where.
    #[test]
    fn limits_are_written_for_either_version() {
        let place = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| place.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&two).unwrap();
        let stale = one.join(format!("{PREFIX}4194305-0"));
        fs::create_dir(&stale).unwrap();
        let limits = Limits {
            memory: 1 << 20,
            processes: 7,
            ..Limits::default()
        };
        let written = |group: &Group, at: usize, name: &str| {
            fs::read_to_string(group.folders[at].join(name)).unwrap()
        };
        let unified = Group::make(&ControlGroups::Unified(one.clone()), &limits).unwrap();
        assert!(!stale.exists());
        assert_eq!(written(&unified, 0, "memory.max"), "1048576");
        assert_eq!(written(&unified, 0, "pids.max"), "7");
        fs::write(
            unified.folders[0].join("memory.events"),
            "oom 3\noom_kill 2\n",
        )
        .unwrap();
        assert_eq!(unified.killed_for_memory(), 2);
        let separate = ControlGroups::Separate {
            memory: one,
            processes: two,
        };
        let separate = Group::make(&separate, &limits).unwrap();
        assert_eq!(written(&separate, 0, "memory.limit_in_bytes"), "1048576");
        assert_eq!(written(&separate, 1, "pids.max"), "7");
        assert_eq!(separate.killed_for_memory(), 0);
    }
}
