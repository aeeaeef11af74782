//! Running git while a stranger decides how much it writes: watched, and ended at a limit.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output};
use std::time::Duration;

use super::command::{GitError, spawn, succeeded};

/// Most bytes that one repository may bring.
pub(super) const DOWNLOAD: u64 = 2 << 30;
/// Most bytes of what git says that are kept; servers can make it say anything.
const SAID: u64 = 64 * 1024;
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Runs a fetch into `repository`, and ends it when more than `limit` bytes came.
pub(super) fn fetch(
    command: &mut Command,
    input: Vec<u8>,
    what: &'static str,
    repository: &Path,
    limit: u64,
) -> Result<(), GitError> {
    let (mut child, writer) = spawn(command, input)?;
    let said = child.stderr.take().map(keep_start);
    let printed = child.stdout.take().map(keep_start);
    let status = watched(&mut child, repository, limit);
    let _ = writer.map(std::thread::JoinHandle::join);
    let joined = |thread: Option<std::thread::JoinHandle<Vec<u8>>>| {
        thread
            .and_then(|thread| thread.join().ok())
            .unwrap_or_default()
    };
    let output = Output {
        status: status?,
        stdout: joined(printed),
        stderr: joined(said),
    };
    succeeded(output, what).map(|_| ())
}

fn watched(child: &mut Child, repository: &Path, limit: u64) -> Result<ExitStatus, GitError> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(GitError::Run)? {
            return Ok(status);
        }
        if size(&repository.join("objects/pack")) > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(GitError::TooLarge(limit));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The bytes of the files in a folder, which is where packs grow.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok());
    sizes.map(|metadata| metadata.len()).sum()
}

/// Reads to the end, so that git never waits, and keeps the start.
pub(super) fn keep_start(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut start = Vec::new();
        let _ = from.by_ref().take(SAID).read_to_end(&mut start);
        let _ = std::io::copy(&mut from, &mut std::io::sink());
        start
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Git;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_server_that_never_stops_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("objects/pack");
        std::fs::create_dir_all(&pack).unwrap();
        let program = folder.path().join("git");
        let script = format!(
            "#!/bin/sh\nexec cat /dev/zero > '{}/tmp_pack'\n",
            pack.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let mut command = Git::new(&program).command(folder.path());
        let fetched = fetch(&mut command, Vec::new(), "fetch", folder.path(), 1 << 20);
        assert!(matches!(fetched, Err(GitError::TooLarge(_))));
    }

    #[test]
    fn endless_talk_is_cut_short() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        std::fs::write(
            &program,
            "#!/bin/sh\nhead -c 9000000 /dev/zero >&2\nexit 1\n",
        )
        .unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let mut command = Git::new(&program).command(folder.path());
        let fetched = fetch(&mut command, Vec::new(), "fetch", folder.path(), 1 << 20);
        let Err(GitError::Failed { message, .. }) = fetched else {
            panic!("it failed");
        };
        assert!(message.len() <= 64 * 1024);
    }
}
