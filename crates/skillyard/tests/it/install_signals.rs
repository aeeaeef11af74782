//! Signals that end an installation while it waits for a server: whoever waits with it ends, too, and
//! nothing of it is left.

use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::TestContext;
use crate::mcp_shutdown::{is_dead, until};
use crate::project::project;
use crate::terminal::typed_with;

const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::HUP, Signal::INT];

/// A server that accepts and says nothing.
fn mute() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// Waits until whoever connected hangs up.
fn hangs_up(mut connection: TcpStream) {
    let patience = Some(Duration::from_secs(20));
    connection.set_read_timeout(patience).unwrap();
    connection.read_to_end(&mut Vec::new()).unwrap();
}

fn installing(context: &TestContext, reference: &str) -> Command {
    let mut command = context.skillyard();
    command.args(["install", reference, "--yes"]);
    command
}

fn ended(child: &mut Child, signal: Signal) -> ExitStatus {
    kill_process(Pid::from_child(child), signal).unwrap();
    child.wait().unwrap()
}

/// A program in the place of ssh, which says that it began and goes on for ever.
fn ssh(context: &TestContext, says: &str) -> (&'static str, String) {
    let file = context.root().join("ssh").display().to_string();
    let script = format!("echo $$ > {file}; {says}; exec sleep 600");
    ("GIT_SSH_COMMAND", format!("sh -c '{script}'"))
}

fn number(context: &TestContext) -> Option<Pid> {
    let text = std::fs::read_to_string(context.root().join("ssh")).ok()?;
    Pid::from_raw(text.trim().parse().ok()?)
}

#[test]
fn git_ends_with_whoever_waits_for_it() {
    for signal in SIGNALS {
        let context = project();
        let (listener, address) = mute();
        let mut child = installing(&context, &format!("git://{address}/skills.git"));
        let mut child = child.spawn().unwrap();
        let (connection, _) = listener.accept().unwrap();
        let status = ended(&mut child, signal);
        assert_eq!(status.signal(), Some(signal.as_raw()));
        hangs_up(connection);
        context.nothing_left();
    }
}

#[test]
fn so_does_whom_git_started() {
    for signal in SIGNALS {
        let context = project();
        let mut command = installing(&context, "git+ssh://git@127.0.0.1/skills.git");
        let (name, value) = ssh(&context, ":");
        let mut child = command.env(name, value).spawn().unwrap();
        until(|| number(&context).is_some(), "ssh is not started");
        let status = ended(&mut child, signal);
        assert_eq!(status.signal(), Some(signal.as_raw()));
        let ssh = number(&context).unwrap();
        until(|| is_dead(ssh), "ssh outlived the process that fetched");
        context.nothing_left();
    }
}

#[test]
fn whoever_ends_the_group_ends_all_of_them() {
    let context = project();
    let mut command = installing(&context, "git+ssh://git@127.0.0.1/skills.git");
    let (name, value) = ssh(&context, ":");
    let mut child = command.env(name, value).process_group(0).spawn().unwrap();
    until(|| number(&context).is_some(), "ssh is not started");
    // Which nobody hears.
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let ssh = number(&context).unwrap();
    until(|| is_dead(ssh), "ssh outlived the group that it was in");
}

#[test]
fn who_may_ask_at_the_terminal_ends_as_well() {
    let context = project();
    let (name, value) = ssh(&context, "echo began > /dev/tty");
    let variables = [("TERM", "dumb"), (name, value.as_str())];
    let install = ["install", "git+ssh://git@127.0.0.1/skills.git", "--yes"];
    let answers = [("began", "SIGNAL:TERM")];
    let (shown, _) = typed_with(&context, &variables, &install, &answers);
    assert!(!shown.contains("error"), "{shown}");
    let ssh = number(&context).unwrap();
    until(|| is_dead(ssh), "ssh outlived the process that fetched");
    context.nothing_left();
}

#[test]
fn a_download_leaves_nothing() {
    let context = project();
    let (listener, address) = mute();
    let mut child = installing(&context, &format!("http://{address}/pdf.zip"));
    let mut child = child.spawn().unwrap();
    let (connection, _) = listener.accept().unwrap();
    let status = ended(&mut child, Signal::TERM);
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
    hangs_up(connection);
    context.nothing_left();
}

#[test]
fn what_is_ignored_stays_ignored() {
    let context = project();
    let (listener, address) = mute();
    let binary = env!("CARGO_BIN_EXE_skillyard");
    let script = format!("trap '' HUP; exec {binary} install git://{address}/skills.git --yes");
    let mut child = context.command("sh");
    let mut child = child.args(["-c", &script]).spawn().unwrap();
    let (_connection, _) = listener.accept().unwrap();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    let status = ended(&mut child, Signal::TERM);
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
}
