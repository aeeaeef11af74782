//! A machine on which something is wrong: nothing is done by halves, and what is wrong is said.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use insta::assert_snapshot;
use skillyard_agent::session::SessionStore;

use crate::project::{installed, project};
use crate::servers::http::{Reply, Server};
use crate::servers::repository::skill;
use crate::{TestContext, output, tampering, text};

/// A project with a skill that has a script, on a machine whose audit log cannot be written.
fn without_a_log() -> TestContext {
    let context = installed();
    context.write("lib/hello/SKILL.md", skill("hello", "one"));
    context.write("lib/hello/scripts/hello.sh", "echo hello\n");
    let user = ["install", "./lib/hello", "--scope", "user"];
    assert_eq!(context.code(&user), Some(0));
    let registry = ["config", "set", "registry.url", "http://127.0.0.1:9"];
    assert_eq!(context.code(&registry), Some(0));
    let log = context.home().join(".skillyard/logs/audit.jsonl");
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    context
}

/// What a command may not change when it fails.
fn state(context: &TestContext) -> Vec<(String, Option<Vec<u8>>)> {
    let own = ["config.toml", "approvals.toml", "lock.toml"];
    let own = own.map(|name| format!("../home/.skillyard/{name}"));
    let paths = context.tree().into_iter().chain(own);
    paths
        .map(|path| {
            let bytes = fs::read(context.root().join(&path)).ok();
            (path, bytes)
        })
        .collect()
}

#[test]
fn nothing_is_done_that_cannot_be_recorded() {
    let context = without_a_log();
    context.write("lib/new/SKILL.md", skill("new", "one"));
    let before = state(&context);
    for arguments in [
        &["run", "hello", "hello.sh", "--yes"][..],
        &["install", "./lib/new"],
        &["install", "./lib/new", "--scope", "user"],
        &["remove", "pdf", "--yes"],
        &["trust", "."],
        &["trust", "hello", "--scripts", "--yes"],
        &["config", "set", "install.scope", "user"],
        &["config", "unset", "registry.url"],
        &["config", "edit"],
        &["login", "--token", "sky_0123456789abcdef"],
        &["agent", "create", "helper"],
    ] {
        let told = output(context.skillyard().args(arguments).env("EDITOR", "true"));
        assert_eq!(told.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&told.stdout), "", "{arguments:?}");
        let stderr = text(&told.stderr);
        assert!(stderr.contains("the audit log"), "{arguments:?}: {stderr}");
        assert_eq!(state(&context), before, "{arguments:?}");
    }
    // To allow less is possible all the same.
    context.tell(&["disable", "hello"]);
    assert!(
        context
            .read("../home/.skillyard/config.toml")
            .contains("hello")
    );
}

#[test]
fn sessions_that_are_not_there_are_listed_without_a_file() {
    let context = TestContext::new();
    let told = context.run(&["chat", "--sessions"]);
    assert!(told.contains("There are no sessions yet"), "{told}");
    let told = context.refused(&["chat", "--export", "last"]);
    assert!(told.contains("there is no session"), "{told}");
    assert!(!context.home().join(".skillyard/sessions.db").exists());
}

#[test]
fn the_first_command_works_whatever_folders_are_made_like() {
    for arguments in [
        &["install", "./lib/pdf"][..],
        &["install", "./lib/pdf", "--scope", "user", "--link"],
        &["sync"],
        &["list"],
        &["search", "pdf"],
        &["prompt"],
        &["store", "gc"],
        &["chat", "-p", "hello"],
        &["agent", "create", "helper"],
        &["config", "set", "limits.max_skills", "9"],
        &["key", "generate", "mine"],
    ] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        let mut command = context.command("sh");
        command.args(["-c", "umask 0; exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_skillyard"));
        let told = output(command.args(arguments));
        assert_eq!(
            told.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&told.stderr)
        );
        let mode = fs::metadata(context.home().join(".skillyard"))
            .unwrap()
            .mode();
        assert_eq!(mode & 0o777, 0o700, "{arguments:?}");
        context.done(&["install", "./lib/pdf", "--scope", "user"]);
    }
}

