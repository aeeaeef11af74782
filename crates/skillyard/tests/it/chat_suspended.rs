//! `skillyard chat` that was suspended, as with Ctrl-Z, and is told to end then.

use crate::{TestContext, output, text};

/// A shell at a terminal: its job is suspended, gets SIGTERM and is continued in the background.
const SHELL: &str = r"
import os, pty, signal, sys
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(sys.argv[1], sys.argv[1:])
    _, status = os.waitpid(job, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    print('SUSPENDED' if os.WIFSTOPPED(status) else 'GONE', flush=True)
    os.killpg(job, signal.SIGTERM)
    os.killpg(job, signal.SIGCONT)
    _, status = os.waitpid(job, os.WUNTRACED)
    print('STOPPED AGAIN' if os.WIFSTOPPED(status) else 'ENDED', flush=True)
    os.killpg(job, signal.SIGKILL) if os.WIFSTOPPED(status) else None
    os._exit(0)
shown, typed = b'', False
while True:
    try: more = os.read(terminal, 4096)
    except OSError: break
    if not more: break
    shown += more
    if b'> ' in shown and not typed:
        os.write(terminal, b'\x1a')
        typed = True
os.waitpid(child, 0)
sys.stdout.buffer.write(shown)
";

#[test]
fn ends_in_the_background() {
    let context = TestContext::new();
    // The first edits lines and so changes the terminal, the second only reads them.
    for terminal in ["xterm", "dumb"] {
        // It is not always the terminal that is touched first.
        for _ in 0..4 {
            let mut shell = context.command("python3");
            shell.env("TERM", terminal);
            shell.args(["-c", SHELL, env!("CARGO_BIN_EXE_skillyard"), "chat"]);
            let shown = text(&output(&mut shell).stdout);
            assert!(shown.contains("SUSPENDED"), "{terminal}: {shown}");
            assert!(shown.contains("ENDED"), "{terminal}: {shown}");
        }
    }
}
