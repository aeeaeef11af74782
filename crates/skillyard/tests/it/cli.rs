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
    let short = text(&output(context.skillyard().arg("-h")).stdout);
    assert!(short.lines().count() <= 40, "{short}");
    let run = output(context.skillyard().arg("--help"));
    let help = text(&run.stdout);
    assert!(run.status.success() && run.stderr.is_empty());
    for command in commands(&help) {
        assert!(short.contains(command), "{command} in {short}");
    }
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
}

/// Every command with what it lies in, such as `["agent", "skill", "add"]`, and its whole help.
fn every_command(context: &TestContext) -> Vec<(Vec<String>, String)> {
    let help = |path: &[String]| text(&output(context.skillyard().args(path).arg("--help")).stdout);
    let top = help(&[]);
    let mut waiting: Vec<Vec<String>> = commands(&top)
        .into_iter()
        .map(|name| vec![name.to_owned()])
        .collect();
    let mut all = Vec::new();
    while let Some(path) = waiting.pop() {
        let shown = help(&path);
        let below = shown.split_once("\nCommands:\n").map(|(_, below)| below);
        let below = below.map(|below| below.split("\n\n").next().unwrap_or_default());
        for name in commands(below.unwrap_or_default()) {
            if name != "help" {
                waiting.push([path.as_slice(), &[name.to_owned()]].concat());
            }
        }
        all.push((path, shown));
    }
    all
}

/// The examples of a help, without what is said about them.
fn examples(help: &str) -> Vec<&str> {
    let (_, behind) = help.split_once("Examples:\n").unwrap_or_default();
    let lines = behind.lines().take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| line.trim_start().split("  ").next())
        .collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let context = TestContext::new();
    let all = every_command(&context);
    assert!(all.len() > 90, "{}", all.len());
    for (path, help) in &all {
        let command = path.join(" ");
        let short = output(context.skillyard().args(path).arg("-h"));
        assert!(short.status.success(), "{command}");
        let short = text(&short.stdout);
        for help in [help, &short] {
            let mut lines = help.lines();
            let summary = lines.next().unwrap_or_default();
            assert!(summary.chars().count() < 80, "{summary}");
            assert!(
                !summary.ends_with('.') && lines.next() == Some(""),
                "{help}"
            );
            assert_eq!(help.matches("Examples:").count(), 1, "{command}: {help}");
            let named = format!("skillyard {command}");
            let mut examples = examples(help).into_iter();
            assert!(examples.any(|each| each.contains(&named)), "{help}");
            assert!(
                help.lines().all(|line| line.chars().count() <= 100),
                "{help}"
            );
        }
        assert!(short.lines().count() <= 40, "{short}");
    }
}

#[test]
fn every_example_is_understood() {
    let context = TestContext::new();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_skillyard"));
    let folder = binary.parent().unwrap().to_str().unwrap();
    for (path, help) in every_command(&context) {
        for example in examples(&help) {
            // What is not understood is told before the help that is asked for at the end; words of
            // another program are not ours to judge.
            let is_plain =
                !example.contains(['|', '<', '>', '&', '$']) && !example.contains(" -- ");
            if !example.starts_with("skillyard ") || !is_plain {
                continue;
            }
            let mut shell = context.command("sh");
            let line = format!("PATH={folder}:$PATH; {example} --help");
            let ran = output(shell.args(["-c", &line]));
            assert!(
                ran.status.success() && text(&ran.stdout).contains("Usage: "),
                "{path:?}: {example}: {}",
                text(&ran.stderr)
            );
        }
    }
}