#[test]
fn a_file_in_the_place_of_a_folder_is_named_and_found() {
    for name in ["placed", "store/archives", "store/roots", "store/staging"] {
        let context = installed();
        context.write("lib/new/SKILL.md", skill("new", "one"));
        let folder = context.home().join(".skillyard").join(name);
        fs::remove_dir_all(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        let named = format!("/.skillyard/{name}`");
        let told = context.refused(&["install", "./lib/new", "--yes"]);
        assert!(told.contains(&named), "{told}");
        let told = context.run(&["doctor"]);
        assert!(told.contains("cannot write `"), "{told}");
        assert!(told.contains(&named), "{told}");
    }
}

#[test]
fn doctor_finds_what_commands_would_stumble_over() {
    let context = project();
    context.done(&["agent", "create", "helper"]);
    context.done(&["key", "generate", "mine"]);
    assert_eq!(context.code(&["doctor"]), Some(0));
    let home = context.home().join(".skillyard");
    fs::write(home.join("agents/helper/agent.toml"), "no = [").unwrap();
    fs::write(home.join("keys/mine.pub"), "").unwrap();
    let _ = fs::remove_dir_all(home.join("journal"));
    for name in ["journal", "registries.json"] {
        symlink(name, home.join(name)).unwrap();
    }
    let told = context.run(&["doctor"]);
    for name in ["helper", "mine.pub", "journal", "registries.json"] {
        assert!(told.contains(name), "{name}: {told}");
    }
    assert!(told.contains("4 things are not in order"), "{told}");
    for name in ["journal", "registries.json"] {
        fs::remove_file(home.join(name)).unwrap();
        symlink("nowhere", home.join(name)).unwrap();
    }
    let told = context.run(&["doctor"]);
    assert!(told.contains("4 things are not in order"), "{told}");
}

#[test]
fn a_session_that_is_over_is_in_the_file_of_sessions() {
    let context = installed();
    context.done(&["chat", "-p", "hello"]);
    let home = context.home().join(".skillyard");
    assert!(home.join("sessions.db").exists());
    for beside in ["sessions.db-wal", "sessions.db-shm"] {
        assert!(!home.join(beside).exists(), "{beside}");
    }
}

/// What is remembered only saves time, so whatever stands there is as good as nothing.
#[test]
fn a_cache_that_is_no_file_holds_up_nobody() {
    let context = installed();
    let folder = context.home().join(".skillyard/index");
    for spoil in [tampering::pipe, tampering::huge] {
        context.done(&["list"]);
        context.done(&["search", "pdf"]);
        let _ = fs::remove_file(folder.join("digests"));
        fs::write(folder.join("digests"), "").unwrap();
        let files = fs::read_dir(&folder).unwrap();
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            spoil(&context, &file);
        }
        for arguments in [&["list"][..], &["search", "pdf"], &["prompt"], &["doctor"]] {
            let told = output(context.skillyard().args(arguments));
            assert_eq!(told.status.code(), Some(0), "{arguments:?}");
        }
    }
}

/// A file of sessions beside which nothing can be written, as on a full disk.
#[test]
fn what_only_reads_sessions_works_where_they_cannot_be_written() {
    let context = installed();
    let file = context.home().join(".skillyard/sessions.db");
    drop(SessionStore::open(&file).unwrap());
    let beside = |end: &str| file.with_file_name(format!("sessions.db-{end}"));
    // The connection ends on a thread of its own.
    while beside("wal").exists() {
        std::thread::yield_now();
    }
    std::os::unix::fs::symlink("nowhere/at/all", beside("shm")).unwrap();
    context.done(&["store", "gc"]);
    context.done(&["chat", "--sessions"]);
    let told = context.refused(&["chat", "--export", "last"]);
    assert!(told.contains("there is no session `last`"), "{told}");
    // What was written last may not be in the file yet, and is not passed over.
    fs::write(beside("wal"), "x").unwrap();
    let told = context.refused(&["store", "gc"]);
    assert!(told.contains("cannot use the sessions"), "{told}");
}

#[test]
fn an_export_that_lacks_events_says_so() {
    let context = installed();
    let log = "../home/.skillyard/logs/audit.jsonl";
    context.write(log, format!("nonsense\n{}", context.read(log)));
    let told = output(context.skillyard().args(["audit", "export"]));
    assert_eq!(told.status.code(), Some(1));
    assert_eq!(text(&told.stdout).lines().count(), 1);
    let stderr = text(&told.stderr);
    assert!(stderr.contains("1 line could not be read"), "{stderr}");
}

/// What the doctor finds wrong about Skillyard's own files.
fn wrong(context: &TestContext) -> String {
    let value = context.json(&["doctor", "--json"]);
    let checks = value["checks"].as_array().unwrap().iter();
    let bad = checks.filter(|check| check["area"] == "home" && check["verdict"] == "bad");
    let lines: Vec<String> = bad
        .map(|check| {
            let hint = check["hint"].as_str().unwrap_or("nothing");
            format!("{}\n  {hint}\n", check["message"].as_str().unwrap())
        })
        .collect();
    assert_eq!(value["healthy"], lines.is_empty());
    context.placed(&lines.concat())
}

