//! A registry, or somebody between it and us, that does not say what it said: a real registry
//! behind a server that changes its answers.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::TestContext;
use super::registry::Server as Registry;
use super::servers::http::{Asked, Reply, Server};

pub(super) type Change = Box<dyn Fn(&Asked, Reply) -> Reply + Send + Sync>;

/// Somebody in the middle.
pub(super) struct Middle {
    pub(super) server: Server,
    change: Arc<Mutex<Option<Change>>>,
}

impl Middle {
    pub(super) fn before(address: &str) -> Self {
        let address = address.trim_start_matches("http://").to_owned();
        let change: Arc<Mutex<Option<Change>>> = Arc::default();
        let present = Arc::clone(&change);
        let server = Server::start(move |asked| {
            let reply = forwarded(&address, asked);
            match present.lock().unwrap().as_ref() {
                Some(change) => change(asked, reply),
                None => reply,
            }
        });
        Self { server, change }
    }

    pub(super) fn now(&self, change: impl Fn(&Asked, Reply) -> Reply + Send + Sync + 'static) {
        *self.change.lock().unwrap() = Some(Box::new(change));
    }

    pub(super) fn honest(&self) {
        *self.change.lock().unwrap() = None;
    }
}

fn forwarded(address: &str, asked: &Asked) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\nContent-Type: {}\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        asked.method,
        asked.target,
        asked.header("authorization"),
        asked.header("content-type"),
        asked.body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&asked.body).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes
        .windows(4)
        .position(|each| each == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply {
        body: bytes[end + 4..].to_vec(),
        ..Reply::status(status)
    }
}

fn lines(reply: &Reply) -> Vec<Value> {
    let text = std::str::from_utf8(&reply.body).unwrap().lines();
    text.map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn written(lines: &[Value]) -> Reply {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    Reply::ok(lines.join("\n"))
}

/// Changes the answers for one path.
pub(super) fn at(
    start: &'static str,
    change: impl Fn(Reply) -> Reply + Send + Sync + 'static,
) -> Change {
    Box::new(move |asked, reply| {
        if asked.path().starts_with(start) {
            change(reply)
        } else {
            reply
        }
    })
}

fn furnished(context: &TestContext) -> (Registry, Middle) {
    let server = context.with_registry();
    let middle = Middle::before(&server.url);
    context.good(&["config", "set", "registry.url", &middle.server.url("")]);
    context.good(&["login", "--token", &context.token("ada")]);
    for version in ["1.0.0", "1.1.0"] {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
    }
    (server, middle)
}

pub(super) const INSTALL: [&str; 6] = ["install", "pdf", "--scope", "project", "--yes", "--force"];

#[test]
fn whoever_changes_what_a_registry_says_is_found_out() {
    let context = TestContext::new();
    let (_server, middle) = furnished(&context);
    let digest = skillyard_format::Digest::of(b"evil").to_string();
    let tamper = move |field: &'static str, value: Value| {
        at("/index/", move |reply| {
            let mut lines = lines(&reply);
            for line in &mut lines {
                line[field] = value.clone();
            }
            written(&lines)
        })
    };
    // Before anything was seen: the log is what the lines are compared with.
    for (change, reason) in [
        (tamper("digest", json!(digest)), "cannot be believed"),
        (
            tamper("signer", json!("key:somebody")),
            "cannot be believed",
        ),
        (tamper("version", json!("1.9.0")), "twice"),
        (tamper("name", json!("other")), "has a version of `other`"),
        (
            at("/index/", |reply| {
                let mut lines = lines(&reply);
                lines[1]["version"] = json!("7.0.0");
                written(&lines)
            }),
            "is not in it",
        ),
        (
            at("/skills/pdf/1.1.0/download", |mut reply| {
                reply.body[30] ^= 1;
                reply
            }),
            "was promised",
        ),
        (
            at("/log/entries/", |reply| {
                let mut answer: Value = serde_json::from_slice(&reply.body).unwrap();
                answer["index"] = json!(0);
                Reply::json(&answer)
            }),
            "cannot be believed",
        ),
        (
            at("/log/entries/", |_| {
                Reply::json(&json!({ "index": 1, "proof": [] }))
            }),
            "cannot be believed",
        ),
        (
            at("/log/checkpoint", |reply| {
                let mut answer: Value = serde_json::from_slice(&reply.body).unwrap();
                answer["size"] = json!(99);
                Reply::json(&answer)
            }),
            "was not signed by its key",
        ),
        (at("/log/entries/", |_| Reply::status(404)), "is not in it"),
    ] {
        middle.now(change);
        let said = context.bad(&INSTALL);
        assert!(said.contains(reason), "{reason}: {said}");
        assert!(!context.root().join(".agents").exists(), "{reason}");
    }
    middle.honest();
    context.good(&INSTALL);
}

