//! Flags and agents say nothing else than what the organisation locked.

use std::fs;

use crate::servers::repository::skill;
use crate::{TestContext, output, text};

const ORG: &str = "locked = ['agents', 'scripts', 'install', 'server', 'mcp']\n[scripts]\nallow = false\n[install]\nscope = 'project'\n";

/// What a command says under the organisation's file, and its exit code.
fn told(context: &TestContext, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = context.skillyard();
    command.env("SKILLYARD_ORG_CONFIG", context.root().join("../org.toml"));
    let ran = output(command.args(arguments));
    (text(&ran.stderr), ran.status.code())
}

fn organised() -> TestContext {
    let context = TestContext::new();
    context
        .write("../org.toml", ORG)
        .write("skills.toml", "")
        .write("lib/pdf/SKILL.md", skill("pdf", "one"))
        .write("lib/pdf/scripts/a.sh", "#!/bin/sh\ntouch ran\n");
    context
}

#[test]
fn flags_do_not_say_what_is_locked() {
    let context = organised();
    let chat = ["chat", "-p", "hello"];
    let agent = ["agent", "create", "clerk"];
    let install = ["install", "./lib/pdf"];
    let serve = ["serve", "--port", "0"];
    for (command, more, key) in [
        (&chat[..], &["--model", "fake/m"][..], "agents.model"),
        (&chat, &["--strategy", "router"], "agents.activation"),
        (&chat, &["--allow-scripts"], "scripts.allow"),
        (&agent, &["--model", "fake/m"], "agents.model"),
        (&agent, &["--router-model", "fake/m"], "agents.router_model"),
        (&agent, &["--strategy", "router"], "agents.activation"),
        (&agent, &["--routed-skills", "3"], "agents.routed_skills"),
        (&install, &["--scope", "user"], "install.scope"),
        (&install, &["--agent", "codex"], "install.agents"),
        (&install, &["--link"], "install.link"),
        (&serve, &["--registry"], "server.registry"),
        (&serve, &["--public-registry"], "server.public_registry"),
        (&serve, &["--log-format", "json"], "server.log_format"),
        (&serve, &["--gateway"], "mcp.gateway"),
        (&["mcp"], &["--allow-run"], "mcp.run"),
        (
            &["run", "./lib/pdf", "scripts/a.sh"],
            &["--allow-scripts"],
            "scripts.allow",
        ),
    ] {
        let (said, code) = told(&context, &[command, more].concat());
        let locked = format!("error: `{key}` is locked by `");
        assert!(said.contains(&locked), "{command:?} {more:?}: {said}");
        let named = format!("and `{}` is something else", more[0]);
        assert!(said.contains(&named), "{command:?} {more:?}: {said}");
        assert_eq!(code, Some(2), "{command:?} {more:?}");
    }
    assert!(!context.root().join("skills.lock").exists());
    // What is locked may be said.
    for arguments in [
        &["chat", "-p", "hello", "--model", "offline"][..],
        &["chat", "-p", "hello", "--strategy", "tool"],
        &["agent", "create", "clerk", "--model", "offline"],
        &["install", "./lib/pdf", "--scope", "project"],
    ] {
        let (said, code) = told(&context, arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
    }
}

#[test]
fn agents_and_sessions_do_not_have_another_model_than_the_locked_one() {
    let context = organised();
    let set = |key: &str, value: &str| {
        assert_eq!(context.code(&["config", "set", key, value]), Some(0));
    };
    set("models.fake.url", "http://127.0.0.1:9/v1");
    assert_eq!(
        context.code(&["agent", "create", "clerk", "--model", "fake/m"]),
        Some(0)
    );
    let exported = output(context.skillyard().args(["agent", "export", "clerk"]));
    fs::write(context.root().join("clerk.json"), exported.stdout).unwrap();
    let router = ["--strategy", "router", "--router-model", "fake/m"];
    let create = ["agent", "create", "picky"];
    assert_eq!(context.code(&[&create[..], &router].concat()), Some(0));
    // A session that began before it was locked, and whose model does not answer.
    context.run(&["chat", "--model", "fake/m", "-p", "hello"]);
    for (arguments, key) in [
        (&["chat", "clerk", "-p", "hello"][..], "agents.model"),
        (&["chat", "picky", "-p", "hello"], "agents.router_model"),
        (&["chat", "--resume", "last", "-p", "on"], "agents.model"),
        (
            &["agent", "import", "clerk.json", "--name", "other"],
            "agents.model",
        ),
    ] {
        let (said, code) = told(&context, arguments);
        let locked = format!("error: `{key}` is locked by `");
        assert!(said.contains(&locked), "{arguments:?}: {said}");
        assert!(said.contains("the model `fake/m`"), "{arguments:?}: {said}");
        assert_eq!(code, Some(2), "{arguments:?}");
    }
    // The locked one goes on with it.
    let (said, code) = told(
        &context,
        &[
            "chat", "--resume", "last", "--model", "offline", "-p", "hello",
        ],
    );
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = told(&context, &["agent", "edit", "clerk", "--model", "offline"]);
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = told(&context, &["chat", "clerk", "-p", "hello"]);
    assert_eq!(code, Some(0), "{said}");
}

const OFFLINE: &str = "locked = ['trust']\n[trust.own]\nscripts = 'sandboxed-offline'\n";

/// No network that the organisation locked is given by approvals, be they older than the lock.
#[test]
fn scripts_that_are_locked_offline_stay_offline() {
    let context = TestContext::new();
    let skill_file = "../home/.agents/skills/tools/SKILL.md";
    context
        .write(skill_file, skill("tools", "one"))
        .write("../home/.agents/skills/tools/scripts/a.sh", "echo ran\n");
    let approve = |host: &str| {
        let approve = ["trust", "tools", "--scripts", "--network", host, "--yes"];
        told(&context, &approve)
    };
    context.write("../org.toml", "");
    for host in ["localhost:18865", "full"] {
        let (said, code) = approve(host);
        assert_eq!(code, Some(0), "{said}");
    }
    let reach = || {
        let mut command = context.skillyard();
        command.env("SKILLYARD_ORG_CONFIG", context.root().join("../org.toml"));
        let ran = output(command.args(["run", "tools", "a.sh", "--explain"]));
        text(&ran.stdout) + &text(&ran.stderr)
    };
    assert!(reach().contains("localhost:18865"), "{}", reach());
    context.write("../org.toml", OFFLINE);
    assert!(!reach().contains("localhost:18865"), "{}", reach());
    let (said, code) = approve("localhost:18865");
    assert_eq!(code, Some(1), "{said}");
    let lock = "`trust.own.scripts` is `sandboxed-offline`, and locked by `";
    assert!(
        said.contains("scripts of `tools` reach no network"),
        "{said}"
    );
    assert!(said.contains(lock), "{said}");
    for host in ["localhost:18865", "full"] {
        let (said, code) = told(&context, &["run", "tools", "a.sh", "--net", host, "--yes"]);
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains(lock) && !said.contains("skillyard trust"),
            "{said}"
        );
    }
    // What is no network can be approved, and it runs without one.
    let (said, code) = told(&context, &["trust", "tools", "--tools", "Read", "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = told(&context, &["run", "tools", "a.sh", "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    // Without the lock it is the user's word again.
    context.write("../org.toml", OFFLINE.replace("'trust'", "'scripts'"));
    assert!(reach().contains("localhost:18865"), "{}", reach());
}

#[test]
fn nothing_is_written_that_is_locked() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Use when asked.");
    context.write("../org.toml", "locked = ['skills', 'registry']\n");
    for (arguments, key) in [
        (&["disable", "pdf"][..], "skills.disabled"),
        (&["disable", "p*", "--json"], "skills.disabled"),
        (&["enable", "pdf"], "skills.disabled"),
        (&["login", "--token", "sky_one"], "registry.auth"),
        (
            &["config", "set", "skills.disabled", "pdf"],
            "skills.disabled",
        ),
    ] {
        let (said, code) = told(&context, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        let reason = format!("`{key}` is locked by");
        assert!(said.contains(&reason), "{arguments:?}: {said}");
    }
    assert!(!context.in_home(".skillyard/config.toml").exists());
    let log = context.json(&["audit", "log", "--json"]).to_string();
    assert!(
        !log.contains("skill.disabled") && !log.contains("config.changed"),
        "{log}"
    );
    // A lock holds whatever else is wrong.
    context.configure("[install]\nscoop = 'user'\n");
    let (said, _) = told(
        &context,
        &["config", "set", "registry.url", "https://h.example"],
    );
    assert!(said.contains("is locked by"), "{said}");
}

#[test]
fn what_the_organisation_switched_off_is_not_switched_on() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Use when asked.");
    let org = "locked = ['skills.disabled']\n[skills]\ndisabled = ['pdf']\n";
    context.write("../org.toml", org);
    let set = ["config", "set", "skills.enabled", "pdf"];
    let (said, code) = told(&context, &set);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`skills.enabled` is locked by"), "{said}");
    // Nor by what was written before.
    context.configure("[skills]\nenabled = ['pdf']\n");
    let list = || {
        let mut list = context.skillyard();
        list.env("SKILLYARD_ORG_CONFIG", context.root().join("../org.toml"));
        text(&output(list.arg("list")).stdout)
    };
    assert!(list().contains("○ pdf"), "{}", list());
    // Without the lock the user may.
    context.write("../org.toml", org.replace("skills.disabled", "scripts"));
    assert!(list().contains("✓ pdf"), "{}", list());
}
