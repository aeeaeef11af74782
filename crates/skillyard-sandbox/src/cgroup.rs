//! Control groups: the kernel counts and limits what all processes of a program use together.
//!
//! They are an addition to the limits that every process has and to looking at all of them
//! from time to time. Moving a process into a group waits for every processor, which can take
//! longer than a whole run; so a program joins its group when it has run for a moment, and a
//! short one never pays for it. The stage stays outside: it has to tell how the program ended.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::profile::Limits;

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

/// Where groups can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlGroups {
    /// Version 2: one folder for everything.
    Unified(PathBuf),
    /// Version 1: one for memory and one for the number of processes.
    Separate {
        /// The folder for memory.
        memory: PathBuf,
        /// The folder for the number of processes.
        processes: PathBuf,
    },
}

impl ControlGroups {
    /// The folders in which this process may make groups, if there are any.
    pub fn find() -> Option<Self> {
        let read = |path| fs::read_to_string(path).ok();
        let own = read("/proc/self/cgroup")?;
        let mounts = read("/proc/self/mountinfo")?;
        let unified = unified(&own, &mounts).into_iter().find(|folder| {
            let enabled = fs::read_to_string(folder.join("cgroup.subtree_control"));
            enabled.is_ok_and(|enabled| has_both(&enabled)) && is_writable(folder)
        });
        if let Some(folder) = unified {
            return Some(Self::Unified(folder));
        }
        let memory = separate(&own, &mounts, "memory").filter(|folder| is_writable(folder))?;
        let processes = separate(&own, &mounts, "pids").filter(|folder| is_writable(folder))?;
        Some(Self::Separate { memory, processes })
    }

    /// The kernel's number of this kind.
    pub fn version(&self) -> u8 {
        match self {
            Self::Unified(_) => 2,
            Self::Separate { .. } => 1,
        }
    }
}

fn has_both(enabled: &str) -> bool {
    let has = |name| enabled.split_whitespace().any(|each| each == name);
    has("memory") && has("pids")
}

fn is_writable(folder: &Path) -> bool {
    let may_write = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    may_write(folder) && may_write(&folder.join("cgroup.procs"))
}

/// Our own group and the one above it: a group that holds processes has no limited ones below.
fn unified(own: &str, mounts: &str) -> Vec<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"));
    let (Some(path), Some(mount)) = (path, mount(mounts, "cgroup2", None)) else {
        return Vec::new();
    };
    let own = below(&mount, path);
    let parent = own.parent().filter(|parent| parent.starts_with(&mount));
    let parent = parent.map(Path::to_owned);
    std::iter::once(own).chain(parent).collect()
}

/// Our own group of one controller.
fn separate(own: &str, mounts: &str, controller: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers
            .split(',')
            .any(|each| each == controller)
            .then_some(path)
    })?;
    Some(below(&mount(mounts, "cgroup", Some(controller))?, path))
}

fn below(mount: &Path, path: &str) -> PathBuf {
    mount.join(path.trim_start_matches('/'))
}

/// Where a whole hierarchy is mounted.
fn mount(mounts: &str, kind: &str, controller: Option<&str>) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, source) = line.split_once(" - ")?;
        let mut source = source.split(' ');
        let is_kind = source.next() == Some(kind);
        let options = source.nth(1).unwrap_or_default();
        let has = controller.is_none_or(|name| options.split(',').any(|each| each == name));
        let mut place = place.split(' ').skip(3);
        let (root, folder) = (place.next()?, place.next()?);
        (is_kind && has && root == "/").then(|| PathBuf::from(folder))
    })
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

#[cfg(test)]
mod mount_table_tests {
    use super::*;

    const MOUNTS: &str = "\
35 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
36 31 0:31 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    #[test]
    fn folders_are_those_of_our_own_groups() {
        let own = "8:pids:/\n4:cpu,memory:/a/b\n0::/user.slice/app.scope\n";
        let path = |text: &str| PathBuf::from(text);
        assert_eq!(
            separate(own, MOUNTS, "memory"),
            Some(path("/sys/fs/cgroup/memory/a/b"))
        );
        assert_eq!(
            separate(own, MOUNTS, "pids"),
            Some(path("/sys/fs/cgroup/pids"))
        );
        assert_eq!(separate(own, MOUNTS, "freezer"), None);
        let above = "/sys/fs/cgroup/unified/user.slice";
        assert_eq!(
            unified(own, MOUNTS),
            [path(above).join("app.scope"), path(above)]
        );
        // At the top there is nothing above.
        assert_eq!(unified("0::/\n", MOUNTS), [path("/sys/fs/cgroup/unified")]);
        assert!(unified("4:memory:/\n", MOUNTS).is_empty());
    }

    #[test]
    fn part_of_a_hierarchy_is_not_used() {
        let bound = MOUNTS.replace(" / /sys", " /elsewhere /sys");
        assert_eq!(separate("8:pids:/\n", &bound, "pids"), None);
        assert!(unified("0::/\n", &bound).is_empty());
    }

    #[test]
    fn both_controllers_are_needed() {
        assert!(has_both("cpu memory pids\n"));
        assert!(!has_both("cpu memory\n") && !has_both("pidsx memory"));
    }
}
