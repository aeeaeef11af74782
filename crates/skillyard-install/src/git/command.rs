//! Starting `git` so that neither a repository nor the surroundings can make it do more.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;

use super::error::GitError;
use super::memory::{self, MAX_MEMORY_BYTES};
use super::start::CapturedOutput;
use super::watch::MAX_STDERR_BYTES;
use crate::fetch::http::Proxies;
use crate::unfinished::Unfinished;

/// Settings that win over every configuration file.
const SETTINGS: [&str; 15] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
    "protocol.ssh.allow=always",
    "protocol.git.allow=always",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.unpackLimit=1",
    // A server that falls silent must not hold us up for ever.
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=30",
    // Where it leads is looked at first.
    "http.followRedirects=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Variables that would lead git to other repositories or settings.
const FORGOTTEN: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CEILING_DIRECTORIES",
    "GIT_TRACE",
    "GIT_REPLACE_REF_BASE",
];

/// The `git` program.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    /// What `NO_PROXY` says to it, where that is not what it says to us.
    direct: Option<String>,
    /// What proves who we are.
    sent: Option<Arc<GitHeaders>>,
    /// Who ends it with the process.
    unfinished: Option<Unfinished>,
}

/// Headers for one address. Only the environment of git has them: whatever ends us, none is left in
/// a file, and no list of processes shows them.
struct GitHeaders {
    url: String,
    headers: Vec<String>,
}

impl fmt::Debug for GitHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Sent");
        debug.field("url", &self.url).finish_non_exhaustive()
    }
}

impl Git {
    /// The program at a path.
    pub fn new(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            direct: None,
            sent: None,
            unfinished: None,
        }
    }

    /// With the proxies that we use. It reads the same variables by itself, and its own settings,
    /// so it is told what not to ask through them.
    #[must_use]
    pub fn with_proxies(self, proxies: &Proxies) -> Self {
        Self {
            direct: Some(proxies.told_to_programs()),
            ..self
        }
    }

    /// Ends with what is unfinished, as long as it waits for somebody else.
    #[must_use]
    pub fn ending_with(self, unfinished: &Unfinished) -> Self {
        Self {
            unfinished: Some(unfinished.clone()),
            ..self
        }
    }

    /// Who ends it with the process, if anybody does.
    pub(super) fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// With what proves who we are, at an address and nowhere else.
    pub(super) fn sending(&self, url: &str, headers: &[String]) -> Self {
        let sent = GitHeaders {
            url: url.to_owned(),
            headers: headers.to_vec(),
        };
        Self {
            sent: (!headers.is_empty()).then(|| Arc::new(sent)),
            ..self.clone()
        }
    }

    /// A command in a bare repository.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the file that starts git"
    )]
    pub(super) fn command(&self, repository: &Path) -> Command {
        let mut command = Command::new(&self.program);
        for name in FORGOTTEN {
            command.env_remove(name);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C")
            // Where a `PATH` has folders without a root, what lies in the current one decides
            // neither which git runs nor what it starts.
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(direct) = &self.direct {
            // The one in small letters wins where both are set.
            command.env("no_proxy", direct).env("NO_PROXY", direct);
        }
        if let Some(GitHeaders { url, headers }) = self.sent.as_deref() {
            command.env("GIT_CONFIG_COUNT", headers.len().to_string());
            for (at, header) in headers.iter().enumerate() {
                command.env(
                    format!("GIT_CONFIG_KEY_{at}"),
                    format!("http.{url}.extraHeader"),
                );
                command.env(format!("GIT_CONFIG_VALUE_{at}"), header);
            }
        }
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.arg("--git-dir").arg(repository);
        command
    }

    /// Allows local repositories, which only a user's own words may name.
    pub(super) fn allow_files(command: &mut Command) {
        command.args(["-c", "protocol.file.allow=always"]);
    }
}