#[test]
fn the_doctor_finds_what_keeps_other_commands_from_working() {
    let context = TestContext::new();
    assert_eq!(wrong(&context), "");
    context.write("../home/.skillyard/config.toml", "[install]\nscope = 5\n");
    context.write("../home/.skillyard/approvals.toml", "=");
    context.write("../home/.skillyard/trust.toml", [0xff]);
    context.write("../home/.skillyard/store", "");
    context.mkdir("../home/.skillyard/logs/audit.jsonl");
    assert_snapshot!(wrong(&context), @r"
    cannot write `[HOME]/.skillyard/store`: not a directory
      A file stands where a folder is needed; move it away
    the configuration cannot be used: [HOME]/.skillyard/config.toml:2: `install.scope` has no valid value: it must be `user` or `project`
      Mend it, or move it away
    cannot use `[HOME]/.skillyard/approvals.toml`: TOML parse error at line 1, column 1
      |
    1 | =
      | ^
    unquoted keys cannot be empty, expected letters, numbers, `-`, `_`
      Mend it, or move it away and approve again what you still want
    cannot read `[HOME]/.skillyard/trust.toml`: it is not UTF-8
      Mend it, or move it away
    the audit log `[HOME]/.skillyard/logs/audit.jsonl` is not a plain file: links are not followed
      Move it away; what happens next begins a new log
    ");
}

#[test]
fn the_doctor_looks_at_the_audit_log() {
    let context = installed();
    let log = context.read("../home/.skillyard/logs/audit.jsonl");
    assert_eq!(wrong(&context), "");
    context.write(
        "../home/.skillyard/logs/audit.jsonl",
        log.replace("ada", "eve"),
    );
    assert_snapshot!(wrong(&context), @r"
    the audit log is not intact: this line was changed
      Look at it with `skillyard audit verify`; docs/audit.md says what it means
    ");
}

#[test]
fn what_the_system_refuses_comes_with_a_hint() {
    let context = TestContext::new();
    context.write("../home/.skillyard", "");
    assert_snapshot!(context.tell(&["config", "set", "install.scope", "user"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the audit log `[HOME]/.skillyard/logs`
      Caused by: Not a directory (os error 20)

    hint: A file stands where a folder is needed; move it away
    ");
    let context = TestContext::new();
    context.mkdir("gone");
    let mut gone = context.command("sh");
    let script = "cd gone && rmdir ../gone && exec \"$0\" trust .";
    gone.args(["-c", script, env!("CARGO_BIN_EXE_skillyard")]);
    assert_snapshot!(context.shown(&mut gone), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `.` does not exist

    hint: The folder that you are in was removed; change into another one
    ");
}

#[test]
fn a_damaged_database_is_called_so_at_once() {
    let context = TestContext::new();
    context.write("../home/.skillyard/registry/registry.db", "x".repeat(8192));
    assert_snapshot!(context.tell(&["registry", "token", "list"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot open the database `[HOME]/.skillyard/registry/registry.db`
      Caused by: error returned from database: (code: 26) file is not a database
    ");
}

#[test]
fn damaged_sessions_are_called_so() {
    let context = TestContext::new();
    context.write(
        "../home/.skillyard/sessions.db",
        "this is no database ".repeat(99),
    );
    let told = context.refused(&["chat", "--sessions"]);
    for part in [
        "cannot use the sessions in `",
        "file is not a database",
        "put `",
    ] {
        assert_eq!(told.matches(part).count(), 1, "{part}: {told}");
    }
    assert!(wrong(&context).contains("cannot use the sessions in `"));
}

#[test]
fn a_web_page_is_no_model() {
    let page = Server::start(|_| Reply::ok("<!doctype html>").header("Content-Type", "text/html"));
    let context = TestContext::configured(&format!("[models.x]\nurl = \"{}\"\n", page.url("")));
    let told = context.tell(&["chat", "--model", "x/y", "-p", "Hello"]);
    assert!(
        told.contains("error: the answer is not what the protocol says: it is a web page\n\nhint: Is the model's name right, and the address in `models.SERVER.url`?"),
        "{told}"
    );
}

#[test]
fn an_address_without_a_registry_is_called_so() {
    let context = TestContext::new();
    let nothing = Server::start(|_| Reply::status(404));
    let page = Server::start(|_| Reply::ok("<!doctype html><title>Welcome</title>"));
    let failing = Server::start(|_| Reply::status(500));
    context.write_skill("pdf");
    let skill = context.read("pdf/SKILL.md");
    let skill = skill.replacen("---\n\n", "metadata:\n  version: \"1.0.0\"\n---\n\n", 1);
    context.write("pdf/SKILL.md", skill);
    let ask = |server: &Server, arguments: &[&str]| {
        let mut command = context.skillyard();
        command.env("SKILLYARD_REGISTRY_URL", server.url("/base"));
        let shown = context.shown(command.args(arguments));
        shown.replace(&server.url(""), "[SERVER]")
    };
    assert_snapshot!(ask(&nothing, &["whoami"]), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no registry answers at [SERVER]/base

    hint: Look whether that is the address of a registry: `skillyard config list --show-origin` says where it comes from
    ");
    assert_snapshot!(ask(&page, &["whoami"]), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `[SERVER]/base/me` is not readable: expected value at line 1 column 1

    hint: Look whether that is the address of a registry: `skillyard config list --show-origin` says where it comes from
    ");
    assert!(
        ask(&nothing, &["search", "pdf"])
            .contains("warning: nothing came from the registry: no registry answers at")
    );
    let published = ask(&failing, &["publish", "pdf", "--yes"]);
    assert!(published.contains("exit code: 2"), "{published}");
}
