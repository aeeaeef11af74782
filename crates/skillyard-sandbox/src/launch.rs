//! Running a program through our launcher, inside bubblewrap or alone.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use crate::backend::placeholder::Placeholders;
use crate::backend::{Backend, bubblewrap, landlock};
use crate::cgroup::Group;
use crate::child;
use crate::command::{Command, Live, Stdin};
use crate::error::{Doing as _, SandboxError};
use crate::identity::Identity;
use crate::launcher::landlock::NEEDED;
use crate::launcher::spec::{Containment, Fences, Spec, assignment};
use crate::launcher::staging::closed_folder;
use crate::launcher::{ARGUMENT, BECOME, Outer, Report, STAGE, SUPERVISE, Staged, Step};
use crate::outcome::{Captured, Denial, End, Limit, Outcome};
use crate::process::Process;
use crate::processes::{self, Found};
use crate::profile::{Access, Network, Profile};
use crate::proxy::{self, Proxy};
use crate::pump::{self, Feed, Inspection, Patience, Pumped, Running};
use crate::sandbox::{Sandbox, StageProgram};
use crate::scratch::Scratch;
use crate::spawn::Start;

/// Processes of the sandbox itself that count against the program's: the stage.
const OUR_PROCESSES: u64 = 1;

pub(crate) fn run(
    sandbox: &Sandbox,
    profile: &Profile,
    command: &Command,
    live: Live<'_>,
) -> Result<Outcome, SandboxError> {
    let placeholders = Placeholders::make(profile).doing("protect places in the workspace")?;
    let scratch = match sandbox.backend {
        Backend::Bubblewrap => None,
        _ => Some(
            Scratch::make(&sandbox.temporary, sandbox.identity).doing("make a private folder")?,
        ),
    };
    let started = Instant::now();
    let lines = Lines::open(profile, sandbox.identity)?;
    let mut spec = spec(sandbox, profile, command, scratch.as_ref());
    spec.control = lines.control.0.as_raw_fd();
    spec.status = lines.status.1.as_raw_fd();
    spec.proxy = lines.proxy.as_ref().map(|(_, theirs)| theirs.as_raw_fd());
    let prepared = match sandbox.backend {
        Backend::Bubblewrap => in_bubblewrap(sandbox, profile, &spec, &placeholders)?,
        _ => alone(sandbox, profile, &spec)?,
    };
    let (stdout, stderr) = (pipe(sandbox)?, pipe(sandbox)?);
    let (stdin, input) = stdin(sandbox, command)?;
    let mut kept: Vec<BorrowedFd<'_>> = prepared.kept.iter().map(|each| each.as_fd()).collect();
    kept.extend([lines.control.0.as_fd(), lines.status.1.as_fd()]);
    kept.extend(lines.proxy.as_ref().map(|(_, theirs)| theirs.as_fd()));
    let start = Start {
        argv: &prepared.argv,
        stdio: [stdin.as_fd(), stdout.1.as_fd(), stderr.1.as_fd()],
        kept: &kept,
        identity: prepared.identity,
    };
    let child = start.spawn().doing("start a process")?;
    // While we hold the other ends of the pipes there would be no end.
    drop((prepared, stdin, stdout.1, stderr.1));
    let (control, status, channel) = lines.ours();
    let proxy = match (&profile.network, channel) {
        (Network::Hosts(rules), Some(channel)) => Some(Proxy::start(channel, rules.clone())),
        _ => None,
    };
    let inspection = Inspector {
        sandbox,
        profile,
        scratch: scratch.as_ref(),
        group: OnceCell::new(),
    };
    let running = Running {
        child,
        stdout: stdout.0,
        stderr: stderr.0,
        stdin: input,
        control: Some(control),
        started,
        last_resort: Box::new(end_by_force),
        inspect: Box::new(|child| inspection.look(child)),
    };
    let pumped = pump::run(running, &profile.limits, live).doing("follow the program")?;
    let duration = started.elapsed();
    let decisions = proxy.map(Proxy::finish).unwrap_or_default();
    let mut outcome = judge(sandbox, command, pumped, status, profile)?;
    outcome.duration = duration;
    inspection.correct(&mut outcome);
    outcome.denials.extend(decisions.denials);
    outcome.connections = decisions.connections;
    Ok(outcome)
}

