//! Who has a say: the organisation, the user, a project, the environment, flags.

use insta::assert_snapshot;

use super::FILE;
use crate::{TestContext, output, text};

#[test]
fn layers_from_the_weakest_to_the_strongest() {
    let context = TestContext::new();
    context.write("../org.toml", "");
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
        (
            "sessions.database = 'postgres://evil.example/x'",
            "sessions.database",
        ),
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

    hint: If you want it, set it in your own configuration with `skillyard config set scripts.allow VALUE`
    ");
    assert_snapshot!(context.tell(&["config", "set", "--project", "registry.url", "https://x"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: a project may not set `registry.url`: it decides where skills come from

    hint: If you want it, set it in your own configuration with `skillyard config set registry.url VALUE`
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

#[test]
fn a_policy_that_is_named_must_be_there() {
    let context = TestContext::new();
    let org = [("SKILLYARD_ORG_CONFIG", "/nowhere/org.toml")];
    assert_snapshot!(context.tell_with(&org, &["config", "get", "scripts.allow"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot read `/nowhere/org.toml`
      Caused by: `SKILLYARD_ORG_CONFIG` names it, and it is not there
    ");
}

/// A list in one word is parted at its commas, wherever it is said.
#[test]
fn a_denial_of_several_denies_each_of_them() {
    let context = TestContext::new();
    for name in ["evil-1", "Evil-2", "foo", "fine"] {
        context.skill(
            &format!("../home/.agents/skills/{name}"),
            "Does things. Use when asked.",
        );
    }
    let denied = |variables: &[(&str, &str)], arguments: &[&str]| {
        let told = context.tell_with(variables, &[&["list", "--all"], arguments].concat());
        let of = |name: &str| {
            let mut lines = told.lines();
            lines.any(|line| line.contains(name) && line.contains("denied by"))
        };
        assert!(!of("fine"), "{told}");
        ["evil-1", "Evil-2", "foo"].map(of)
    };
    let list = "evil-*,foo";
    assert_eq!(denied(&[], &[]), [false; 3]);
    assert_eq!(denied(&[("SKILLYARD_SKILLS_DENY", list)], &[]), [true; 3]);
    let flag = format!("skills.deny={list}");
    assert_eq!(denied(&[], &["--config", &flag]), [true; 3]);
    let chosen = context.tell(&["list", "--deny", list]);
    assert!(
        ["evil-1", "Evil-2", "foo"]
            .iter()
            .all(|name| !chosen.contains(name)),
        "{chosen}"
    );
    let braces = ["--config", "skills.deny={evil-1,foo}"];
    assert_eq!(denied(&[], &braces), [true, false, true]);
    context.done(&["config", "set", "skills.deny", list]);
    assert_eq!(denied(&[], &[]), [true; 3]);
    let written = context.read(FILE);
    assert!(written.contains(r#"deny = ["evil-*", "foo"]"#), "{written}");
    // Older versions wrote it as one pattern, which meant nothing.
    context.write(FILE, "[skills]\ndeny = [\"evil-*,foo\"]\n");
    assert_eq!(denied(&[], &[]), [true; 3]);
}

#[test]
fn names_are_parted_and_words_of_programs_are_not() {
    let context = TestContext::new();
    let set = |key: &str, value: &str| {
        context.done(&["config", "set", key, value]);
        context.json(&["config", "get", key, "--json"])["value"].clone()
    };
    assert_eq!(
        set("sandbox.commands", "ls,cat"),
        serde_json::json!(["ls", "cat"])
    );
    assert_eq!(
        set("tools.deny", "Bash(a,b),Write"),
        serde_json::json!(["Bash(a,b)", "Write"])
    );
    context.done(&["config", "set", "mcp.servers.x.command", "prog"]);
    assert_eq!(
        set("mcp.servers.x.args", "only=a,b"),
        serde_json::json!(["only=a,b"])
    );
}

#[test]
fn denials_that_mean_something_else_are_not_set() {
    let context = TestContext::new();
    for (patterns, told) in [
        (
            &["Bash("][..],
            "`Bash(` has a parenthesis without the other",
        ),
        (&["Read", "!Bash"], "no tool can be called `!Bash`"),
        (&["Read", "-"], "`-` names no tool"),
        (&["Ba*(rm:*)"], "so every call of `Ba*` is denied"),
        (
            &["WebFetch(evil.org)"],
            "so every call of `WebFetch` is denied",
        ),
        (&["Read($HOME/x)"], "so every call of `Read` is denied"),
    ] {
        let arguments = [&["config", "set", "tools.deny"][..], patterns].concat();
        let refused = context.tell(&arguments);
        assert!(refused.starts_with("exit status: 2"), "{refused}");
        assert!(refused.contains(told), "{refused}");
    }
    let fine = [
        "Bash(rm:*)",
        "mcp__srv",
        "srv:del*",
        "Bash*",
        "Read(secret/**)",
    ];
    context.done(&[&["config", "set", "tools.deny"][..], &fine].concat());
    assert_eq!(context.code(&["config", "check"]), Some(0));
    context.write(FILE, "[tools]\ndeny = ['WebFetch(evil.org)']\n");
    let checked = context.tell(&["config", "check"]);
    assert!(checked.contains("✗ tools.deny"), "{checked}");
}
