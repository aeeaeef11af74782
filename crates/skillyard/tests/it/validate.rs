//! `skillyard validate`.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::{DESCRIPTION, TestContext, output, text};

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
fn what_can_be_mended_is() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", SIX_MISTAKES);
    assert_snapshot!(context.run(&["validate", "--fix", "pdf-tools"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    warning[field-unknown]: `licence` is not a field of the specification
     --> pdf-tools/SKILL.md:4:1
      |
    4 | licence: MIT
      | ^^^^^^^
      |
      = help: did you mean `license`?

    warning[body-empty]: the skill has no instructions
    --> pdf-tools/SKILL.md
     = help: write them below the closing `---`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✓ valid, mended 5 problems, 2 warnings
    ");
    assert_snapshot!(context.read("pdf-tools/SKILL.md"), @"
    ---
    name: pdf-tools
    description: 'Fills forms. Usage: when a task involves PDF files.'
    licence: MIT
    metadata:
      version: '1.10'
    allowed-tools: Read Write
    ---
    ");
    assert_eq!(context.tree(), ["pdf-tools/", "pdf-tools/SKILL.md"]);
}

#[test]
fn a_valid_file_is_not_written_by_fix() {
    let context = TestContext::new();
    context.write_skill("pdf-tools");
    let path = context.root().join("pdf-tools/SKILL.md");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(context.code(&["validate", "--fix", "pdf-tools"]), Some(0));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[cfg(unix)]
#[test]
fn fix_writes_through_a_link_and_keeps_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let context = TestContext::new();
    context.write(
        "real.md",
        "---\nname: pdf\ndescription: Usage: when\n---\nText.\n",
    );
    let real = context.root().join("real.md");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(context.root().join("pdf")).unwrap();
    let link = context.root().join("pdf/SKILL.md");
    symlink(&real, &link).unwrap();
    assert_eq!(context.code(&["validate", "--fix", "pdf"]), Some(0));
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(context.read("real.md").contains("'Usage: when'"));
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn bytes_that_are_not_utf_8_survive_fix() {
    let context = TestContext::new();
    let bytes = b"---\nname: pdf\ndescription: Usage: when caf\xe9\n---\nText.\n";
    context.write("pdf/SKILL.md", bytes);
    assert_eq!(context.code(&["validate", "--fix", "pdf"]), Some(1));
    assert_eq!(
        fs::read(context.root().join("pdf/SKILL.md")).unwrap(),
        bytes
    );
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

const TWO_MISTAKES: &str =
    "---\nname: pdf\ndescription: \"Fills: 50%, forms\"\nhomepage: x\n---\n\nFill it.\n";

#[test]
fn as_json() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", TWO_MISTAKES);
    assert_snapshot!(context.run(&["validate", "--format", "json", "pdf-tools"]), @r#"
    success: false
    exit code: 1
    ----- stdout -----
    {
      "results": [
        {
          "path": "pdf-tools",
          "file": "pdf-tools/SKILL.md",
          "name": "pdf",
          "valid": false,
          "errors": [
            "the name is `pdf`, but the folder is called `pdf-tools`"
          ],
          "diagnostics": [
            {
              "code": "name-matches-directory",
              "severity": "error",
              "message": "the name is `pdf`, but the folder is called `pdf-tools`",
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
              "help": "rename the folder to `pdf`, or the skill to `pdf-tools`"
            },
            {
              "code": "description-when",
              "severity": "warning",
              "message": "the description does not say when to use the skill",
              "fixable": false,
              "span": {
                "start": 27,
                "end": 46
              },
              "start": {
                "line": 3,
                "column": 14
              },
              "end": {
                "line": 3,
                "column": 33
              },
              "help": "add a sentence such as \"Use when …\""
            },
            {
              "code": "field-unknown",
              "severity": "warning",
              "message": "`homepage` is not a field of the specification",
              "fixable": false,
              "span": {
                "start": 47,
                "end": 55
              },
              "start": {
                "line": 4,
                "column": 1
              },
              "end": {
                "line": 4,
                "column": 9
              },
              "help": "move it into `metadata`, as `metadata: {homepage: …}`"
            }
          ]
        }
      ],
      "summary": {
        "skills": 1,
        "invalid": 1,
        "errors": 1,
        "warnings": 2,
        "fixable": 0,
        "fixed": 0
      }
    }
    ----- stderr -----
    "#);
    assert_eq!(
        context.json(&["--json", "validate", "pdf-tools"]),
        context.json(&["validate", "--format", "json", "pdf-tools"])
    );
}

#[test]
fn as_sarif() {
    let context = TestContext::new();
    context.write("pdf tools/SKILL.md", TWO_MISTAKES);
    let mut log = context.json(&["validate", "--format", "sarif", "./pdf tools"]);
    assert_eq!(log["version"], "2.1.0");
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    let codes: Vec<_> = rules.iter().map(|rule| rule["id"].clone()).collect();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        assert!(codes.contains(&result["ruleId"]), "{result}");
    }
    assert_snapshot!(format!("{:#}", log["runs"][0]["results"].take()), @r#"
    [
      {
        "ruleId": "name-matches-directory",
        "level": "error",
        "message": {
          "text": "the name is `pdf`, but the folder is called `pdf tools`"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "pdf%20tools/SKILL.md"
              },
              "region": {
                "startLine": 2,
                "startColumn": 7,
                "endLine": 2,
                "endColumn": 10
              }
            }
          }
        ]
      },
      {
        "ruleId": "description-when",
        "level": "warning",
        "message": {
          "text": "the description does not say when to use the skill"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "pdf%20tools/SKILL.md"
              },
              "region": {
                "startLine": 3,
                "startColumn": 14,
                "endLine": 3,
                "endColumn": 33
              }
            }
          }
        ]
      },
      {
        "ruleId": "field-unknown",
        "level": "warning",
        "message": {
          "text": "`homepage` is not a field of the specification"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "pdf%20tools/SKILL.md"
              },
              "region": {
                "startLine": 4,
                "startColumn": 1,
                "endLine": 4,
                "endColumn": 9
              }
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn as_github_annotations() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", TWO_MISTAKES);
    assert_snapshot!(context.run(&["validate", "--format", "github", "pdf-tools"]), @r#"
    success: false
    exit code: 1
    ----- stdout -----
    ::error file=pdf-tools/SKILL.md,line=2,col=7,title=name-matches-directory::the name is `pdf`, but the folder is called `pdf-tools`%0Ahelp: rename the folder to `pdf`, or the skill to `pdf-tools`
    ::warning file=pdf-tools/SKILL.md,line=3,col=14,title=description-when::the description does not say when to use the skill%0Ahelp: add a sentence such as "Use when …"
    ::warning file=pdf-tools/SKILL.md,line=4,col=1,title=field-unknown::`homepage` is not a field of the specification%0Ahelp: move it into `metadata`, as `metadata: {homepage: …}`
    ----- stderr -----
    "#);
}

#[test]
fn as_the_reference_validator() {
    let context = TestContext::new();
    context
        .write_skill("pdf")
        .write("csv/SKILL.md", "---\nname: CSV\n---\n");
    assert_snapshot!(context.run(&["validate", "--profile", "skills-ref", "pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    Valid skill: pdf
    ----- stderr -----
    ");
    assert_snapshot!(context.run(&["validate", "--profile", "skills-ref", "csv"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    Validation failed for csv:
      - Skill name 'CSV' must be lowercase
      - Directory name 'csv' must match skill name 'CSV'
      - Missing required field in frontmatter: description
    ");
    fs::create_dir(context.root().join("none")).unwrap();
    assert_snapshot!(context.run(&["validate", "--profile", "skills-ref", "none"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    Validation failed for none:
      - Missing required file: SKILL.md
    ");
}

#[test]
fn each_profile_has_its_verdict() {
    let context = TestContext::new();
    let skill = |fields: &str| format!("---\nname: x\n{fields}---\n\nText.\n");
    context
        .write(
            "valid/x/SKILL.md",
            skill("description: Use when testing.\n"),
        )
        .write(
            "unknown/x/SKILL.md",
            skill("description: Use when testing.\nmodel: opus\n"),
        )
        .write(
            "broken/x/SKILL.md",
            skill("description: Use when: testing.\n"),
        )
        .write("fatal/x/SKILL.md", skill("license: MIT\n"));
    let mut table = String::new();
    for folder in ["valid", "unknown", "broken", "fatal"] {
        let _ = write!(table, "{folder:<8}");
        for profile in ["spec", "strict", "skills-ref", "load"] {
            let code = context.code(&["validate", "--profile", profile, &format!("{folder}/x")]);
            let _ = write!(table, " {profile} {}", code.unwrap());
        }
        table.push('\n');
    }
    assert_snapshot!(table, @"
    valid    spec 0 strict 0 skills-ref 0 load 0
    unknown  spec 0 strict 1 skills-ref 1 load 0
    broken   spec 1 strict 1 skills-ref 1 load 0
    fatal    spec 1 strict 1 skills-ref 1 load 1
    ");
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
fn escapes_never_reach_the_terminal() {
    let context = TestContext::new();
    let attack = "---\nname: \"\\e]0;pwned\\a\\x9b2J\\u202e\\u2066\"\ndescription: \"\\e]0;pwned\\a: x\"\n\
                  \"\\e]0;pwned\": x\nmetadata:\n  \"\\e]0;pwned\": [x]\n---\n\u{1b}]0;pwned\u{7}\n";
    context.write("pdf/SKILL.md", attack);
    context.write("csv/SKILL.md", attack.replace("\\e", "\u{1b}"));
    for format in ["text", "json", "sarif", "github"] {
        for color in ["always", "never"] {
            let run = output(
                context
                    .skillyard()
                    .args(["validate", "--format", format, "--color", color]),
            );
            let shown = text(&run.stdout) + &text(&run.stderr);
            assert_eq!(run.status.code(), Some(1));
            assert!(
                !shown.contains("\u{1b}]") && !shown.contains('\u{7}'),
                "{format}: {shown:?}"
            );
            assert!(
                !shown.contains(['\u{9b}', '\u{202e}', '\u{2066}']),
                "{format}: {shown:?}"
            );
        }
    }
}

#[test]
fn many_findings_are_cut_short_for_people_only() {
    let context = TestContext::new();
    let header = format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n");
    let links: Vec<String> = (0..5_000).map(|at| format!("[x](a/{at}.md)")).collect();
    for between in ["\n", " "] {
        context.write("pdf/SKILL.md", header.clone() + &links.join(between) + "\n");
        let run = output(context.skillyard().args(["validate", "pdf"]));
        let shown = text(&run.stdout);
        let of = |code| shown.matches(code).count();
        assert_eq!(of("warning["), 100, "{shown}");
        let more = "… and 4901 more in this file; see them all with `--json`";
        assert!(shown.contains(more), "{shown}");
        for format in ["json", "sarif", "github"] {
            let run = output(
                context
                    .skillyard()
                    .args(["validate", "pdf", "--format", format]),
            );
            let found = text(&run.stdout);
            assert_eq!(found.matches("/4999.md").count(), 1, "{format}");
        }
    }
}

#[test]
fn an_error_is_not_lost_among_warnings() {
    let context = TestContext::new();
    let links = "[x](a.md)\n".repeat(150);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n{links}\u{0}\n"),
    );
    let found = context.json(&["validate", "pdf", "--profile", "strict", "--json"]);
    let count = found["results"][0]["diagnostics"].as_array().map(Vec::len);
    assert!(count > Some(150), "{count:?}");
    let shown = context.run(&["validate", "pdf", "--profile", "strict"]);
    assert_eq!(shown.matches("error[").count(), 100, "{shown}");
}

#[test]
fn a_place_on_a_long_line_is_told_exactly() {
    let context = TestContext::new();
    let line = "é".repeat(5_000) + "[x](gone.md)" + &"é".repeat(5_000);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n{line}\n"),
    );
    let shown = context.run(&["validate", "pdf"]);
    assert!(shown.contains("--> pdf/SKILL.md:5:5001\n"), "{shown}");
    assert!(shown.contains("[x](gone.md)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 200));
}

#[test]
fn a_long_name_is_cut_for_people_only() {
    let context = TestContext::new();
    let name = "A".repeat(900_000);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: {name}\ndescription: {DESCRIPTION}\n---\nText.\n"),
    );
    for format in ["text", "github"] {
        let shown = context.run(&["validate", "pdf", "--format", format]);
        assert!(shown.contains("AAA…AAA"), "{shown}");
        assert!(
            shown.contains("AA`, but the folder is called `pdf`"),
            "{shown}"
        );
        assert!(shown.len() < 5_000, "{}", shown.len());
    }
    let found = context.json(&["validate", "pdf", "--json"]);
    assert_eq!(found["results"][0]["name"], name.as_str());
    let shown = context.run(&["read", "pdf", "-v"]);
    assert!(shown.len() < 5_000, "{}", shown.len());
}

#[test]
fn what_fix_would_mend_is_what_it_mends() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", SIX_MISTAKES);
    let before = context.json(&["validate", "pdf-tools", "--json"]);
    let after = context.json(&["validate", "pdf-tools", "--fix", "--json"]);
    assert_eq!(before["summary"]["fixable"], after["summary"]["fixed"]);
    assert_eq!(after["summary"]["fixable"], 0);
    // What cannot be written back without loss is not promised.
    context.write(
        "csv/SKILL.md",
        b"---\nname: csv\ndescription: Usage: when caf\xe9\n---\nText.\n",
    );
    let before = context.json(&["validate", "csv", "--json"]);
    assert_eq!(before["summary"]["fixable"], 0);
}

#[test]
fn a_line_break_in_a_name_forges_no_finding() {
    let context = TestContext::new();
    let attack =
        "---\nname: \"a\\n::error::forged\\nerror[forged]: x\"\ndescription: when\n---\nText.\n";
    context.write("pdf/SKILL.md", attack);
    for format in ["text", "github"] {
        let run = output(context.skillyard().args(["validate", "--format", format]));
        let shown = text(&run.stdout);
        assert!(
            !shown.lines().any(|line| line.starts_with("error[forged]")),
            "{shown}"
        );
        assert!(
            !shown.lines().any(|line| line.starts_with("::error::")),
            "{shown}"
        );
    }
}

#[test]
fn a_huge_file_is_refused_not_read() {
    let context = TestContext::new();
    let text = format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n");
    context.write("pdf/SKILL.md", text + &"x".repeat(11 * 1024 * 1024));
    assert_snapshot!(context.run(&["validate", "pdf"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[file-too-large]: the file has 11534420 bytes, and at most 10485760 are read
    --> pdf/SKILL.md
     = help: move data into `references/` or `assets/`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✗ invalid, 1 error
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
    assert_eq!(context.code(&["validate", "pdf", "nowhere"]), Some(2));
}

#[test]
fn quiet_leaves_out_the_closing_line() {
    let context = TestContext::new();
    context.write_skill("pdf");
    assert_snapshot!(context.run(&["validate", "-q", "pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    ");
}
