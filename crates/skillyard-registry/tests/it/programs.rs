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
    _running: Running,
    _folder: TempDir,
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
        let Some(initdb) = program("initdb") else {
            return missing("PostgreSQL");
        };
        let postgres = program("postgres")?;
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        if is_root() {
            let owner = command("chown").arg("nobody").arg(folder.path()).status();
            assert!(owner.unwrap().success());
        }
        let made = as_somebody(&initdb)
            .args([
                "--auth=trust",
                "--username=yard",
                "--no-sync",
                "--encoding=UTF8",
            ])
            .args(["--locale=C.UTF-8", "--pgdata"])
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(made.unwrap().success());
        let running = as_somebody(&postgres)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-k"])
            .arg(folder.path())
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let running = Running(running.unwrap());
        let socket = folder.path().join(".s.PGSQL.5432");
        wait_for(|| std::os::unix::net::UnixStream::connect(&socket).is_ok());
        let host = folder.path().display().to_string().replace('/', "%2F");
        Some(Self {
            _running: running,
            _folder: folder,
            url: format!("postgres://yard@{host}/postgres"),
        })
    }

    /// Its address, once it takes connections.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Bucket {
    /// Starts a server with the bucket `skills`; none where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(server) = program("moto_server") else {
            return missing("moto_server, a server of the S3 protocol,");
        };
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
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
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}
