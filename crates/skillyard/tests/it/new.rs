//! `skillyard new`.

use std::fs;

use insta::assert_snapshot;

use crate::{DESCRIPTION, TestContext, output, text};

#[test]
fn a_skill_is_made_and_is_valid() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "pdf-tools", "--description", DESCRIPTION]), @"
    success: true
    exit code: 0
    ----- stdout -----
     + ./pdf-tools
    ----- stderr -----
    Made skill `pdf-tools`; write its instructions in `./pdf-tools/SKILL.md`, check it with `skillyard validate ./pdf-tools`, then use it with `skillyard install ./pdf-tools`
    ");
    assert_snapshot!(context.read("pdf-tools/SKILL.md"), @"
    ---
    name: pdf-tools
    description: 'Fills PDF forms. Use when a task involves PDF files.'
    ---

    # Pdf Tools

    ## Instructions

    1. Say what the agent should do first.
    2. Say how it can tell that it is done.
    ");
    assert_eq!(
        context.code(&["validate", "--profile", "strict", "pdf-tools"]),
        Some(0)
    );
}

#[test]
fn the_folders_that_were_asked_for_are_made() {
    let context = TestContext::new();
    let arguments = [
        "create",
        "pdf",
        "-d",
        DESCRIPTION,
        "--scripts",
        "--references",
        "--assets",
    ];
    assert_eq!(
        context.code(&[&arguments[..], &["--path", "a/b"]].concat()),
        Some(0)
    );
    assert_eq!(
        context.tree(),
        [
            "a/",
            "a/b/",
            "a/b/pdf/",
            "a/b/pdf/SKILL.md",
            "a/b/pdf/assets/",
            "a/b/pdf/references/",
            "a/b/pdf/references/details.md",
            "a/b/pdf/scripts/",
            "a/b/pdf/scripts/run.sh",
        ]
    );
    assert_eq!(
        context.code(&["validate", "--profile", "strict", "a"]),
        Some(0)
    );
}

#[test]
fn a_description_of_any_kind_is_written_safely() {
    let context = TestContext::new();
    for (number, description) in [
        "Usage: when",
        "it's \"so\" when",
        "two\nlines when",
        "- when",
        "\u{1b}[31m when",
        "# when",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("skill-number-{number}{number}");
        assert_eq!(
            context.code(&["new", &name, &format!("--description={description}")]),
            Some(0)
        );
        assert_eq!(
            context.json(&["read", &name, "--json"])["description"],
            *description
        );
    }
    assert_eq!(context.code(&["validate", "--profile", "spec"]), Some(0));
}

#[test]
fn an_invalid_name_gets_a_proposal() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "PDF Tools", "--description", DESCRIPTION]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `PDF Tools` is not a valid skill name: it has capital letters

    hint: Call it `pdf-tools`
    ");
    for name in ["../evil", "a/b", "--", ".", "", "-x", "a--b"] {
        assert_eq!(
            context.code(&["new", "--description", DESCRIPTION, "--", name]),
            Some(2),
            "{name}"
        );
    }
    assert!(context.tree().is_empty());
}

