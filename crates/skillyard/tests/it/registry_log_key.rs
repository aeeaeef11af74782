//! The key of a registry's log: clients refuse a log that another one goes on with, so none does.

use std::fs;
use std::path::PathBuf;

use super::TestContext;
use super::registry::Server;
use super::registry_crash::ask;
use super::registry_mirrors_and_backups::{asked, publish};

/// A registry that has signed something and is not served now, with a copy of it.
fn signed() -> (TestContext, PathBuf) {
    let context = TestContext::new();
    let server = context.with_registry();
    publish(&context, &["1.0.0"]);
    asked(&server.url, "/log/checkpoint");
    drop(server);
    context.good(&["registry", "backup", "copy"]);
    let home = context.folder.path().join("home/.skillyard/registry");
    (context, home)
}

/// Another registry's key.
fn other_key() -> Vec<u8> {
    let elsewhere = TestContext::new();
    drop(elsewhere.with_registry());
    let home = elsewhere.folder.path().join("home/.skillyard/registry");
    fs::read(home.join("log.pem")).unwrap()
}

/// Signs the log as it is served with these flags.
fn sign(context: &TestContext, flags: &[&str]) {
    let server = Server::start_with(context, &[&["--port", "0"], flags].concat());
    asked(&server.url, "/log/checkpoint");
}

#[test]
fn nothing_signs_a_log_that_another_key_signed() {
    let (context, home) = signed();
    let key = home.join("log.pem");
    let commands = [
        &["registry", "serve", "--port", "0"][..],
        &["registry", "serve", "--port", "0", "-q"],
        &["serve", "--registry", "--port", "0"],
        &["registry", "export-static", "public"],
    ];
    // `serve --registry` has no such flag.
    let named = "`--log-key` of `skillyard registry serve`";
    fs::remove_file(&key).unwrap();
    for command in commands {
        let said = context.bad(command);
        assert!(said.contains(named), "{said}");
        assert!(said.contains("is not here: there is no `"), "{said}");
        assert!(said.contains("`cp COPY/log.pem "), "{said}");
        assert!(!key.exists(), "{command:?}");
    }
    fs::write(&key, other_key()).unwrap();
    for command in commands {
        let said = context.bad(command);
        assert!(said.contains("is not the key that the log"), "{said}");
        assert!(said.contains(key.to_str().unwrap()), "{said}");
        assert!(said.contains(named), "{said}");
    }
    assert!(!context.root().join("public").exists());
    sign(&context, &["--log-key", "copy/log.pem"]);
    context.good(&["registry", "verify"]);
}

#[test]
fn a_copy_is_served_with_the_key_that_lies_in_it() {
    let (context, home) = signed();
    fs::remove_dir_all(&home).unwrap();
    let copy = [
        "--database",
        "sqlite:copy/registry.db",
        "--blobs",
        "copy/blobs",
    ];
    sign(&context, &copy);
    context.good(&[&["registry", "export-static", "public"], &copy[..]].concat());
    assert!(!home.join("log.pem").exists());
}

#[test]
fn a_restored_registry_has_its_key_whichever_was_here() {
    let (context, home) = signed();
    let key = fs::read(home.join("log.pem")).unwrap();
    let other = other_key();
    fs::remove_dir_all(&home).unwrap();
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("log.pem"), &other).unwrap();
    let elsewhere = ["--database", "sqlite:else.db", "--blobs", "else"];
    // Whose key it is that is here is not known, where another registry is restored.
    let said = context.good(&[&["registry", "restore", "copy"], &elsewhere[..]].concat());
    assert!(said.contains("copy/log.pem`"), "{said}");
    assert_eq!(fs::read(home.join("log.pem")).unwrap(), other);
    let restored = context.json(&["registry", "restore", "copy", "--json"]);
    assert_eq!(restored["log_key"], "restored");
    assert_eq!(fs::read(home.join("log.pem")).unwrap(), key);
    let kept = restored["kept"].as_str().unwrap();
    assert_eq!(fs::read(kept).unwrap(), other);
    sign(&context, &[]);
    context.good(&["registry", "verify"]);
}

#[test]
fn a_key_that_is_lost_is_replaced_on_purpose() {
    let (context, home) = signed();
    let key = home.join("log.pem");
    fs::remove_file(&key).unwrap();
    sign(&context, &["--replace-log-key"]);
    context.good(&["registry", "verify"]);
    let log = context.json(&["audit", "log", "--json", "--event", "config.changed"]);
    assert!(log.to_string().contains("replace-log-key"), "{log}");
    // It is the registry's key from then on.
    sign(&context, &[]);
    // The right one that was found again goes on as if nothing had been.
    sign(
        &context,
        &["--log-key", "copy/log.pem", "--replace-log-key"],
    );
    context.good(&["registry", "verify"]);
    context.bad(&["registry", "serve", "--port", "0"]);
    fs::copy(context.root().join("copy/log.pem"), &key).unwrap();
    sign(&context, &[]);
}

#[test]
fn two_that_start_at_once_sign_with_one_key() {
    for _ in 0..3 {
        let context = TestContext::new();
        let start = || Server::start_with(&context, &["--port", "0"]);
        std::thread::scope(|scope| {
            for server in [scope.spawn(start), scope.spawn(start)] {
                asked(&server.join().unwrap().url, "/log/checkpoint");
            }
        });
        sign(&context, &[]);
        context.good(&["registry", "verify"]);
    }
}

#[test]
fn a_node_with_a_key_of_its_own_does_not_sign() {
    let context = TestContext::new();
    let one = context.with_registry();
    fs::write(context.root().join("other.pem"), other_key()).unwrap();
    // Nobody has signed yet, so nobody is refused.
    let flags = ["--port", "0", "--log-key", "other.pem"];
    let other = Server::start_with(&context, &flags);
    publish(&context, &["1.0.0"]);
    let status = |server: &Server| {
        let line = "GET /log/checkpoint HTTP/1.1";
        ask(&server.url, line, b"").unwrap().0
    };
    assert_eq!(status(&one), 200);
    assert_eq!(status(&other), 503);
    assert_eq!(status(&one), 200);
}
