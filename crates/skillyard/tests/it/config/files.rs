//! Files: edited as a copy, links, permissions, many writers.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use super::FILE;
use crate::{TestContext, output};

/// An editor that replaces the file by a text.
fn edited(context: &TestContext, text: &str, arguments: &[&str]) -> String {
    edited_under(context, "", text, arguments)
}

/// The same under the configuration of an organisation.
fn edited_under(context: &TestContext, org: &str, text: &str, arguments: &[&str]) -> String {
    context.write("../text", text);
    context.write(
        "../editor",
        "#!/bin/sh\ncat \"$(dirname \"$0\")/text\" > \"$1\"\n",
    );
    let editor = context.root().join("../editor");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    context.write("../org.toml", org);
    let org = context.root().join("../org.toml");
    let variables = [
        ("EDITOR", editor.to_str().unwrap()),
        ("SKILLYARD_ORG_CONFIG", org.to_str().unwrap()),
    ];
    let told = context.tell_with(&variables, arguments);
    // The copy has a name of its own each time.
    let start = told
        .find(".skillyard/config-")
        .map(|at| at + ".skillyard/config-".len());
    match start.and_then(|start| Some((start, told[start..].find(".toml")?))) {
        Some((start, length)) => told.replace(&told[start..start + length], "[X]"),
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
      Caused by: [HOME]/.skillyard/config-[X].toml:1: there is no key `scripts.alow`

    hint: Did you mean `scripts.allow`? Mend it with `skillyard config edit --from [HOME]/.skillyard/config-[X].toml`, and the flags that you gave
    ");
    assert_eq!(context.read(FILE), "# New.\nscripts.allow = false\n");
    // What was kept can be gone on with, and has then served.
    let kept = || {
        let folder = fs::read_dir(context.root().join("../home/.skillyard")).unwrap();
        let files = folder.map(|entry| entry.unwrap().path());
        let is_copy = |path: &PathBuf| path.to_str().unwrap().contains("/config-");
        files.filter(is_copy).collect::<Vec<_>>()
    };
    let all = kept();
    let [copy] = &all[..] else {
        panic!("{all:?}");
    };
    let from = ["config", "edit", "--from", copy.to_str().unwrap()];
    let told = edited(&context, "scripts.allow = true\n", &from);
    assert!(told.contains("Written to"), "{told}");
    assert_eq!(context.read(FILE), "scripts.allow = true\n");
    assert!(kept().is_empty(), "{:?}", kept());
    context.write(FILE, "# New.\nscripts.allow = false\n");
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
    error: the editor `false` ended with 1, and nothing was changed

    hint: Set `EDITOR` to the program that you write with, if it is another one
    ");
    let told = context.tell_with(&[("EDITOR", "'/no where/ed' -w")], &["config", "edit"]);
    let named = "the editor `/no where/ed` could not be started: No such file";
    assert!(told.contains(named), "{told}");
    assert_eq!(context.code(&["config", "edit"]), Some(2));
}

#[test]
fn a_text_that_is_not_there_is_no_empty_configuration() {
    let before = "[skills]\ndeny = ['evil*']\n";
    let context = TestContext::configured(before);
    assert_snapshot!(context.tell_with(&[("EDITOR", "rm")], &["config", "edit"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the editor `rm` left no text, and nothing was changed

    hint: Set `EDITOR` to the program that you write with, if it is another one
    ");
    assert_eq!(context.read(FILE), before);
    context.write("config-a.toml", "audit.keep = 5\n");
    let from = ["config", "edit", "--from", "config-b.toml"];
    assert_snapshot!(context.tell_with(&[("EDITOR", "true")], &from), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `config-b.toml` does not exist

    hint: Did you mean `config-a.toml`?
    ");
    assert_eq!(context.read(FILE), before);
    let from = ["config", "edit", "--from", "config-a.toml"];
    let told = context.tell_with(&[("EDITOR", "true")], &from);
    assert!(told.contains("Written to"), "{told}");
    assert_eq!(context.read(FILE), "audit.keep = 5\n");
}

#[test]
fn the_editor_writes_nothing_that_set_would_refuse() {
    let before = "[skills]\ndisabled = ['a']\n";
    let org = "locked = ['skills', 'trust.git.scripts']\n[trust.git]\nscripts = 'blocked'\nask = 'first-run'\n";
    let context = TestContext::configured(before);
    for (text, refused) in [
        (
            "[skills]\ndisabled = ['a', 'b']\n",
            ":2: `skills.disabled` is locked by `",
        ),
        (
            "skills.allow = ['b']\n",
            ":1: `skills.allow` is locked by `",
        ),
        ("tools.deny = ['Bash(']\n", ":1: `tools.deny` has no valid"),
        ("trust.git.ask = 'opt-in'\n", "would lift the block of"),
    ] {
        let told = edited_under(&context, org, text, &["config", "edit"]);
        assert!(told.contains("exit status: 2"), "{told}");
        assert!(told.contains(refused), "{text}: {told}");
        assert_eq!(context.read(FILE), before);
    }
    let arguments = ["config", "edit", "--project"];
    let told = edited_under(&context, org, "skills.deny = ['b']\n", &arguments);
    assert!(told.contains("`skills.deny` is locked by `"), "{told}");
    assert!(!context.root().join(".skillyard/config.toml").exists());
    // What stood there when it was locked may stay, and go.
    for text in ["[skills]\ndisabled = ['a']\n# mine\n", "# mine\n"] {
        let told = edited_under(&context, org, text, &["config", "edit"]);
        assert!(told.contains("Written to"), "{told}");
        assert_eq!(context.read(FILE), text);
    }
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
fn a_login_does_not_go_along_to_another_host() {
    let before = "[registry]\nurl = \"https://a.example\"\nauth = \"bearer:one\"\n";
    let context = TestContext::configured(before);
    let text = before.replace("a.example", "b.example") + "# Kept.\n";
    let told = edited(&context, &text, &["config", "edit"]);
    assert!(
        told.contains("`registry.auth` was for the place before, and is gone"),
        "{told}"
    );
    let text = "[registry]\nurl = \"https://b.example\"\n# Kept.\n";
    assert_eq!(context.read(FILE), text);
    // On the same host, or written anew, it is meant.
    for text in [
        before.replace("a.example", "a.example/skills"),
        before
            .replace("a.example", "b.example")
            .replace("one", "two"),
    ] {
        let context = TestContext::configured(before);
        edited(&context, &text, &["config", "edit"]);
        assert_eq!(context.read(FILE), text);
    }
}

/// A file on a disk that is not mounted says what it said before; it is not taken for none.
#[test]
fn a_link_to_nothing_is_no_missing_file() {
    let context = TestContext::configured("tools.deny = [\"Bash\"]\n");
    let home = context.root().join("../home/.skillyard");
    let tool = ["guard", "check", "--tool", "Bash", "--input", "{}"];
    let told = |link: &Path, asked: &[&str]| {
        let told = context.refused(asked);
        assert!(
            told.contains("a link to `unmounted/it`"),
            "{link:?}: {told}"
        );
        assert!(told.contains("hint: Bring back"), "{link:?}: {told}");
        assert_eq!(context.code(&["doctor"]), Some(1), "{link:?}");
    };
    for (name, asked) in [
        ("approvals.toml", &["trust", "list"]),
        ("trust.toml", &["key", "list"]),
        ("policy.json", &["key", "list"]),
    ] {
        let link = home.join(name);
        symlink("unmounted/it", &link).unwrap();
        told(&link, asked);
        fs::remove_file(&link).unwrap();
    }
    let away = context.root().join("../away");
    for link in [home.join("config.toml"), home] {
        fs::rename(&link, &away).unwrap();
        symlink("unmounted/it", &link).unwrap();
        for asked in [&["list"][..], &tool, &["config", "check"]] {
            told(&link, asked);
        }
        // What is elsewhere and there counts.
        fs::remove_file(&link).unwrap();
        symlink(&away, &link).unwrap();
        assert_eq!(context.code(&tool), Some(1), "{link:?}");
        fs::remove_file(&link).unwrap();
        fs::rename(&away, &link).unwrap();
    }
}
