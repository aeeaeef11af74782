//! Where control groups can be made, as the kernel tells in two tables.

use std::fs;
use std::path::{Path, PathBuf};

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