#[test]
fn whoever_replays_what_a_registry_said_before_is_found_out() {
    let context = TestContext::new();
    let (_server, middle) = furnished(&context);
    // Everything as it is now, for later.
    let kept: Arc<Mutex<Vec<(String, Reply)>>> = Arc::default();
    let keep = Arc::clone(&kept);
    middle.now(move |asked, reply| {
        keep.lock()
            .unwrap()
            .push((asked.target.clone(), reply.clone()));
        reply
    });
    context.good(&INSTALL);
    middle.honest();
    context.write_version("pdf", "pdf", "1.2.0");
    context.good(&["publish", "pdf", "--yes"]);
    context.good(&INSTALL);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.2.0.")
    );

    let kept = kept.lock().unwrap().clone();
    let old = move |start: &'static str| {
        let kept = kept.clone();
        move |asked: &Asked, reply: Reply| {
            let before = kept.iter().find(|(target, _)| *target == asked.target);
            match before {
                Some((_, before)) if asked.path().starts_with(start) => before.clone(),
                _ => reply,
            }
        }
    };
    // An index that has lost a version; all of it as it was; only the log as it was.
    for (start, reason) in [
        (
            "/index/",
            "it had the version 1.2.0 before and has it no more",
        ),
        ("/", "it had the version 1.2.0 before and has it no more"),
        ("/log/checkpoint", "shorter"),
    ] {
        middle.now(old(start));
        let said = context.bad(&INSTALL);
        assert!(said.contains(reason), "{start}: {said}");
    }
    // A log that grew otherwise: its proof does not hold.
    middle.honest();
    context.write_version("pdf", "pdf", "1.3.0");
    context.good(&["publish", "pdf", "--yes"]);
    middle.now(at("/log/consistency", |reply| {
        let mut answer: Value = serde_json::from_slice(&reply.body).unwrap();
        answer["proof"] = json!([skillyard_format::Digest::of(b"x").to_string()]);
        Reply::json(&answer)
    }));
    let said = context.bad(&INSTALL);
    assert!(said.contains("cannot be believed"), "{said}");
    // A registry that has no log any more is not the one it was.
    middle.now(at("/log/checkpoint", |_| Reply::status(404)));
    let said = context.bad(&INSTALL);
    assert!(said.contains("it had one before"), "{said}");
    // Another digest for a version that was seen, in an index that is otherwise right.
    middle.now(at("/index/", |reply| {
        let mut lines = lines(&reply);
        lines[1]["digest"] = json!(skillyard_format::Digest::of(b"x").to_string());
        written(&lines)
    }));
    let said = context.bad(&INSTALL);
    assert!(said.contains("the version 1.1.0 was"), "{said}");
    middle.honest();
    context.good(&INSTALL);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.3.0.")
    );
}

#[test]
fn a_mirror_takes_in_only_what_was_signed() {
    let context = TestContext::new();
    let (_server, middle) = furnished(&context);
    let url = middle.server.url("");
    let mirror = [
        "registry",
        "mirror",
        &url,
        "--database",
        "sqlite:m.db",
        "--blobs",
        "m",
    ];
    for (change, reason) in [
        (
            at("/log/entries", |reply| {
                let text = String::from_utf8(reply.body).unwrap();
                Reply::ok(text.replacen("1.1.0", "1.1.1", 1))
            }),
            "are not what was signed",
        ),
        (
            at("/log/entries", |reply| {
                let mut answer: Value = serde_json::from_slice(&reply.body).unwrap();
                let entries = answer["entries"].as_array_mut().unwrap();
                entries.reverse();
                Reply::json(&answer)
            }),
            "are not what was signed",
        ),
        (
            at("/log/entries", |_| Reply::json(&json!({ "entries": [] }))),
            "are not what was signed",
        ),
        (
            at("/skills/pdf/1.1.0/download", |mut reply| {
                reply.body[30] ^= 1;
                reply
            }),
            "the log says",
        ),
    ] {
        middle.now(change);
        let said = context.bad(&mirror);
        assert!(said.contains(reason), "{reason}: {said}");
    }
    middle.honest();
    context.good(&mirror);
    // Set back, or with another key, it is not the same registry.
    middle.now(at("/log/checkpoint", |reply| {
        let mut answer: Value = serde_json::from_slice(&reply.body).unwrap();
        answer["root"] = json!(skillyard_format::Digest::of(b"x").to_string());
        Reply::json(&answer)
    }));
    let said = context.bad(&mirror);
    assert!(said.contains("was not signed by its key"), "{said}");
}

/// The status that a registry answers with under a name.
fn status(registry: &Registry, host: &str) -> String {
    let address = registry.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("GET /skills HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn a_registry_of_this_machine_answers_to_names_of_it_alone() {
    let context = TestContext::new();
    let registry = Registry::start(&context);
    let address = registry.url.trim_start_matches("http://");
    for (host, expected) in [
        (address, "200"),
        ("localhost", "200"),
        ("evil.example", "403"),
    ] {
        assert_eq!(status(&registry, host), expected, "{host}");
    }
    // Whoever names an address is asked under the names that lead to it.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port.unwrap().port().to_string();
    let url = format!("http://127.0.0.1:{port}");
    let named = Registry::start_with(&context, &["--port", &port, "--url", &url]);
    assert_eq!(status(&named, "skills.example"), "200");
}
