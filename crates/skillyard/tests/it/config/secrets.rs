//! Secrets: kept, resolved late, and never shown.

use std::process::Stdio;

use insta::assert_snapshot;

use super::FILE;
use crate::TestContext;

/// Every way to say something, with secrets in all places that can hold one.
#[test]
fn secrets_are_nowhere_to_be_seen() {
    let context = TestContext::configured(
        "[sources.literal]\nurl = \"https://me:secret-password@h.example\"\nauth = \"token:secret-literal\"\n\n\
         [sources.variable]\nurl = \"https://h.example\"\nauth = \"header:X-Key: ${MY_TOKEN}\"\n\n\
         [hosts.github]\ntoken = \"secret-github\"\n",
    );
    context.write_skill("pdf");
    let variables = [
        ("MY_TOKEN", "secret-variable"),
        ("GITHUB_TOKEN", "secret-fallback"),
        ("GITLAB_TOKEN", "secret-gitlab"),
        ("SKILLYARD_REGISTRY_AUTH", "bearer:secret-registry"),
        ("SKILLYARD_REGISTRY_URL", "https://u:secret-url@r.example"),
    ];
    let commands: &[&[&str]] = &[
        &["config", "list"],
        &["config", "list", "--all", "--show-origin"],
        &["config", "list", "--json"],
        &["config", "get", "sources.literal.auth"],
        &["config", "get", "sources", "--json"],
        &["config", "get", "registry"],
        &["config", "check"],
        &["config", "check", "--json"],
        &["config", "set", "hosts.gitlab.token", "secret-argument"],
        &[
            "config",
            "set",
            "sources.new.auth",
            "bearer:secret-argument",
            "--json",
        ],
        &["config", "set", "sources.new.auth", "secret-argument"],
        &["config", "set", "sources.new.url", "secret-variable"],
        &["config", "get", "secret-variable"],
        &[
            "--config",
            "sources.x.auth=secret-argument",
            "config",
            "list",
        ],
        &[
            "--config",
            "sources.x.auth=token:secret-argument",
            "config",
            "list",
        ],
        // Where a secret got into a name, the message may quote it.
        &["list", "--deny", "secret-literal["],
        &["show", "secret-variable"],
        &["show", "secret-github", "--json"],
        &["validate", "./secret-fallback"],
        &["validate", "https://x:secret-userinfo@host/"],
        &[
            "read",
            "secret-gitlab",
            "--header",
            "Authorization: Bearer secret-header",
        ],
        &[
            "install",
            "https://x:secret-userinfo@host/",
            "--header",
            "X: secret-header",
        ],
        &["nosuch", "--header=X: secret-header"],
    ];
    for command in commands {
        for flags in [&["-vv"][..], &["-vv", "--json"], &[]] {
            let told = context.tell_with(&variables, &[command, flags].concat());
            assert!(!told.contains("secret-"), "{command:?}\n{told}");
        }
    }
    // They are in the file, and only there.
    let log = context.read("../home/.skillyard/logs/audit.jsonl");
    assert!(
        log.contains("hosts.gitlab.token") && !log.contains("secret-"),
        "{log}"
    );
    assert!(context.read(FILE).contains("secret-literal"));
}

