//! A registry that is killed while many publish: what was acknowledged is there, whole.
//!
//! Nobody can promise that what was not acknowledged is not there: the answer may be what was
//! lost. What holds is that it is there whole or not at all, that it was on its way in the moment
//! of the kill, and that asking again is answered with what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use super::TestContext;
use super::registry::Server;

/// How many publish at once.
const CLIENTS: usize = 4;

/// How often something is killed: `SKILLYARD_KILLS` times where a long proof is wanted.
#[expect(clippy::disallowed_methods, reason = "`make registry-crash` sets it")]
pub(super) fn rounds(usual: u64) -> u64 {
    let wanted = std::env::var("SKILLYARD_KILLS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn archive(name: &str) -> Vec<u8> {
    let text = format!(
        "---\nname: {name}\ndescription: Fills forms. Use when a task has forms.\n\
         metadata:\n  version: \"1.0.0\"\n---\n\n# {name}\n"
    );
    let file = PackFile {
        path: "SKILL.md",
        mode: Mode::Plain,
        content: text.as_bytes(),
    };
    pack(&[file], PackFormat::TarGz, &Limits::skill()).unwrap()
}

/// Asks, and returns status and body; nothing when the connection broke.
pub(super) fn ask(address: &str, head: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
    let address = address.trim_start_matches("http://");
    let mut answer = Vec::new();
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "{head}\r\nHost: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    stream.read_to_end(&mut answer).ok()?;
    let end = answer.windows(4).position(|each| each == b"\r\n\r\n")?;
    let status = std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()?;
    Some((status, answer[end + 4..].to_vec()))
}

/// Clients that publish, and what they were told.
pub(super) struct Load {
    token: String,
    next: AtomicUsize,
    /// Names with the digests that were acknowledged.
    acknowledged: Mutex<BTreeMap<String, String>>,
    /// Names whose answer never came.
    open: Mutex<BTreeSet<String>>,
}

impl Load {
    pub(super) fn new(token: &str) -> Self {
        Self {
            token: token.to_owned(),
            next: AtomicUsize::new(0),
            acknowledged: Mutex::default(),
            open: Mutex::default(),
        }
    }

    /// Publishes to an address; another instant each round `kill` is called, without warning.
    pub(super) fn run(&self, address: &str, round: u64, kill: impl FnOnce()) {
        let killed = AtomicBool::new(false);
        let before = self.acknowledged.lock().unwrap().len();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    while !killed.load(Ordering::SeqCst) {
                        self.publish_next(address);
                    }
                });
            }
            // Some are acknowledged each time, however slow the machine is.
            let start = Instant::now();
            while self.acknowledged.lock().unwrap().len() < before + CLIENTS
                && start.elapsed() < Duration::from_secs(20)
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis((round * 37) % 260));
            kill();
            killed.store(true, Ordering::SeqCst);
        });
    }

    fn publish_next(&self, address: &str) {
        // Letters that are not mistaken for one another.
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let letters = "abdefghjkm".as_bytes();
        let digits = format!("{number:05}");
        let word: String = digits
            .bytes()
            .map(|digit| char::from(letters[usize::from(digit - b'0')]))
            .collect();
        let name = format!("skill-{word}");
        match self.publish(address, &name) {
            Some((201, body)) => {
                let body: Value = serde_json::from_slice(&body).unwrap();
                let digest = body["digest"].as_str().unwrap().to_owned();
                self.acknowledged.lock().unwrap().insert(name, digest);
            }
            // A node behind a proxy may answer that it cannot now.
            Some((503, _)) | None => {
                self.open.lock().unwrap().insert(name);
            }
            Some((status, body)) => panic!("{status}: {}", String::from_utf8_lossy(&body)),
        }
    }

    fn publish(&self, address: &str, name: &str) -> Option<(u16, Vec<u8>)> {
        let head = format!(
            "POST /skills HTTP/1.1\r\nAuthorization: Bearer {}",
            self.token
        );
        ask(address, &head, &archive(name))
    }

    /// Everything that was acknowledged is there, in the log and whole; nothing else is, but for
    /// what was on its way.
    pub(super) fn check(&self, address: &str, verified: &Value) {
        let acknowledged = self.acknowledged.lock().unwrap();
        let open = self.open.lock().unwrap();
        assert!(
            acknowledged.len() > 10,
            "only {} were published",
            acknowledged.len()
        );
        assert_eq!(verified["damaged"], serde_json::json!([]));
        assert_eq!(verified["log"]["problems"], serde_json::json!([]));
        let entries = entries(address);
        assert_eq!(verified["log"]["entries"], entries.len());
        for (name, digest) in &*acknowledged {
            assert_eq!(entries.get(name), Some(digest), "{name} was acknowledged");
        }
        let others: Vec<&String> = entries
            .keys()
            .filter(|name| !acknowledged.contains_key(*name))
            .collect();
        for name in &others {
            assert!(open.contains(*name), "{name} was never on its way");
        }
        // Whoever lost an answer asks again and gets one, whichever way it had gone.
        for name in open.iter().take(20) {
            let (status, body) = self.publish(address, name).unwrap();
            let was_there = others.contains(&name);
            assert_eq!(
                status,
                if was_there { 200 } else { 201 },
                "{}",
                String::from_utf8_lossy(&body)
            );
        }
    }
}

