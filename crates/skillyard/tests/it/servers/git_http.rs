//! Repositories over smart HTTP: `git http-backend` behind a small gateway.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::http::{Asked, Reply, Server};
use crate::TestContext;

/// Serves every repository below a folder.
pub(crate) fn serve(context: &TestContext, root: &Path) -> Server {
    let (backend, root) = (backend(context), root.to_owned());
    Server::start(move |asked| answer(&backend, &root, asked))
}

/// The same, by a server that knows only the first protocol of git.
pub(crate) fn serve_old(context: &TestContext, root: &Path) -> Server {
    let (backend, root) = (backend(context), root.to_owned());
    Server::start(move |asked| {
        let mut asked = asked.clone();
        asked.headers.remove("git-protocol");
        answer(&backend, &root, &asked)
    })
}

/// The files of every repository below a folder, by a server that knows nothing of git.
pub(crate) fn serve_files(root: &Path) -> Server {
    let root = root.to_owned();
    Server::start(
        move |asked| match std::fs::read(root.join(&asked.path()[1..])) {
            Ok(bytes) => Reply::ok(bytes),
            Err(_) => Reply::status(404),
        },
    )
}

/// The same, where all repositories were below `/old` once.
pub(crate) fn serve_renamed(context: &TestContext, root: &Path) -> Server {
    let (backend, root) = (backend(context), root.to_owned());
    Server::start(move |asked| match asked.target.strip_prefix("/old") {
        Some(target) => Reply::status(301).header("Location", target),
        None => answer(&backend, &root, asked),
    })
}

/// The same, and cuts the answer number `which`, counted over all requests, after so many bytes.
pub(crate) fn serve_cut(context: &TestContext, root: &Path) -> Server {
    let (backend, root) = (backend(context), root.to_owned());
    Server::start(move |asked| {
        // The first part of the path says what is cut: `/cut-KIND-BYTES/…`.
        let (first, rest) = asked.target[1..].split_once('/').unwrap_or_default();
        let mut words = first.split('-').skip(1);
        let (kind, bytes) = (words.next().unwrap(), words.next().unwrap());
        let mut inner = asked.clone();
        inner.target = format!("/{rest}");
        let reply = answer(&backend, &root, &inner);
        let is_meant = match kind {
            "refs" => asked.target.contains("info/refs"),
            _ => inner.body.windows(5).any(|part| part == b"want "),
        };
        if is_meant {
            reply.cut(bytes.parse().unwrap())
        } else {
            reply
        }
    })
}

/// The program, found by the git that is installed.
fn backend(context: &TestContext) -> String {
    let output = crate::output(context.command("git").arg("--exec-path"));
    format!("{}/git-http-backend", crate::text(&output.stdout).trim())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the gateway starts one program per request"
)]
fn answer(backend: &str, root: &Path, asked: &Asked) -> Reply {
    let query = asked.target.split_once('?').map_or("", |(_, query)| query);
    let mut child = Command::new(backend)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &asked.method)
        .env("PATH_INFO", asked.path())
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", asked.header("content-type"))
        .env("CONTENT_LENGTH", asked.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", asked.header("content-encoding"))
        .env("GIT_PROTOCOL", asked.header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&asked.body).unwrap();
    let output = child.wait_with_output().unwrap().stdout;
    let end = output.windows(4).position(|part| part == b"\r\n\r\n");
    let Some(end) = end else {
        return Reply::status(500);
    };
    let mut reply = Reply::ok(&output[end + 4..]);
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        match line.split_once(": ") {
            Some(("Status", status)) => reply.status = status[..3].parse().unwrap(),
            Some((name, value)) => reply = reply.header(name, value),
            None => {}
        }
    }
    reply
}