#[test]
fn what_others_call_manage_shows_its_actions() {
    let context = TestContext::new();
    for words in [&["skill", "manage"][..], &["skill", "manage", "--help"]] {
        let told = context.run(words);
        for action in ["list --installed", "enable", "disable", "update", "remove"] {
            assert!(told.contains(&format!("skillyard {action}")), "{told}");
        }
        assert!(!told.contains("publish"), "{told}");
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
    assert!(shown.contains("hint: Did you mean `validate`?"), "{shown}");
    assert_snapshot!(context.run(&["validate", "--profle", "spec"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `--profle` was not expected

    hint: Did you mean `--profile`?
    ");
}

#[test]
fn wrong_arguments_are_told_as_other_failures_are() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["show"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `<NAME>` is missing

    hint: Use it as `skillyard show <NAME>`; `skillyard show --help` says more
    ");
    assert_snapshot!(context.run(&["list", "--nothing-like-it"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `--nothing-like-it` was not expected

    hint: Use it as `skillyard list [OPTIONS]`; `skillyard list --help` says more
    ");
    assert_snapshot!(context.run(&["search", "--limit", "many", "x"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `many` is no value of `--limit <N>`
      Caused by: invalid digit found in string
    ");
    assert_snapshot!(context.run(&["chat", "--fork"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `--resume [<SESSION>]` is missing

    hint: Use it as `skillyard chat --resume [<SESSION>] --fork [AGENT]`; `skillyard chat --help` says more
    ");
    assert_snapshot!(context.run(&["chat", "--sessions", "-p", "x"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `--sessions` cannot be used with `--prompt <PROMPT>`

    hint: Use it as `skillyard chat --sessions [AGENT]`; `skillyard chat --help` says more
    ");
    let told = text(&output(context.skillyard().args(["lst", "--color", "always"])).stderr);
    assert!(
        told.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m there"),
        "{told:?}"
    );
    let told = text(&output(context.skillyard().args(["lst", "--color", "never"])).stderr);
    assert!(
        told.starts_with("error: there is no command `lst`"),
        "{told:?}"
    );
    let secret = "https://me:hunter2-hunter2@example.com/x";
    let told = context.run(&["show", "a", secret]);
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn words_of_other_tools_lead_to_our_commands() {
    let context = TestContext::new();
    for (word, command) in [
        ("upgrade", "update"),
        ("lint", "validate"),
        ("add", "install"),
    ] {
        let told = context.run(&[word, "x"]);
        let hint = format!("Did you mean `{command}`?");
        assert!(told.contains(&hint), "{told}");
    }
    for (command, option, meant) in [
        ("sync", "--dry-run", "--check"),
        ("update", "--check", "--dry-run"),
    ] {
        let told = context.run(&[command, option]);
        let hint = format!("Did you mean `{meant}`?");
        assert!(told.contains(&hint), "{told}");
    }
    // A group of commands has words of its own.
    let told = context.run(&["key", "add"]);
    assert!(!told.contains("`install`"), "{told}");
    let told = context.run(&["doctor", "--agent", "kiro"]);
    assert!(told.contains("Did you mean `kiro-cli`?"), "{told}");
}

#[test]
fn help_is_a_word_too() {
    let context = TestContext::new();
    assert_eq!(context.run(&["help"]), context.run(&["--help"]));
    assert_eq!(
        context.run(&["help", "list"]),
        context.run(&["list", "--help"])
    );
    assert_eq!(context.code(&["skill"]), Some(2));
}

#[test]
fn this_folder_never_passes_for_the_home_directory() {
    let context = TestContext::new();
    context.write_skill(".agents/skills/pdf").write(
        ".skillyard/config.toml",
        "[discovery]\ntrust_projects = \"always\"\n",
    );
    for home in [None, Some("")] {
        let mut command = context.skillyard();
        command.arg("list").env_remove("HOME");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        let run = output(&mut command);
        let told = text(&run.stdout);
        // As the file of a project that is not trusted it has no say.
        assert_eq!(run.status.code(), Some(0), "{told}");
        assert!(told.contains("! pdf  (untrusted)"), "{told}");
    }
    assert!(!context.root().join(".skillyard/index").exists());
}

#[test]
fn lines_of_a_message_do_not_pass_for_ours() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["validate", "./x\nhint: run `evil`"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `./x
        hint: run `evil`` does not exist
    ");
    context.write("../home/.skillyard/config.toml", "broken");
    assert!(
        context
            .run(&["list"])
            .contains("config.toml:1: key with no value, expected `=`")
    );
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
    context
        .write_skill("pdf")
        .write("csv/SKILL.md", "")
        .write_skill(".agents/skills/zip")
        .write("zip/draft.md", "")
        .write("tasks.yaml", "- task: zip it\n  skills: [zip]\n");
    for arguments in [
        &["explain"][..],
        &["explain", "--json"],
        &["explain", "skill", "zip"],
        &["completions", "bash"],
        &["prompt"],
        &["prompt", "pdf"],
        &["prompt", "--json"],
        &["read", "pdf"],
        &["read", "pdf", "SKILL.md"],
        &["read", "pdf", "--properties"],
        &["validate", "pdf", "--json"],
        &["validate", "csv"],
        &["validate", "csv", "--format", "sarif"],
        &["validate", "csv", "--format", "github"],
        &["validate", "pdf", "--profile", "skills-ref"],
        &["list"],
        &["list", "--json"],
        &["show", "zip"],
        &["show", "zip", "--json"],
        &["search", "skill"],
        &["match", "write a skill"],
        &["eval", "tasks.yaml"],
        &["new", "made", "-d", "x"],
        &["new", "draft", "-f", "zip/draft.md"],
        &["disable", "zip"],
        &["trust", "."],
        &["trust", "list"],
        &["--help"],
        &["show", "--help"],
        &["--version"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = output(
            context
                .skillyard()
                .args(arguments)
                .stdout(Stdio::from(writer)),
        );
        let told = text(&run.stderr);
        // What is wrong is wrong all the same.
        let is_wrong = ["csv", "draft"].iter().any(|bad| arguments.contains(bad));
        let code = Some(i32::from(is_wrong));
        assert_eq!(run.status.code(), code, "{arguments:?}: {told}");
        assert!(
            is_wrong || !told.contains("error:"),
            "{arguments:?}: {told}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let context = TestContext::new();
    context.write_skill("pdf");
    for arguments in [
        &["explain"][..],
        &["read", "pdf"],
        &["list", "--json"],
        &["--help"],
        &["chat", "-p", "/skill-authoring how"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full");
        let run = output(context.skillyard().args(arguments).stdout(full));
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        let told = text(&run.stderr);
        assert!(told.contains("cannot write to the output"), "{told}");
        assert!(told.contains("No space left"), "{told}");
    }
}

#[test]
fn wrong_usage_is_json_too() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["lst", "--json"]), @r#"
    success: false
    exit code: 2
    ----- stdout -----
    {
      "error": {
        "message": "there is no command `lst`",
        "causes": [],
        "hint": "Did you mean `list`?"
      }
    }
    ----- stderr -----
    error: there is no command `lst`

    hint: Did you mean `list`?
    "#);
    let error = context.json(&["show", "--json"]);
    assert_eq!(error["error"]["message"], "`<NAME>` is missing");
    assert!(context.json(&["--json"])["error"]["message"].is_string());
    assert!(
        context
            .run(&["lst", "--", "--json"])
            .contains("stdout -----\n\n-----")
    );
}

#[test]
fn no_error_reaches_the_terminal_raw() {
    let context = TestContext::new();
    let attack = "x\u{1b}]0;pwned\u{7}\u{9b}2J\u{202e}";
    context.write(&format!("{attack}/SKILL.md"), "---\nname: x\n---\nText.\n");
    context.write(&format!("{attack}/draft.md"), "x");
    context.write_skill("pdf");
    let folder = format!("./{attack}");
    let draft = format!("{folder}/draft.md");
    for arguments in [
        &["read", &folder][..],
        &["read", &folder, "--json"],
        &["validate", &draft],
        &["validate", &folder],
        &["validate", &folder, "--format", "sarif"],
        &["validate", &folder, "--profile", "skills-ref"],
        &["prompt", "."],
        &["prompt", &folder],
        &["new", "pdf", "--path", &folder, "-f", &draft],
        &["new", "made", "--path", &folder, "-d", "x"],
        &["new", "made", "--path", &folder, "-d", "x"],
        &["new", attack, "-d", "x"],
        &["show", attack],
        &["explain", attack],
        &["completions", attack],
        &[attack],
    ] {
        let run = output(context.skillyard().args(arguments));
        let shown = text(&run.stdout) + &text(&run.stderr);
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
            "{arguments:?}: {shown:?}"
        );
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
