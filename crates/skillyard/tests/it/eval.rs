//! `skillyard eval`.

use insta::assert_snapshot;

use crate::TestContext;
use crate::machine::TRUSTING;

fn toolbox() -> TestContext {
    let context = TestContext::configured(&format!(
        "{TRUSTING}[skills]\ndeny = [\"skill-*\", \"using-*\"]\n"
    ));
    context
        .skill(
            ".skills/pdf-forms",
            "Fills in PDF forms for taxes. Use when a task involves a PDF form.",
        )
        .skill(
            ".skills/pdf-fill",
            "Fills in PDF forms for taxes. Use when a task involves PDF forms.",
        )
        .skill(
            ".skills/spreadsheets",
            "Edits spreadsheets. Use when a task involves Excel files.",
        );
    context
}

const TASKS: &str = "\
- task: edit my excel file
  skills: [spreadsheets]
- query: pdf fill
  skill: pdf-forms
- prompt: what is the weather
  expected: []
";

#[test]
fn recall_misses_and_descriptions_that_collide() {
    let context = toolbox();
    context.write("tasks.yaml", TASKS);
    assert_snapshot!(context.tell(&["eval", "tasks.yaml"]), @"
    exit status: 0
    ----- stdout -----
    3 tasks over 3 skills
      recall@1    50.0 %
      recall@5   100.0 %
      recall@10  100.0 %

    Not first:
      pdf fill
        wanted pdf-forms, found pdf-fill, pdf-forms, spreadsheets

    Descriptions that are easily confused:
      100 %  pdf-fill and pdf-forms
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["eval", "tasks.yaml", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "tasks": 3,
      "recall": {
        "1": 0.5,
        "5": 1.0,
        "10": 1.0
      },
      "misses": [
        {
          "task": "pdf fill",
          "wanted": [
            "pdf-forms"
          ],
          "found": [
            "pdf-fill",
            "pdf-forms",
            "spreadsheets"
          ]
        }
      ],
      "alike": [
        {
          "first": "pdf-fill",
          "second": "pdf-forms",
          "similarity": 1.0
        }
      ],
      "absent": [],
      "failed": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn json_tasks_are_the_same_tasks() {
    let context = toolbox();
    context.write("tasks.yaml", TASKS).write(
        "tasks.json",
        r#"{"tasks": [{"task": "edit my excel file", "skills": ["spreadsheets"]}, {"query": "pdf fill", "skill": "pdf-forms"}, {"prompt": "what is the weather", "expected": null}]}"#,
    );
    assert_eq!(
        context.json(&["eval", "tasks.json", "--json"]),
        context.json(&["eval", "tasks.yaml", "--json"])
    );
}

#[test]
fn what_is_wrong_with_the_tasks() {
    let context = toolbox();
    let tell = |text: &str| {
        context.write("tasks.yaml", text);
        context.tell(&["eval", "tasks.yaml"])
    };
    assert_snapshot!(tell("- task: x\n  skills: [spredsheets]\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the tasks in `tasks.yaml`
      Caused by: task 1, `x`: there is no skill `spredsheets`. Did you mean `spreadsheets`?

    hint: See the form of the file with `skillyard eval --help`
    ");
    assert_snapshot!(tell("- task: x\n- skills: [pdf-fill]\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the tasks in `tasks.yaml`
      Caused by: entry 1 has no `task` and `skills`

    hint: See the form of the file with `skillyard eval --help`
    ");
    assert_snapshot!(tell("just text\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the tasks in `tasks.yaml`
      Caused by: it is not a list of tasks

    hint: See the form of the file with `skillyard eval --help`
    ");
    assert_snapshot!(tell("a: [\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the tasks in `tasks.yaml`
      Caused by: line 1: did not find expected node content

    hint: See the form of the file with `skillyard eval --help`
    ");
    assert_snapshot!(context.tell(&["eval", "nowhere.yaml"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot read `nowhere.yaml`
      Caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn what_should_find_nothing_is_a_miss_when_it_does() {
    let context = toolbox();
    context.write(
        "tasks.yaml",
        "\u{feff}- task: edit an excel file\n  skills: []\n",
    );
    let answer = context.json(&["eval", "tasks.yaml", "--json"]);
    assert_eq!(answer["recall"]["1"], serde_json::Value::Null, "{answer}");
    assert_eq!(answer["misses"][0]["wanted"], serde_json::json!([]));
    let told = context.tell(&["eval", "tasks.yaml"]);
    assert!(told.starts_with("exit status: 0"), "{told}");
    assert!(
        told.contains("wanted nothing, found spreadsheets"),
        "{told}"
    );
    let code = |file: &str, percent: &str| context.code(&["eval", file, "--min-recall", percent]);
    assert_eq!(code("tasks.yaml", "0"), Some(1));
    let why = "1 task that should find nothing found something";
    let told = context.tell(&["eval", "tasks.yaml", "--min-recall", "0"]);
    assert!(told.contains(&format!("Failed: {why}")), "{told}");
    let answer = context.json(&["eval", "tasks.yaml", "--min-recall", "0", "--json"]);
    assert_eq!(answer["failed"], serde_json::json!([why]));
    for nothing in ["[]\n", "{\"tasks\": []}\n"] {
        context.write("tasks.yaml", nothing);
        assert_eq!(code("tasks.yaml", "0"), Some(2), "{nothing}");
        assert_eq!(context.code(&["eval", "tasks.yaml"]), Some(0));
    }
    context.write("tasks.yaml", TASKS);
    assert_eq!(code("tasks.yaml", "50"), Some(0));
    assert_eq!(code("tasks.yaml", "51"), Some(1));
    let told = context.tell(&["eval", "tasks.yaml", "--min-recall", "51"]);
    assert!(
        told.contains("Failed: recall@1 is 50.0 %, and `--min-recall` wants 51 %"),
        "{told}"
    );
}

#[test]
fn names_of_digits_are_names() {
    let context = toolbox();
    context.skill(
        ".skills/123",
        "Counts to three. Use when a task involves counting.",
    );
    let misses = |tasks: &str| {
        context.write("tasks.yaml", tasks);
        let answer = context.json(&["eval", "tasks.yaml", "--json"]);
        assert_eq!(answer["recall"]["1"], 1.0, "{answer}");
        answer["misses"].clone()
    };
    for wanted in ["skills: [123]", "skill: 123", "expected: ['123']"] {
        let tasks = format!("- task: counting to three\n  {wanted}\n");
        assert_eq!(misses(&tasks), serde_json::json!([]), "{wanted}");
    }
    misses(r#"[{"task": "counting to three", "skills": [123]}]"#);
    // What is no name is not passed over.
    for wanted in ["[[123]]", "[null]", "{a: b}"] {
        context.write("tasks.yaml", format!("- task: x\n  skills: {wanted}\n"));
        assert_eq!(context.code(&["eval", "tasks.yaml"]), Some(2), "{wanted}");
    }
}

#[test]
fn skills_that_take_no_part_are_told() {
    let context = toolbox();
    context.configure("[skills]\ndeny = [\"skill-*\", \"using-*\"]\n");
    context.write(
        "tasks.yaml",
        "- task: edit my excel file\n  skills: [spreadsheets]\n",
    );
    assert_snapshot!(context.tell(&["eval", "tasks.yaml"]), @"
    exit status: 0
    ----- stdout -----
    1 task over 0 skills
      recall@1     0.0 %
      recall@5     0.0 %
      recall@10    0.0 %

    Not first:
      edit my excel file
        wanted spreadsheets, found nothing
    ----- stderr -----
    `pdf-fill`, `pdf-forms`, `spreadsheets` take no part: the project's folder is not trusted. Look at the project's skills, then run `skillyard trust .`
    ");
    let answer = context.json(&["eval", "tasks.yaml", "--json"]);
    assert_eq!(answer["absent"][0]["name"], "pdf-fill");
    // One that is switched off is told where a task wants it.
    let denied = |pattern: &str| {
        let deny = format!("skills.deny={pattern}");
        let trust = "discovery.trust_projects=always";
        context.tell(&["--config", trust, "--config", &deny, "eval", "tasks.yaml"])
    };
    assert!(denied("spread*").contains("`spreadsheets` takes no part"));
    assert!(!denied("pdf-*").contains("no part"));
}
