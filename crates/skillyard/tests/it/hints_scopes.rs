//! What hints say holds for the scope that the command worked in: pasted as it is, it leads on.

use std::fs;

use crate::TestContext;
use crate::servers::repository::skill;

/// The commands that a text says to run.
fn hinted(told: &str) -> Vec<Vec<&str>> {
    let commands = told
        .split('`')
        .filter_map(|part| part.strip_prefix("skillyard "));
    commands
        .map(|command| command.split(' ').collect())
        .collect()
}

/// A repository, and `pdf` of the user from a folder.
fn installed() -> TestContext {
    let context = TestContext::new();
    context
        .mkdir(".git")
        .write("../lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "../lib/pdf", "--scope", "user", "--yes"]);
    context
}

#[test]
fn a_source_that_is_gone_leads_to_the_scope_of_its_skill() {
    let context = installed();
    fs::remove_file(context.root().join("../lib/pdf/SKILL.md")).unwrap();
    let told = context.refused(&["update", "pdf", "--scope", "user"]);
    assert_eq!(
        hinted(&told),
        [["remove", "pdf", "--scope", "user"]],
        "{told}"
    );
    let json = context.json(&["update", "pdf", "--scope", "user", "--json"]);
    let hint = json["error"]["hint"].as_str().unwrap();
    assert_eq!(hinted(hint), [["remove", "pdf", "--scope", "user"]]);
    // Beside others it is told in a line of its own.
    context.write("../more/csv/SKILL.md", skill("csv", "one"));
    context.done(&["install", "../more/csv", "--scope", "user", "--yes"]);
    let told = context.run(&["update", "--scope", "user"]);
    assert_eq!(
        hinted(&told),
        [["remove", "pdf", "--scope", "user"]],
        "{told}"
    );
    context.done(&[&hinted(&told)[0][..], &["--yes"]].concat());
    // Where commands mean that scope anyway, nothing is said of it.
    let context = installed();
    fs::remove_dir_all(context.root().join(".git")).unwrap();
    fs::remove_file(context.root().join("../lib/pdf/SKILL.md")).unwrap();
    let told = context.refused(&["update", "pdf", "--scope", "user"]);
    assert_eq!(hinted(&told), [["remove", "pdf"]], "{told}");
    context.done(&["remove", "pdf", "--yes"]);
}

#[test]
fn a_skill_of_another_project_is_put_right_there() {
    let context = TestContext::new();
    context.mkdir(".git").mkdir("../other").write(
        "../lib/pdf/SKILL.md",
        "---\nname: pdf\ndescription: a: b\n---\nDo.\n",
    );
    context.done(&["install", "../lib/pdf", "--yes"]);
    let there = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.current_dir(context.root().join("../other"));
        context.shown(command.args(arguments))
    };
    let installed = context.root().join(".agents/skills/pdf");
    let told = there(&["validate", "--fix", installed.to_str().unwrap()]);
    assert!(
        told.contains("run `skillyard update pdf` in `[DIR]`"),
        "{told}"
    );
    let told = context.run(&["validate", "--fix", ".agents/skills/pdf"]);
    assert!(told.contains("run `skillyard update pdf`\n"), "{told}");
}