/// The pipes between us and the launcher.
struct Lines {
    control: (OwnedFd, OwnedFd),
    status: (OwnedFd, OwnedFd),
    proxy: Option<(OwnedFd, OwnedFd)>,
}

impl Lines {
    fn open(profile: &Profile, identity: Option<Identity>) -> Result<Self, SandboxError> {
        let proxy = match profile.network {
            Network::Hosts(_) => Some(proxy::channel().doing("make a socket")?),
            Network::None | Network::Full => None,
        };
        Ok(Self {
            control: child::pipe(identity).doing("make a pipe")?,
            status: child::pipe(identity).doing("make a pipe")?,
            proxy,
        })
    }

    /// Our ends; the launcher's are closed.
    fn ours(self) -> (OwnedFd, OwnedFd, Option<OwnedFd>) {
        (
            self.control.1,
            self.status.0,
            self.proxy.map(|(ours, _)| ours),
        )
    }
}

fn pipe(sandbox: &Sandbox) -> Result<(OwnedFd, OwnedFd), SandboxError> {
    child::pipe(sandbox.identity).doing("make a pipe")
}

fn stdin(sandbox: &Sandbox, command: &Command) -> Result<(OwnedFd, Feed), SandboxError> {
    Ok(match &command.stdin {
        Stdin::Empty => {
            let nothing = File::open("/dev/null").doing("open `/dev/null`")?;
            (nothing.into(), None)
        }
        Stdin::Inherited => {
            let own = io::stdin().as_fd().try_clone_to_owned();
            (own.doing("hand over the input")?, None)
        }
        Stdin::Bytes(bytes) => {
            let (read, write) = pipe(sandbox)?;
            (read, Some((write, bytes.clone())))
        }
    })
}

/// What the launcher has to do, without the numbers of descriptors.
fn spec(
    sandbox: &Sandbox,
    profile: &Profile,
    command: &Command,
    scratch: Option<&Scratch>,
) -> Spec {
    let private = scratch.map_or(Path::new("/tmp"), Scratch::path);
    let mut spec = match sandbox.backend {
        Backend::Bubblewrap => bubblewrap::spec(profile),
        Backend::Landlock => landlock::spec(profile, private),
        _ => Spec {
            fences: Fences::Off,
            containment: Containment::Adoption,
            ..Spec::default()
        },
    };
    spec.argv = vec![command.program.clone().into_os_string()];
    spec.argv.extend(command.arguments.iter().cloned());
    spec.directory.clone_from(&command.directory);
    spec.environment = environment(profile, private);
    spec.limits = limits(sandbox, profile);
    spec
}

fn environment(profile: &Profile, private: &Path) -> Vec<OsString> {
    let mut variables: Vec<(OsString, OsString)> = vec![
        (
            "PATH".into(),
            "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin".into(),
        ),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOME".into(), private.into()),
        ("TMPDIR".into(), private.into()),
    ];
    if let Network::Hosts(_) = profile.network {
        variables.extend(proxy::variables());
    }
    variables.extend(profile.environment.iter().cloned());
    let mut assignments: Vec<OsString> = Vec::new();
    for (at, (name, value)) in variables.iter().enumerate() {
        // The last one of a name counts.
        if variables[at + 1..].iter().all(|(later, _)| later != name) {
            assignments.push(assignment(name, value));
        }
    }
    assignments
}

