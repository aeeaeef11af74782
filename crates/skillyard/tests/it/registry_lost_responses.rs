//! Answers of a registry that are lost on their way: what is not known is not denied.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener};

use super::TestContext;
use super::servers::http::{Reply, Server};

/// What the binary says on stderr, with its code.
fn told(context: &TestContext, url: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = context.skillyard();
    let command = command
        .env("SKILLYARD_REGISTRY_AUTH", "bearer:sky_0")
        .env("SKILLYARD_REGISTRY_URL", url);
    let done = super::output(command.args(arguments));
    (done.status.code(), super::text(&done.stderr))
}

fn check(context: &TestContext, url: &str) {
    let (code, said) = told(context, url, &["publish", "pdf", "--yes"]);
    assert_eq!(code, Some(2), "{said}");
    let unknown = "error: whether `pdf` was published is not known";
    assert!(said.contains(unknown), "{said}");
    assert!(said.contains("Run it again"), "{said}");
    let (code, said) = told(context, url, &["yank", "pdf@1.0.0"]);
    assert_eq!(code, Some(2), "{said}");
    let unknown = "error: whether it was done is not known";
    assert!(said.contains(unknown), "{said}");
    assert!(!said.contains("is online"), "{said}");
}

#[test]
fn what_is_not_known_is_said_so() {
    let context = TestContext::new();
    context.write_version("pdf", "pdf", "1.0.0");
    for reply in [
        Reply::status(502),
        Reply::status(504),
        Reply::status(202),
        Reply::ok("{\"name\"").cut(3),
    ] {
        let server = Server::start(move |_| reply.clone());
        check(&context, &server.url(""));
    }
    // One that hangs up without a word, having read something.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            drop(BufReader::new(&stream).lines().next());
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
    check(&context, &url);
}

#[test]
fn who_says_no_or_is_not_there_has_done_nothing() {
    let context = TestContext::new();
    context.write_version("pdf", "pdf", "1.0.0");
    let server = Server::start(|_| Reply::status(422));
    let url = server.url("");
    let (code, said) = told(&context, &url, &["publish", "pdf", "--yes"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("`pdf` was not published"), "{said}");
    drop(server);
    let (code, said) = told(&context, &url, &["publish", "pdf", "--yes"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cannot reach"), "{said}");
    assert!(said.contains("skillyard registry serve"), "{said}");
}

/// Bytes that no packing makes fewer.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(next)
        .flatten()
        .take(length)
        .collect()
}

#[test]
fn who_hangs_up_on_an_upload_is_heard() {
    let context = TestContext::new();
    context.write_version("pdf", "pdf", "1.0.0");
    context.write("pdf/data/x.bin", noise(6_000_000));
    for (status, expected, hint) in [
        ("401 Unauthorized", "wants a token", "Log in with"),
        ("403 Forbidden", "answered 403: no", "whoami"),
        ("413 Content Too Large", "answered 413: no", "--dry-run"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                // Only the head is read; what is unread breaks the connection.
                let mut head = BufReader::with_capacity(512, &stream).lines();
                let is_end = |line: std::io::Result<String>| line.is_ok_and(|line| line.is_empty());
                assert!(head.any(is_end));
                let answer = format!(
                    "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 15\r\n\r\n{{\"detail\":\"no\"}}"
                );
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        let (code, said) = told(&context, &url, &["publish", "pdf", "--yes"]);
        assert!(said.contains(expected) && said.contains(hint), "{said}");
        assert!(!said.contains("not known"), "{said}");
        assert_eq!(code, Some(1), "{said}");
    }
}
