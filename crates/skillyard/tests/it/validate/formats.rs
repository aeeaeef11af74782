//! The shapes of an answer, and the profiles behind it.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::TestContext;

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
      "skipped": [],
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
