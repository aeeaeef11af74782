//! A registry that is killed while many publish: what was acknowledged is there, whole.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use super::TestContext;
use super::registry::Server;

/// How often it is killed, and how many publish at once.
const ROUNDS: u64 = 6;
const CLIENTS: usize = 4;

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

/// Publishes, and says whether that was acknowledged.
fn publish(address: &str, token: &str, name: &str) -> bool {
    let body = archive(name);
    let mut answer = Vec::new();
    let sent = TcpStream::connect(address).and_then(|mut stream| {
        let head = format!(
            "POST /skills HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&body)?;
        stream.read_to_end(&mut answer)
    });
    sent.is_ok() && answer.starts_with(b"HTTP/1.1 201")
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
    let token = context.token("ada");
    let acknowledged = Mutex::new(BTreeSet::new());
    let next = AtomicUsize::new(0);
    for round in 0..ROUNDS {
        let server = Server::start(&context);
        let address = server.url.trim_start_matches("http://").to_owned();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    loop {
                        let name = format!("skill-x{:04}", next.fetch_add(1, Ordering::Relaxed));
                        let name = name.replace('1', "a").replace('0', "b").replace('5', "e");
                        if !publish(&address, &token, &name) {
                            return;
                        }
                        acknowledged.lock().unwrap().insert(name);
                    }
                });
            }
            // Another instant each time; the server is killed without warning.
            std::thread::sleep(Duration::from_millis(100 + round * 31));
            drop(server);
        });
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(
        acknowledged.len() > 10,
        "only {} were published",
        acknowledged.len()
    );

    let verified = context.json(&["registry", "verify", "--json"]);
    assert_eq!(verified["damaged"], serde_json::json!([]));
    let sound = usize::try_from(verified["sound"].as_u64().unwrap()).unwrap();
    assert!(sound >= acknowledged.len());
    let server = Server::start(&context);
    context.good(&["config", "set", "registry.url", &server.url]);
    for name in &acknowledged {
        let found = context.json(&["search", name, "--registry", "--json", "--limit", "1"]);
        assert_eq!(found["results"][0]["name"], **name);
    }
    // What was broken off leaves archives without versions, and `gc` removes them.
    context.good(&["registry", "gc", "--older-than", "0"]);
    let blobs = context.folder.path().join("home/.skillyard/registry/blobs");
    assert_eq!(files_below(&blobs), sound);
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