fn limits(sandbox: &Sandbox, profile: &Profile) -> Vec<(u32, u64)> {
    let limits = &profile.limits;
    let cpu = limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0);
    let mut all = vec![
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_MSGQUEUE, 0),
        (libc::RLIMIT_CPU, cpu.max(1)),
        (libc::RLIMIT_DATA, limits.memory),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_NOFILE, limits.open_files),
    ];
    // The kernel counts by user: in a namespace and for a user of its own that is the program,
    // otherwise it is everything that the user runs.
    let others = match sandbox.backend {
        Backend::Bubblewrap => 0,
        _ if sandbox.identity.is_some_and(Identity::is_unique) => 0,
        _ => {
            let own = rustix::process::getuid().as_raw();
            processes::threads_of_user(sandbox.identity.map_or(own, |each| each.uid))
        }
    };
    all.push((
        libc::RLIMIT_NPROC,
        others + limits.processes + OUR_PROCESSES,
    ));
    all
}

/// What is to be started, and as whom.
struct Prepared {
    argv: Vec<OsString>,
    /// The descriptors that the words speak of.
    kept: Vec<OwnedFd>,
    identity: Option<Identity>,
}

/// `bwrap`, started as a user without rights, with the stage as its program.
fn in_bubblewrap(
    sandbox: &Sandbox,
    profile: &Profile,
    spec: &Spec,
    placeholders: &Placeholders,
) -> Result<Prepared, SandboxError> {
    let program = sandbox.survey.bubblewrap.clone().unwrap_or_default();
    let us = Identity {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
    };
    let identity = sandbox.identity.unwrap_or(us);
    let arguments = bubblewrap::arguments(profile, placeholders, identity)?;
    let (words, mut kept) = arguments.finish().doing("write bubblewrap's arguments")?;
    let stage = stage(sandbox, spec)?;
    let mut argv = vec![
        program.into_os_string(),
        "--args".into(),
        child::number(&words).into(),
        "--".into(),
    ];
    argv.extend(stage.argv);
    kept.push(words);
    kept.extend(stage.kept);
    as_user(sandbox, profile, spec, argv, kept)
}

/// The stage alone.
fn alone(sandbox: &Sandbox, profile: &Profile, spec: &Spec) -> Result<Prepared, SandboxError> {
    if spec.fences == Fences::Only && sandbox.survey.landlock.unwrap_or(0) < NEEDED {
        return Err(failed(Step::Files, libc::ENOSYS));
    }
    let stage = stage(sandbox, spec)?;
    as_user(sandbox, profile, spec, stage.argv, stage.kept)
}

/// A program that is started as the user without rights, if we are root.
fn as_user(
    sandbox: &Sandbox,
    profile: &Profile,
    spec: &Spec,
    argv: Vec<OsString>,
    mut kept: Vec<OwnedFd>,
) -> Result<Prepared, SandboxError> {
    let identity = sandbox.identity;
    let (staged, folders) = staged(sandbox, profile)?;
    if staged.is_empty() {
        return Ok(Prepared {
            argv,
            kept,
            identity,
        });
    }
    // Our binary makes the mounts as root, becomes somebody else, and then the program.
    let outer = Outer {
        staged,
        identity,
        argv,
        status: spec.status,
    };
    let orders = child::memory(&outer.encode()).doing("write the launcher's orders")?;
    let number = child::number(&orders);
    kept.push(orders);
    kept.extend(folders);
    Ok(Prepared {
        argv: vec![
            sandbox.launcher.clone().into_os_string(),
            ARGUMENT.into(),
            BECOME.into(),
            number.into(),
        ],
        kept,
        identity: None,
    })
}

/// The words that start the stage, and the descriptors they speak of.
struct Stage {
    argv: Vec<OsString>,
    kept: Vec<OwnedFd>,
}

