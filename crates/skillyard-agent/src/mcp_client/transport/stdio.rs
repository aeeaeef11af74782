//! A server that is a child process, over its standard input and output.
//!
//! Three threads serve it: one writes, so that a program that does not read blocks no caller; one
//! reads; one keeps the end of its error output.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{Deadline, McpTransport, OnNotification, PendingRequests, wait};
use crate::mcp_client::config::ServerCommand;
use crate::mcp_client::error::McpError;
use crate::mcp_client::json_rpc;

/// Messages that wait to be written.
const MAX_QUEUED: usize = 64;
/// Bytes of error output that are kept.
const MAX_STDERR: usize = 4 << 10;
/// Time to exit after the end of input, and again after SIGTERM.
const EXIT_TIMEOUT: Duration = Duration::from_millis(300);

/// The process groups of all running servers.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Kills all running servers; called before the process exits.
///
/// A server ends with its connection, but the process may exit while a thread still waits for one.
pub fn end_all() {
    let groups = std::mem::take(&mut *RUNNING.lock());
    groups.into_iter().filter_map(Pid::from_raw).for_each(kill);
}

/// Messages that wait to be written; `None` once the input is closed.
type Outgoing = Arc<Mutex<Option<SyncSender<String>>>>;

/// A child process that serves MCP.
pub(in crate::mcp_client) struct StdioTransport {
    outgoing: Outgoing,
    pending: Arc<PendingRequests>,
    stderr: Arc<Mutex<Vec<u8>>>,
    next_id: AtomicU64,
    child: Child,
}

