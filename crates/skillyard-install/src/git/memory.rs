//! How much memory git may take: a server that never ends its list of branches would have all of
//! the machine's, before a byte of it shows.

use std::process::Child;

/// Most bytes of memory that git, and each program that it starts, may write to: as many as one
/// repository may bring.
pub(super) const MAX_MEMORY_BYTES: u64 = super::watch::MAX_DOWNLOAD_BYTES;

/// Bounds the memory of a child that has just begun; whom it starts inherits that.
#[cfg(target_os = "linux")]
pub(super) fn bound(child: &Child, most: u64) {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let maximum = getrlimit(Resource::Data).maximum;
    let limit = Rlimit {
        current: Some(maximum.map_or(most, |maximum| maximum.min(most))),
        maximum,
    };
    // What is refused is about a child that has ended already.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
}

/// Other systems let nobody bound the memory of a child from outside.
#[cfg(not(target_os = "linux"))]
pub(super) fn bound(_child: &Child, _most: u64) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::command::{spawn, succeeded};
    use super::super::{Git, GitError};
    use super::*;

    /// What git, or one that it started, may take, as it is told itself.
    #[test]
    fn git_and_whom_it_starts_have_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        // The answer to what is said to it comes after the bound.
        let script = "#!/bin/sh\nread -r line\nsh -c 'ulimit -d'\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let mut command = Git::new(&program).command(folder.path());
        let (child, _) = spawn(&mut command, b"go\n".to_vec()).unwrap();
        let output = child.wait_with_output().unwrap();
        let kilobytes: u64 = String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert!(kilobytes <= MAX_MEMORY_BYTES / 1024);
    }

    #[test]
    fn what_goes_beyond_the_bound_is_told_as_that() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        let script = "#!/bin/sh\necho 'fatal: Out of memory, realloc failed' >&2\nexit 128\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let output = Git::new(&program).command(folder.path()).output().unwrap();
        let answer = succeeded(output, "list branches and tags");
        assert!(matches!(answer, Err(GitError::Memory { .. })), "{answer:?}");
    }
}
