//! `skillyard search` and `skillyard match`.

use insta::assert_snapshot;

use crate::TestContext;
use crate::machine::{NO_BUILTIN, TRUSTING};

fn toolbox() -> TestContext {
    // The skills inside the binary would take part in every ranking.
    let context = TestContext::configured(&format!(
        "{TRUSTING}[skills]\ndeny = [\"skill-*\", \"skills-*\", \"using-*\"]\n"
    ));
    context
        .skill(".skills/pdf-forms", "Fills in PDF forms. Use when a task involves a PDF form.")
        .skill(".skills/spreadsheets", "Edits spreadsheets and tables. Use when a task involves Excel files.")
        .skill("../home/.agents/skills/git-history", "Rewrites commits. Use when a task involves git history.")
        .write(
            "../home/.agents/skills/greeter/SKILL.md",
            "---\nname: greeter\ndescription: Says hello. Use when somebody arrives.\nmetadata:\n  tags: welcome\n  skillyard.triggers: '{\"keywords\":[\"salute\"],\"patterns\":[\"greet\\\\s+\\\\w+\"]}'\n---\n\nWave both hands.\n",
        )
        .write(
            "../home/.agents/skills/secret/SKILL.md",
            "---\nname: secret\ndescription: Deletes spreadsheets. Use when told.\ndisable-model-invocation: true\n---\nx\n",
        );
    context
}

/// What a command tells, without the scores: those are the business of the search core.
fn without_scores(text: &str) -> String {
    let is_score = |word: &str| word.contains('.') && word.parse::<f32>().is_ok();
    let lines = text.lines().map(|line| {
        let words = line.split(' ');
        let words: Vec<&str> = words
            .map(|word| if is_score(word) { "[N]" } else { word })
            .collect();
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The names that a command finds, best first.
fn names(context: &TestContext, arguments: &[&str]) -> Vec<String> {
    let mut all = arguments.to_vec();
    all.push("--json");
    let found = context.json(&all);
    let results = found["results"].as_array().unwrap();
    results
        .iter()
        .map(|each| each["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn search_as_text_and_json() {
    let context = toolbox();
    let arguments = [&["search", "pdf", "form"][..], &NO_BUILTIN].concat();
    assert_snapshot!(without_scores(&context.tell(&arguments)), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf-forms  [N]
        Fills in PDF forms. Use when a task involves a PDF form.
    ✓ spreadsheets  [N]
        Edits spreadsheets and tables. Use when a task involves Excel files.
    ----- stderr -----
    ");
    let found = context.json(&["search", "pdf", "form", "--limit", "1", "--json"]);
    let keys: Vec<_> = found["results"][0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["name", "description", "source", "path", "status", "score"]
    );
}

#[test]
fn search_forgives_typos_and_endings() {
    let context = toolbox();
    for query in [
        "spreadsheet",
        "spredsheets",
        "spreadhseets",
        "editing tables",
    ] {
        let found = names(&context, &["search", query]);
        assert!(
            found[..2].contains(&"spreadsheets".to_owned()),
            "{query}: {found:?}"
        );
    }
    assert_eq!(names(&context, &["search", "comits"])[0], "git-history");
}

#[test]
fn search_looks_into_bodies_tags_and_triggers() {
    let context = toolbox();
    for query in ["wave hands", "welcome", "salute", "please greet Ada"] {
        assert_eq!(names(&context, &["search", query])[0], "greeter", "{query}");
    }
}

#[test]
fn search_is_filtered() {
    let context = toolbox();
    assert_eq!(
        names(&context, &["search", "--source", "user", "spreadsheets"]),
        ["secret"]
    );
    assert_eq!(
        names(&context, &["search", "--allow", "*-forms", "pdf", "form"])[0],
        "pdf-forms"
    );
    assert_eq!(
        names(&context, &["search", "use when", "--limit", "2"]).len(),
        2
    );
    assert_snapshot!(context.tell(&["search", "--source", "usr", "pdf"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `usr` is no value of `--source <SOURCE>`

    hint: Did you mean `user`? Use one of org-pinned, plugin, project, user, extra, org, builtin
    ");
}

#[test]
fn nothing_is_found() {
    let context = toolbox();
    assert_snapshot!(context.tell(&["search", "qqqqzzzz"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    No skill matches; see all of them with `skillyard list`
    ");
    assert_snapshot!(context.tell(&["search", "qqqqzzzz", "--json"]), @r#"
    exit status: 1
    ----- stdout -----
    {
      "results": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn match_tells_why() {
    let context = toolbox();
    assert_snapshot!(without_scores(&context.tell(&["match", "fill in this pdf form", "--explain", "--limit", "1"])), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf-forms  [N]
        Fills in PDF forms. Use when a task involves a PDF form.
            [N]  form
            [N]  pdf
            [N]  fill
            [N]  its name is like the task
    ----- stderr -----
    ");
    assert_snapshot!(without_scores(&context.tell(&["match", "greet everybody", "--explain", "--limit", "1"])), @r"
    exit status: 0
    ----- stdout -----
    ✓ greeter  [N]
        Says hello. Use when somebody arrives.
            [N]  greet (spelled like `greeter`)
            [N]  its trigger `greet\s+\w+` on `greet everybody`
    ----- stderr -----
    ");
    let why = context.json(&[
        "match",
        "spredsheets",
        "--explain",
        "--limit",
        "1",
        "--json",
    ]);
    assert_eq!(why["results"][0]["why"]["words"][0]["how"], "spelled like");
}

#[test]
fn match_offers_only_what_a_model_may_choose() {
    let context = toolbox();
    assert!(names(&context, &["search", "deletes spreadsheets"]).contains(&"secret".to_owned()));
    assert!(!names(&context, &["match", "deletes spreadsheets"]).contains(&"secret".to_owned()));
    assert_eq!(context.code(&["disable", "spreadsheets"]), Some(0));
    assert!(!names(&context, &["match", "edit spreadsheets"]).contains(&"spreadsheets".to_owned()));
}

#[test]
fn an_edited_body_is_found_by_its_new_words() {
    let context = toolbox();
    assert_eq!(context.code(&["search", "xylophone"]), Some(1));
    context.write(
        ".skills/pdf-forms/SKILL.md",
        "---\nname: pdf-forms\ndescription: Fills.\n---\n\nPlay the xylophone.\n",
    );
    assert_eq!(names(&context, &["search", "xylophone"]), ["pdf-forms"]);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let context = toolbox();
    let first = context.stdout(&["match", "use a file", "--json"]);
    for _ in 0..3 {
        assert_eq!(context.stdout(&["match", "use a file", "--json"]), first);
    }
}

#[test]
fn a_broken_configuration_is_told_once() {
    let context = TestContext::configured("nonsense = [\n");
    let told = context.tell(&["search", "pdf"]);
    assert_eq!(told.matches("cannot be used").count(), 1, "{told}");
    assert!(told.contains("hint: Mend the line"), "{told}");
}