fn stage(sandbox: &Sandbox, spec: &Spec) -> Result<Stage, SandboxError> {
    let program = stage_program(sandbox).doing("open the launcher")?;
    let landlock = sandbox.survey.landlock.unwrap_or(0);
    let orders = child::memory(&spec.encode(landlock)).doing("write the launcher's orders")?;
    let argv = vec![
        format!("/proc/self/fd/{}", child::number(&program)).into(),
        ARGUMENT.into(),
        SUPERVISE.into(),
        child::number(&orders).into(),
    ];
    let kept = vec![program, orders];
    Ok(Stage { argv, kept })
}

/// The stage's file, in a form that the sandbox's user can execute: the small program, or our
/// own where the system does not execute files in memory.
fn stage_program(sandbox: &Sandbox) -> io::Result<OwnedFd> {
    use std::os::unix::fs::PermissionsExt as _;
    if sandbox.stage == StageProgram::Small
        && !STAGE.is_empty()
        && let Ok(program) = child::program(STAGE)
    {
        return Ok(program);
    }
    let mut file = File::open(&sandbox.launcher)?;
    let everybody = file.metadata()?.permissions().mode() & 0o005 == 0o005;
    if everybody || sandbox.identity.is_none() {
        return Ok(file.into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    child::memory(&bytes)
}

/// The mounts that the sandbox's user could not use as they are, with their open folders.
fn staged(
    sandbox: &Sandbox,
    profile: &Profile,
) -> Result<(Vec<Staged>, Vec<OwnedFd>), SandboxError> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut staged, mut folders) = (Vec::new(), Vec::new());
    let Some(identity) = sandbox.identity else {
        return Ok((staged, folders));
    };
    for mount in &profile.mounts {
        let failed = |source: io::Error| SandboxError::Mount {
            path: mount.source.clone(),
            source,
        };
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = rustix::fs::open(&mount.source, flags, Mode::empty());
        let folder = File::from(folder.map_err(|error| failed(error.into()))?);
        let metadata = folder.metadata().map_err(failed)?;
        let readable = metadata.uid() == identity.uid || metadata.mode() & 0o005 == 0o005;
        let reachable = readable && closed_folder(&mount.source).is_none();
        let owned = metadata.uid() == identity.uid;
        if reachable && (mount.access == Access::Read || owned) || !metadata.is_dir() {
            continue;
        }
        staged.push(Staged {
            source: folder.as_raw_fd(),
            target: mount.source.clone(),
            owner: Identity {
                uid: metadata.uid(),
                gid: metadata.gid(),
            },
        });
        folders.push(folder.into());
    }
    Ok((staged, folders))
}

/// Ends what did not end when it was asked to: the process that holds the others comes last,
/// so that nobody can be left when it has gone.
fn end_by_force(child: &Process, patience: Patience) {
    if !processes::end(child.id()) || patience == Patience::Over {
        child.kill();
    }
}

/// Looks at the processes from time to time.
struct Inspector<'a> {
    sandbox: &'a Sandbox,
    profile: &'a Profile,
    scratch: Option<&'a Scratch>,
    /// Made at the first look, where groups can be made.
    group: OnceCell<Option<Group>>,
}

