//! `skillyard explain`.

use insta::assert_snapshot;

use crate::{TestContext, output, text};

#[test]
fn one_rule() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["explain", "yaml-unquoted-text"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    yaml-unquoted-text (the specification's text)

    Text that YAML reads as something else must be in quotes.

    ```text
    description: Usage: run it        # invalid: a second `: `
    description: "Usage: run it"      # valid
    ```

    The same goes for text that starts with `*`, `&`, `!`, `@`, `` ` ``, `[`, `{`, `>` or `|`, and
    for text behind a quoted piece. This is the commonest mistake in real files.

    **Fix:** put the value in quotes; `--fix` does.
    ----- stderr -----
    "#);
}

#[test]
fn what_stands_in_brackets_is_explained_where_it_is_no_rule() {
    let context = TestContext::new();
    for code in [
        "not-checked",
        "not-deliverable",
        "not-looked-into",
        "not-mended",
    ] {
        let told = context.stdout(&["explain", code]);
        let heading = format!("{code} (no rule, but said where none could be asked)\n\n");
        assert!(told.starts_with(&heading), "{told}");
    }
}

#[test]
fn every_rule_is_listed_on_a_line() {
    let context = TestContext::new();
    let listed = text(&output(context.skillyard().arg("explain")).stdout);
    let rules = context.json(&["explain", "--json"]);
    let codes: Vec<_> = rules["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["code"].as_str().unwrap())
        .collect();
    let first: Vec<_> = listed
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(first, codes);
    assert!(codes.len() > 40);
    for line in listed.lines() {
        assert!(line.len() > 28 && line.ends_with('.'), "{line}");
    }
}

#[test]
fn a_rule_that_does_not_exist() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["explain", "name-lenght"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no rule `name-lenght`

    hint: Did you mean `name-length`?
    ");
    assert_snapshot!(context.run(&["explain", "zzz"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no rule `zzz`

    hint: List all rules with `skillyard explain`; ask about a skill with `skillyard explain skill NAME`
    ");
    assert_snapshot!(context.run(&["explain", "skill"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `explain skill` needs the name of a skill

    hint: List the names with `skillyard list`
    ");
}

#[test]
fn as_json() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["explain", "body-empty", "--json"]), @r#"
    success: true
    exit code: 0
    ----- stdout -----
    {
      "rules": [
        {
          "code": "body-empty",
          "kind": "advice",
          "explanation": "A skill should have instructions below its frontmatter.\n\nThey are what a model reads when it activates the skill. Without them it learns\nnothing that the description did not say.\n"
        }
      ]
    }
    ----- stderr -----
    "#);
}
