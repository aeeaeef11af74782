//! A host with things worth stealing, and programs that are run beside them.
//!
//! Everything here may be read and written by everybody: where a program gets at nothing, it
//! is the sandbox that kept it, not the mode of a file.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::fs::{Mode, OFlags};
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{
    Backend, Command, Live, Mount, MountAccess, Outcome, Profile, Sandbox, SandboxError,
};
use tempfile::TempDir;

/// Both back ends that Linux has built in.
pub(crate) const BOTH: [Backend; 2] = [Backend::Bubblewrap, Backend::Landlock];

pub(crate) struct Lab {
    folder: TempDir,
    bystander: Child,
    udp: UdpSocket,
    leaked: OwnedFd,
    port: u16,
    _tcp: Vec<TcpListener>,
    _unix: Vec<UnixListener>,
    _datagram: UnixDatagram,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new_in(room()).expect("a folder");
        open_up(folder.path());
        let root = folder.path();
        for (path, text) in [
            ("home/.ssh/id_rsa", "SECRET"),
            ("home/.aws/credentials", "SECRET"),
            ("skills/other/SKILL.md", "SECRET"),
            ("skills/own/SKILL.md", "mine"),
            ("skills/own/scripts/run.sh", "#!/bin/sh\necho \"$@\"\n"),
            ("work/input.txt", "input\n"),
        ] {
            let path = root.join(path);
            make_folders(root, path.parent().expect("a path below the root"));
            fs::write(&path, text).expect("a file");
            open_up(&path);
        }
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = tcp.local_addr().expect("an address").port();
        let tcp6 = TcpListener::bind(("::1", port)).ok();
        let name = SocketAddr::from_abstract_name(format!("skillyard-{port}")).expect("a name");
        let paths = [root.join("host.sock"), root.join("work/service.sock")];
        let mut unix: Vec<UnixListener> = paths
            .iter()
            .map(|path| UnixListener::bind(short(path)).expect("a socket"))
            .collect();
        unix.push(UnixListener::bind_addr(&name).expect("an abstract socket"));
        let datagram =
            UnixDatagram::bind(short(&root.join("work/datagram.sock"))).expect("a socket");
        for path in paths.iter().chain([&root.join("work/datagram.sock")]) {
            open_up(path);
        }
        let udp = UdpSocket::bind(("127.0.0.1", port)).expect("a port");
        udp.set_nonblocking(true).expect("a flag");
        // Left open for whoever is started, as careless programs do.
        let leaked = rustix::fs::open(root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty());
        let lab = Self {
            bystander: program(Path::new("/bin/sh"))
                .args(["-c", "read line", "bystander"])
                .env("TOKEN", "SECRET")
                .stdin(Stdio::piped())
                .spawn()
                .expect("a shell"),
            leaked: leaked.expect("a folder"),
            folder,
            udp,
            port,
            _tcp: std::iter::once(tcp).chain(tcp6).collect(),
            _unix: unix,
            _datagram: datagram,
        };
        halt(&lab.bystander);
        let prepared = program(&probes())
            .args(["prepare", &port.to_string()])
            .status();
        assert!(prepared.expect("the probes").success());
        fs::copy(probes(), lab.own().join("scripts/probes")).expect("a copy of the probes");
        lab
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The workspace, which programs may write to.
    pub(crate) fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    /// The folder that programs are in, which they may read.
    pub(crate) fn own(&self) -> PathBuf {
        self.root().join("skills/own")
    }

    pub(crate) fn profile(&self) -> Profile {
        Profile {
            mounts: vec![
                Mount::new(&self.own(), MountAccess::Read),
                Mount::new(&self.work(), MountAccess::Write),
            ],
            environment: vec![("GREETING".into(), "hello".into())],
            ..Profile::default()
        }
    }

    #[expect(clippy::unused_self, reason = "programs run beside a lab")]
    pub(crate) fn run(&self, backend: Backend, profile: &Profile, command: &Command) -> Outcome {
        try_run(backend, profile, command).unwrap_or_else(|error| panic!("{backend}: {error:?}"))
    }

    /// Runs a script of the shell in the workspace.
    pub(crate) fn shell(&self, backend: Backend, profile: &Profile, script: &str) -> Outcome {
        self.run(backend, profile, &self.command("/bin/sh", &["-c", script]))
    }