impl Inspector<'_> {
    fn look(&self, child: &Process) -> Inspection {
        let below = Found::below(child.id());
        let usage = processes::usage(&below);
        let over = |used: u64, limit: u64, name: Limit| (used > limit).then_some(name);
        let limits = &self.profile.limits;
        let full = self
            .scratch
            .is_some_and(|scratch| scratch.is_over(limits.scratch));
        let reached = over(usage.memory, limits.memory, Limit::Memory)
            .or_else(|| self.is_short_of_memory(&below).then_some(Limit::Memory))
            .or_else(|| full.then_some(Limit::Scratch));
        Inspection {
            memory: usage.memory,
            reached,
        }
    }

    /// Puts the program into its group, and tells whether the kernel ended somebody there.
    fn is_short_of_memory(&self, below: &Found) -> bool {
        let made = || {
            let groups = self.sandbox.survey.groups.as_ref()?;
            // Without a group the limits are kept by looking, as they are where there are none.
            Group::make(groups, &self.profile.limits).ok()
        };
        let Some(group) = self.group.get_or_init(made) else {
            return false;
        };
        // The stage is one of them inside bubblewrap, and the one that holds them otherwise.
        let stages = usize::from(self.sandbox.backend == Backend::Bubblewrap);
        group.gather(below.as_slice().get(stages..).unwrap_or_default());
        group.killed_for_memory() > 0
    }

    /// The kernel may have ended the program between two looks.
    fn correct(&self, outcome: &mut Outcome) {
        let Some(group) = self.group.get().and_then(Option::as_ref) else {
            return;
        };
        outcome.peak_memory = outcome.peak_memory.max(group.peak_memory());
        if group.killed_for_memory() > 0 && !matches!(outcome.end, End::Stopped(_) | End::Cancelled)
        {
            if outcome.end == End::Signalled(libc::SIGKILL) {
                outcome.end = End::Stopped(Limit::Memory);
            }
            outcome.denials.push(Denial::Limit(Limit::Memory));
        }
    }
}

/// What the launcher and the system say about the end.
fn judge(
    sandbox: &Sandbox,
    command: &Command,
    pumped: Pumped,
    status: OwnedFd,
    profile: &Profile,
) -> Result<Outcome, SandboxError> {
    let mut bytes = Vec::with_capacity(Report::LENGTH);
    // Everybody who could write to the pipe has ended.
    let _ = File::from(status).read_to_end(&mut bytes);
    let report = Report::read(&bytes);
    let (end, cpu, memory) = match (pumped.stopped, report) {
        (_, Some(report)) if report.kind == Report::FAILED => {
            return Err(failure(command, &report));
        }
        (Some(stop), _) => (stop.into(), 0, 0),
        (None, Some(report)) => {
            let end = match report.kind {
                Report::EXITED => End::Exited(report.code),
                _ => End::Signalled(report.code),
            };
            (end, report.cpu, u64::from(report.memory))
        }
        (None, None) => {
            let said = pumped.stderr.text();
            let said = said.trim();
            let message = if said.is_empty() {
                pumped.status.to_string()
            } else {
                said.to_owned()
            };
            return Err(SandboxError::Broken {
                backend: sandbox.backend,
                message,
            });
        }
    };
    let mut denials = Vec::new();
    match end {
        End::Stopped(limit) => denials.push(Denial::Limit(limit)),
        End::Signalled(libc::SIGXCPU) => denials.push(Denial::Limit(Limit::Cpu)),
        End::Signalled(libc::SIGXFSZ) => denials.push(Denial::Limit(Limit::FileSize)),
        End::Signalled(libc::SIGSYS) => denials.push(Denial::SystemCall),
        End::Signalled(_) | End::Exited(_) | End::Cancelled => {}
    }
    let is_cut = |captured: &Captured| captured.omitted() > 0;
    if is_cut(&pumped.stdout) || is_cut(&pumped.stderr) {
        denials.push(Denial::Limit(Limit::Output));
    }
    Ok(Outcome {
        end,
        stdout: pumped.stdout,
        stderr: pumped.stderr,
        duration: Duration::ZERO,
        cpu: Duration::from_micros(cpu),
        peak_memory: pumped.peak_memory.max(memory * 1024),
        denials,
        connections: Vec::new(),
        backend: sandbox.backend,
        limits: profile.limits,
    })
}

fn failure(command: &Command, report: &Report) -> SandboxError {
    match report.step() {
        Some(Step::Execute | Step::Directory) => SandboxError::Start {
            program: command.program.clone(),
            reason: io::Error::from_raw_os_error(report.code).to_string(),
        },
        step => failed(step.unwrap_or(Step::Orders), report.code),
    }
}

fn failed(step: Step, code: i32) -> SandboxError {
    SandboxError::Launcher {
        action: step.name().to_owned(),
        source: io::Error::from_raw_os_error(code),
    }
}