#[test]
fn a_folder_that_exists_is_left_alone() {
    let context = TestContext::new();
    context.write("pdf/notes.txt", "mine");
    assert_snapshot!(context.run(&["new", "pdf", "--description", DESCRIPTION]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `./pdf` exists already

    hint: Edit `./pdf`, or choose another name
    ");
    assert_eq!(context.tree(), ["pdf/", "pdf/notes.txt"]);
}

#[test]
fn from_a_valid_file() {
    let context = TestContext::new();
    let draft =
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\nmodel: opus\n---\n\nFill it.\n");
    context.write("draft.md", &draft);
    assert_snapshot!(context.run(&["new", "pdf", "-f", "draft.md"]), @"
    success: true
    exit code: 0
    ----- stdout -----
     + ./pdf
    ----- stderr -----
    Made skill `pdf`; write its instructions in `./pdf/SKILL.md`, check it with `skillyard validate ./pdf`, then use it with `skillyard install ./pdf`
    ");
    assert_eq!(context.read("pdf/SKILL.md"), draft);
}

#[test]
fn from_an_invalid_file() {
    let context = TestContext::new();
    context.write("draft.md", "---\nname: csv\n---\n\nFill it.\n");
    assert_snapshot!(context.run(&["new", "pdf", "-f", "draft.md"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[description-missing]: `description` is missing
     --> draft.md:2:1
      |
    2 | name: csv
      | ^
      |
      = help: say what the skill does and when to use it

    error[name-matches-directory]: the name is `csv`, but the folder is called `pdf`
     --> draft.md:2:7
      |
    2 | name: csv
      |       ^^^
      |
      = help: rename the folder to `csv`, or the skill to `pdf`
    ----- stderr -----
    error: `draft.md` is not valid, and nothing was created

    hint: Correct `draft.md`, then run the command again
    ");
    assert_snapshot!(context.run(&["new", "pdf", "-f", "draft.md", "--json"]), @r#"
    success: false
    exit code: 1
    ----- stdout -----
    {
      "error": {
        "message": "`draft.md` is not valid, and nothing was created",
        "causes": [
          "`description` is missing",
          "the name is `csv`, but the folder is called `pdf`"
        ],
        "hint": "Correct `draft.md`, then run the command again"
      }
    }
    ----- stderr -----
    error: `draft.md` is not valid, and nothing was created
      Caused by: `description` is missing
      Caused by: the name is `csv`, but the folder is called `pdf`

    hint: Correct `draft.md`, then run the command again
    "#);
    assert_eq!(context.tree(), ["draft.md"]);
    assert_snapshot!(context.run(&["new", "pdf", "-f", "nowhere.md"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot read `nowhere.md`
      Caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn a_folder_that_is_a_file() {
    let context = TestContext::new();
    context.write("notes", "x");
    assert_snapshot!(context.run(&["new", "pdf", "-d", "x", "--path", "notes"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `notes` is not a folder
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let context = TestContext::new();
    let path = std::ffi::OsStr::from_bytes(b"a\xff");
    let mut command = context.skillyard();
    command.args(["new", "pdf", "-d", "x", "--json", "--path"]);
    let run = output(command.arg(path));
    assert_eq!(run.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&run.stdout).contains("\"path\": \"a\u{fffd}/pdf\""));
    let mut command = context.skillyard();
    command.args(["read", "--json"]);
    let run = output(command.arg(std::path::Path::new(path).join("pdf")));
    assert_eq!(run.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&run.stdout).contains("\"name\": \"pdf\""));
    // What cannot be written down exactly is not trusted: it could be another folder.
    let mut command = context.skillyard();
    command.args(["trust", "."]);
    let run = output(command.current_dir(context.root().join(path)));
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.contains("its path is not UTF-8"), "{said}");
    // Nothing is wrong with what was approved before.
    assert!(said.contains("hint: Give the folder a name"), "{said}");
    assert!(!said.contains("approvals.toml"), "{said}");
    let folder = context.root().join(path);
    std::fs::write(folder.join("skills.toml"), "").unwrap();
    let mut command = context.skillyard();
    command.args(["install", "./pdf", "--scope", "project", "--yes"]);
    let run = output(command.current_dir(folder));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("because its path is not UTF-8"), "{said}");
    assert!(!said.contains("`skillyard trust"), "{said}");
    let mut command = context.skillyard();
    let run = output(command.arg("list").current_dir(context.root().join(path)));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        said.contains("not trusted (its path is not UTF-8"),
        "{said}"
    );
    assert!(!said.contains("`skillyard trust"), "{said}");
}

#[test]
fn as_json() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "pdf", "--description", DESCRIPTION, "--json"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    {
      "name": "pdf",
      "path": "./pdf",
      "file": "./pdf/SKILL.md"
    }
    ----- stderr -----
    "#);
    assert_snapshot!(context.run(&["new", "pdf", "--description", DESCRIPTION, "--json"]), @r#"
    success: false
    exit code: 2
    ----- stdout -----
    {
      "error": {
        "message": "`./pdf` exists already",
        "causes": [],
        "hint": "Edit `./pdf`, or choose another name"
      }
    }
    ----- stderr -----
    error: `./pdf` exists already

    hint: Edit `./pdf`, or choose another name
    "#);
}

#[test]
fn without_a_terminal_the_flag_is_named() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "pdf"]), @r#"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: a description is needed

    hint: Pass `--description "What it does. Use when …"`, or `-f FILE`
    "#);
    assert_eq!(
        context.code(&["new", "pdf", "--description", "  "]),
        Some(2)
    );
    assert!(context.tree().is_empty());
}

/// An editor that adds a line; its arguments are the script's own and the file.
#[cfg(unix)]
fn editor(context: &TestContext, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = context.root().join("../home/editor.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    path.to_string_lossy().into_owned()
}

#[cfg(unix)]
#[test]
fn the_editor_is_started_with_the_file() {
    let context = TestContext::new();
    let editor = editor(&context, "echo \"Edited with $1.\" >> \"$2\"");
    let mut command = context.skillyard();
    command.args(["new", "pdf", "--edit", "--description", DESCRIPTION]);
    command.env("EDITOR", format!("'{editor}' --wait"));
    assert_snapshot!(context.shown(&mut command), @"
    success: true
    exit code: 0
    ----- stdout -----
     + ./pdf
    ----- stderr -----
    Made skill `pdf`; write its instructions in `./pdf/SKILL.md`, check it with `skillyard validate ./pdf`, then use it with `skillyard install ./pdf`
    ");
    assert!(
        context
            .read("pdf/SKILL.md")
            .ends_with("Edited with --wait.\n")
    );
}

#[cfg(unix)]
#[test]
fn an_editor_that_fails_is_told() {
    let context = TestContext::new();
    let editor = editor(&context, "exit 3");
    let mut command = context.skillyard();
    command
        .args(["new", "pdf", "--edit", "--description", DESCRIPTION])
        .env("VISUAL", &editor);
    let shown = context
        .shown(&mut command)
        .replace("[DIR]/../home/editor.sh", "[EDITOR]");
    assert_snapshot!(shown, @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the editor `[EDITOR]` ended with 3

    hint: The skill was made; its instructions are in `./pdf/SKILL.md`
    ");
    assert_eq!(context.tree(), ["pdf/", "pdf/SKILL.md"]);
}

#[test]
fn without_an_editor_the_variable_is_named() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "pdf", "--edit", "--description", DESCRIPTION]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no editor is set

    hint: Set `EDITOR` to the program that you write with
    ");
    let mut empty = context.skillyard();
    empty.args(["new", "pdf", "--edit"]).env("VISUAL", " ");
    assert_eq!(output(&mut empty).status.code(), Some(2));
    assert!(context.tree().is_empty());
}

#[test]
fn a_description_that_breaks_a_rule_is_refused_in_its_words() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["new", "pdf", "-d", &"x".repeat(1_025)]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the description has 1025 characters, and at most 1024 are allowed

    hint: keep what it does and when to use it; move the rest into the body
    ");
    assert!(context.tree().is_empty());
    assert_eq!(
        context.code(&["new", "pdf", "-d", &"ä".repeat(1_024)]),
        Some(0)
    );
}

#[test]
fn a_description_may_start_with_a_hyphen_and_need_not_say_when() {
    let context = TestContext::new();
    assert_eq!(
        context.code(&["new", "pdf", "--description", "- fills forms"]),
        Some(0)
    );
    assert_eq!(context.code(&["new", "csv", "-d", "-x"]), Some(0));
    let found = context.json(&["read", "pdf", "--json"]);
    assert_eq!(found["description"], "- fills forms");
}

#[test]
fn a_file_without_an_end_is_not_read_to_it() {
    let context = TestContext::new();
    let shown = context.run(&["new", "pdf", "-f", "/dev/zero"]);
    assert!(shown.contains("exit code: "), "{shown}");
    assert!(!shown.contains("exit code: 0"), "{shown}");
    assert!(context.tree().is_empty());
}

#[test]
fn a_name_that_yaml_takes_for_something_else_is_in_quotes() {
    let context = TestContext::new();
    for name in ["2048", "null", "1e3"] {
        let told = context.tell(&["new", name, "-d", "Does x. Use when asked."]);
        assert!(told.starts_with("exit status: 0"), "{told}");
        let told = context.tell(&["validate", name]);
        assert!(
            told.contains("✓ valid") && !told.contains("warning"),
            "{told}"
        );
    }
    context.write_skill("pdf");
    let told = context.tell(&["install", "./pdf", "--name", "2048", "--yes"]);
    assert!(told.contains("Installed 1 skill"), "{told}");
    let told = context.tell(&["read", "2048"]);
    assert!(told.starts_with("exit status: 0"), "{told}");
}

#[test]
fn a_device_of_windows_is_no_name() {
    let context = TestContext::new();
    let told = context.tell(&["new", "con", "-d", "X. Use when asked."]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(told.contains("`con` is a device on Windows"), "{told}");
    context.write(
        "con/SKILL.md",
        "---\nname: con\ndescription: X. Use when asked.\n---\n\nDo.\n",
    );
    let told = context.tell(&["validate", "con"]);
    assert!(told.starts_with("exit status: 0"), "{told}");
    assert!(told.contains("warning[name-device]"), "{told}");
}

#[test]
fn a_draft_comes_from_stdin() {
    let context = TestContext::new();
    let draft = "---\nname: pdf\ndescription: Fills forms. Use when there is one.\n---\nDo.\n";
    context.write("draft.md", draft);
    let stdin = std::fs::File::open(context.root().join("draft.md")).unwrap();
    let mut command = context.skillyard();
    let made = crate::output(command.args(["new", "pdf", "-f", "-"]).stdin(stdin));
    assert!(made.status.success(), "{made:?}");
    assert_eq!(context.read("pdf/SKILL.md"), draft);
}

#[test]
fn others_may_do_what_the_mask_leaves_them() {
    for (mask, shared, folder, script, file) in [
        ("022", "755", "755", "755", "644"),
        ("077", "755", "700", "700", "600"),
        ("002", "2775", "2775", "775", "664"),
    ] {
        let context = TestContext::new();
        let mut command = context.command("sh");
        command
            .env("SKILLYARD", env!("CARGO_BIN_EXE_skillyard"))
            .args([
                "-euc",
                &format!(
                    "mkdir place && chmod {shared} place && cd place && umask {mask}
                \"$SKILLYARD\" new pdf --scripts -d 'Fills PDF forms. Use when a task has one.'
                \"$SKILLYARD\" install ./pdf --scope user
                for root in pdf \"$HOME/.agents/skills/pdf\"; do
                stat -c %a $root $root/scripts/run.sh $root/SKILL.md; done"
                ),
            ]);
        let output = output(&mut command);
        let told = text(&output.stdout);
        let modes: Vec<&str> = told.lines().rev().take(6).collect();
        let modes: Vec<&str> = modes.into_iter().rev().collect();
        let plain = folder.strip_prefix('2').unwrap_or(folder);
        assert_eq!(
            modes,
            [folder, script, file, plain, script, file],
            "{told}{}",
            text(&output.stderr)
        );
        let left: Vec<_> = fs::read_dir(context.root().join("place"))
            .unwrap()
            .collect();
        assert_eq!(left.len(), 1);
    }
}
