//! What is the same for every command.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::{TestContext, output, text};

/// The names that `--help` lists, by the two spaces they are indented with.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    lines
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| line.split(' ').next())
        .collect()
}

#[test]
fn help_shows_the_groups_on_one_screen() {
    let context = TestContext::new();
    let run = output(context.skillyard().arg("--help"));
    let help = text(&run.stdout);
    assert!(run.status.success() && run.stderr.is_empty());
    assert!(help.lines().count() <= 40, "{help}");
    for line in ["Write:", "Set up:", "Usage: skillyard <COMMAND> [OPTIONS]"] {
        assert!(help.lines().any(|each| each == line), "{line} in {help}");
    }
    for command in [
        "new",
        "validate",
        "explain",
        "read",
        "prompt",
        "completions",
    ] {
        assert!(commands(&help).contains(&command), "{command} in {help}");
    }
    assert_eq!(text(&output(context.skillyard().arg("-h")).stdout), help);
}

#[test]
fn every_command_has_help_with_an_example() {
    let context = TestContext::new();
    let help = text(&output(context.skillyard().arg("--help")).stdout);
    for command in commands(&help) {
        let run = output(context.skillyard().args([command, "--help"]));
        let help = text(&run.stdout);
        assert!(run.status.success(), "{command}");
        assert!(
            help.contains("Examples:") && help.contains(&format!("skillyard {command} ")),
            "{help}"
        );
    }
}

#[test]
fn version() {
    let context = TestContext::new();
    let shown = context
        .run(&["--version"])
        .replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
    assert_snapshot!(shown, @"
    success: true
    exit code: 0
    ----- stdout -----
    skillyard [VERSION]
    ----- stderr -----
    ");
}

#[test]
fn no_command_is_wrong_usage() {
    let context = TestContext::new();
    assert_eq!(context.code(&[]), Some(2));
}

#[test]
fn an_unknown_command_gets_a_suggestion() {
    let context = TestContext::new();
    let run = output(context.skillyard().arg("valdate"));
    assert_eq!(run.status.code(), Some(2));
    let shown = text(&run.stderr);
    assert!(
        shown.contains("similar") && shown.contains("'validate'"),
        "{shown}"
    );
    assert_snapshot!(context.run(&["validate", "--profle", "spec"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: unexpected argument '--profle' found

      tip: a similar argument exists: '--profile'

    Usage: skillyard validate --profile <PROFILE> [PATHS]...

    For more information, try '--help'.
    ");
}

#[test]
fn the_word_skill_may_come_first() {
    let context = TestContext::new();
    context.write_skill("pdf");
    assert_eq!(
        context.run(&["skill", "validate", "pdf"]),
        context.run(&["validate", "pdf"])
    );
    assert_eq!(context.code(&["skill", "validate", "pdf"]), Some(0));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let context = TestContext::new();
    context.write_skill("pdf").write("csv/SKILL.md", "");
    for arguments in [
        &["explain"][..],
        &["explain", "--json"],
        &["completions", "bash"],
        &["prompt", "pdf"],
        &["read", "pdf"],
        &["validate", "pdf", "--json"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = output(
            context
                .skillyard()
                .args(arguments)
                .stdout(Stdio::from(writer)),
        );
        assert_eq!(
            run.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&run.stderr)
        );
        assert_eq!(text(&run.stderr), "", "{arguments:?}");
    }
}

#[test]
fn errors_are_json_too() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["validate", "nowhere", "--json"]), @r#"
    success: false
    exit code: 2
    ----- stdout -----
    {
      "error": {
        "message": "`nowhere` does not exist",
        "causes": [],
        "hint": null
      }
    }
    ----- stderr -----
    error: `nowhere` does not exist
    "#);
    let error = context.json(&["explain", "name-lenght", "--json"]);
    assert_eq!(error["error"]["hint"], "Did you mean `name-length`?");
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let context = TestContext::new();
    context.write("csv/SKILL.md", "");
    let coloured = |arguments: &[&str], variable: Option<&str>| {
        let mut command = context.skillyard();
        command.args(["validate", "csv"]).args(arguments);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        let run = output(&mut command);
        (text(&run.stdout) + &text(&run.stderr)).contains('\u{1b}')
    };
    assert!(!coloured(&[], None));
    assert!(!coloured(&["--color", "never"], None));
    assert!(!coloured(&[], Some("NO_COLOR")));
    assert!(coloured(&["--color", "always"], None));
    assert!(coloured(&["--color", "always"], Some("NO_COLOR")));
}

#[test]
fn quiet_and_verbose_exclude_each_other() {
    let context = TestContext::new();
    assert_eq!(context.code(&["validate", "-q", "-v"]), Some(2));
}
