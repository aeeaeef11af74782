//! `skillyard list`.

mod index;
mod results;

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use insta::assert_snapshot;
use serde_json::Value;

use crate::machine::{skill, without_builtin};
use crate::{TestContext, output, text};

fn some_skills() -> TestContext {
    let context = TestContext::configured("[skills]\ndisabled = [\"draft-*\"]\n");
    context
        .skill(".skills/pdf", "Fills forms. Use when there is a form.")
        .skill("../home/.agents/skills/pdf", "Mine. Use when there is a form.")
        .skill("../home/.agents/skills/csv", "Reads tables. Use when there is a table.")
        .skill("../home/.agents/skills/draft-a", "Not done. Use when asked.")
        .write(
            "../home/.claude/skills/gh/SKILL.md",
            "---\nname: gh\ndescription: GitHub. Use when asked.\nmetadata:\n  requires: no-such-command sh\n---\nx\n",
        )
        .write("../home/.claude/skills/other/SKILL.md", skill("Odd_Name", "Odd. Use when asked."))
        .write("../home/.claude/skills/broken/SKILL.md", "no frontmatter\n");
    context
}

#[test]
fn as_text() {
    let context = some_skills();
    assert_snapshot!(without_builtin(&context.tell(&["list"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted
          stand-in: ~/.agents/skills/pdf

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command

    ----- stderr -----
    9 skills, 6 enabled; 1 of a project that is not trusted (`skillyard trust .`): Skillyard does not use them, coding agents that read their folder do
    1 shadowed and 1 passed over; see them with `--all`
    ");
    assert_snapshot!(without_builtin(&context.tell(&["list", "--all"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted
          stand-in: ~/.agents/skills/pdf

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command


    shadowed
      - pdf at ~/.agents/skills/pdf, by [DIR]/.skills/pdf

    passed over
      - ~/.claude/skills/broken/SKILL.md: the file does not start with frontmatter
    ----- stderr -----
    9 skills, 6 enabled; 1 of a project that is not trusted (`skillyard trust .`): Skillyard does not use them, coding agents that read their folder do
    ");
    assert_snapshot!(without_builtin(&context.tell(&["list", "-q"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted
          stand-in: ~/.agents/skills/pdf

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command

    ----- stderr -----
    ");
}

#[test]
fn as_json() {
    let context = some_skills();
    let listing = context.listing(&[]);
    assert_snapshot!(serde_json::to_string_pretty(&listing).unwrap(), @r#"
    {
      "skills": [
        {
          "id": "project/pdf",
          "name": "pdf",
          "description": "Fills forms. Use when there is a form.",
          "source": "project",
          "path": "[DIR]/.skills/pdf",
          "file": "SKILL.md",
          "status": "untrusted",
          "stand_in": "[HOME]/.agents/skills/pdf",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/csv",
          "name": "csv",
          "description": "Reads tables. Use when there is a table.",
          "source": "user",
          "path": "[HOME]/.agents/skills/csv",
          "file": "SKILL.md",
          "status": "enabled",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/draft-a",
          "name": "draft-a",
          "description": "Not done. Use when asked.",
          "source": "user",
          "path": "[HOME]/.agents/skills/draft-a",
          "file": "SKILL.md",
          "status": "disabled",
          "reason": "disabled by `draft-*` (user)",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/Odd_Name",
          "name": "Odd_Name",
          "description": "Odd. Use when asked.",
          "source": "user",
          "path": "[HOME]/.claude/skills/other",
          "file": "SKILL.md",
          "status": "enabled",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [
            {
              "code": "name-characters",
              "message": "`Odd_Name` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed"
            },
            {
              "code": "name-matches-directory",
              "message": "the name is `Odd_Name`, but the folder is called `other`"
            }
          ],
          "fields": {}
        },
        {
          "id": "user/gh",
          "name": "gh",
          "description": "GitHub. Use when asked.",
          "source": "user",
          "path": "[HOME]/.claude/skills/gh",
          "file": "SKILL.md",
          "status": "unavailable",
          "missing": [
            "no-such-command"
          ],
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {
            "metadata": {
              "requires": "no-such-command sh"
            }
          }
        }
      ],
      "shadowed": [
        {
          "name": "pdf",
          "description": "Mine. Use when there is a form.",
          "source": "user",
          "path": "[HOME]/.agents/skills/pdf",
          "winner": "[DIR]/.skills/pdf"
        }
      ],
      "skipped": [
        {
          "path": "[HOME]/.claude/skills/broken/SKILL.md",
          "reason": "the file does not start with frontmatter"
        }
      ],
      "revoked": []
    }
    "#);
}

#[test]
fn times_are_written_as_everywhere() {
    let context = some_skills();
    let file = context.home().join(".agents/skills/csv/SKILL.md");
    let time = UNIX_EPOCH + Duration::from_millis(1_767_323_045_678);
    let file = File::options().append(true).open(file).unwrap();
    file.set_modified(time).unwrap();
    let listing = context.json(&["list", "--all", "--json"]);
    let modified = |name: &str| {
        let skills = listing["skills"].as_array().unwrap();
        let skill = skills.iter().find(|skill| skill["name"] == name).unwrap();
        skill["modified"].clone()
    };
    assert_eq!(modified("csv"), "2026-01-02T03:04:05.678Z");
    // What is inside the binary is no file.
    assert_eq!(modified("using-skillyard"), Value::Null);
}

#[test]
fn a_narrow_terminal() {
    let context = some_skills();
    let mut command = context.skillyard();
    let shown = output(command.args(["list"]).env("COLUMNS", "60"));
    for line in text(&shown.stdout).lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
}

#[test]
fn nothing_but_the_builtin_skills() {
    let context = TestContext::new();
    let listing = context.listing(&[]);
    assert_snapshot!(listing, @r#"{"skills":[],"shadowed":[],"skipped":[],"revoked":[]}"#);
    assert!(context.tell(&["list"]).contains("builtin\n  ✓ "));
}

#[test]
fn chosen_by_flags() {
    let context = some_skills();
    let told = |flags: &[&str]| {
        let listing = context.listing(flags);
        let line = |skill: &serde_json::Value| {
            format!("{} {} {}", skill["name"], skill["status"], skill["reason"])
        };
        listing["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n")
            .replace('"', "")
    };
    assert_snapshot!(told(&["--allow", "{pdf,csv}", "--deny", "p?f"]), @"csv enabled null");
    assert_snapshot!(context.tell(&["list", "--allow", "a["]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `a[` is not a pattern: unclosed character class; missing ']'; a skill of this very name is `a[[]`
    ");
}

#[test]
fn changes_are_told_as_they_happen() {
    let context = some_skills();
    let mut command = context.skillyard();
    command
        .args(["list", "--watch", "--json", "--allow", "f*"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert!(next()["skills"].is_array());
    assert!(next()["watching"].is_number());
    let mut told = || {
        let told = next();
        let word = |key: &str| told[key].as_str().unwrap_or("-").to_owned();
        [word("change"), word("name"), word("status")].join(" ")
    };
    // Who was not asked for is not told.
    context.skill("../home/.agents/skills/others", "Use when asked.");
    context.skill("../home/.agents/skills/fresh", "Use when asked.");
    let mut all = vec![told()];
    context.done(&["disable", "fresh"]);
    all.push(told());
    context.done(&["enable", "fresh"]);
    all.push(told());
    std::fs::remove_dir_all(context.in_home(".agents/skills/fresh")).unwrap();
    all.push(told());
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(
        all,
        [
            "added fresh enabled",
            "changed fresh disabled",
            "changed fresh enabled",
            "removed fresh -",
        ]
    );
}