    /// Runs a script of Python in the workspace.
    pub(crate) fn python(&self, backend: Backend, profile: &Profile, script: &str) -> Outcome {
        self.run(
            backend,
            profile,
            &self.command("/usr/bin/python3", &["-c", script]),
        )
    }

    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        Command {
            directory: self.work(),
            ..Command::new(program).arguments(arguments)
        }
    }

    /// One attempt to get out.
    pub(crate) fn probe(&self, name: &str) -> Command {
        let program = self.own().join("scripts/probes");
        let words = [
            name.into(),
            self.root().into(),
            self.work().into_os_string(),
            self.own().into_os_string(),
            self.port.to_string().into(),
            self.bystander.id().to_string().into(),
            self.leaked.as_raw_fd().to_string().into(),
        ];
        Command {
            directory: self.work(),
            ..Command::new(program).arguments(words)
        }
    }

    /// What a program did to the host that it must not.
    pub(crate) fn harm(&mut self) -> Option<String> {
        let read = |path: &str| fs::read_to_string(self.root().join(path)).unwrap_or_default();
        for (path, text) in [
            ("home/.ssh/id_rsa", "SECRET"),
            ("skills/own/SKILL.md", "mine"),
            ("skills/other/SKILL.md", "SECRET"),
        ] {
            if read(path) != text {
                return Some(format!("{path} was changed"));
            }
        }
        let other = fs::metadata(self.root().join("skills/other")).expect("a folder");
        if other.permissions().mode() & 0o7777 != 0o777 || other.mtime() == 1 {
            return Some("the mode or time of a folder was changed".into());
        }
        let places =
            ["home/pwned", "pwned", "skills/own/scripts/pwned"].map(|path| self.root().join(path));
        let elsewhere = [
            "/tmp/skillyard-pwned",
            "/dev/shm/skillyard-pwned",
            "/etc/pwned",
            "/usr/bin/pwned",
            "/dev/pwned",
        ]
        .map(PathBuf::from);
        if let Some(path) = places.iter().chain(&elsewhere).find(|path| path.exists()) {
            return Some(format!("{} was made", path.display()));
        }
        if !matches!(self.bystander.try_wait(), Ok(None)) || state(self.bystander.id()) != Some('T')
        {
            return Some("the bystander was ended or woken".into());
        }
        self.udp
            .recv(&mut [0])
            .ok()
            .map(|_| "a datagram arrived".into())
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = program(&probes())
            .args(["remove", &self.port.to_string()])
            .status();
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

/// Runs a program, or tells why not.
pub(crate) fn try_run(
    backend: Backend,
    profile: &Profile,
    command: &Command,
) -> Result<Outcome, SandboxError> {
    sandbox(backend).run(profile, command, Live::default())
}

pub(crate) fn sandbox(backend: Backend) -> Sandbox {
    sandbox_with(backend, Survey::take())
}

pub(crate) fn sandbox_with(backend: Backend, survey: Survey) -> Sandbox {
    let launcher = Path::new(env!("CARGO_BIN_EXE_skillyard-sandbox-launcher"));
    Sandbox::new(backend, survey, launcher, &std::env::temp_dir()).expect("a sandbox")
}

/// The probes, built from C once.
pub(crate) fn probes() -> PathBuf {
    let folder = room();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/probes.c");
    let text = fs::read(source).expect("the probes");
    let sum = text.iter().fold(7_u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
    });
    let binary = folder.join(format!("probes-{sum:x}"));
    let lock = fs::File::create(folder.join("probes.lock")).expect("a lock");
    lock.lock().expect("a lock");
    if !binary.exists() {
        let unfinished = folder.join("probes-unfinished");
        let built = program(Path::new("cc"))
            .args(["-O1", "-Wall", "-Werror", "-static-pie", "-o"])
            .arg(&unfinished)
            .arg(source)
            .arg("-lrt")
            .output()
            .expect("a C compiler: `scripts/install-tools` installs one");
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        fs::rename(unfinished, &binary).expect("a finished binary");
    }
    binary
}

#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
pub(crate) fn program(path: &Path) -> std::process::Command {
    std::process::Command::new(path)
}

/// All that a program wrote to stdout.
pub(crate) fn output(outcome: &Outcome) -> String {
    outcome.stdout.text()
}

/// A folder that scripts have no private one in the place of, as they have of `/tmp`, where a checkout may lie.
fn room() -> &'static Path {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if folder.starts_with("/tmp") {
        Path::new("/var/tmp")
    } else {
        folder
    }
}

/// Paths of sockets must be short; the way through our own descriptors is.
fn short(path: &Path) -> PathBuf {
    let parent = path.parent().expect("a folder");
    let folder = fs::File::open(parent).expect("a folder");
    let short = Path::new("/proc/self/fd")
        .join(folder.as_raw_fd().to_string())
        .join(path.file_name().expect("a name"));
    // The test is over before the descriptor is missed.
    std::mem::forget(folder);
    short
}

fn make_folders(root: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("folders");
    for each in folder.ancestors().take_while(|each| *each != root) {
        open_up(each);
    }
}

fn open_up(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("a mode");
}

/// Halts a process: whoever reaches it with a signal wakes it up.
fn halt(process: &Child) {
    let pid = rustix::process::Pid::from_child(process);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("a signal");
    while state(process.id()) != Some('T') {
        std::thread::yield_now();
    }
}

/// Whether a process runs still; one that ended and waits for its parent does not.
pub(crate) fn is_alive(process: u32) -> bool {
    !matches!(state(process), None | Some('Z' | 'X'))
}

/// The letter that the kernel has for what a process does.
fn state(process: u32) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit(')').next()?.trim_start().chars().next()
}
