//! Copies of a registry that are installed from: mirrors, plain files, restored backups.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::registry::Server;
use super::registry_crash::ask;
use super::{TestContext, output, text};

/// Python's own server of files, which knows nothing of registries.
struct PlainFiles(Child, String);

impl PlainFiles {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test is about another program"
    )]
    fn of(folder: &std::path::Path) -> Option<Self> {
        let mut process = Command::new("python3")
            .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        let stdout = process.stdout.take()?;
        BufReader::new(stdout).read_line(&mut line).ok()?;
        // `Serving HTTP on 127.0.0.1 port 41234 (http://…) ...`
        let port = line.split(" port ").nth(1)?.split(' ').next()?.to_owned();
        Some(Self(process, format!("http://127.0.0.1:{port}")))
    }
}

impl Drop for PlainFiles {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn publish(context: &TestContext, versions: &[&str]) {
    for version in versions {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
        context.good(&["publish", "pdf", "--namespace", "ada", "--yes"]);
    }
}

/// What a server answers.
pub(super) fn asked(url: &str, path: &str) -> Vec<u8> {
    let (status, body) = ask(url, &format!("GET {path} HTTP/1.1"), b"").unwrap();
    assert_eq!(status, 200, "{path}");
    body
}

fn install(context: &TestContext, reference: &str, version: &str) {
    context.good(&[
        "install", reference, "--scope", "project", "--yes", "--force",
    ]);
    let text = context.read(".agents/skills/pdf/SKILL.md");
    assert!(
        text.contains(&format!("This is {version}.")),
        "{reference}: {text}"
    );
}

#[test]
fn a_host_of_plain_files_is_a_registry_to_install_from() {
    let context = TestContext::new();
    let server = context.with_registry();
    publish(&context, &["1.0.0", "1.1.0"]);
    context.good(&["tag", "set", "pdf@1.0.0", "stable"]);
    context.good(&["registry", "export-static", "public"]);
    let Some(files) = PlainFiles::of(&context.root().join("public")) else {
        return;
    };
    drop(server);
    context.good(&["config", "set", "registry.url", &files.1]);
    install(&context, "pdf@^1", "1.1.0");
    install(&context, "pdf@stable", "1.0.0");
    install(&context, "@ada/pdf", "1.1.0");
    // What only somebody who answers can do is told as that.
    let told = "only gives out files";
    let said = context.bad(&["tag", "list", "pdf"]);
    assert!(said.contains(told), "{said}");
    let found = output(context.skillyard().args(["search", "forms", "--registry"]));
    let said = text(&found.stderr);
    assert!(said.contains(told), "{said}");
    let said = context.bad(&["publish", "pdf", "--yes"]);
    assert!(said.contains("`pdf` was not published"), "{said}");
    assert!(
        said.contains("plain files, which take no changes"),
        "{said}"
    );
    // The log of these files is remembered, too, and has to grow from there.
    let seen = std::fs::read_to_string(
        context
            .folder
            .path()
            .join("home/.skillyard/registries.json"),
    );
    assert!(seen.unwrap().contains(&files.1));
    // Discovery works from the same folder, by name and within a namespace.
    for site in [format!("{}#pdf", files.1), format!("{}/@ada#pdf", files.1)] {
        install(&context, &site, "1.1.0");
    }

    let server = Server::start(&context);
    context.good(&["config", "set", "registry.url", &server.url]);
    context.good(&["login", "--token", &context.token("ada")]);
    publish(&context, &["1.2.0"]);
    context.good(&["yank", "pdf@1.1.0"]);
    let again = context.json(&["registry", "export-static", "public", "--json"]);
    assert!(again["unchanged"].as_u64().unwrap() > 8, "{again}");
    drop(server);
    context.good(&["config", "set", "registry.url", &files.1]);
    install(&context, "pdf@^1", "1.2.0");
    // Files that are set back to what they were are refused as a registry would be.
    let checkpoint = context.root().join("public/log/checkpoint");
    let text = std::fs::read_to_string(&checkpoint).unwrap();
    std::fs::write(&checkpoint, text.replacen(":6,", ":5,", 1)).unwrap();
    let said = context.bad(&["install", "pdf", "--scope", "project", "--yes", "--force"]);
    assert!(said.contains("cannot be believed"), "{said}");
}

#[test]
fn a_mirror_follows_and_says_what_the_registry_signed() {
    let context = TestContext::new();
    let server = context.with_registry();
    publish(&context, &["1.0.0", "1.1.0"]);
    context.good(&["yank", "pdf@1.0.0", "--reason", "broken"]);
    context.good(&["tag", "set", "pdf@1.1.0", "stable"]);
    let storage = ["--database", "sqlite:m.db", "--blobs", "m"];
    let mirror = [&["registry", "mirror", &server.url, "--json"], &storage[..]].concat();
    let first = context.json(&mirror);
    assert_eq!(
        (&first["entries"], &first["new"], &first["fetched"]),
        (&json!(4), &json!(4), &json!(2))
    );
    // Nothing new, nothing fetched.
    let second = context.json(&mirror);
    assert_eq!(
        (&second["new"], &second["fetched"], &second["changed"]),
        (&json!(0), &json!(0), &json!(0))
    );
    publish(&context, &["1.2.0"]);
    context.good(&["yank", "pdf@1.0.0", "--undo"]);
    let third = context.json(&mirror);
    assert_eq!(
        (&third["new"], &third["fetched"], &third["changed"]),
        (&json!(2), &json!(1), &json!(2))
    );
    let verified = context.json(&[&["registry", "verify", "--json"], &storage[..]].concat());
    assert_eq!(
        (&verified["sound"], &verified["log"]["problems"]),
        (&json!(6), &json!([]))
    );

    let copy = Server::start_with(&context, &[&["--port", "0"], &storage[..]].concat());
    for path in [
        "/index/3/p/pdf",
        "/index/@ada/3/p/pdf",
        "/log/entries?from=0",
        "/skills/pdf/1.0.0/download",
    ] {
        assert!(asked(&server.url, path) == asked(&copy.url, path), "{path}");
    }
    context.good(&["config", "set", "registry.url", &copy.url]);
    install(&context, "pdf@stable", "1.1.0");
    install(&context, "@ada/pdf@^1", "1.2.0");
    // The log is the other registry's, with its key.
    let seen = std::fs::read_to_string(
        context
            .folder
            .path()
            .join("home/.skillyard/registries.json"),
    )
    .unwrap();
    let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
    let keys: Vec<_> = seen
        .as_object()
        .unwrap()
        .values()
        .map(|each| each["key"].clone())
        .collect();
    assert!(keys.iter().all(|key| *key == keys[0]), "{seen}");
    let token = context.json(
        &[
            &[
                "registry", "token", "create", "--user", "ada", "--scope", "publish", "--json",
            ],
            &storage[..],
        ]
        .concat(),
    );
    context.good(&["login", "--token", token["token"].as_str().unwrap()]);
    context.write_version("csv", "csv", "1.0.0");
    let said = context.bad(&["publish", "csv", "--yes"]);
    assert!(said.contains("this is a mirror of"), "{said}");
    // A registry with things of its own does not become a mirror.
    let said = super::output(context.skillyard().args(["registry", "mirror", &copy.url]));
    assert_eq!(said.status.code(), Some(2), "{}", super::text(&said.stderr));
    // Nor does a mirror become one of another registry, and it says of which it is one.
    let other = [&["registry", "mirror", &copy.url], &storage[..]].concat();
    let said = super::output(context.skillyard().args(other));
    let said = super::text(&said.stderr);
    let (here, wanted) = (server.url.as_str(), copy.url.as_str());
    let expected = format!("a mirror of {here}, and not of {wanted}");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_restored_registry_is_believed() {
    let context = TestContext::new();
    let server = context.with_registry();
    publish(&context, &["1.0.0", "1.1.0"]);
    install(&context, "pdf", "1.1.0");
    context.good(&["registry", "backup", "copy"]);
    let said = context.bad(&["registry", "backup", "copy"]);
    assert!(said.contains("exists already"), "{said}");
    let said = context.bad(&["registry", "restore", "elsewhere"]);
    assert!(said.contains("is no copy of a registry"), "{said}");
    let port = server.url.rsplit(':').next().unwrap().to_owned();
    drop(server);
    // The machine is lost, and with it the key.
    let home = context.folder.path().join("home/.skillyard/registry");
    std::fs::remove_dir_all(&home).unwrap();
    let restored = context.json(&["registry", "restore", "copy", "--json"]);
    assert_eq!(
        (&restored["versions"], &restored["log_key"]),
        (&json!(4), &json!("restored"))
    );
    let made = restored["made"].as_str().unwrap();
    assert!(made.parse::<jiff::Timestamp>().is_ok(), "{made}");

    let said = context.bad(&["registry", "restore", "copy"]);
    assert!(said.contains("not empty"), "{said}");
    let _server = Server::start_with(&context, &["--port", &port]);
    // Tokens, owners and the log are what they were.
    publish(&context, &["1.2.0"]);
    install(&context, "pdf", "1.2.0");
}

/// What was published after the copy was made is lost, and whoever used it notices.
#[test]
fn a_registry_that_was_set_back_starts_over_when_its_past_is_forgotten() {
    let context = TestContext::new();
    let server = context.with_registry();
    publish(&context, &["1.0.0"]);
    context.good(&["registry", "backup", "copy"]);
    publish(&context, &["1.1.0"]);
    install(&context, "pdf", "1.1.0");
    let address = server.url.clone();
    let port = address.rsplit(':').next().unwrap().to_owned();
    drop(server);
    let home = context.folder.path().join("home/.skillyard/registry");
    std::fs::remove_dir_all(&home).unwrap();
    let said = context.good(&["registry", "restore", "copy"]);
    assert!(said.contains("are as they were on 20"), "{said}");
    assert!(said.contains("skillyard registry token list"), "{said}");
    let _server = Server::start_with(&context, &["--port", &port]);
    let again = ["install", "pdf@1.0.0", "--yes", "--force"];
    let said = context.bad(&again);
    let hint = format!("`skillyard registry forget {address}");
    assert!(
        said.contains("has it no more") && said.contains(&hint),
        "{said}"
    );
    let forgotten = context.json(&["registry", "forget", "--json"]);
    assert_eq!(forgotten["forgotten"], true, "{forgotten}");
    context.good(&again);
    let log = context.json(&["audit", "log", "--json", "--event", "config.changed"]);
    assert!(log.to_string().contains("\"forget\""), "{log}");
    let forgotten = context.json(&["registry", "forget", "http://127.0.0.1:1/", "--json"]);
    assert_eq!(forgotten["forgotten"], false, "{forgotten}");
}

#[test]
fn a_copy_has_the_key_that_signed_its_log_or_none() {
    let context = TestContext::new();
    // This machine has a registry of its own, with a key of its own.
    drop(context.with_registry());
    let home = context.folder.path().join("home/.skillyard/registry");
    let elsewhere = TestContext::new();
    drop(elsewhere.with_registry());
    let other = elsewhere.folder.path();
    let other = other.join("home/.skillyard/registry/log.pem");
    let key = std::fs::read(&other).unwrap();
    let path = context.root().join("cluster.pem");
    std::fs::copy(&other, &path).unwrap();
    let storage = ["--database", "sqlite:c.db", "--blobs", "c"];
    let with = |arguments: &[&str]| -> Vec<String> {
        let all = arguments.iter().chain(&storage);
        all.map(|each| (*each).to_owned()).collect()
    };
    let run = |arguments: &[&str]| {
        let arguments = with(arguments);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        super::output(context.skillyard().args(arguments))
    };
    let serve = with(&["--port", "0", "--log-key", "cluster.pem"]);
    let serve: Vec<&str> = serve.iter().map(String::as_str).collect();
    let cluster = Server::start_with(&context, &serve);
    let scope = ["--scope", "publish", "--json"];
    let token = run(&[
        &["registry", "token", "create", "--user", "ada"],
        &scope[..],
    ]
    .concat());
    let token: serde_json::Value = serde_json::from_slice(&token.stdout).unwrap();
    context.good(&["config", "set", "registry.url", &cluster.url]);
    context.good(&["login", "--token", token["token"].as_str().unwrap()]);
    publish(&context, &["1.0.0"]);
    asked(&cluster.url, "/log/checkpoint");
    drop(cluster);

    let copied = run(&["registry", "backup", "without", "--json"]);
    let copied: serde_json::Value = serde_json::from_slice(&copied.stdout).unwrap();
    assert_eq!(copied["log_key"], "not-here");
    assert!(!context.root().join("without/log.pem").exists());
    let copied = run(&["registry", "backup", "told"]);
    let said = super::text(&copied.stderr);
    assert!(said.contains("name it with `--log-key`"), "{said}");
    let own = home.join("log.pem");
    let own = own.to_str().unwrap();
    for verb in [["backup", "wrong"], ["export-static", "wrong"]] {
        let arguments = ["registry", verb[0], verb[1], "--log-key", own];
        let refused = run(&arguments);
        let said = super::text(&refused.stderr);
        assert!(said.contains("is not the key"), "{verb:?}: {said}");
        assert_eq!(refused.status.code(), Some(1));
        assert!(!context.root().join("wrong").exists());
    }
    let arguments = [
        "registry",
        "backup",
        "whole",
        "--log-key",
        "cluster.pem",
        "--json",
    ];
    let copied = run(&arguments);
    let copied: serde_json::Value = serde_json::from_slice(&copied.stdout).unwrap();
    assert_eq!(copied["log_key"], "copied");
    assert_eq!(
        std::fs::read(context.root().join("whole/log.pem")).unwrap(),
        key
    );

    // Copies of before may have another registry's key, which would be refused by every client.
    std::fs::copy(home.join("log.pem"), context.root().join("without/log.pem")).unwrap();
    std::fs::remove_dir_all(&home).unwrap();
    let restored = context.json(&["registry", "restore", "without", "--json"]);
    assert_eq!(restored["log_key"], "wrong");
    assert!(!home.join("log.pem").exists());
    std::fs::remove_dir_all(&home).unwrap();
    let restored = context.json(&["registry", "restore", "whole", "--json"]);
    assert_eq!(restored["log_key"], "restored");
    assert_eq!(std::fs::read(home.join("log.pem")).unwrap(), key);
}

#[test]
fn a_home_and_a_copy_may_be_called_anything() {
    let context = TestContext::new();
    let home = context.root().join("100% a?b#c");
    let run = |arguments: &[&str]| {
        let mut command = context.skillyard();
        let command = command.env("SKILLYARD_HOME", &home).args(arguments);
        let done = super::output(command);
        let said = super::text(&done.stderr);
        assert!(done.status.success(), "{arguments:?}: {said}");
    };
    run(&[
        "registry", "token", "create", "--user", "ada", "--scope", "publish",
    ]);
    assert!(home.join("registry/registry.db").is_file());
    run(&["registry", "backup", "copy?%41#"]);
    assert!(context.root().join("copy?%41#/registry.db").is_file());
    std::fs::remove_dir_all(home.join("registry")).unwrap();
    run(&["registry", "restore", "copy?%41#"]);
}