#[test]
fn variables_are_resolved_when_used_and_never_written() {
    let context = TestContext::new();
    context.tell(&["config", "set", "sources.in.url", "https://${HOST}/skills"]);
    context.tell(&["config", "set", "sources.in.auth", "bearer:${TOKEN}"]);
    assert_snapshot!(context.tell_with(&[("HOST", "h.example")], &["config", "check"]), @r"
    exit status: 1
    ----- stdout -----
    ✗ sources.in  [HOME]/.skillyard/config.toml:3: the variable `TOKEN`, which `sources.in.auth` names, is not set
    ✓ github  https://github.com, API https://api.github.com
    ✓ gitlab  https://gitlab.com, API https://gitlab.com/api/v4
    ----- stderr -----
    ");
    let set = [("HOST", "h.example"), ("TOKEN", "secret-token")];
    assert_snapshot!(context.tell_with(&set, &["config", "check"]), @r"
    exit status: 0
    ----- stdout -----
    ✓ in (registry)  https://h.example, logs in with `Authorization`
    ✓ github  https://github.com, API https://api.github.com
    ✓ gitlab  https://gitlab.com, API https://gitlab.com/api/v4
    ----- stderr -----
    ");
    // A variable can smuggle in neither a header nor another place.
    let smuggled = [("HOST", "h.example"), ("TOKEN", "x\r\nHost: evil")];
    let told = context.tell_with(&smuggled, &["config", "check"]);
    assert!(told.contains("cannot be sent in a header"), "{told}");
    let told = context.tell_with(&[("HOST", "h evil"), ("TOKEN", "t")], &["config", "check"]);
    assert!(told.contains("a URL has no spaces"), "{told}");
    context.tell_with(&set, &["config", "set", "scripts.allow", "true"]);
    let file = context.read(FILE);
    assert!(file.contains("https://${HOST}/skills") && file.contains("bearer:${TOKEN}"));
    assert!(
        !file.contains("secret-token") && !file.contains("h.example"),
        "{file}"
    );
}

#[test]
fn a_secret_does_not_travel_in_the_clear() {
    let context =
        TestContext::configured("[sources.a]\nurl = \"http://h.example\"\nauth = \"bearer:x\"\n");
    let told = context.tell(&["config", "check"]);
    assert!(
        told.contains("`sources.a.auth` is not sent to `http://h.example`"),
        "{told}"
    );
    context.write(
        FILE,
        "[sources.a]\nurl = \"http://127.0.0.1:8080\"\nauth = \"bearer:x\"\n",
    );
    assert_eq!(context.code(&["config", "check"]), Some(0));
    context.write(FILE, "[hosts.github]\nurl = \"http://ghe.example\"\n");
    let told = context.tell_with(&[("GH_TOKEN", "secret-token")], &["config", "check"]);
    assert!(
        told.contains("✗ hosts.github") && told.contains("/api/v3"),
        "{told}"
    );
}

#[test]
fn a_value_from_stdin() {
    let context = TestContext::new();
    let mut command = context.skillyard();
    command.args(["config", "set", "hosts.github.token", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"secret-token\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(
        context.read(FILE),
        "[hosts.github]\ntoken = \"secret-token\"\n"
    );
}

#[test]
fn everything_that_cannot_be_used_is_told() {
    let context = TestContext::configured(
        "[tools]\ndeny = ['Bash(']\n[mcp.servers.good]\ncommand = 'x'\n\
         [mcp.servers.both]\ncommand = 'x'\nurl = 'https://h.example/mcp'\n\
         [mcp.servers.none]\nargs = ['x']\n",
    );
    let set = [
        ("SKILLYARD_REGISTRYURL", "https://h.example"),
        ("SKILLYARD_QUITE_OTHER", "x"),
    ];
    assert_snapshot!(context.tell_with(&set, &["config", "check"]), @r"
    exit status: 1
    ----- stdout -----
    ✓ github  https://github.com, API https://api.github.com
    ✓ gitlab  https://gitlab.com, API https://gitlab.com/api/v4
    ✗ mcp.servers.both  `mcp.servers.both` has no valid value: it needs `command` or `url`, and not both
    ✓ good (MCP server)  x
    ✗ mcp.servers.none  `mcp.servers.none` has no valid value: it needs `command` or `url`, and not both
    ✗ tools.deny  [HOME]/.skillyard/config.toml:2: `tools.deny` has no valid value: `Bash(` has a parenthesis without the other, so every tool is denied
    ----- stderr -----
    warning: nothing reads the variable `SKILLYARD_QUITE_OTHER`
    warning: nothing reads the variable `SKILLYARD_REGISTRYURL`; did you mean `SKILLYARD_REGISTRY_URL`?
    ");
}

#[test]
fn variables_that_nothing_reads_are_told_by_every_command_once() {
    let context = TestContext::new();
    let set = [
        ("SKILLYARD_REGISTRYURL", "https://h.example"),
        ("SKILLYARD_TOOLS_DENY", "Bash"),
        ("SKILLYARD_SKILL_DIR", "/skill"),
        ("SKILLYARD_BIN", "/usr/bin/skillyard"),
        ("SKILLYARD_MODEL", ""),
    ];
    let line = "warning: nothing reads the variable `SKILLYARD_REGISTRYURL`; did you mean `SKILLYARD_REGISTRY_URL`?";
    for arguments in [&["list"][..], &["doctor"], &["config", "get", "tools.deny"]] {
        let told = context.tell_with(&set, arguments);
        assert_eq!(told.matches("nothing reads").count(), 1, "{told}");
        let (_, people) = told.split_once("----- stderr -----\n").unwrap();
        assert!(people.contains(line), "{told}");
    }
    let told = context.tell_with(&set, &["list", "--json"]);
    assert!(!told.contains("nothing reads"), "{told}");
    let told = context.tell_with(&set, &["config", "check", "--json"]);
    assert_eq!(told.matches("SKILLYARD_REGISTRYURL").count(), 1, "{told}");
    let told = context.tell_with(&set[1..], &["list"]);
    assert!(!told.contains("warning"), "{told}");
    // Skillyard does not read this one itself.
    let told = context.tell_with(&[("SKILLYARD_BIND", "x")], &["list"]);
    assert!(told.contains("`SKILLYARD_BIND`\n"), "{told}");
}

#[test]
fn keys_of_models_and_headers_of_traces_are_looked_for() {
    let context = TestContext::configured(
        "[models.work]\nurl = \"https://m.example\"\nkey = \"${WORK_KEY}\"\n\
         [telemetry]\nendpoint = \"https://t.example\"\n\
         [telemetry.headers]\nx-api-key = \"${TRACE_KEY}\"\n",
    );
    let told = context.run(&["config", "check"]);
    assert!(told.contains("exit code: 1"), "{told}");
    assert!(
        told.contains("✗ models.work") && told.contains("WORK_KEY"),
        "{told}"
    );
    assert!(
        told.contains("✗ telemetry") && told.contains("TRACE_KEY"),
        "{told}"
    );
}

#[test]
fn values_that_look_like_options_come_behind_two_hyphens() {
    let context = TestContext::new();
    let key = "mcp.servers.files.args";
    let told = context.run(&["config", "set", key, "-y,@x/y"]);
    assert!(told.contains("write `--` before all values"), "{told}");
    let set = context.code(&["config", "set", key, "--", "-y,@x/y"]);
    assert_eq!(set, Some(0));
}
