//! `skillyard validate`.

mod delivery;
mod fix;
mod formats;
mod output;

use std::fs;

use insta::assert_snapshot;

use crate::{DESCRIPTION, TestContext, output};

#[test]
fn a_valid_skill() {
    let context = TestContext::new();
    context.write_skill("pdf-tools");
    assert_snapshot!(context.run(&["validate", "pdf-tools"]), @"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    Checked 1 skill in [TIME]: ✓ valid
    ");
}

const SIX_MISTAKES: &str = "\
---
name: PDF_Tools
description: Fills forms. Usage: when a task involves PDF files.
licence: MIT
metadata:
\tversion: 1.10
allowed-tools: Read, Write
---
";

#[test]
fn six_mistakes_at_once() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", SIX_MISTAKES);
    assert_snapshot!(context.run(&["validate", "pdf-tools"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[name-characters]: `PDF_Tools` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed
     --> pdf-tools/SKILL.md:2:7
      |
    2 | name: PDF_Tools
      |       ^^^^^^^^^
      |
      = help: call it `pdf-tools`

    error[name-matches-directory]: the name is `PDF_Tools`, but the folder is called `pdf-tools`
     --> pdf-tools/SKILL.md:2:7
      |
    2 | name: PDF_Tools
      |       ^^^^^^^^^
      |
      = help: call the skill `pdf-tools`, or rename both

    error[yaml-unquoted-text]: the value of `description` needs quotes: a `: ` inside starts another value
     --> pdf-tools/SKILL.md:3:14
      |
    3 | description: Fills forms. Usage: when a task involves PDF files.
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: put it in quotes

    warning[field-unknown]: `licence` is not a field of the specification
     --> pdf-tools/SKILL.md:4:1
      |
    4 | licence: MIT
      | ^^^^^^^
      |
      = help: did you mean `license`?

    error[yaml-tab]: a tab indents this line
     --> pdf-tools/SKILL.md:6:1
      |
    6 |     version: 1.10
      | ^^^^
      |
      = help: use two spaces

    warning[metadata-unquoted]: `1.10` is not text to every YAML reader
     --> pdf-tools/SKILL.md:6:11
      |
    6 |     version: 1.10
      |              ^^^^
      |
      = help: put it in quotes

    warning[allowed-tools-separator]: the tools are separated by commas
     --> pdf-tools/SKILL.md:7:16
      |
    7 | allowed-tools: Read, Write
      |                ^^^^^^^^^^^
      |
      = help: write `allowed-tools: Read Write`

    warning[body-empty]: the skill has no instructions
    --> pdf-tools/SKILL.md
     = help: write them below the closing `---`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✗ invalid, 4 errors, 4 warnings
    5 problems can be mended with `--fix`
    ");
}

#[test]
fn a_tree_is_checked_in_the_order_of_its_paths() {
    let context = TestContext::new();
    for folder in [
        "skills/zip",
        "skills/b/csv-tools",
        "skills/a/pdf-tools",
        "skills/a-tool",
    ] {
        context.write_skill(folder);
    }
    context.write("skills/zip/SKILL.md", "");
    context.write(
        "skills/b/csv-tools/SKILL.md",
        "---\nname: csv-tools\n---\nText.\n",
    );
    context.write_skill("skills/node_modules/hidden");
    context.write_skill("skills/a/pdf-tools/nested");
    let report = context.json(&["validate", "--json", "skills"]);
    let paths: Vec<_> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "skills/a-tool",
            "skills/a/pdf-tools",
            "skills/b/csv-tools",
            "skills/zip"
        ]
    );
    assert_snapshot!(context.run(&["validate", "skills"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[description-missing]: `description` is missing
     --> skills/b/csv-tools/SKILL.md:2:1
      |
    2 | name: csv-tools
      | ^
      |
      = help: say what the skill does and when to use it

    error[file-empty]: the file is empty
    --> skills/zip/SKILL.md
     = help: write one with `skillyard new NAME`
    ----- stderr -----
    not looked into: `skills/node_modules`: folders called `node_modules` are never looked into
    Checked 4 skills in [TIME]: ✗ 2 invalid, 2 errors
    ");
}

#[test]
fn similar_names_are_told() {
    let context = TestContext::new();
    context.write_skill("pdf-tool").write_skill("pdf-tools");
    assert_snapshot!(context.run(&["validate"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    warning[name-similar]: `pdf-tools` is easily confused with `pdf-tool`
    --> ./pdf-tools/SKILL.md
     = help: rename one so that the names say how the skills differ
    ----- stderr -----
    Checked 2 skills in [TIME]: ✓ all valid, 1 warning
    ");
    assert_eq!(context.code(&["validate", "--profile", "strict"]), Some(1));
}

#[test]
fn a_path_that_does_not_exist() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["validate", "nowhere"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `nowhere` does not exist
    ");
}

#[test]
fn a_folder_without_skills() {
    let context = TestContext::new();
    context.write("docs/readme.md", "# Docs\n");
    assert_snapshot!(context.run(&["validate", "docs"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no SKILL.md was found in `docs`

    hint: A skill is a folder with a `SKILL.md`; make one with `skillyard new NAME`
    ");
    assert_snapshot!(context.run(&["validate", "docs/readme.md"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `docs/readme.md` is not a SKILL.md

    hint: Name a `SKILL.md`, or the folder that holds it
    ");
}

#[test]
fn a_file_that_cannot_be_read() {
    let context = TestContext::new();
    // Permissions do not stop root, who runs the tests in a container; a folder does.
    fs::create_dir_all(context.root().join("pdf/SKILL.md")).unwrap();
    assert_snapshot!(context.run(&["validate", "pdf"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot read `pdf/SKILL.md`
      Caused by: it is not a regular file
    ");
}

#[test]
fn another_spelling_of_the_file_is_found() {
    let context = TestContext::new();
    context.write(
        "pdf/skill.md",
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\nText.\n"),
    );
    assert_snapshot!(context.run(&["validate", "pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    warning[file-name]: the file is called `skill.md`
    --> pdf/skill.md
     = help: rename it to `SKILL.md`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✓ valid, 1 warning
    ");
}

#[test]
fn a_file_may_be_named() {
    let context = TestContext::new();
    context.write_skill("pdf");
    assert_snapshot!(context.run(&["validate", "pdf/SKILL.md"]), @"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    Checked 1 skill in [TIME]: ✓ valid
    ");
}

#[test]
fn this_folder_has_a_name_too() {
    let context = TestContext::new();
    context.write_skill("pdf");
    let folder = context.root().join("pdf");
    for path in [&[][..], &["."], &["SKILL.md"], &["../pdf"], &["./"]] {
        let mut command = context.skillyard();
        command.current_dir(&folder).arg("validate").args(path);
        assert_eq!(output(&mut command).status.code(), Some(0), "{path:?}");
    }
}

#[test]
fn several_paths_are_one_answer() {
    let context = TestContext::new();
    context.write_skill("pdf").write("csv/SKILL.md", "");
    assert_snapshot!(context.run(&["validate", "pdf", "csv"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[file-empty]: the file is empty
    --> csv/SKILL.md
     = help: write one with `skillyard new NAME`
    ----- stderr -----
    Checked 2 skills in [TIME]: ✗ 1 invalid, 1 error
    ");
    let told = context.tell(&["validate", "nowhere", "csv"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    let words = [
        "`nowhere` does not exist",
        "file-empty",
        "Checked 1 skill in",
    ];
    assert!(words.iter().all(|word| told.contains(word)), "{told}");
}

#[test]
fn what_cannot_be_read_does_not_hide_the_others() {
    let context = TestContext::new();
    let skill = "---\nname: good\ndescription: Usage: x. Use when y.\n---\nx\n";
    context.write("lib/good/SKILL.md", skill);
    let odd = context.root().join("lib/odd");
    std::fs::create_dir_all(&odd).unwrap();
    std::os::unix::fs::symlink("nowhere", odd.join("SKILL.md")).unwrap();
    let told = context.tell(&["validate", "lib", "--fix"]);
    assert!(told.starts_with("exit status: 1"), "{told}");
    assert!(told.contains("not-looked-into"), "{told}");
    assert!(told.contains("--> lib/odd/SKILL.md\n"), "{told}");
    assert!(told.contains("mended 1 problem"), "{told}");
    let told = context.tell(&["scan", "lib"]);
    assert!(told.contains("lib/odd/SKILL.md"), "{told}");
    assert!(!told.starts_with("exit status: 0"), "{told}");
    let answer = context.json(&["scan", "lib", "--json"]);
    assert_eq!(
        answer["results"].as_array().map(Vec::len),
        Some(1),
        "{answer}"
    );
}

#[test]
fn skills_that_are_passed_over_are_named() {
    let context = TestContext::new();
    context.write_skill("lib/pdf-tools");
    context.write_skill("lib/target/other");
    let told = context.tell(&["validate", "lib"]);
    assert!(told.contains("not looked into: `lib/target`"), "{told}");
    let answer = context.json(&["validate", "lib", "--json"]);
    assert_eq!(answer["skipped"][0]["path"], "lib/target", "{answer}");
    assert_eq!(answer["summary"]["skills"], 1);
}

#[test]
fn lists_of_what_to_ignore_are_not_read_without_end() {
    let context = TestContext::new();
    context.write_skill("lib/pdf");
    context.write("lib/csv/SKILL.md", "");
    let list = context.root().join("lib/.gitignore");
    std::os::unix::fs::symlink("/dev/zero", &list).unwrap();
    let answer = context.json(&["validate", "lib", "--json"]);
    assert_eq!(answer["summary"]["skills"], 2, "{answer}");
    std::fs::remove_file(&list).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &list,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let answer = context.json(&["validate", "lib", "--json"]);
    assert_eq!(answer["summary"]["skills"], 2, "{answer}");
    std::fs::remove_file(&list).unwrap();
    std::fs::write(&list, "csv/\n").unwrap();
    let answer = context.json(&["validate", "lib", "--json"]);
    assert_eq!(answer["summary"]["skills"], 1, "{answer}");
}

#[test]
fn a_pipe_among_the_scripts_is_not_waited_for() {
    let context = TestContext::new();
    context.skill("pdf", "Reads documents. Use for documents.");
    fs::create_dir_all(context.root().join("pdf/scripts")).unwrap();
    let made = output(context.command("mkfifo").arg("pdf/scripts/run.sh"));
    assert!(made.status.success());
    for command in ["validate", "scan"] {
        let checked = output(context.skillyard().args([command, "pdf"]));
        assert!(matches!(checked.status.code(), Some(0 | 1)), "{command}");
    }
}

#[test]
fn what_could_not_be_checked_is_no_error_of_a_valid_skill() {
    let context = TestContext::new();
    context.write_skill("good");
    let told = context.run(&["validate", "good", "missing"]);
    assert!(
        told.contains("✓ valid, ✗ 1 path could not be checked"),
        "{told}"
    );
    assert!(!told.contains("1 error"), "{told}");
}

#[test]
fn a_compiled_program_needs_no_first_line() {
    let context = TestContext::new();
    context.write_skill("good");
    context.write("good/scripts/tool", b"\x7fELF\x02\x01\x01");
    let tool = context.root().join("good/scripts/tool");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(tool, mode).unwrap();
    let told = context.run(&["validate", "good"]);
    assert!(!told.contains("script-executable"), "{told}");
}
