//! `skillyard prompt` over the catalog: selection, mounts, budgets.

use insta::assert_snapshot;

use crate::TestContext;
use crate::machine::{NO_BUILTIN, TRUSTING};

fn toolbox() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    context
        .skill(
            ".skills/csv-read",
            "Reads tables. Use when there is a table.",
        )
        .skill(".skills/csv-deprecated", "Reads tables. Use never.")
        .skill(".skills/json-read", "Reads JSON. Use when there is JSON.")
        .skill(
            "../home/.agents/skills/pdf",
            "Fills forms. Use when there is a form.",
        );
    context
}

fn prompt(context: &TestContext, arguments: &[&str]) -> String {
    context.tell(&[&["prompt"], arguments, &NO_BUILTIN].concat())
}

#[test]
fn full_and_summary_visibility() {
    let context = toolbox();
    assert_snapshot!(prompt(&context, &[]), @"
    exit status: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>csv-deprecated</name>
        <description>Reads tables. Use never.</description>
        <location>[DIR]/.skills/csv-deprecated/SKILL.md</location>
      </skill>
      <skill>
        <name>csv-read</name>
        <description>Reads tables. Use when there is a table.</description>
        <location>[DIR]/.skills/csv-read/SKILL.md</location>
      </skill>
      <skill>
        <name>json-read</name>
        <description>Reads JSON. Use when there is JSON.</description>
        <location>[DIR]/.skills/json-read/SKILL.md</location>
      </skill>
      <skill>
        <name>pdf</name>
        <description>Fills forms. Use when there is a form.</description>
        <location>[HOME]/.agents/skills/pdf/SKILL.md</location>
      </skill>
    </available_skills>
    ----- stderr -----
    ");
    assert_snapshot!(prompt(&context, &["--format", "summary"]), @"
    exit status: 0
    ----- stdout -----
    Available skills: csv-deprecated, csv-read, json-read, pdf
    ----- stderr -----
    ");
}

#[test]
fn chosen_by_patterns() {
    let context = toolbox();
    // Story 3 of the weakincentives design.
    let arguments = [
        "--allow",
        "csv-*",
        "--allow",
        "json-*",
        "--deny",
        "*-deprecated",
    ];
    assert_eq!(context.in_prompt(&arguments), "csv-read, json-read");
    assert_eq!(context.in_prompt(&["--allow", "nothing"]), "");
    // A variable that is not set must not allow everything.
    for flag in ["--allow", "--deny"] {
        for nothing in ["", " ", ","] {
            for command in ["prompt", "list"] {
                let told = context.tell(&[command, flag, nothing]);
                assert!(
                    told.starts_with("exit status: 2"),
                    "{flag} {nothing:?}: {told}"
                );
                assert!(told.contains("no pattern in an empty text"), "{told}");
            }
        }
    }
    assert_snapshot!(context.tell(&["prompt", "--deny", "a["]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `a[` is not a pattern: unclosed character class; missing ']'; a skill of this very name is `a[[]`
    ");
    let paths = [
        "prompt",
        ".skills",
        "--format",
        "summary",
        "--allow",
        "csv-*",
        "--deny",
        "*-deprecated",
    ];
    assert_eq!(context.stdout(&paths).trim(), "Available skills: csv-read");
}

#[test]
fn an_empty_catalog_renders_nothing() {
    let context = toolbox();
    // `skills-ref` has the bytes of the reference implementation, which renders an empty block.
    for format in ["xml", "json", "codex", "markdown", "summary"] {
        assert_eq!(
            context.stdout(&[
                "prompt",
                "--allow",
                "nothing",
                "--format",
                format,
                "--instructions"
            ]),
            "",
            "{format}"
        );
    }
}

#[test]
fn two_folders_with_two_mounts() {
    // Story 2 of the weakincentives design: each folder is a section of its own.
    let context = TestContext::new();
    context
        .skill("../org-skills/review", "Reviews. Use when reviewing.")
        .skill("project-skills/deploy", "Deploys. Use when deploying.");
    assert_snapshot!(context.tell(&["prompt", "../org-skills", "--mount", "skills/org"]), @"
    exit status: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>review</name>
        <description>Reviews. Use when reviewing.</description>
        <location>skills/org/review</location>
      </skill>
    </available_skills>
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["prompt", "project-skills", "--mount", "skills/project"]), @"
    exit status: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>deploy</name>
        <description>Deploys. Use when deploying.</description>
        <location>skills/project/deploy</location>
      </skill>
    </available_skills>
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["prompt", "../org-skills", "project-skills", "--mount", "skills", "--format", "summary"]), @"
    exit status: 0
    ----- stdout -----
    Available skills: review, deploy
    ----- stderr -----
    ");
}

#[test]
fn mounted_and_without_locations() {
    let context = toolbox();
    assert_snapshot!(prompt(&context, &["--mount", "skills", "--allow", "pdf", "--instructions"]), @"
    exit status: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>pdf</name>
        <description>Fills forms. Use when there is a form.</description>
        <location>skills/pdf</location>
      </skill>
    </available_skills>

    When a task matches one of these skills, read its SKILL.md at the given location before you start, follow its instructions, and read or run the other files of its folder only as they are needed. Paths in a skill are relative to its folder.
    ----- stderr -----
    ");
    assert_snapshot!(prompt(&context, &["--no-location", "--allow", "pdf", "--format", "json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "available_skills": [
        {
          "name": "pdf",
          "description": "Fills forms. Use when there is a form."
        }
      ]
    }
    ----- stderr -----
    "#);
}

#[test]
fn builtin_skills_can_be_read_where_the_prompt_says() {
    let context = TestContext::new();
    let prompt = context.run(&["prompt"]);
    let named = |line: &str| {
        let line = line.trim().strip_prefix("<location>")?;
        line.strip_suffix("</location>").map(str::to_owned)
    };
    let files: Vec<String> = prompt.lines().filter_map(named).collect();
    assert_eq!(files.len(), 3);
    for file in files {
        assert!(std::fs::read_to_string(file).unwrap().contains("name: "));
    }
}

fn crowded() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    for number in 0..30 {
        context.skill(
            &format!(".skills/s{number:02}"),
            &format!("Does number {number}. {}", "and so on ".repeat(30)),
        );
    }
    context.skill(
        ".skills/zebra",
        "Rides zebras. Use when a task involves zebras.",
    );
    context
}

#[test]
fn over_budget() {
    let context = crowded();
    assert_snapshot!(prompt(&context, &["--mount", "skills", "--budget", "400", "--task", "ride a zebra", "--explain"]), @"
    exit status: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>zebra</name>
        <description>Rides zebras. Use when a task involves zebras.</description>
        <location>skills/zebra</location>
      </skill>
      <skill>
        <name>s00</name>
        <description>Does number 0. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …</description>
        <location>skills/s00</location>
      </skill>
      <skill>
        <name>s01</name>
        <description>Does number 1. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …</description>
        <location>skills/s01</location>
      </skill>
      <skill>
        <name>s02</name>
        <description>Does number 2. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …</description>
        <location>skills/s02</location>
      </skill>
      <skill>
        <name>s03</name>
        <description>Does number 3. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …</description>
        <location>skills/s03</location>
      </skill>
    </available_skills>
    26 more skills are available but not listed here; find them with `skillyard search WORDS`.
    ----- stderr -----
    5 skills, about 359 tokens of 3703
     * zebra: zebra, ride, its name is like the task
     ~ s00 shortened from about 85 to 42 tokens
     ~ s01 shortened from about 85 to 42 tokens
     ~ s02 shortened from about 85 to 42 tokens
     ~ s03 shortened from about 85 to 42 tokens
     - s04 left out
     - s05 left out
     - s06 left out
     - s07 left out
     - s08 left out
     - s09 left out
     - s10 left out
     - s11 left out
     - s12 left out
     - s13 left out
     - s14 left out
     - s15 left out
     - s16 left out
     - s17 left out
     - s18 left out
     - s19 left out
     - s20 left out
     - s21 left out
     - s22 left out
     - s23 left out
     - s24 left out
     - s25 left out
     - s26 left out
     - s27 left out
     - s28 left out
     - s29 left out
    ");
    assert_snapshot!(prompt(&context, &["--budget", "400", "--task", "ride a zebra", "--format", "json", "--no-location"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "available_skills": [
        {
          "name": "zebra",
          "description": "Rides zebras. Use when a task involves zebras."
        },
        {
          "name": "s00",
          "description": "Does number 0. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …"
        },
        {
          "name": "s01",
          "description": "Does number 1. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …"
        },
        {
          "name": "s02",
          "description": "Does number 2. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …"
        },
        {
          "name": "s03",
          "description": "Does number 3. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …"
        },
        {
          "name": "s04",
          "description": "Does number 4. and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so …"
        }
      ],
      "omitted": {
        "count": 25,
        "note": "25 more skills are available but not listed here; find them with `skill_search`."
      }
    }
    ----- stderr -----
    "#);
}

#[test]
fn a_task_keeps_what_matters() {
    let context = crowded();
    let named = |task: &[&str]| {
        context
            .in_prompt(&[&["--mount", "skills", "--budget", "60"], task].concat())
            .contains("zebra")
    };
    assert!(!named(&[]));
    assert!(named(&["--task", "ride a zebra"]));
}

#[test]
fn descriptions_are_shortened_before_skills_go() {
    let context = crowded();
    let told = prompt(
        &context,
        &["--mount", "skills", "--budget", "3000", "--explain"],
    );
    assert!(told.contains("~ s00 shortened from about"), "{told}");
    assert!(!told.contains("left out"), "{told}");
}

#[test]
fn a_budget_for_folders_too() {
    let context = crowded();
    let told = context.tell(&[
        "prompt",
        ".skills",
        "--budget",
        "60",
        "--format",
        "summary",
        "--explain",
    ]);
    assert!(
        told.contains("more skills are available but not listed here"),
        "{told}"
    );
    // No search looks into folders that were given.
    let lines = [
        (
            &["--budget", "60", "--format", "summary"][..],
            "not listed here.\n",
        ),
        (
            &["--budget", "400"],
            "not listed here; look for `SKILL.md` files around those that are.\n",
        ),
        (&["--budget", "400", "--json"], "not listed here.\""),
        (&["--budget", "400", "--no-location"], "not listed here.\n"),
        (&["--budget", "10"], "not listed here.\n"),
    ];
    for (flags, line) in lines {
        let told = context.stdout(&[&["prompt", ".skills"][..], flags].concat());
        assert!(told.contains(line), "{flags:?}: {told}");
        assert!(!told.contains("search"), "{flags:?}: {told}");
    }
    let told = context.tell(&["prompt", ".skills", "--format", "summary", "--explain"]);
    assert!(told.ends_with("31 skills, no budget"), "{told}");
}

#[test]
fn the_same_bytes_every_time() {
    let context = crowded();
    let arguments = ["prompt", "--budget", "900", "--task", "number 7"];
    let first = context.stdout(&arguments);
    for _ in 0..3 {
        assert_eq!(context.stdout(&arguments), first);
    }
}

#[test]
fn no_body_reaches_a_prompt() {
    let context = TestContext::configured(TRUSTING);
    context.write(
        ".skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Use when asked.\n---\n\nBODY_MARKER\n",
    );
    for format in ["xml", "json", "codex", "markdown", "summary", "skills-ref"] {
        let told = context.stdout(&[
            "prompt",
            "--format",
            format,
            "--task",
            "BODY_MARKER",
            "--instructions",
        ]);
        assert!(
            told.contains("pdf") && !told.contains("BODY_MARKER"),
            "{told}"
        );
    }
}
#[test]
fn the_block_is_within_its_budget() {
    let context = crowded();
    for budget in [200, 400, 1_000, 2_000] {
        for format in ["xml", "json", "markdown", "codex"] {
            let block = context.stdout(&[
                "prompt",
                "--budget",
                &budget.to_string(),
                "--format",
                format,
            ]);
            let tokens = skillyard_format::tokens::estimate(&block);
            assert!(tokens <= budget, "{format}: {tokens} of {budget}");
        }
    }
}

#[test]
fn what_fits_the_task_comes_first_and_is_told() {
    let context = crowded();
    let arguments = ["prompt", "--task", "ride a zebra", "--explain"];
    let told = context.tell(&[&arguments[..], &["--format", "summary"]].concat());
    assert!(told.contains("Available skills: zebra, s00"), "{told}");
    assert!(told.contains(" * zebra: zebra, "), "{told}");
    let folders = ["prompt", ".skills", "--task", "ride a zebra", "--format"];
    let told = context.tell(&[&folders[..], &["summary"]].concat());
    assert!(told.contains("Available skills: zebra, s00"), "{told}");
    // A program has all of it in one document.
    let answer = context.json(&[&arguments[..], &["--json", "--budget", "400"]].concat());
    let report = &answer["report"];
    assert_eq!(report["relevant"][0]["name"], "zebra", "{answer}");
    assert_eq!(report["shortened"][0]["name"], "s00", "{answer}");
    assert!(
        report["omitted"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
}

#[test]
fn what_lies_in_no_folder_is_not_mounted() {
    let context = TestContext::new();
    let told = context.tell(&["prompt", "--mount", "skills"]);
    assert!(!told.contains("<location>"), "{told}");
    assert!(
        told.contains("using-skillyard") && told.contains("inside skillyard"),
        "{told}"
    );
}
