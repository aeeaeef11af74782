//! What a script cannot reach, and what ends it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use super::{check, ran, skill};
use crate::{output, text};

#[test]
fn a_script_that_takes_too_long_is_ended() {
    let context = skill("");
    let (printed, code) = ran(&context, &["tools", "slow.sh", "--timeout", "1"]);
    assert_eq!(
        (printed.as_str(), code),
        ("started\nsandbox: it was ended after 1.0s\n", Some(124))
    );
    for timeout in ["0", "-1", "nan", "1e9"] {
        assert_eq!(
            ran(
                &context,
                &["tools", "slow.sh", &format!("--timeout={timeout}")]
            )
            .1,
            Some(2)
        );
    }
}

#[test]
fn output_without_end_is_cut_and_that_is_said() {
    let context = skill("");
    let run = output(context.skillyard().args(["run", "tools", "loud.sh"]));
    let gap = "\n[… 1951424 bytes left out …]\n";
    assert_eq!(run.stdout.len(), (1 << 20) + gap.len());
    let printed = text(&run.stdout);
    assert!(printed.starts_with("xxx") && printed.contains(gap) && printed.ends_with("the end\n"));
    assert_snapshot!(text(&run.stderr), @"sandbox: its output was cut: 1951424 bytes of it were left out, and 1048576 is the limit
");
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let context = skill("");
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let run = |script: &str| {
        let mut command = context.skillyard();
        command.args(["run", "tools", script, "--", "a"]);
        output(command.stdout(full()))
    };
    let failed = run("words.pl");
    assert_eq!(failed.status.code(), Some(2));
    assert!(text(&failed.stderr).contains("cannot write to the output"));
    // Who writes nothing misses nothing.
    let mut silent = context.skillyard();
    silent.args(["run", "tools", "code.sh", "--", "3"]);
    assert_eq!(output(silent.stdout(full())).status.code(), Some(3));
}

#[test]
fn nothing_of_the_user_is_there() {
    let context = skill("");
    context.write("../home/.ssh/id_rsa", "SECRET");
    context.write("../home/.agents/skills/other/SKILL.md", "SECRET");
    for file in [
        ".ssh/id_rsa",
        ".agents/skills/other/SKILL.md",
        ".skillyard/approvals.toml",
    ] {
        let path = context.root().join("../home").join(file);
        for backend in ["bubblewrap", "landlock"] {
            let (printed, code) = ran(
                &context,
                &[
                    "tools",
                    "steal.sh",
                    "--backend",
                    backend,
                    "--",
                    path.to_str().unwrap(),
                ],
            );
            assert!(code == Some(1) && !printed.contains("SECRET"), "{printed}");
        }
    }
    let mut command = context.skillyard();
    command
        .env("TOKEN", "SECRET")
        .args(["run", "tools", "steal.sh", "--", "/dev/null"]);
    assert!(!text(&output(&mut command).stdout).contains("SECRET"));
    let mut command = context.skillyard();
    command.env("TOKEN", "SECRET").args([
        "run",
        "tools",
        "steal.sh",
        "--env",
        "TOKEN",
        "--",
        "/dev/null",
    ]);
    assert!(text(&output(&mut command).stdout).contains("TOKEN=SECRET"));
    assert_ne!(ran(&context, &["tools", "own.sh"]).0, "0\n");
}

#[test]
fn the_workspace_keeps_what_decides_about_others() {
    let context = skill("");
    context.write(
        "../home/.agents/skills/tools/scripts/plant.sh",
        "echo x > \"$1\" || mkdir -p \"$(dirname \"$1\")\" && echo x > \"$1\"\n",
    );
    context.write(".git/config", "[core]\n");
    let places = [
        "AGENTS.md",
        ".claude/settings.json",
        ".git/hooks/post-commit",
        ".git/config",
        ".mcp.json",
        ".skillyard/config.toml",
    ];
    // What does not exist can be made, and is reported.
    let arguments = ["tools", "plant.sh", "--workspace", ".", "--", "AGENTS.md"];
    let (printed, code) = ran(&context, &arguments);
    assert_eq!(code, Some(0), "{printed}");
    let report = "sandbox: it made `AGENTS.md`: look at it before git or an agent obeys it\n";
    assert_eq!(printed, report);
    for place in places.iter().filter(|place| !place.starts_with(".git")) {
        context.write(place, "mine");
    }
    let before = context.tree();
    for place in places {
        let (_, code) = ran(
            &context,
            &["tools", "plant.sh", "--workspace", ".", "--", place],
        );
        assert_ne!(code, Some(0), "{place}");
    }
    assert_eq!(context.tree(), before);
    assert_eq!(context.read("AGENTS.md"), "mine");
    assert_eq!(context.read(".git/config"), "[core]\n");
    let (_, code) = ran(
        &context,
        &[
            "tools",
            "plant.sh",
            "--workspace",
            ".",
            "--read-only",
            "--",
            "x",
        ],
    );
    assert_ne!(code, Some(0));
}

#[test]
fn a_skill_can_ask_for_less() {
    let context =
        skill("metadata:\n  sandbox-timeout: \"1\"\n  sandbox-network: api.example.com\n");
    assert_eq!(
        ran(&context, &["tools", "slow.sh", "--timeout", "1000"]).1,
        Some(124)
    );
    let explained = context.json(&[
        "run",
        "tools",
        "slow.sh",
        "--explain",
        "--json",
        "--net",
        "evil.example",
    ]);
    assert_eq!(explained["network"]["mode"], "none");
    assert_eq!(explained["wished_hosts"][0], "api.example.com");
    assert_eq!(explained["limits"]["timeout_ms"], 1000);
    let narrowed = explained["narrowed"].as_array().unwrap();
    assert_eq!(narrowed.len(), 1, "{explained}");
}

#[test]
fn what_a_flag_allows_and_the_skill_does_not_want_is_told() {
    let context =
        skill("metadata:\n  sandbox-timeout: \"1\"\n  sandbox-network: api.example.com\n");
    let run = ["run", "tools", "words.pl", "--yes"];
    let flags = ["--timeout", "9", "--net", "other.example"];
    for more in [&["--explain"][..], &[]] {
        let told = context.run(&[&run[..], &flags, more].concat());
        let timeout = "`--timeout` [TIME] has no effect: the skill asks for [TIME] at most";
        assert!(told.contains(timeout), "{told}");
        let host = "`--net other.example` has no effect: the skill asks for no more than `api.example.com`";
        assert!(told.contains(host), "{told}");
    }
    let told = context.json(&[&run[..], &flags, &["--json"]].concat());
    assert_eq!(told["narrowed"].as_array().unwrap().len(), 2, "{told}");
    let kept = ["--timeout", "1", "--net", "api.example.com"];
    let told = context.json(&[&run[..], &kept, &["--explain", "--json"]].concat());
    assert_eq!(told["narrowed"], serde_json::json!([]), "{told}");
}

#[test]
fn files_that_only_the_user_may_read_run_too() {
    let context = skill("");
    let script = context
        .root()
        .join("../home/.agents/skills/tools/scripts/words.pl");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o600)).unwrap();
    let folder = context.root().join("../home/.agents");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    check(&context, &["tools", "words.pl", "--", "a"], "A\n");
    check(
        &context,
        &["tools", "words.pl", "--backend", "landlock", "--", "a"],
        "A\n",
    );
}
