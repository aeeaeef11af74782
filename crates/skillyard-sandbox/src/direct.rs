//! Running a program through another sandbox's own command: `sandbox-exec` or a container.

pub(crate) mod container;
pub(crate) mod seatbelt;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Instant;

use rustix::pipe::pipe;

use crate::backend::Backend;
use crate::command::{Command, Live, Stdin};
use crate::error::{Doing as _, SandboxError};
use crate::outcome::{Captured, Denial, Limit, Outcome, RunEnd};
use crate::profile::Profile;
use crate::pump::{self, Feed, Inspection, Running, Stop};
use crate::setup::Setup;

/// The codes with which container engines say that they failed themselves: altogether, or to
/// start the program. The last two can be the program's own.
const ENGINE_FAILED: std::ops::RangeInclusive<i32> = 125..=127;
/// What engines say then, first of all.
const ENGINE_SAYS: [&str; 2] = ["Error: ", "docker: "];

pub(crate) fn run(
    setup: &Setup,
    profile: &Profile,
    command: &Command,
    live: Live<'_>,
) -> Result<Outcome, SandboxError> {
    let started = Instant::now();
    let private = tempfile::tempdir_in(&setup.temporary).doing("make a private folder")?;
    let name = format!(
        "skillyard-{}-{}",
        std::process::id(),
        private
            .path()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .replace('.', "")
    );
    let (program, words) = words(setup, profile, command, private.path(), &name)?;
    let (stdout, stderr) = (pipe().doing("make a pipe")?, pipe().doing("make a pipe")?);
    let (stdin, input) = stdin(command)?;
    let mut process = process(&program, &words);
    process.stdin(stdin).stdout(stdout.1).stderr(stderr.1);
    if setup.backend == Backend::Seatbelt {
        process
            .env_clear()
            .current_dir(&command.directory)
            .env("TMPDIR", private.path())
            .env("HOME", private.path());
        process
            .env(
                "PATH",
                "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            )
            .envs(profile.environment.iter().cloned());
    }
    let child = process.spawn().doing("start a process")?;
    drop(process);
    let running = Running {
        child,
        stdout: stdout.0,
        stderr: stderr.0,
        stdin: input,
        control: None,
        started,
        last_resort: Box::new(|child, _| stop(setup, &program, &name, child)),
        inspect: Box::new(|_| Inspection::default()),
    };
    let pumped = pump::run(running, &profile.limits, live).doing("follow the program")?;
    let end = match (pumped.stopped, pumped.status.code()) {
        (Some(stop), _) => stop.into(),
        (None, Some(code)) if is_engines_failure(setup.backend, code, &pumped.stderr) => {
            let (backend, message) = (setup.backend, pumped.stderr.text().trim().to_owned());
            return Err(SandboxError::Broken { backend, message });
        }
        (None, Some(code)) => RunEnd::Exited(code),
        (None, None) => RunEnd::Signalled(
            std::os::unix::process::ExitStatusExt::signal(&pumped.status).unwrap_or(0),
        ),
    };
    let mut denials = Vec::new();
    if let Some(Stop::Limit(limit)) = pumped.stopped {
        denials.push(Denial::Limit(limit));
    }
    if pumped.stdout.omitted() + pumped.stderr.omitted() > 0 {
        denials.push(Denial::Limit(Limit::Output));
    }
    Ok(Outcome {
        end,
        stdout: pumped.stdout,
        stderr: pumped.stderr,
        duration: started.elapsed(),
        cpu: std::time::Duration::ZERO,
        peak_memory: pumped.peak_memory,
        denials,
        connections: Vec::new(),
        created: Vec::new(),
        backend: setup.backend,
        limits: profile.limits,
    })
}

/// Whether it was the engine that failed. A program that says the same fails like one.
fn is_engines_failure(backend: Backend, code: i32, stderr: &Captured) -> bool {
    let said = || stderr.text();
    backend == Backend::Container
        && ENGINE_FAILED.contains(&code)
        && (code == *ENGINE_FAILED.start()
            || ENGINE_SAYS.iter().any(|word| said().starts_with(word)))
}

/// The other sandbox's command.
fn words(
    setup: &Setup,
    profile: &Profile,
    command: &Command,
    private: &std::path::Path,
    name: &str,
) -> Result<(PathBuf, Vec<OsString>), SandboxError> {
    let backend = setup.backend;
    if backend == Backend::Seatbelt {
        let mut words = vec![
            "-p".into(),
            seatbelt::text(profile, private).into(),
            command.program.clone().into(),
        ];
        words.extend(command.arguments.iter().cloned());
        return Ok((setup.survey.seatbelt.clone().unwrap_or_default(), words));
    }
    if let Some(reason) = container::unwritable(profile) {
        return Err(SandboxError::Unenforceable { backend, reason });
    }
    let words = container::arguments(profile, command, &setup.image, name);
    Ok((setup.survey.container.clone().unwrap_or_default(), words))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where other sandboxes start"
)]
fn process(program: &std::path::Path, words: &[OsString]) -> std::process::Command {
    use std::os::unix::process::CommandExt as _;
    let mut process = std::process::Command::new(program);
    process.args(words).process_group(0);
    process
}

fn stdin(command: &Command) -> Result<(Stdio, Feed), SandboxError> {
    Ok(match &command.stdin {
        Stdin::Empty => (Stdio::null(), None),
        Stdin::Inherited => (Stdio::inherit(), None),
        Stdin::Bytes(bytes) => {
            let (read, write) = pipe().doing("make a pipe")?;
            (read.into(), Some((write, bytes.clone())))
        }
    })
}

/// Ends the container, or the group of processes, and the command itself.
fn stop(setup: &Setup, program: &std::path::Path, name: &str, child: &mut Child) {
    if setup.backend == Backend::Container {
        let words = ["kill", name].map(OsString::from);
        let _ = process(program, &words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    if let Ok(None) = child.try_wait() {
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}
