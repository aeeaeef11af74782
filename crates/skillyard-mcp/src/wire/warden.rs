//! Ends the programs that serve when this process is gone, however it went.
//!
//! Most servers end with their input. One that does not would outlive a process that was ended by a
//! signal, which cannot end anybody any more. So a shell waits at a pipe that closes with this process,
//! also by `kill -9`. It outlives the signals of a terminal, and knows whom to end by the last line that
//! it read. A signal at the parent's death would not do: it comes with the end of the thread that
//! started the program, and reaches none of what that started in turn (`npx`, `uvx`, `docker run`).

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};

/// After the last line: a second to end by themselves, one for those who listen to a signal.
const SCRIPT: &str = "trap '' HUP INT TERM; groups=
while read -r line; do groups=$line; done
[ -n \"$groups\" ] || exit 0
sleep 1; for group in $groups; do kill -s TERM -- \"-$group\"; done
sleep 1; for group in $groups; do kill -s KILL -- \"-$group\"; done";

/// Waits for the end of this process.
#[derive(Default)]
pub(super) struct Warden {
    told: Told,
}

#[derive(Default)]
enum Told {
    /// It has not begun.
    #[default]
    Nothing,
    Through(ChildStdin),
    /// There is no shell, or it ended; nothing but our own order ends the programs then.
    Nobody,
}

impl Warden {
    /// Begins to wait. That takes a while, and whoever is started before it is nobody's until then.
    pub(super) fn begin(&mut self) {
        if matches!(self.told, Told::Nothing) {
            self.told = start().map_or(Told::Nobody, Told::Through);
        }
    }

    /// Says which groups are to be ended, all of them each time.
    pub(super) fn tell(&mut self, groups: impl IntoIterator<Item = i32>) {
        let words: Vec<String> = groups.into_iter().map(|group| group.to_string()).collect();
        if let Told::Through(pipe) = &mut self.told
            && pipe
                .write_all(format!("{}\n", words.join(" ")).as_bytes())
                .is_err()
        {
            self.told = Told::Nobody;
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a shell with a script of ours and nothing of anybody else"
)]
fn start() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SCRIPT])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().ok()?.stdin.take()
}
