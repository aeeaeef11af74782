//! Running git while a stranger decides how much it writes, and when: watched, and ended at a limit.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::command::{Git, MAX_ANSWER_BYTES, spawn, succeeded};
use super::error::GitError;
use super::start::CapturedOutput;
use crate::unfinished::Unfinished;

/// Most bytes that one repository may bring.
pub(super) const MAX_DOWNLOAD_BYTES: u64 = 2 << 30;
/// Most bytes of what git says that are kept; servers can make it say anything.
pub(super) const MAX_STDERR_BYTES: u64 = 64 * 1024;
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// How long nothing may come.
#[derive(Debug, Clone, Copy)]
pub(super) struct SilenceLimits {
    /// As long as nothing has come at all: somebody may be typing the password of a key.
    pub(super) first: Duration,
    /// After that: git works on what came, which takes its time and cannot be seen.
    pub(super) later: Duration,
}

/// For http git has limits of its own, which are shorter; for all else it has none.
const SERVER_LIMITS: SilenceLimits = SilenceLimits {
    first: Duration::from_mins(2),
    later: Duration::from_mins(10),
};

/// For what lies here git needs no more than a moment, unless a stranger put a pipe among its files:
/// then it waits for who never comes.
pub(super) const LOCAL_LIMITS: SilenceLimits = SilenceLimits {
    first: Duration::from_secs(20),
    later: Duration::from_secs(20),
};

/// Runs a fetch into `repository`, and ends it when more than `limit` bytes came, or none.
pub(super) fn fetch(
    git: &Git,
    command: &mut Command,
    input: Vec<u8>,
    what: &'static str,
    repository: &Path,
    limit: u64,
) -> Result<(), GitError> {
    let watch = GitWatch {
        what,
        repository,
        limit,
        limits: SERVER_LIMITS,
        unfinished: git.unfinished(),
    };
    succeeded(watch.run(command, input)?, what).map(|_| ())
}

/// Runs what asks a server and brings nothing; whether it succeeded is for the caller to see.
pub(super) fn ask(
    git: &Git,
    command: &mut Command,
    what: &'static str,
    repository: &Path,
) -> Result<Output, GitError> {
    let watch = GitWatch {
        what,
        repository,
        limit: MAX_DOWNLOAD_BYTES,
        limits: SERVER_LIMITS,
        unfinished: git.unfinished(),
    };
    watch.asked(command)
}

/// Runs what asks a repository that lies here, and is not waited for any longer than that.
pub(super) fn look(
    command: &mut Command,
    what: &'static str,
    repository: &Path,
    limits: SilenceLimits,
) -> Result<Vec<u8>, GitError> {
    let watch = GitWatch {
        what,
        repository,
        limit: MAX_DOWNLOAD_BYTES,
        limits,
        unfinished: None,
    };
    succeeded(watch.asked(command)?, what)
}

/// What is watched, and for what.
struct GitWatch<'a> {
    what: &'static str,
    repository: &'a Path,
    limit: u64,
    limits: SilenceLimits,
    unfinished: Option<&'a Unfinished>,
}

