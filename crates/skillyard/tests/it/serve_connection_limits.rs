//! `skillyard serve` where hardly any files may be open, and somebody holds connections for nothing.

use std::io::{ErrorKind, Read as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::TestContext;
use crate::serve_chat::Serving;

/// How many files may be open.
const FILES: usize = 160;

#[test]
fn idle_connections_keep_nobody_out() {
    let context = TestContext::new();
    let mut shell = context.command("sh");
    let run = format!("ulimit -n {FILES}; exec \"$0\" \"$@\"");
    shell.args(["-c", &run, env!("CARGO_BIN_EXE_skillyard")]);
    let serving = Serving::started(shell, &[]);
    let idle: Vec<TcpStream> = (0..FILES).map(|_| serving.connected()).collect();
    let (status, _) = serving.ask_with("GET", "/healthz", "", &Value::Null);
    assert_eq!(status, 200);
    // Some made room, and it was not waited until all of them were too slow.
    let is_open = |stream: &&TcpStream| {
        stream.set_nonblocking(true).unwrap();
        let read = (&mut &**stream).read(&mut [0]);
        read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    let open = idle.iter().filter(is_open).count();
    assert!(open >= FILES / 2, "{open} of {FILES} are open");
}
