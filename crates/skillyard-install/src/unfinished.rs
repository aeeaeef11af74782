//! What nobody needs once the process is told to end in the middle of fetching: the programs that it
//! waits for, and the folders that they write to.
//!
//! A program that hears nothing from a server would wait for it for ever, and whoever it started with
//! it. A process that is killed ends nobody, and its folders are swept by the next one.

mod program;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use program::ProgramId;
use skillyard_catalog::private_dir;

/// What is unfinished in this process; the same in every copy.
#[derive(Debug, Clone, Default)]
pub struct Unfinished(Arc<Mutex<UnfinishedWork>>);

#[derive(Debug, Default)]
struct UnfinishedWork {
    programs: BTreeSet<ProgramId>,
    folders: BTreeSet<PathBuf>,
}

/// Nothing begins any more, and nothing is known to be done, as long as this is held.
#[derive(Debug)]
pub struct EndedWork<'a> {
    _held: MutexGuard<'a, UnfinishedWork>,
}

impl Unfinished {
    /// Ends all programs, and removes all folders.
    pub fn end(&self) -> EndedWork<'_> {
        let mut state = self.state();
        program::end(std::mem::take(&mut state.programs), || {});
        for folder in std::mem::take(&mut state.folders) {
            // What cannot be removed now is swept by the next process, or told.
            let _ = private_dir::remove(&folder);
        }
        EndedWork { _held: state }
    }

    /// Has a folder removed should the process end, until what this returns is dropped.
    pub fn folder(&self, folder: &Path) -> UnfinishedFolder {
        self.state().folders.insert(folder.to_owned());
        UnfinishedFolder {
            of: self.clone(),
            folder: folder.to_owned(),
        }
    }

    /// Starts a program, and takes note of it until what this returns is dropped.
    pub(crate) fn start<T, E>(
        &self,
        spawn: impl FnOnce() -> Result<(Child, T), E>,
    ) -> Result<(Child, T, RunningProgram), E> {
        let mut state = self.state();
        let (child, rest) = spawn()?;
        let program = ProgramId::new(&child);
        state.programs.insert(program);
        let of = self.clone();
        Ok((child, rest, RunningProgram { of, program }))
    }

    fn state(&self) -> MutexGuard<'_, UnfinishedWork> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A folder that goes with the process.
#[derive(Debug)]
pub struct UnfinishedFolder {
    of: Unfinished,
    folder: PathBuf,
}

impl Drop for UnfinishedFolder {
    fn drop(&mut self) {
        self.of.state().folders.remove(&self.folder);
    }
}

/// A program that runs.
#[derive(Debug)]
pub(crate) struct RunningProgram {
    of: Unfinished,
    program: ProgramId,
}

impl RunningProgram {
    /// Ends it, and whom it started; what it is itself is noticed here.
    pub(crate) fn end(&self, child: &mut Child) {
        let notice = || {
            let _ = child.try_wait();
        };
        program::end([self.program], notice);
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.of.state().programs.remove(&self.program);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    #[expect(clippy::disallowed_methods, reason = "a shell of the test")]
    fn waiting(folder: &Path) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "sleep 600 & echo $! > child; wait"])
            .current_dir(folder)
            .stdout(Stdio::null());
        command
    }

    fn until(mut what: impl FnMut() -> bool) {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether nothing is left of a process but its number.
    fn is_gone(number: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{number}/stat"));
        status.map_or(true, |status| status.contains(") Z "))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn programs_and_whom_they_started_end_and_folders_go() {
        let folder = tempfile::tempdir().unwrap();
        let quarantine = folder.path().join("quarantine");
        std::fs::create_dir(&quarantine).unwrap();
        let unfinished = Unfinished::default();
        let noted = unfinished.folder(&quarantine);
        let spawn = || Ok::<_, std::io::Error>((waiting(folder.path()).spawn()?, ()));
        let (mut child, (), running) = unfinished.start(spawn).unwrap();
        let number = || std::fs::read_to_string(folder.path().join("child")).unwrap_or_default();
        until(|| number().ends_with('\n'));
        let ended = unfinished.clone();
        let (said, heard) = std::sync::mpsc::channel();
        let waits = thread::spawn(move || {
            let status = child.wait().unwrap();
            // It is not told that it failed as long as somebody sees to the end.
            drop(running);
            said.send(status.success()).unwrap();
        });
        let held = ended.end();
        assert!(is_gone(number().trim()));
        assert!(!quarantine.exists());
        assert!(heard.recv_timeout(Duration::from_millis(100)).is_err());
        drop(held);
        assert_eq!(heard.recv(), Ok(false));
        waits.join().unwrap();
        drop(noted);
    }

    #[test]
    fn what_is_done_stays() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = Unfinished::default();
        drop(unfinished.folder(folder.path()));
        drop(unfinished.end());
        assert!(folder.path().exists());
    }
}
