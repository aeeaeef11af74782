//! `skillyard read`.

use insta::assert_snapshot;

use crate::{TestContext, output, text};

#[test]
fn the_instructions() {
    let context = TestContext::new();
    context.write_skill("pdf");
    assert_snapshot!(context.run(&["read", "pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    # pdf

    Do it.
    ----- stderr -----
    ");
    assert_eq!(
        context.run(&["read", "pdf/SKILL.md"]),
        context.run(&["read", "pdf"])
    );
}

#[test]
fn a_broken_file_is_read_as_far_as_it_can_be() {
    let context = TestContext::new();
    context.write(
        "pdf/SKILL.md",
        "---\nname: PDF\ndescription: Usage: fill\n---\nFill it.\n",
    );
    assert_snapshot!(context.run(&["read", "pdf", "-v"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    Fill it.
    ----- stderr -----
    name-characters: `PDF` is not a valid name: it has capital letters
    name-matches-directory: the name is `PDF`, but the folder is called `pdf`
    yaml-unquoted-text: the value of `description` needs quotes: a `: ` inside starts another value
    ");
    assert_snapshot!(context.run(&["read", "pdf", "--json"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    {
      "name": "PDF",
      "description": "Usage: fill",
      "path": "pdf/SKILL.md",
      "frontmatter": {
        "name": "PDF",
        "description": "Usage: fill"
      },
      "body": "Fill it.\n",
      "diagnostics": [
        {
          "code": "name-characters",
          "severity": "warning",
          "message": "`PDF` is not a valid name: it has capital letters",
          "fixable": false,
          "span": {
            "start": 10,
            "end": 13
          },
          "start": {
            "line": 2,
            "column": 7
          },
          "end": {
            "line": 2,
            "column": 10
          },
          "help": "call it `pdf`"
        },
        {
          "code": "name-matches-directory",
          "severity": "warning",
          "message": "the name is `PDF`, but the folder is called `pdf`",
          "fixable": false,
          "span": {
            "start": 10,
            "end": 13
          },
          "start": {
            "line": 2,
            "column": 7
          },
          "end": {
            "line": 2,
            "column": 10
          },
          "help": "call the skill `pdf`, or rename both"
        },
        {
          "code": "yaml-unquoted-text",
          "severity": "warning",
          "message": "the value of `description` needs quotes: a `: ` inside starts another value",
          "fixable": true,
          "span": {
            "start": 27,
            "end": 38
          },
          "start": {
            "line": 3,
            "column": 14
          },
          "end": {
            "line": 3,
            "column": 25
          },
          "help": "put it in quotes"
        }
      ]
    }
    ----- stderr -----
    "#);
}

#[test]
fn a_file_that_cannot_be_loaded_says_why() {
    let context = TestContext::new();
    context.write("pdf/SKILL.md", "---\nname: pdf\n---\nFill it.\n");
    assert_snapshot!(context.run(&["read", "pdf"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: skill `pdf` cannot be loaded
      Caused by: `description` is missing

    hint: See all that is wrong with `skillyard validate pdf`
    ");
    assert_snapshot!(context.run(&["read", "pdf", "--json"]), @r#"
    success: false
    exit code: 1
    ----- stdout -----
    {
      "error": {
        "message": "skill `pdf` cannot be loaded",
        "causes": [
          "`description` is missing"
        ],
        "hint": "See all that is wrong with `skillyard validate pdf`"
      }
    }
    ----- stderr -----
    error: skill `pdf` cannot be loaded
      Caused by: `description` is missing

    hint: See all that is wrong with `skillyard validate pdf`
    "#);
}

#[test]
fn properties() {
    let context = TestContext::new();
    let fields =
        "name: pdf\ndescription: Fills forms.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n";
    context.write("pdf/SKILL.md", format!("---\n{fields}---\nFill it.\n"));
    assert_snapshot!(context.run(&["read", "pdf", "--properties"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    {
      "name": "pdf",
      "description": "Fills forms.",
      "license": "MIT",
      "metadata": {
        "version": "1.0"
      }
    }
    ----- stderr -----
    "#);
}

#[test]
fn properties_that_the_reference_cannot_read() {
    let context = TestContext::new();
    let fields = "name: pdf\ndescription: Fills forms.\nmetadata: {tags: [a, b]}\n";
    context.write("pdf/SKILL.md", format!("---\n{fields}---\nFill it.\n"));
    assert_snapshot!(context.run(&["read", "pdf", "--properties"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    {
      "name": "pdf",
      "description": "Fills forms.",
      "metadata": {
        "tags": [
          "a",
          "b"
        ]
      }
    }
    ----- stderr -----
    "#);
}

#[test]
fn a_folder_that_is_no_skill() {
    let context = TestContext::new();
    context.write("docs/readme.md", "# Docs\n");
    assert_snapshot!(context.run(&["read", "./docs"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `./docs` is not a skill: it has no SKILL.md

    hint: Name the folder that holds the `SKILL.md`, or look below it with `skillyard validate ./docs`
    ");
    assert_snapshot!(context.run(&["read", "./docs", "--properties"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: SKILL.md not found in ./docs
    ");
    assert_snapshot!(context.run(&["read", "./nowhere"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `./nowhere` does not exist
    ");
}

#[test]
fn a_part_of_a_file_inside_the_binary() {
    let context = TestContext::new();
    let arguments = ["read", "using-skillyard", "SKILL.md", "--offset", "4"];
    let part = context.run(&[&arguments[..], &["--limit", "21"]].concat());
    assert!(
        part.contains("stdout -----\nname: using-skillyard\n-----"),
        "{part}"
    );
    assert!(part.contains("go on with `--offset 25`"), "{part}");
    let behind = context.run(&["read", "using-skillyard", "SKILL.md", "--offset", "99999"]);
    assert!(behind.contains("past the end"), "{behind}");
    let negative = context.run(&["read", "using-skillyard", "SKILL.md", "--limit", "-1"]);
    assert!(
        negative.contains("`-1` is no value of `--limit <BYTES>`"),
        "{negative}"
    );
}

#[test]
fn json_is_harmless_on_a_terminal() {
    let context = TestContext::new();
    let odd = "x\u{9b}31m\u{202e}y\u{7f}";
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: \"Use when {odd}\"\n---\n{odd}\n"),
    );
    for arguments in [
        &["read", "pdf", "--json"][..],
        &["read", "pdf", "--properties"],
        &["read", "pdf", "SKILL.md", "--json"],
        &["prompt", "pdf", "--format", "json"],
        &["prompt", "pdf", "--json"],
        &["validate", "pdf", "--json"],
    ] {
        let run = output(context.skillyard().args(arguments));
        let shown = text(&run.stdout);
        assert!(
            !shown.contains(['\u{9b}', '\u{202e}', '\u{7f}']),
            "{arguments:?}: {shown}"
        );
        serde_json::from_str::<serde_json::Value>(&shown).expect("JSON");
    }
    assert_eq!(
        context.json(&["read", "pdf", "--json"])["body"],
        format!("{odd}\n")
    );
}

#[test]
fn a_pipe_gets_the_bytes() {
    let context = TestContext::new();
    let body = "# Fill\r\n\r\n\u{1b}[31mred\u{1b}[0m\r\n";
    context.write(
        "pdf/SKILL.md",
        format!("---\r\nname: pdf\r\ndescription: when\r\n---\r\n{body}"),
    );
    let run = output(context.skillyard().args(["read", "pdf"]));
    assert_eq!(text(&run.stdout), body);
}

#[test]
fn a_name_with_a_slash_is_a_name_where_no_such_path_is() {
    let context = TestContext::new();
    let skill =
        |body: &str| format!("---\nname: acme/pdf\ndescription: Fills forms.\n---\n{body}\n");
    context.write(
        "../home/.agents/skills/acme-pdf/SKILL.md",
        skill("By name."),
    );
    let read = || text(&output(context.skillyard().args(["read", "acme/pdf"])).stdout);
    assert_eq!(read(), "By name.\n");
    context.write("acme/pdf/SKILL.md", skill("By path."));
    assert_eq!(read(), "By path.\n");
    assert_eq!(context.code(&["read", "acme/xls"]), Some(2));
}