/// Most bytes of one answer: a small repository can name the same folder a million times.
pub(super) const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// Runs to the end, or until it says too much; failure is an error with git's own words.
pub(super) fn run(command: &mut Command, what: &'static str) -> Result<Vec<u8>, GitError> {
    let mut talk = GitSession::start(command, Vec::new())?;
    let mut said = Vec::new();
    let read = talk
        .answer
        .by_ref()
        .take(MAX_ANSWER_BYTES + 1)
        .read_to_end(&mut said);
    let understood = match read {
        Err(error) => Err(GitError::Run(error)),
        Ok(_) if said.len() as u64 > MAX_ANSWER_BYTES => Err(GitError::TooMuch {
            what,
            limit: MAX_ANSWER_BYTES,
        }),
        Ok(_) => Ok(said),
    };
    talk.end(what, understood)
}

/// Starts git and says `input` to it in a thread, because git answers while it reads.
pub(super) fn spawn(
    command: &mut Command,
    input: Vec<u8>,
) -> Result<(Child, Option<std::thread::JoinHandle<()>>), GitError> {
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(start_error)?;
    memory::bound(&child, MAX_MEMORY_BYTES);
    let writer = child.stdin.take().map(|mut stdin| {
        std::thread::spawn(move || {
            // A writer that failed shows in what git said.
            let _ = stdin.write_all(&input);
        })
    });
    Ok((child, writer))
}

/// A conversation with git whose answer is read piece by piece.
pub(super) struct GitSession {
    child: Child,
    writer: Option<std::thread::JoinHandle<()>>,
    /// What it complains about, which is read meanwhile so that it never waits for us.
    complaint: Option<CapturedOutput>,
    /// What git says.
    pub(super) answer: ChildStdout,
}

impl GitSession {
    /// Starts git and says `input` to it.
    pub(super) fn start(command: &mut Command, input: Vec<u8>) -> Result<Self, GitError> {
        let (mut child, writer) = spawn(command, input)?;
        let answer = child.stdout.take();
        let answer = answer.ok_or(GitError::Answer("nothing at all"))?;
        let complaint = child.stderr.take();
        let complaint =
            complaint.map(|from| CapturedOutput::of(from, MAX_STDERR_BYTES, &Arc::default()));
        Ok(Self {
            child,
            writer,
            complaint,
            answer,
        })
    }

    /// Ends with what was understood; when that is an error, git need not say the rest.
    pub(super) fn end<T>(
        mut self,
        what: &'static str,
        understood: Result<T, GitError>,
    ) -> Result<T, GitError> {
        drop(self.answer);
        if understood.is_err() {
            let _ = self.child.kill();
        }
        let status = self.child.wait().map_err(GitError::Run)?;
        let _ = self.writer.map(std::thread::JoinHandle::join);
        let complaint = self.complaint.map(CapturedOutput::finish);
        let understood = understood?;
        let output = Output {
            status,
            stdout: Vec::new(),
            stderr: complaint.unwrap_or_default(),
        };
        succeeded(output, what)?;
        Ok(understood)
    }
}

fn start_error(error: std::io::Error) -> GitError {
    match error.kind() {
        std::io::ErrorKind::NotFound => GitError::Missing,
        _ => GitError::Run(error),
    }
}

pub(super) fn succeeded(output: Output, what: &'static str) -> Result<Vec<u8>, GitError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = message
        .lines()
        .map(|line| {
            line.trim_start_matches("fatal: ")
                .trim_start_matches("error: ")
                .trim()
        })
        .filter(|line| !line.is_empty())
        .collect();
    if lines.iter().any(|line| line.contains("Out of memory")) {
        return Err(GitError::Memory {
            what,
            limit: MAX_MEMORY_BYTES,
        });
    }
    Err(GitError::Failed {
        what,
        message: lines.join("; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_in_no_list_of_processes_and_in_no_message() {
        let headers = ["Authorization: Bearer secret".to_owned()];
        let git = Git::new(Path::new("git")).sending("https://host/repository", &headers);
        let command = git.command(Path::new("."));
        let mut arguments = command.get_args();
        assert!(!arguments.any(|each| each.to_string_lossy().contains("secret")));
        let is_header = |value: &std::ffi::OsStr| value == "Authorization: Bearer secret";
        let mut variables = command.get_envs();
        assert!(variables.any(|(_, value)| value.is_some_and(is_header)));
        assert!(!format!("{git:?}").contains("secret"));
    }
}
