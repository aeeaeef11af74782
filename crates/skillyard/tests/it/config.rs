//! `skillyard config`: what is set, who set it, and what cannot be done with it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::{TestContext, output, text};

const FILE: &str = "../home/.skillyard/config.toml";

impl TestContext {
    /// Runs the binary with further variables and tells all that came of it.
    fn tell_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> String {
        let mut command = self.skillyard();
        command.args(arguments).envs(variables.iter().copied());
        let told = output(&mut command);
        let told = format!(
            "{}\n----- stdout -----\n{}\n----- stderr -----\n{}",
            told.status,
            text(&told.stdout).trim_end(),
            text(&told.stderr).trim_end(),
        );
        self.placed(&told)
    }

    fn mode(&self, path: &str) -> u32 {
        let metadata = self.root().join(path).metadata().unwrap();
        metadata.permissions().mode() & 0o777
    }
}

#[test]
fn a_value_is_set_seen_and_gone_for_good() {
    let context = TestContext::configured("# Mine.\n[discovery]\nmax_depth = 3 # enough\n");
    assert_snapshot!(context.tell(&["config", "set", "registry.url", "https://skills.example.com"]), @r#"
    exit status: 0
    ----- stdout -----
     + registry.url = "https://skills.example.com"
    ----- stderr -----
    Written to `[HOME]/.skillyard/config.toml`
    "#);
    assert_eq!(context.mode(FILE), 0o600);
    assert_snapshot!(context.tell(&["config", "set", "discovery.max_depth", "4"]), @r"
    exit status: 0
    ----- stdout -----
     ~ discovery.max_depth = 4
    ----- stderr -----
    Written to `[HOME]/.skillyard/config.toml`
    ");
    assert_snapshot!(context.tell(&["config", "set", "discovery.max_depth", "4"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: `discovery.max_depth` has this value already
    ");
    assert_snapshot!(context.tell(&["config", "list", "--show-origin"]), @r#"
    exit status: 0
    ----- stdout -----
    discovery.max_depth = 4  # user [HOME]/.skillyard/config.toml:3
    registry.url = "https://skills.example.com"  # user [HOME]/.skillyard/config.toml:6
    ----- stderr -----
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "registry.url"]), @"https://skills.example.com");
    assert_snapshot!(context.tell(&["config", "unset", "registry.url"]), @r"
    exit status: 0
    ----- stdout -----
     - registry.url
    ----- stderr -----
    Removed from `[HOME]/.skillyard/config.toml` for good
    ");
    assert_snapshot!(context.tell(&["config", "get", "registry.url"]), @r"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: `registry.url` is not set

    hint: Set it with `skillyard config set registry.url VALUE`
    ");
    // Comments are the user's, and stay.
    assert_eq!(
        context.read(FILE),
        "# Mine.\n[discovery]\nmax_depth = 4 # enough\n"
    );
    context.tell(&["config", "unset", "discovery"]);
    assert_eq!(context.read(FILE), "# Mine.\n");
}

#[test]
fn answers_for_programs() {
    let context = TestContext::new();
    assert_snapshot!(context.stdout(&["config", "set", "skills.deny", "a-*", "b", "--json"]), @r#"
    {
      "key": "skills.deny",
      "value": [
        "a-*",
        "b"
      ],
      "file": "[HOME]/.skillyard/config.toml",
      "changed": true
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "list", "--json"]), @r#"
    {
      "settings": [
        {
          "key": "skills.deny",
          "value": [
            "a-*",
            "b"
          ],
          "origin": {
            "layer": "user",
            "file": "[HOME]/.skillyard/config.toml",
            "line": 2
          }
        }
      ]
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "install.link", "--json"]), @r#"
    {
      "key": "install.link",
      "value": false,
      "origin": {
        "layer": "default"
      }
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "unset", "skills.deny", "--json"]), @r#"
    {
      "removed": [
        "skills.deny"
      ],
      "file": "[HOME]/.skillyard/config.toml"
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "path", "--json"]), @r#"
    {
      "path": "[HOME]/.skillyard/config.toml",
      "org": "/etc/skillyard/config.toml",
      "user": "[HOME]/.skillyard/config.toml",
      "project": "[DIR]/.skillyard/config.toml"
    }
    "#);
}

#[test]
fn wrong_keys_and_values_change_nothing() {
    let context = TestContext::new();
    let tell = |key, value| context.tell(&["config", "set", key, value]);
    assert_snapshot!(tell("registy.url", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no key `registy.url`

    hint: Did you mean `registry.url`?
    ");
    assert_snapshot!(tell("install.scope", "usr"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `install.scope` has no valid value: it must be `user` or `project`; did you mean `user`?
    ");
    assert_snapshot!(tell("sources.internal", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `sources.internal` is a table, not a value

    hint: See its keys with `skillyard config get sources.internal`
    ");
    assert_snapshot!(tell("sources.github.url", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `sources.github.url` cannot be used: no source may be called `github`: references with `github:` have a meaning already
    ");
    assert_snapshot!(tell("locked", "scripts"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: only the organisation's file may set `locked`
    ");
    for (key, value) in [
        ("registry.url", "example.com"),
        ("sources.a.auth", "basic:x"),
        ("sources.a.auth", "header:A: b\nC: d"),
        ("scripts.allow", "maybe"),
        ("discovery.max_depth", "0"),
        ("trust.gti.scripts", "blocked"),
        ("skills.deny", "a["),
        ("org", "/shared"),
    ] {
        assert!(tell(key, value).starts_with("exit status: 2"), "{key}");
    }
    assert!(!context.root().join(FILE).exists());
}

#[test]
fn a_file_with_problems_tells_all_of_them_and_stays() {
    let broken = "[registry]\nurll = \"x\"\nurl = 3\n\n[sources.a]\nauth = \"hunter2hunter2\"\n";
    let context = TestContext::configured(broken);
    assert_snapshot!(context.tell(&["config", "list"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:2: there is no key `registry.urll`
      Caused by: [HOME]/.skillyard/config.toml:3: `registry.url` has no valid value: it must be a URL
      Caused by: [HOME]/.skillyard/config.toml:6: `sources.a.auth` has no valid value: it must begin with `bearer:`, `token:` or `header:Name:`

    hint: Did you mean `registry.url`?
    ");
    // What is wrong can be taken out.
    assert_snapshot!(context.tell(&["config", "unset", "registry.urll"]), @r"
    exit status: 0
    ----- stdout -----
     - registry.urll
    ----- stderr -----
    Removed from `[HOME]/.skillyard/config.toml` for good
    ");
    // What is no TOML is not touched, and what stands there is not quoted: it may be a secret.
    let broken = "[hosts.github]\ntoken = \"hunter2hunter2\n";
    context.write(FILE, broken);
    for arguments in [
        &["config", "set", "scripts.allow", "true"][..],
        &["config", "unset", "hosts.github.token"],
        &["config", "list"],
        &["disable", "x"],
    ] {
        let told = context.tell(arguments);
        assert!(told.starts_with("exit status: 2"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
    assert_eq!(context.read(FILE), broken);
}

#[test]
fn layers_from_the_weakest_to_the_strongest() {
    let context = TestContext::new();
    context.tell(&["trust", "."]);
    let get = |variables: &[(&str, &str)], flags: &[&str]| {
        let org = context.root().join("../org.toml");
        let mut all = vec![("SKILLYARD_ORG_CONFIG", org.to_str().unwrap())];
        all.extend(variables);
        let arguments = ["config", "get", "discovery.max_depth", "--show-origin"];
        let told = context.tell_with(&all, &[&arguments[..], flags].concat());
        told.lines().nth(2).unwrap().to_owned()
    };
    assert_snapshot!(get(&[], &[]), @"6  # default");
    context.write("../org.toml", "discovery.max_depth = 10\n");
    assert_snapshot!(get(&[], &[]), @"10  # org [DIR]/../org.toml:1");
    context.write(FILE, "\n[discovery]\nmax_depth = 9\n");
    assert_snapshot!(get(&[], &[]), @"9  # user [HOME]/.skillyard/config.toml:3");
    context.write(".skillyard/config.toml", "[discovery]\nmax_depth = 8\n");
    assert_snapshot!(get(&[], &[]), @"8  # project [DIR]/.skillyard/config.toml:2");
    let variable = [("SKILLYARD_DISCOVERY_MAX_DEPTH", "20")];
    assert_snapshot!(get(&variable, &[]), @"20  # environment SKILLYARD_DISCOVERY_MAX_DEPTH");
    assert_snapshot!(get(&variable, &["--config", "discovery.max_depth=7"]), @"7  # flag --config");
    assert_snapshot!(get(&variable, &["--global"]), @"9  # user [HOME]/.skillyard/config.toml:3");
    assert_snapshot!(get(&variable, &["--project"]), @"8  # project [DIR]/.skillyard/config.toml:2");
}

#[test]
fn what_the_organisation_locks_stays() {
    let context = TestContext::configured("[scripts]\nallow = true\n");
    context.write("../org.toml", "locked = [\"scripts\", \"trust\"]\n");
    let org = context.root().join("../org.toml");
    let org = [("SKILLYARD_ORG_CONFIG", org.to_str().unwrap())];
    assert_snapshot!(context.tell_with(&org, &["config", "get", "scripts.allow"]), @r"
    exit status: 0
    ----- stdout -----
    false
    ----- stderr -----
    warning: [HOME]/.skillyard/config.toml:2: `scripts.allow` is locked by `[DIR]/../org.toml`, so this is not used
    ");
    let told = context.tell_with(
        &org,
        &[
            "--config",
            "scripts.allow=true",
            "config",
            "get",
            "scripts.allow",
        ],
    );
    assert!(told.contains("\nfalse\n"), "{told}");
    assert_snapshot!(context.tell_with(&org, &["config", "set", "trust.git.scripts", "sandboxed", "-q"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `trust.git.scripts` is locked by `[DIR]/../org.toml`
    ");
    context.write("../org.toml", "locked = [\"scrips\"]\n");
    assert_snapshot!(context.tell_with(&org, &["config", "list"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [DIR]/../org.toml:1: `locked` has no valid value: there is no key `scrips`
    ");
}

#[test]
fn a_project_may_tighten_and_not_loosen() {
    let context = TestContext::configured("[trust.git]\nscripts = \"sandboxed\"\n");
    context.tell(&["trust", "."]);
    for (project, key) in [
        ("scripts.allow = true", "scripts.allow"),
        (
            "trust.archive.scripts = 'sandboxed'",
            "trust.archive.scripts",
        ),
        ("trust.project.tier = 'high'", "trust.project.tier"),
        ("trust.registry.ask = 'never'", "trust.registry.ask"),
        ("registry.url = 'https://evil.example'", "registry.url"),
        ("sources.a.url = 'https://evil.example'", "sources.a.url"),
        (
            "skills.sources.a.url = 'https://evil.example'",
            "sources.a.url",
        ),
        (
            "hosts.github.api = 'https://evil.example'",
            "hosts.github.api",
        ),
        ("install.scope = 'user'", "install.scope"),
        ("discovery.max_depth = 7", "discovery.max_depth"),
        ("discovery.max_folders = 2001", "discovery.max_folders"),
        ("audit.keep = 1", "audit.keep"),
        ("locked = ['scripts']", "locked"),
        ("app.skills.directories = ['/']", "discovery.directories"),
    ] {
        context.write(".skillyard/config.toml", project);
        for command in [&["list"][..], &["config", "list"], &["prompt"]] {
            let told = context.tell(command);
            assert!(told.starts_with("exit status: 2"), "{project}: {told}");
            let place = "[DIR]/.skillyard/config.toml:1: ";
            assert!(
                told.contains(place) && told.contains(&format!("`{key}`")),
                "{told}"
            );
        }
    }
    for project in [
        "scripts.allow = false",
        "trust.git.scripts = 'blocked'",
        "discovery.max_depth = 1",
        "install.agents = ['codex']",
        "server.skills = false",
    ] {
        context.write(".skillyard/config.toml", project);
        assert_eq!(context.code(&["list"]), Some(0), "{project}");
    }
    assert_snapshot!(context.tell(&["config", "set", "--project", "scripts.allow", "true"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: a project may only tighten `scripts.allow`, and here it would be looser than false (default)

    hint: If you want it, set `scripts.allow` in your own configuration
    ");
    assert_snapshot!(context.tell(&["config", "set", "--project", "registry.url", "https://x"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: a project may not set `registry.url`: it decides where skills come from

    hint: If you want it, set `registry.url` in your own configuration
    ");
}

#[test]
fn limits_of_a_project_count() {
    let context = TestContext::new();
    context
        .mkdir(".git")
        .skill(".skills/a/b/deep", "Use when asked.");
    context.tell(&["trust", "."]);
    assert_eq!(context.in_prompt(&[]), "deep");
    context.write(".skillyard/config.toml", "discovery.max_depth = 1\n");
    assert_eq!(context.in_prompt(&[]), "");
}

#[test]
fn a_project_that_is_not_trusted_is_only_shown() {
    let context = TestContext::new();
    context.write(".skillyard/config.toml", "[scripts]\nallow = true\n");
    assert_snapshot!(context.tell(&["config", "list"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing is set; see every key with `skillyard config list --all`
    `[DIR]/.skillyard/config.toml` has no say before you trust the project with `skillyard trust .`
      it could not be used then: [DIR]/.skillyard/config.toml:2: a project may only tighten `scripts.allow`, and here it would be looser than false (default)
    ");
    assert_snapshot!(context.stdout(&["config", "get", "scripts.allow"]), @"false");
    assert_snapshot!(context.stdout(&["config", "list", "--project"]), @"scripts.allow = true");
}

#[test]
fn spellings_of_other_tools_work() {
    let context = TestContext::configured(
        "[skills]\nregistry = \"https://registry.example/skills\"\nallow_scripts = true\n\n\
         [skills.sources.internal]\nurl = \"https://internal.example/skills\"\n\
         auth = \"bearer:${INTERNAL_TOKEN}\"\n\n\
         [app.skills]\nenabled = false\ndirectories = [\"~/.remcochat/skills\"]\n\
         max_skills = 200\nmax_skill_md_bytes = 200000\nmax_resource_bytes = 2000000\nactivation = \"tool\"\n",
    );
    assert_snapshot!(context.stdout(&["config", "list"]), @r#"
    agents.activation = "tool"
    discovery.directories = ["~/.remcochat/skills"]
    limits.max_resource_bytes = 2000000
    limits.max_skill_md_bytes = 200000
    limits.max_skills = 200
    registry.url = "https://registry.example/skills"
    scripts.allow = true
    server.skills = false
    sources.internal.auth = "bearer:${INTERNAL_TOKEN}"
    sources.internal.url = "https://internal.example/skills"
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "skills.allow_scripts"]), @"true");
    // A value is changed where it stands, and taken out under either name.
    context.tell(&["config", "set", "skills.allow_scripts", "false"]);
    assert_snapshot!(context.stdout(&["config", "get", "scripts.allow"]), @"false");
    context.tell(&["config", "unset", "sources.internal"]);
    context.tell(&["config", "unset", "registry.url"]);
    let file = context.read(FILE);
    assert!(
        file.starts_with("[app.skills]\nenabled = false\n"),
        "{file}"
    );
    assert!(file.ends_with("\n\n[scripts]\nallow = false\n"), "{file}");
}

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
    ✓ in (registry)  https://h.example/skills, logs in with `Authorization`
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

/// An editor that replaces the file by a text.
fn edited(context: &TestContext, text: &str, arguments: &[&str]) -> String {
    context.write("../text", text);
    context.write(
        "../editor",
        "#!/bin/sh\ncat \"$(dirname \"$0\")/text\" > \"$1\"\n",
    );
    let editor = context.root().join("../editor");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let told = context.tell_with(&[("EDITOR", editor.to_str().unwrap())], arguments);
    // The copy has a name of its own each time.
    let start = told
        .find(".skillyard/config-")
        .map(|at| at + ".skillyard/config-".len());
    match start.and_then(|start| Some((start, told[start..].find(".toml")?))) {
        Some((start, length)) => format!("{}[X]{}", &told[..start], &told[start + length..]),
        None => told,
    }
}

#[test]
fn the_editor_gets_a_copy() {
    let context = TestContext::configured("[scripts]\nallow = true\n");
    assert_snapshot!(edited(&context, "# New.\nscripts.allow = false\n", &["config", "edit"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Written to `[HOME]/.skillyard/config.toml`
    ");
    assert_eq!(context.read(FILE), "# New.\nscripts.allow = false\n");
    assert_eq!(context.mode(FILE), 0o600);
    assert_snapshot!(edited(&context, "# New.\nscripts.allow = false\n", &["config", "edit"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing changed
    ");
    assert_snapshot!(edited(&context, "scripts.alow = false\n", &["config", "edit"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: your text cannot be used, and is kept in `[HOME]/.skillyard/config-[X].toml`
      Caused by: [HOME]/.skillyard/config.toml:1: there is no key `scripts.alow`

    hint: Did you mean `scripts.allow`?
    ");
    assert_eq!(context.read(FILE), "# New.\nscripts.allow = false\n");
    let told = edited(
        &context,
        "scripts.allow = true\n",
        &["config", "edit", "--project"],
    );
    assert!(told.contains("a project may only tighten"), "{told}");
    assert!(!context.root().join(".skillyard/config.toml").exists());
    assert_snapshot!(context.tell_with(&[("EDITOR", "false")], &["config", "edit"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the editor failed, and nothing was changed
    ");
    assert_eq!(context.code(&["config", "edit"]), Some(2));
}

#[test]
fn links_are_followed_for_the_user_and_refused_in_a_project() {
    let context = TestContext::new();
    // Who keeps dotfiles elsewhere keeps the link.
    context
        .write("../dotfiles/skillyard.toml", "# Mine.\n")
        .mkdir("../home/.skillyard");
    context.link("../../dotfiles/skillyard.toml", FILE);
    assert_eq!(
        context.code(&["config", "set", "scripts.allow", "true"]),
        Some(0)
    );
    assert!(
        context
            .root()
            .join(FILE)
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert!(
        context
            .read("../dotfiles/skillyard.toml")
            .contains("allow = true")
    );
    // A project could point anywhere.
    context.tell(&["trust", "."]);
    context
        .write("../victim.toml", "discovery.max_depth = 2\n")
        .mkdir(".skillyard");
    context.link("../../victim.toml", ".skillyard/config.toml");
    let told = context.tell(&["list"]);
    assert!(
        told.contains("a project's configuration may not be a link"),
        "{told}"
    );
    assert_eq!(
        context.code(&["config", "set", "--project", "scripts.allow", "false"]),
        Some(2)
    );
    fs::remove_dir_all(context.root().join(".skillyard")).unwrap();
    context
        .mkdir("../elsewhere")
        .link("../elsewhere", ".skillyard");
    assert_eq!(
        context.code(&["config", "set", "--project", "scripts.allow", "false"]),
        Some(2)
    );
    assert_eq!(context.read("../victim.toml"), "discovery.max_depth = 2\n");
    assert_eq!(
        fs::read_dir(context.root().join("../elsewhere"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn files_that_are_no_configuration() {
    let context = TestContext::configured("");
    let file = context.root().join(FILE);
    context.write(FILE, "# long\n".repeat(200_000));
    assert!(context.tell(&["list"]).contains("it is larger than 1 MiB"));
    context.write(FILE, [0xff, 0xfe]);
    assert!(context.tell(&["list"]).contains("it is not UTF-8"));
    fs::remove_file(&file).unwrap();
    context.link("/dev/zero", FILE);
    assert!(context.tell(&["list"]).contains("it is not a file"));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(context.code(&["list"]), Some(2));
    fs::remove_dir(&file).unwrap();
    // A pipe without a writer would be waited for.
    assert!(
        output(context.command("mkfifo").arg(&file))
            .status
            .success()
    );
    assert!(context.tell(&["list"]).contains("it is not a file"));
}

#[test]
fn permissions_that_are_too_wide_are_told() {
    let context = TestContext::configured("[hosts.github]\ntoken = \"secret-token\"\n");
    let file = context.root().join(FILE);
    let stderr = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let told = context.tell(&["config", "get", "scripts.allow"]);
        told.split("stderr -----").nth(1).unwrap().trim().to_owned()
    };
    assert_snapshot!(stderr(0o600), @"");
    assert_snapshot!(stderr(0o644), @"warning: others on this machine can read the secrets in `[HOME]/.skillyard/config.toml`: run `chmod 600` on it");
    assert_snapshot!(stderr(0o666), @"warning: everyone on this machine can change `[HOME]/.skillyard/config.toml`: run `chmod go-w` on it");
    context.tell(&["config", "set", "hosts.github.token", "${TOKEN}"]);
    assert_eq!(context.mode(FILE), 0o600);
    assert_snapshot!(stderr(0o644), @"");
}

#[test]
fn many_writers_lose_nothing() {
    let context = TestContext::new();
    let start = |arguments: &[&str]| {
        let mut command: Command = context.skillyard();
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let keys: Vec<String> = (0..24).map(|at| format!("sources.s{at}.url")).collect();
    let children: Vec<_> = keys
        .iter()
        .map(|key| start(&["config", "set", key, "https://h.example"]))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let file = context.read(FILE);
    for at in 0..24 {
        assert!(
            file.contains(&format!("[sources.s{at}]\n")),
            "s{at} in\n{file}"
        );
    }
    let left: Vec<_> = fs::read_dir(context.home().join(".skillyard"))
        .unwrap()
        .collect();
    assert_eq!(
        left.len(),
        3,
        "only the file, its lock and the log: {left:?}"
    );
}

#[test]
fn limits_are_kept() {
    let context = TestContext::configured("[limits]\nmax_skills = 1\nmax_resource_bytes = 4\n");
    context
        .skill("../home/.agents/skills/a", "Use when asked.")
        .skill("../home/.agents/skills/b", "Use when asked.")
        .write("../home/.agents/skills/a/x.txt", "12345678")
        .write("../home/.agents/skills/a/deep/er/x.txt", "1");
    assert!(context.in_prompt(&[]).starts_with("a\n"));
    assert_eq!(context.stdout(&["read", "a", "x.txt"]), "1234");
    assert_eq!(context.stdout(&["read", "a", "deep/er/x.txt"]), "1");
    let told = context.tell(&[
        "read",
        "a",
        "deep/er/x.txt",
        "--config",
        "resources.nested=false",
    ]);
    assert!(told.starts_with("exit status: 1"), "{told}");
}

#[test]
fn the_home_directory_is_no_project() {
    let context = TestContext::configured(
        "[registry]\nurl = \"https://h.example\"\n[discovery]\ntrust_projects = \"always\"\n",
    );
    let at_home = |arguments: &[&str]| {
        let home = context.home();
        let run = output(context.skillyard().args(arguments).current_dir(home));
        format!("{} {}", run.status, text(&run.stderr).trim_end())
    };
    assert!(at_home(&["list"]).starts_with("exit status: 0 "));
    assert!(
        at_home(&["config", "set", "--project", "scripts.allow", "false"])
            .contains("there is no project here")
    );
}
