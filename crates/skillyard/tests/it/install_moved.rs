//! Skills that are to come from another source than they were installed from.

use insta::assert_snapshot;

use crate::TestContext;
use crate::project::{installed, project};
use crate::servers::repository::skill;

/// A project with `pdf` from `lib/pdf`, which its skills.toml wants from `mirror/pdf` now.
fn wanted_elsewhere() -> TestContext {
    let context = installed();
    context.write("mirror/pdf/SKILL.md", skill("pdf", "two"));
    context.write("skills.toml", "[skills]\npdf = \"./mirror/pdf\"\n");
    context
}

#[test]
fn skills_toml_says_where_a_skill_comes_from() {
    let context = wanted_elsewhere();
    context.refused(&["sync", "--locked"]);
    assert!(context.run(&["outdated"]).contains("./mirror/pdf"));
    assert_snapshot!(context.done(&["sync"]), @r"
     ~ pdf  ./lib/pdf → ./mirror/pdf
    Updated 1 skill (project scope) in [TIME]
    Skillyard's own chat, MCP server and prompts leave out this project's skills until you run `skillyard trust .`
    ");
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);

    let context = wanted_elsewhere();
    context.done(&["update"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn an_edited_skill_stays_wherever_it_is_wanted_from() {
    let context = wanted_elsewhere();
    context.write(".agents/skills/pdf/notes.md", "mine");
    for command in ["sync", "update"] {
        let told = context.refused(&[command]);
        assert!(told.contains("was edited after it was installed"), "{told}");
    }
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn whoever_types_another_source_is_told_of_the_first() {
    let context = installed();
    context.write("mirror/pdf/SKILL.md", skill("pdf", "two"));
    let told = context.refused(&["install", "./mirror/pdf"]);
    assert!(
        told.contains("`pdf` is installed from `./lib/pdf`"),
        "{told}"
    );
}

/// A skill that needs another one.
fn needing(context: &TestContext, name: &str, version: &str, requires: &str) {
    let text = format!(
        "---\nname: {name}\ndescription: Use when {name}.\nmetadata:\n  \
         skillyard.requires-skills: {requires}\n---\n\n{version}\n"
    );
    context.write(&format!("lib/{name}/SKILL.md"), text);
}

/// A project with `report`, which needs `chart` from elsewhere in its newer state.
fn needed_elsewhere() -> TestContext {
    let context = project();
    context.write("lib/old/chart/SKILL.md", skill("chart", "one"));
    context.write("lib/new/chart/SKILL.md", skill("chart", "two"));
    needing(&context, "report", "one", "../old/chart");
    context.done(&["install", "./lib/report"]);
    needing(&context, "report", "two", "../new/chart");
    context
}

#[test]
fn what_is_needed_comes_from_where_it_is_needed() {
    for command in [
        &["update"][..],
        &["update", "report"],
        &["install", "./lib/report"],
    ] {
        let context = needed_elsewhere();
        context.done(command);
        assert_eq!(context.version_of("report").as_deref(), Some("two"));
        assert_eq!(context.version_of("chart").as_deref(), Some("two"));
        context.done(&["sync", "--locked", "--check"]);
    }
}

#[test]
fn nobody_is_updated_without_what_it_needs_from_elsewhere() {
    let context = needed_elsewhere();
    needing(&context, "page", "one", "../old/chart");
    context.done(&["install", "./lib/page"]);
    assert_snapshot!(context.refused(&["update", "report"]), @r"
    error: something is in the way of `chart`, which `report` needs
      Caused by: `chart` is installed from `./lib/old/chart`

    hint: It is needed under this name: take away what is there, or replace it with `--force`
    ");
    let told = context.refused(&["update"]);
    assert!(told.contains("is needed from two sources"), "{told}");
    for name in ["report", "page", "chart"] {
        assert_eq!(context.version_of(name).as_deref(), Some("one"), "{name}");
    }
}
