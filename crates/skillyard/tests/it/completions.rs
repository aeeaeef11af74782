//! `skillyard completions`.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;

use crate::project::installed;
use crate::{TestContext, output, text};

#[test]
fn every_shell_learns_the_commands() {
    let context = TestContext::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = output(context.skillyard().args(["completions", shell]));
        let script = text(&run.stdout);
        assert!(run.status.success() && run.stderr.is_empty(), "{shell}");
        let question = match shell {
            "elvish" | "bash" | "zsh" | "fish" => format!("SKILLYARD_COMPLETE=\"{shell}\""),
            _ => format!("$env:SKILLYARD_COMPLETE = \"{shell}\""),
        };
        assert!(
            script.contains(&question) || script.contains(&question.replace('"', "")),
            "{shell}: {script}"
        );
    }
}

/// Asks what could stand at the end of the line.
fn candidates(context: &TestContext, shell: &str, line: &[&str]) -> Vec<String> {
    let mut command: Command = context.skillyard();
    command
        .args(["--", "skillyard"])
        .args(line)
        .env("SKILLYARD_COMPLETE", shell)
        .env("_CLAP_COMPLETE_INDEX", line.len().to_string())
        .env("_CLAP_IFS", "\n");
    let run = output(&mut command);
    assert!(run.status.success() && run.stderr.is_empty());
    text(&run.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn commands_flags_and_values_are_completed() {
    let context = TestContext::new();
    assert_eq!(candidates(&context, "bash", &["val"]), ["validate"]);
    assert_eq!(
        candidates(&context, "bash", &["validate", "--prof"]),
        ["--profile"]
    );
    let profiles = candidates(&context, "bash", &["validate", "--profile", "s"]);
    assert_eq!(profiles, ["spec", "strict", "skills-ref"]);
    assert_eq!(
        candidates(&context, "bash", &["explain", "name-l"]),
        ["name-length"]
    );
}

#[test]
fn skill_names_are_completed() {
    let context = TestContext::new();
    context
        .write_skill(".agents/skills/pdf-tools")
        .write_skill(".agents/skills/csv")
        .write(
            ".agents/skills/capital/SKILL.md",
            "---\nname: Poly_market.v2\ndescription: Use when x.\n---\nx\n",
        )
        .write(
            ".agents/skills/bad/SKILL.md",
            "---\nname: pdf-$(touch x)\ndescription: Use when x.\n---\nx\n",
        )
        .write_skill("pdf-folder");
    for line in [
        &["show", "pdf"][..],
        &["enable", "pdf"],
        &["disable", "csv", "pdf"],
        &["explain", "skill", "pdf"],
    ] {
        // A name that a shell would run is not handed to one.
        assert_eq!(
            candidates(&context, "bash", line),
            ["pdf-tools"],
            "{line:?}"
        );
    }
    assert_eq!(
        candidates(&context, "bash", &["read", "pdf"]),
        ["pdf-tools", "pdf-folder/"]
    );
    let capital = candidates(&context, "bash", &["show", "Pol"]);
    assert_eq!(capital, ["Poly_market.v2"]);
    context.write("../home/.skillyard/config.toml", "broken");
    assert!(candidates(&context, "bash", &["show", "pdf"]).is_empty());
}

#[test]
fn only_what_a_command_takes_is_completed() {
    let context = installed();
    context.write_skill(".agents/skills/draft");
    // Of the skills inside the binary, which begin with `s` and `u`, none can be removed.
    let found = |line: &[&str]| candidates(&context, "bash", line);
    assert_eq!(found(&["remove", ""])[..2], ["draft", "pdf"]);
    assert!(found(&["remove", "skill"]).is_empty());
    assert!(!found(&["show", "skill"]).is_empty());
    for command in ["update", "outdated", "why"] {
        assert_eq!(found(&[command, "p"]), ["pdf"], "{command}");
        assert!(found(&[command, "d"]).is_empty(), "{command}");
    }
    // What is locked and not here can be taken out of the lock.
    fs::remove_dir_all(context.root().join(".agents/skills/pdf")).unwrap();
    assert_eq!(found(&["remove", "p"]), ["pdf"]);
}

#[test]
fn what_hangs_on_the_skill_before_it_is_completed() {
    let context = TestContext::new();
    context
        .write_skill(".agents/skills/pdf")
        .write(".agents/skills/pdf/scripts/fill.py", "x")
        .write(".agents/skills/pdf/references/forms.md", "x");
    let found = |line: &[&str]| candidates(&context, "bash", line);
    assert_eq!(found(&["run", "pdf", "s"]), ["scripts/fill.py"]);
    assert!(found(&["run", "pdf", "r"]).is_empty());
    assert_eq!(found(&["read", "pdf", "r"]), ["references/forms.md"]);
    let folder = "./.agents/skills/pdf";
    assert_eq!(found(&["read", folder, "r"]), ["references/forms.md"]);
    assert_eq!(
        found(&["run", "skills-system-validation", "s"]),
        ["scripts/echo.sh"]
    );
    assert!(found(&["read", "nothing", "r"]).is_empty());
}

#[test]
fn values_of_flags_are_completed() {
    let context = TestContext::new();
    context.write_skill(".agents/skills/pdf");
    for (line, expected) in [
        (&["guard", "check", "--skill", "pd"][..], "pdf"),
        (&["scan", "pd"], "pdf"),
        (&["validate", "pd"], "pdf"),
        (&["audit", "log", "--skill", "pd"], "pdf"),
        (&["agent", "skill", "remove", "helper", "pd"], "pdf"),
        (&["audit", "log", "--outcome", "d"], "denied"),
        (
            &["audit", "log", "--event", "approval.g"],
            "approval.granted",
        ),
        (&["audit", "export", "--event", "conf"], "config"),
        (&["run", "pdf", "--backend", "land"], "landlock"),
    ] {
        let found = candidates(&context, "bash", line);
        assert_eq!(
            found.first().map(String::as_str),
            Some(expected),
            "{line:?}"
        );
    }
}

#[test]
fn paths_are_completed_where_sources_are_named() {
    let context = TestContext::new();
    context.write_skill("lib/pdf").write("lib/acme.pub", "x");
    for line in [&["install", "./lib/"][..], &["key", "trust", "./lib/"]] {
        let found = candidates(&context, "bash", line);
        assert_eq!(found, ["./lib/acme.pub", "./lib/pdf/"], "{line:?}");
    }
}

#[test]
fn no_name_of_a_checkout_is_run_by_a_shell() {
    let context = TestContext::new();
    for name in ["$(touch${IFS}x)", "`x`", ";x", "x y", "*", "!!", "ä-1.2_b"] {
        std::fs::create_dir(context.root().join(format!("pd{name}"))).unwrap();
    }
    for command in ["scan", "read", "run", "trust", "install", "validate"] {
        // These two take candidates as they are.
        for shell in ["bash", "powershell"] {
            let found = candidates(&context, shell, &[command, "pd"]);
            assert_eq!(found, ["pdä-1.2_b/"], "{command} {shell}");
        }
        // The others quote them.
        let found = candidates(&context, "fish", &[command, "pd"]);
        assert!(found.iter().any(|each| each == "pdx y/"), "{found:?}");
    }
    let script = output(context.skillyard().args(["completions", "bash"]));
    assert_eq!(text(&script.stdout).matches("-o default").count(), 2);
    let home = candidates(&context, "bash", &["scan", "~/.agen"]);
    assert!(home.iter().all(|each| each.starts_with("~/")), "{home:?}");
}

#[test]
fn agents_sessions_and_fixed_words_are_completed() {
    let context = TestContext::new();
    assert_eq!(context.code(&["agent", "create", "helper"]), Some(0));
    assert_eq!(context.code(&["chat", "-p", "/skill-review"]), Some(0));
    let sessions = context.json(&["chat", "--sessions", "--json"]);
    let id = sessions["sessions"][0]["id"].as_str().unwrap();
    let check = |line: &[&str], expected: &[&str]| {
        assert_eq!(candidates(&context, "bash", line), expected, "{line:?}");
    };
    check(&["chat", "he"], &["helper"]);
    check(&["agent", "show", "he"], &["helper"]);
    check(&["agent", "skill", "add", "he"], &["helper"]);
    check(
        &["agent", "skill", "add", "helper", "skill-r"],
        &["skill-review"],
    );
    check(&["agent", "create", "he"], &[]);
    check(&["chat", "--resume", "s-"], &[id]);
    check(&["chat", "--resume", "l"], &["last"]);
    check(&["audit", "replay", "s-"], &[id]);
    check(&["chat", "--strategy", ""], &["tool", "router", "hybrid"]);
    check(&["chat", "--model", "anth"], &["anthropic/"]);
    check(&["explain", "scan-pipe"], &["scan-pipe-to-shell"]);
    check(&["install", "--agent", "claude"], &["claude-code"]);
    check(&["remove", "pdf", "--agent", "claude"], &["claude-code"]);
    check(&["run", "skill-r"], &["skill-review"]);
}

#[test]
fn keys_are_completed() {
    let context = TestContext::configured("[sources.internal]\nurl = \"https://h.example\"\n");
    assert_eq!(
        candidates(&context, "bash", &["config", "set", "registry."]),
        ["registry.url", "registry.auth"]
    );
    assert_eq!(
        candidates(&context, "bash", &["config", "get", "sources."]),
        [
            "sources.internal.type",
            "sources.internal.url",
            "sources.internal.auth"
        ]
    );
    assert_eq!(
        candidates(&context, "bash", &["config", "unset", "trust.git."]).len(),
        3
    );
}

#[test]
fn the_script_for_bash_works_in_bash() {
    let context = TestContext::new();
    context.write_skill(".agents/skills/pdf-tools");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_skillyard"));
    let folder = binary.parent().expect("a folder").display().to_string();
    let script = "eval \"$(skillyard completions bash)\"\n\
                  COMP_WORDS=(skillyard show pd) COMP_CWORD=2\n\
                  _clap_complete_skillyard skillyard pd show\n\
                  echo \"${COMPREPLY[@]}\"";
    let mut bash = context.command("bash");
    bash.args(["-c", script])
        .env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin"));
    // Not every machine has bash, and this one line of it is all that is lost then.
    if let Ok(run) = bash.output() {
        assert_eq!(
            text(&run.stdout).trim(),
            "pdf-tools",
            "{}",
            text(&run.stderr)
        );
    }
}

#[test]
fn the_line_for_zsh_works_in_a_fresh_home() {
    let context = TestContext::new();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_skillyard"));
    let folder = binary.parent().expect("a folder").display().to_string();
    context.write("zsh/.zshrc", "source <(skillyard completions zsh)\n");
    let mut zsh = context.command("zsh");
    zsh.args(["-i", "-c", "echo ${_comps[skillyard]}"])
        .env("ZDOTDIR", context.root().join("zsh"))
        .env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin"));
    // Not every machine has zsh.
    if let Ok(run) = zsh.output() {
        let said = text(&run.stderr);
        assert!(!said.contains("compdef"), "{said}");
        let completer = text(&run.stdout);
        assert_eq!(completer.trim(), "_clap_dynamic_completer_skillyard");
    }
    let script = output(context.skillyard().args(["completions", "zsh"]));
    let script = text(&script.stdout);
    assert!(script.starts_with("#compdef skillyard\n(( $+functions[compdef] ))"));
}

#[test]
fn an_unknown_shell_is_refused() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["completions", "bsh"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `bsh` is no value of `<SHELL>`

    hint: Did you mean `bash`? Use one of bash, elvish, fish, powershell, zsh
    ");
}
