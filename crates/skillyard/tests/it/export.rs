//! `skillyard export`: another agent's layout, and archives.

use std::fs;

use crate::TestContext;
use crate::project::project;

/// A user's skill with more than one agent understands, and what programs left in its folder.
fn with_skill() -> TestContext {
    let context = TestContext::new();
    context.write_skill("../home/.agents/skills/pdf");
    context.write(
        "../home/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fills PDF forms. Use when asked.\ncontext: fork\n---\n\nFill $ARGUMENTS.\n",
    );
    context.write("../home/.agents/skills/pdf/scripts/run.py", "print(1)\n");
    context.write("../home/.agents/skills/pdf/.DS_Store", "x");
    context.write(
        "../home/.agents/skills/pdf/scripts/__pycache__/run.pyc",
        "x",
    );
    context
}

#[test]
fn what_is_not_here_is_to_be_installed_first() {
    let context = with_skill();
    context.write_skill("lib/csv");
    for (word, hint) in [
        ("./lib/csv", "`skillyard install ./lib/csv`"),
        ("acme/skills/csv", "`skillyard install acme/skills/csv`"),
        (
            "https://a.example/csv.zip",
            "`skillyard install https://a.example/csv.zip`",
        ),
        ("@acme/csv", "`skillyard install @acme/csv`"),
        ("./lib/none/at/all", "`skillyard list --all`"),
    ] {
        let told = context.refused(&["export", word, "--archive", "out.zip"]);
        assert!(told.contains(hint), "{word}: {told}");
    }
}

#[test]
fn another_agents_layout_says_what_is_lost() {
    let context = with_skill();
    let answer = context.json(&[
        "export", "pdf", "--agent", "codex", "--output", "out", "--json",
    ]);
    let losses = answer["losses"].as_array().unwrap();
    let lost = |what: &str| {
        losses
            .iter()
            .any(|loss| loss["what"].as_str().unwrap().contains(what))
    };
    assert!(lost("context") && lost("$ARGUMENTS"), "{answer}");
    assert_eq!(answer["folder"], "out/.agents/skills/pdf");
    // Nothing but the skill is written.
    assert_eq!(
        context.tree(),
        [
            "out/",
            "out/.agents/",
            "out/.agents/skills/",
            "out/.agents/skills/pdf/",
            "out/.agents/skills/pdf/SKILL.md",
            "out/.agents/skills/pdf/scripts/",
            "out/.agents/skills/pdf/scripts/run.py",
        ]
    );
    let again = context.run(&["export", "pdf", "--agent", "codex", "--output", "out"]);
    assert!(
        again.contains("exit code: 2") && again.contains("exists already"),
        "{again}"
    );
    let unknown = context.run(&["export", "pdf", "--agent", "codx"]);
    assert!(unknown.contains("`codex`"), "{unknown}");
}

#[test]
fn an_archive_has_the_same_bytes_and_leaves_out_what_programs_left_behind() {
    let context = with_skill();
    for file in ["one.zip", "two.zip", "one.tar.gz", "two.tar.gz"] {
        let answer = context.run(&["export", "pdf", "--archive", file]);
        assert!(answer.contains("exit code: 0"), "{answer}");
        let line = "Left out of `pdf`: `.DS_Store`, `scripts/__pycache__/`";
        assert!(answer.contains(line), "{answer}");
    }
    let read = |file: &str| fs::read(context.root().join(file)).unwrap();
    assert_eq!(read("one.zip"), read("two.zip"));
    assert_eq!(read("one.tar.gz"), read("two.tar.gz"));
    let before = read("one.zip");
    let taken = context.run(&["export", "pdf", "--archive", "one.zip"]);
    assert!(taken.contains("exists already"), "{taken}");
    assert_eq!(read("one.zip"), before);
    // What was packed installs, with the digest that was told.
    let told = context.json(&["export", "pdf", "--archive", "three.skill", "--json"]);
    context.write("skills.toml", "");
    assert_eq!(
        context.code(&["install", "./three.skill", "--yes", "--scope", "project"]),
        Some(0)
    );
    let left_out = serde_json::json!([".DS_Store", "scripts/__pycache__/"]);
    assert_eq!(told["left_out"], left_out);
    let digest = told["digest"].as_str().unwrap();
    assert!(context.read("skills.lock").contains(digest), "{digest}");
}

#[test]
fn an_archive_has_no_folder_that_not_every_system_can_have() {
    let context = project();
    for name in ["dyad:review", "con", "plain"] {
        let text = format!("---\nname: {name}\ndescription: Reviews. Use when asked.\n---\nDo.\n");
        context.write("lib/one/SKILL.md", text);
        context.write("lib/one/scripts/a.py", "print(1)\n");
        context.done(&["install", "./lib/one", "--yes"]);
        context.done(&["trust", "."]);
        let told = context.done(&["export", name, "--archive", &format!("{name}.zip")]);
        let is_plain = name == "plain";
        let line = format!("none can be called `{name}` on all systems");
        assert_eq!(told.contains(&line), !is_plain, "{told}");
        let archive = format!("{name}.tar.gz");
        let told = context.json(&["export", name, "--archive", &archive, "--json"]);
        assert_eq!(told["folder"].as_str(), is_plain.then_some(name), "{told}");
        // It is the same skill wherever it is unpacked.
        context.done(&["remove", name]);
        context.done(&["install", &format!("./{archive}"), "--yes"]);
        let digest = told["digest"].as_str().unwrap();
        assert!(context.read("skills.lock").contains(digest), "{digest}");
        context.done(&["remove", name]);
    }
}

#[test]
fn what_no_model_may_be_given_is_not_handed_on() {
    let context = with_skill();
    let export = ["export", "pdf", "--archive", "pdf.zip"];
    context.done(&["config", "set", "skills.deny", "pdf"]);
    let told = context.refused(&export);
    assert!(told.contains("denied by `pdf` (user)"), "{told}");
    // What it would lose there can still be told.
    context.done(&["export", "pdf", "--agent", "codex"]);
    context.done(&["config", "unset", "skills.deny"]);
    // What is switched off here may be meant for another agent.
    context.done(&["disable", "pdf"]);
    context.done(&export);
    context.skill(".skills/greet", "Greets people.");
    let told = context.refused(&["export", "greet", "--archive", "greet.zip"]);
    assert!(told.contains("project's folder is not trusted"), "{told}");
    assert!(told.contains("skillyard trust ."), "{told}");
}