/// Every name in the log with its digest.
fn entries(address: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    loop {
        let head = format!("GET /log/entries?from={} HTTP/1.1", all.len());
        let (status, body) = ask(address, &head, b"").unwrap();
        assert_eq!(status, 200);
        let body: Value = serde_json::from_slice(&body).unwrap();
        let some = body["entries"].as_array().unwrap();
        if some.is_empty() {
            return all;
        }
        for entry in some {
            let text = |name: &str| entry[name].as_str().unwrap().to_owned();
            all.insert(text("name"), text("digest"));
        }
    }
}

fn files_below(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|each| each.unwrap().path());
    entries
        .map(|path| if path.is_dir() { files_below(&path) } else { 1 })
        .sum()
}

#[test]
fn a_registry_that_is_killed_keeps_what_it_acknowledged() {
    let context = TestContext::new();
    let load = Load::new(&context.token("ada"));
    for round in 0..rounds(12) {
        let server = Server::start(&context);
        let address = server.url.clone();
        load.run(&address, round, move || drop(server));
    }
    // What was broken off leaves archives without versions, and `gc` removes them.
    context.good(&["registry", "gc", "--older-than", "0"]);
    let verified = context.json(&["registry", "verify", "--json"]);
    let blobs = context.folder.path().join("home/.skillyard/registry/blobs");
    assert_eq!(verified["sound"], files_below(&blobs));
    let server = Server::start(&context);
    load.check(&server.url, &verified);
}

#[test]
fn a_copy_of_a_registry_is_a_registry() {
    let context = TestContext::new();
    let server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--yes"]);
    context.good(&["registry", "backup", "copy"]);
    drop(server);
    let storage = [
        "--database",
        "sqlite:copy/registry.db",
        "--blobs",
        "copy/blobs",
    ];
    let mut verify = vec!["registry", "verify", "--json"];
    verify.extend(storage);
    assert_eq!(context.json(&verify)["sound"], 1);
    // An archive that somebody changed is found, and refused by whoever installs it.
    let blobs = context.root().join("copy/blobs/sha256");
    let part = std::fs::read_dir(blobs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let file = std::fs::read_dir(part)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(context.json(&verify)["damaged"][0]["problem"], "changed");
    assert_eq!(context.code(&verify), Some(1));
    let server = Server::start_with(&context, &[&["--port", "0"], &storage[..]].concat());
    context.good(&["config", "set", "registry.url", &server.url]);
    let said = context.bad(&["install", "pdf", "--scope", "project", "--yes"]);
    assert!(said.contains("sha256"), "{said}");
}
