//! A server that is a program of ours, on its standard input and output.
//!
//! It has an environment of its own and a process group of its own. Three threads serve it: one
//! writes, so that a program that does not read holds up nobody; one reads; one keeps the end of
//! what it complains about.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio as Pipe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::inbox::{Inbox, Listener};
use super::running::{self, group};
use super::{CANCELLED, Patience, Wire, nobody_waits, wait};
use crate::error::McpError;
use crate::rpc;
use crate::spec::Launch;

/// How many messages wait to be written.
const QUEUE: usize = 64;
/// How much of its complaints is kept.
const COMPLAINTS: usize = 4 << 10;
/// How long it has to end after its input has, and again after a signal.
const GRACE: Duration = Duration::from_millis(300);

/// Where messages wait to be written, until nothing more is.
type Outgoing = Arc<Mutex<Option<SyncSender<String>>>>;

/// A program that serves.
pub(crate) struct Stdio {
    outgoing: Outgoing,
    inbox: Arc<Inbox>,
    complaints: Arc<Mutex<Vec<u8>>>,
    next: AtomicU64,
    child: Child,
}

impl Stdio {
    /// Starts the program.
    pub(crate) fn start(
        launch: &Launch,
        largest: usize,
        listener: Listener,
    ) -> Result<Self, McpError> {
        let mut child = running::start(|| spawn(launch))?;
        let inbox = Arc::new(Inbox::new(listener));
        let complaints: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (sender, lines) = sync_channel(QUEUE);
        let outgoing: Outgoing = Arc::new(Mutex::new(Some(sender)));
        if let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            let replies = Arc::clone(&outgoing);
            let (read, kept) = (Arc::clone(&inbox), Arc::clone(&complaints));
            std::thread::spawn(move || write(input, &lines));
            let closing = Arc::clone(&complaints);
            let reader = Reader {
                inbox: read,
                replies,
                complaints: closing,
                largest,
                group: group(&child),
            };
            std::thread::spawn(move || reader.run(output));
            std::thread::spawn(move || keep(errors, &kept));
        }
        Ok(Self {
            outgoing,
            inbox,
            complaints,
            next: AtomicU64::new(1),
            child,
        })
    }

    /// Waits a moment for its end; whether it came.
    fn ends(&mut self) -> bool {
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > GRACE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    fn send(&self, message: &Value) -> Result<(), McpError> {
        send(&self.outgoing, message).ok_or_else(|| ended(&self.complaints))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this file owns the servers that the user configured"
)]
fn spawn(launch: &Launch) -> Result<Child, McpError> {
    let mut command = Command::new(&launch.program);
    command
        .args(launch.arguments.iter().map(SecretString::expose_secret))
        .env_clear()
        .current_dir(&launch.folder)
        .process_group(0)
        .stdin(Pipe::piped())
        .stdout(Pipe::piped())
        .stderr(Pipe::piped());
    for (name, value) in &launch.environment {
        command.env(name, value.expose_secret());
    }
    command.spawn().map_err(|source| McpError::Start {
        program: launch.program.to_string_lossy().into_owned(),
        source,
    })
}

impl Wire for Stdio {
    fn ask(&self, method: &str, params: &Value, patience: Patience<'_>) -> Result<Value, McpError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let answers = self.inbox.expect(id);
        self.send(&rpc::request(id, method, params))?;
        let answer = wait(&answers, patience).map_err(|error| match error {
            McpError::Closed { said } if said.is_empty() => ended(&self.complaints),
            other => other,
        });
        if let Err(McpError::Silent { .. } | McpError::Cancelled) = answer {
            self.inbox.forget(id);
            let _ = self.tell(CANCELLED, &nobody_waits(id));
        }
        answer
    }

    fn tell(&self, method: &str, params: &Value) -> Result<(), McpError> {
        self.send(&rpc::notification(method, params))
    }

    fn listen(&self, request: Option<(&str, Value)>) {
        if let Some((method, params)) = request {
            // Its answer comes when the subscription ends, and nobody waits for that.
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let _ = self.send(&rpc::request(id, method, &params));
        }
    }

    fn agree(&self, _: &str) {}

    fn is_open(&self) -> bool {
        !self.inbox.is_closed()
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        drop(locked(&self.outgoing).take());
        let group = group(&self.child);
        if !self.ends() {
            // `docker run` passes this on to its container, and cannot pass on the next.
            group.inspect(|group| running::ask_to_end(*group));
            self.ends();
        }
        group.inspect(|group| running::end(*group));
        // Once it was waited for, another program may have its number.
        group.inspect(|group| running::forget(*group));
        let _ = self.child.wait();
    }
}

/// Puts a message where it is written from; `None` when that is full or closed.
fn send(outgoing: &Outgoing, message: &Value) -> Option<()> {
    let outgoing = locked(outgoing);
    outgoing.as_ref()?.try_send(message.to_string()).ok()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    while let Ok(mut line) = lines.recv() {
        line.push('\n');
        if input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush())
            .is_err()
        {
            return;
        }
    }
}

struct Reader {
    inbox: Arc<Inbox>,
    replies: Outgoing,
    complaints: Arc<Mutex<Vec<u8>>>,
    largest: usize,
    group: Option<Pid>,
}

impl Reader {
    fn run(self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        let reason = loop {
            let line = match line(&mut output, self.largest) {
                Ok(Some(line)) => line,
                Ok(None) => break None,
                Err(error) => break Some(error),
            };
            match self.inbox.take(&line) {
                // A program that asks and does not read gets no answers.
                Ok(Some(reply)) => drop(send(&self.replies, &reply)),
                Ok(None) => {}
                Err(error) => break Some(error),
            }
        };
        if reason.is_some() {
            self.group.inspect(|group| running::end(*group));
        } else {
            // Its last words come a moment after the end of its output.
            std::thread::sleep(Duration::from_millis(20));
        }
        self.inbox.close(|| match &reason {
            Some(McpError::TooLarge { limit }) => McpError::TooLarge { limit: *limit },
            Some(McpError::Malformed { problem }) => McpError::malformed(problem.clone()),
            Some(error) => McpError::malformed(error.to_string()),
            None => ended(&self.complaints),
        });
    }
}

/// The next line, without its end; `None` when there are no more.
fn line(output: &mut impl BufRead, largest: usize) -> Result<Option<Vec<u8>>, McpError> {
    let mut line = Vec::new();
    let most = u64::try_from(largest).unwrap_or(u64::MAX);
    let read = output.by_ref().take(most).read_until(b'\n', &mut line);
    match read {
        Ok(0) | Err(_) => Ok(None),
        Ok(size) if size >= largest && line.last() != Some(&b'\n') => {
            Err(McpError::TooLarge { limit: largest })
        }
        Ok(_) => Ok(Some(line)),
    }
}

/// Keeps the end of what a program complains about.
fn keep(mut errors: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(size @ 1..) = errors.read(&mut piece) {
        let mut kept = locked(kept);
        kept.extend_from_slice(&piece[..size]);
        let more = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..more);
    }
}

fn ended(complaints: &Mutex<Vec<u8>>) -> McpError {
    let complaints = locked(complaints);
    let text = String::from_utf8_lossy(&complaints);
    let lines = text.lines().map(skillyard_format::text::one_line);
    McpError::Closed {
        said: lines.collect::<Vec<_>>().join("\n"),
    }
}
