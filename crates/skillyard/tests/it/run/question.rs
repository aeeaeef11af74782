//! The question before a first run, as it is asked in a terminal.

use super::skill;
use crate::{TestContext, output, text};

/// Types into a terminal in which `skillyard run` was started, as soon as it asks; what was shown,
/// and the code.
fn typed(context: &TestContext, keys: &str) -> (String, i32) {
    let script = r"
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:2] + sys.argv[3:])
shown, keys = b'', sys.argv[2].encode()
while True:
    try: more = os.read(terminal, 4096)
    except OSError: break
    if not more: break
    shown += more
    if keys and b'May it?' in shown:
        os.write(terminal, keys)
        keys = b''
status = os.waitpid(child, 0)[1]
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
";
    let mut command = context.command("python3");
    command.env("TERM", "xterm").env("TOKEN", "SECRET-VALUE");
    command.args(["-c", script, env!("CARGO_BIN_EXE_skillyard"), keys]);
    command.args(["run", "../home/.agents/skills/tools", "words.pl"]);
    command.args(["--env", "TOKEN", "--", "ran"]);
    let ran = output(&mut command);
    (text(&ran.stdout), ran.status.code().unwrap())
}

#[test]
fn only_a_yes_is_a_yes() {
    let context = skill("");
    for keys in ["\r", "n\r", "no\r", "NO\r", "\x1b", "\x03"] {
        let (shown, code) = typed(&context, keys);
        assert!(code != 0 && !shown.contains("RAN"), "{keys:?}: {shown}");
    }
    // What is no answer is asked for again.
    let (shown, code) = typed(&context, "maybe\r\x03");
    assert!(code != 0 && !shown.contains("RAN"), "{shown}");
    for keys in ["y\r", "yes\r", "once\r", "always\r"] {
        let (shown, code) = typed(&context, keys);
        assert!(code == 0 && shown.contains("RAN"), "{keys:?}: {shown}");
    }
}

#[test]
fn variables_that_are_given_away_are_named() {
    let context = skill("");
    let (shown, _) = typed(&context, "n\r");
    assert!(shown.contains("variables  TOKEN"), "{shown}");
    assert!(!shown.contains("SECRET-VALUE"), "{shown}");
}