impl StdioTransport {
    /// Starts the program.
    pub(in crate::mcp_client) fn start(
        command: &ServerCommand,
        max_message: usize,
        on_notification: OnNotification,
    ) -> Result<Self, McpError> {
        let mut child = {
            // `end_all` must not run between the start and the note of it.
            let mut running = RUNNING.lock();
            let child = spawn(command)?;
            running.extend(group(&child).map(|group| group.as_raw_nonzero().get()));
            child
        };
        let pending = Arc::new(PendingRequests::new(on_notification));
        let stderr: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (sender, lines) = sync_channel(MAX_QUEUED);
        let outgoing: Outgoing = Arc::new(Mutex::new(Some(sender)));
        if let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            let reader = OutputReader {
                pending: Arc::clone(&pending),
                replies: Arc::clone(&outgoing),
                stderr: Arc::clone(&stderr),
                max_message,
                group: group(&child),
            };
            let tail = Arc::clone(&stderr);
            std::thread::spawn(move || write(input, &lines));
            std::thread::spawn(move || reader.run(output));
            std::thread::spawn(move || keep_tail(errors, &tail));
        }
        Ok(Self {
            outgoing,
            pending,
            stderr,
            next_id: AtomicU64::new(1),
            child,
        })
    }

    /// Waits up to `EXIT_TIMEOUT` and returns whether the program exited.
    fn has_exited(&mut self) -> bool {
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > EXIT_TIMEOUT {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    fn send(&self, message: &Value) -> Result<(), McpError> {
        send(&self.outgoing, message).ok_or_else(|| closed(&self.stderr))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this file owns the servers that the user configured"
)]
fn spawn(launch: &ServerCommand) -> Result<Child, McpError> {
    let mut command = Command::new(&launch.program);
    command
        .args(launch.arguments.iter().map(SecretString::expose_secret))
        .env_clear()
        .current_dir(&launch.folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in &launch.environment {
        command.env(name, value.expose_secret());
    }
    command.spawn().map_err(|source| McpError::Start {
        program: launch.program.to_string_lossy().into_owned(),
        source,
    })
}

/// The process group of a program, which it leads.
fn group(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Kills a process group; it may be gone already.
fn kill(group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
}

impl McpTransport for StdioTransport {
    fn request(
        &self,
        method: &str,
        params: &Value,
        deadline: Deadline<'_>,
    ) -> Result<Value, McpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let answers = self.pending.add(id);
        self.send(&json_rpc::request(id, method, params))?;
        let answer = wait(&answers, deadline).map_err(|error| match error {
            McpError::Closed { stderr } if stderr.is_empty() => closed(&self.stderr),
            other => other,
        });
        if let Err(McpError::Timeout { .. } | McpError::Cancelled) = answer {
            self.pending.remove(id);
            let _ = self.send(&json_rpc::cancelled(id));
        }
        answer
    }

    fn notify(&self, method: &str, params: &Value) -> Result<(), McpError> {
        self.send(&json_rpc::notification(method, params))
    }

    fn subscribe(&self, request: Option<(&str, Value)>) {
        if let Some((method, params)) = request {
            // The answer arrives when the subscription ends.
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            let _ = self.send(&json_rpc::request(id, method, &params));
        }
    }

    fn set_protocol_version(&self, _: &str) {}

    fn is_open(&self) -> bool {
        !self.pending.is_closed()
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        drop(self.outgoing.lock().take());
        let group = group(&self.child);
        if !self.has_exited()
            && let Some(group) = group
        {
            // `docker run` passes SIGTERM on to its container, but cannot pass on SIGKILL.
            let _ = kill_process_group(group, Signal::TERM);
            self.has_exited();
        }
        if let Some(group) = group {
            kill(group);
            // After the wait below another program may get its number.
            RUNNING.lock().remove(&group.as_raw_nonzero().get());
        }
        let _ = self.child.wait();
    }
}

/// Queues a message; `None` if the queue is full or closed.
fn send(outgoing: &Outgoing, message: &Value) -> Option<()> {
    let outgoing = outgoing.lock();
    outgoing.as_ref()?.try_send(message.to_string()).ok()
}

fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    while let Ok(mut line) = lines.recv() {
        line.push('\n');
        let written = input.write_all(line.as_bytes());
        if written.and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

struct OutputReader {
    pending: Arc<PendingRequests>,
    replies: Outgoing,
    stderr: Arc<Mutex<Vec<u8>>>,
    max_message: usize,
    group: Option<Pid>,
}

impl OutputReader {
    fn run(self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        let error = loop {
            let line = match read_line(&mut output, self.max_message) {
                Ok(Some(line)) => line,
                Ok(None) => break None,
                Err(error) => break Some(error),
            };
            match self.pending.receive(&line) {
                // A program that does not read gets no replies.
                Ok(Some(reply)) => drop(send(&self.replies, &reply)),
                Ok(None) => {}
                Err(error) => break Some(error),
            }
        };
        if error.is_some() {
            self.group.inspect(|group| kill(*group));
        } else {
            // The last error output arrives shortly after the end of the output.
            std::thread::sleep(Duration::from_millis(20));
        }
        self.pending.close(|| match &error {
            Some(McpError::TooLarge { limit }) => McpError::TooLarge { limit: *limit },
            Some(McpError::Malformed { problem }) => McpError::malformed(problem.clone()),
            Some(error) => McpError::malformed(error.to_string()),
            None => closed(&self.stderr),
        });
    }
}

/// The next line; `None` at the end.
fn read_line(output: &mut impl BufRead, max: usize) -> Result<Option<Vec<u8>>, McpError> {
    let mut line = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX);
    match output.by_ref().take(limit).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => Ok(None),
        Ok(size) if size >= max && line.last() != Some(&b'\n') => {
            Err(McpError::TooLarge { limit: max })
        }
        Ok(_) => Ok(Some(line)),
    }
}

/// Keeps the last `MAX_STDERR` bytes of the error output.
fn keep_tail(mut errors: ChildStderr, tail: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(size @ 1..) = errors.read(&mut piece) {
        let mut tail = tail.lock();
        tail.extend_from_slice(&piece[..size]);
        let excess = tail.len().saturating_sub(MAX_STDERR);
        tail.drain(..excess);
    }
}

fn closed(stderr: &Mutex<Vec<u8>>) -> McpError {
    let stderr = stderr.lock();
    let text = String::from_utf8_lossy(&stderr);
    let lines = text.lines().map(skillyard_format::text::one_line);
    McpError::Closed {
        stderr: lines.collect::<Vec<_>>().join("\n"),
    }
}
