//! Somebody at a terminal, who types when they are asked.

use crate::{TestContext, output, text};

/// Starts the program in a terminal and types, each text as soon as what stands before it was
/// shown; what was shown, and the code. `SIGNAL:NAME` is sent, not typed; then `[ECHO]` stands
/// behind what was shown where the terminal shows again what is typed, and Ctrl-C is a signal.
pub(crate) fn typed(
    context: &TestContext,
    arguments: &[&str],
    answers: &[(&str, &str)],
) -> (String, i32) {
    typed_with(context, &[("TERM", "xterm")], arguments, answers)
}

/// The same with variables of the environment.
pub(crate) fn typed_with(
    context: &TestContext,
    variables: &[(&str, &str)],
    arguments: &[&str],
    answers: &[(&str, &str)],
) -> (String, i32) {
    let script = r"
import fcntl, json, os, pty, signal, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:2] + sys.argv[3:])
shown, seen, answers, signalled = b'', 0, json.loads(sys.argv[2]), False
while True:
    try: more = os.read(terminal, 4096)
    except OSError: break
    if not more: break
    shown += more
    while answers and answers[0][0].encode() in shown[seen:]:
        asked, keys = answers.pop(0)
        seen = shown.index(asked.encode(), seen) + len(asked.encode())
        if keys.startswith('SIGNAL:'):
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 90, 0, 0))
            os.kill(child, getattr(signal, 'SIG' + keys[7:]))
            signalled = True
        else:
            os.write(terminal, keys.encode())
usual = termios.ECHO | termios.ISIG
if signalled and termios.tcgetattr(terminal)[3] & usual == usual: shown += b'[ECHO]'
status = os.waitpid(child, 0)[1]
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
";
    let mut command = context.command("python3");
    command.env("TOKEN", "SECRET-VALUE");
    command.envs(variables.iter().copied());
    let answers = serde_json::to_string(answers).unwrap();
    command.args(["-c", script, env!("CARGO_BIN_EXE_skillyard"), &answers]);
    command.args(arguments);
    let ran = output(&mut command);
    (text(&ran.stdout), ran.status.code().unwrap())
}
