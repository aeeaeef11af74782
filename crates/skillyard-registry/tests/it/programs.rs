//! Programs that a test starts: a real PostgreSQL, a real server of the S3 protocol.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a program may take to start, also on a machine with other things to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // PostgreSQL's own way to end at once; others end by it, too.
        let pid = self.0.id().to_string();
        let _ = command("kill").args(["-QUIT", &pid]).status();
        let _ = self.0.wait();
    }
}

/// A cluster of its own.
pub(crate) struct Postgres {
    running: Option<Running>,
    folder: TempDir,
    settings: Vec<String>,
    url: String,
}

/// A bucket of its own.
pub(crate) struct Bucket {
    _running: Running,
    pub(crate) endpoint: String,
}

impl Postgres {
    /// Starts it; none where it is not installed, unless the tests have to be whole.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(|folder| {
            let host = folder.display().to_string().replace('/', "%2F");
            let settings = vec!["listen_addresses=".to_owned()];
            (settings, format!("postgres://yard@{host}/postgres"))
        })
    }

    /// The same with settings and an address that depend on its folder.
    pub(crate) fn start_with(prepare: impl FnOnce(&Path) -> (Vec<String>, String)) -> Option<Self> {
        let folder = Self::cluster()?;
        let (settings, url) = prepare(folder.path());
        Some(Self {
            running: Some(Self::serve(&folder, &settings)),
            folder,
            settings,
            url,
        })
    }

    /// Ends it at once, and all connections with it.
    pub(crate) fn stop(&mut self) {
        self.running = None;
    }

    /// Starts it again with the data that it had.
    pub(crate) fn start_again(&mut self) {
        self.running = Some(Self::serve(&self.folder, &self.settings));
    }

    /// Its address, once it takes connections.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A folder with the data of a new cluster.
    fn cluster() -> Option<TempDir> {
        let Some(initdb) = program("initdb") else {
            return missing("PostgreSQL");
        };
        let folder = TempDir::new().unwrap();
        give_away(folder.path());
        let made = as_somebody(&initdb)
            .args([
                "--auth=trust",
                "--username=yard",
                "--no-sync",
                "--encoding=UTF8",
            ])
            .args(["--locale=C.UTF-8", "--pgdata"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::null())
            .status();
        assert!(made.unwrap().success());
        Some(folder)
    }

    /// Starts a cluster, and waits until it takes connections.
    fn serve(folder: &TempDir, settings: &[String]) -> Running {
        let postgres = program("postgres").expect("it is where `initdb` is");
        let running = as_somebody(&postgres)
            .args(settings.iter().flat_map(|each| ["-c", each]))
            .args(["-c", "fsync=off", "-k"])
            .arg(folder.path())
            .arg("-D")
            .arg(folder.path().join("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let running = Running(running.unwrap());
        let is_socket = |name: &str| name.starts_with(".s.PGSQL.");
        let entries = || std::fs::read_dir(folder.path()).into_iter().flatten();
        wait_for(|| {
            let mut paths = entries().flatten().map(|entry| entry.path());
            paths.any(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(is_socket)
                    && std::os::unix::net::UnixStream::connect(&path).is_ok()
            })
        });
        running
    }
}

/// PostgreSQL does not run as root, and takes no key that belongs to others.
pub(crate) fn give_away(path: &Path) {
    if is_root() {
        let owner = command("chown").arg("nobody").arg(path).status();
        assert!(owner.unwrap().success());
    }
}

impl Bucket {
    /// Starts a server with the bucket `skills`; none where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(server) = program("moto_server") else {
            return missing("moto_server, a server of the S3 protocol,");
        };
        let port = free_port();
        let running = command(server)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let running = Running(running.unwrap());
        wait_for(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self {
            _running: running,
            endpoint: format!("http://127.0.0.1:{port}"),
        })
    }

    /// Makes a bucket, which this server allows to anybody.
    pub(crate) fn make(&self, name: &str) {
        use std::io::{Read as _, Write as _};
        let address = self.endpoint.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let request = format!(
            "PUT /{name} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(" 200 "), "{answer}");
    }
}

fn missing<T>(what: &str) -> Option<T> {
    let text = format!("{what} is not installed; run scripts/install-tools");
    #[expect(clippy::disallowed_methods, reason = "only a build server sets it")]
    let has_to_be_whole = std::env::var_os("CI").is_some();
    assert!(!has_to_be_whole, "{text}");
    eprintln!("left out: {text}");
    None
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn wait_for(mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "it did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Where a program is: in `PATH`, where Debian hides PostgreSQL's, or in the tools of the repository.
fn program(name: &str) -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a test looks for its tools")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        folders.extend(versions.flatten().map(|each| each.path().join("bin")));
    }
    folders.push(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bin").into());
    folders
        .into_iter()
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn is_root() -> bool {
    let output = command("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

/// A program that refuses to run as root.
fn as_somebody(program: &Path) -> Command {
    if !is_root() {
        return command(program);
    }
    let mut command = command("setpriv");
    command
        .args(["--reuid=nobody", "--regid=65534", "--clear-groups"])
        .arg(program)
        .current_dir("/");
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tests start their servers here and nowhere else"
)]
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}