impl GitWatch<'_> {
    fn asked(&self, command: &mut Command) -> Result<Output, GitError> {
        let output = self.run(command, Vec::new())?;
        if output.stdout.len() as u64 > MAX_ANSWER_BYTES {
            return Err(GitError::TooMuch {
                what: self.what,
                limit: MAX_ANSWER_BYTES,
            });
        }
        Ok(output)
    }

    fn run(&self, command: &mut Command, input: Vec<u8>) -> Result<Output, GitError> {
        let pack = self.repository.join("objects/pack");
        let before = size(&pack);
        let start = || spawn(command, input);
        let (mut child, writer, running) = if let Some(unfinished) = self.unfinished {
            let (child, writer, running) = unfinished.start(start)?;
            (child, writer, Some(running))
        } else {
            let (child, writer) = start()?;
            (child, writer, None)
        };
        let heard = Arc::new(AtomicU64::new(0));
        let said = child.stderr.take();
        let said = said.map(|from| CapturedOutput::of(from, MAX_STDERR_BYTES, &heard));
        let printed = child.stdout.take();
        let printed = printed.map(|from| CapturedOutput::of(from, MAX_ANSWER_BYTES + 1, &heard));
        let status = self.wait(&mut child, &pack, before, &heard);
        if status.is_err() {
            if let Some(running) = &running {
                running.end(&mut child);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        drop(running);
        let _ = writer.map(JoinHandle::join);
        Ok(Output {
            status: status?,
            stdout: printed.map(CapturedOutput::finish).unwrap_or_default(),
            stderr: said.map(CapturedOutput::finish).unwrap_or_default(),
        })
    }

    fn wait(
        &self,
        child: &mut Child,
        pack: &Path,
        before: u64,
        heard: &AtomicU64,
    ) -> Result<ExitStatus, GitError> {
        let mut last = (before, 0, Instant::now());
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait().map_err(GitError::Run)? {
                return Ok(status);
            }
            let (size, heard) = (size(pack), heard.load(Ordering::Relaxed));
            if (size, heard) != (last.0, last.1) {
                last = (size, heard, Instant::now());
            }
            let longest = if size == before {
                self.limits.first
            } else {
                self.limits.later
            };
            let problem = if size > self.limit {
                GitError::TooLarge(self.limit)
            } else if last.2.elapsed() >= longest {
                GitError::Silent {
                    what: self.what,
                    seconds: longest.as_secs(),
                }
            } else {
                std::thread::sleep(pause);
                pause = (pause * 2).min(MAX_PAUSE);
                continue;
            };
            return Err(problem);
        }
    }
}

/// The bytes of the files in a folder, which is where packs grow.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok());
    sizes.map(|metadata| metadata.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    /// What a git that is this script fetches into a folder, which it also lies in.
    fn fetched_by(folder: &Path, script: &str) -> Result<(), GitError> {
        let program = folder.join("git");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let git = Git::new(&program);
        let mut command = git.command(folder);
        fetch(&git, &mut command, Vec::new(), "fetch", folder, 1 << 20)
    }

    #[test]
    fn a_server_that_never_stops_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("objects/pack");
        std::fs::create_dir_all(&pack).unwrap();
        let script = format!("exec cat /dev/zero > '{}/tmp_pack'", pack.display());
        let fetched = fetched_by(folder.path(), &script);
        assert!(matches!(fetched, Err(GitError::TooLarge(_))));
    }

    #[test]
    fn endless_talk_is_cut_short() {
        let folder = tempfile::tempdir().unwrap();
        let fetched = fetched_by(folder.path(), "head -c 9000000 /dev/zero >&2\nexit 1");
        let Err(GitError::Failed { message, .. }) = fetched else {
            panic!("it failed");
        };
        assert!(message.len() <= 64 * 1024);
    }

    #[test]
    fn a_server_that_says_nothing_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("objects/pack");
        std::fs::create_dir_all(&pack).unwrap();
        let program = folder.path().join("git");
        let wait = |script: &str, first: u64, later: u64| {
            std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
            let watch = GitWatch {
                what: "fetch",
                repository: folder.path(),
                limit: 1 << 20,
                limits: SilenceLimits {
                    first: Duration::from_millis(first),
                    later: Duration::from_millis(later),
                },
                unfinished: None,
            };
            let mut command = Git::new(&program).command(folder.path());
            command.env("PACK", pack.join("tmp_pack"));
            watch.run(&mut command, Vec::new())
        };
        let silent = |answer| matches!(answer, Err(GitError::Silent { .. }));
        let long = 60_000;
        assert!(silent(wait("exec sleep 600", 50, long)));
        // Whom it started may go on to hold its output.
        assert!(silent(wait("sleep 5 & exec sleep 600", 50, long)));
        // What came at first is no reason to wait for ever, but for longer.
        let began = "echo x > \"$PACK\"; exec sleep 600";
        assert!(silent(wait(began, long, 50)));
        std::fs::remove_file(pack.join("tmp_pack")).unwrap();
        // When git is done, whom it left behind is not waited for either.
        let leaves = "echo all >&2; while [ -e \"$0\" ]; do sleep 0.1; done & exit 0";
        let left = wait(leaves, long, long).unwrap();
        assert_eq!(left.stderr, b"all\n");
        let talks = "for i in 1 2 3 4 5 6 7 8; do echo $i >&2; sleep 0.2; done";
        assert_eq!(wait(talks, 1_400, 50).unwrap().stderr.len(), 16);
    }
}
