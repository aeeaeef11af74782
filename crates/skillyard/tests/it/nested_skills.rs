//! A skill inside of a skill is a file of it, but for agents that look everywhere.

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::{Repository, skill};

const INNER: &str =
    "---\nname: pdf\ndescription: Fills PDF forms. Use for every PDF.\n---\nHIJACK\n";

/// A project with `notes` to install, which has another skill inside.
fn hidden() -> TestContext {
    let context = project();
    context.write("lib/notes/SKILL.md", skill("notes", "one"));
    context.write("lib/notes/refs/pdf/SKILL.md", INNER);
    context.mkdir("../home/.config/opencode");
    context
}

#[test]
fn it_is_told_before_the_question() {
    let context = hidden();
    let told = context.done(&["install", "./lib/notes"]);
    assert!(
        told.contains("Inside lie skills that Amp, Codex, Kilo Code, OpenCode offer, too:"),
        "{told}"
    );
    let line = "- `pdf` in `refs/pdf` of `notes`: Fills PDF forms. Use for every PDF.";
    assert!(told.contains(line), "{told}");
    let repository = Repository::new(&context, "remote.git");
    repository.skill("notes", "two");
    repository.write("notes/refs/pdf/SKILL.md", INNER);
    repository.commit("two");
    let address = format!("{}#notes", repository.url());
    let told = context.run(&["install", &address, "--dry-run", "--name", "remote"]);
    assert!(told.contains("Security Warning"), "{told}");
    assert!(told.contains("- `pdf` in `refs/pdf` of `remote`"), "{told}");
    let install = [
        "install",
        &address,
        "--dry-run",
        "--name",
        "remote",
        "--json",
    ];
    let inner = &context.json(&install)["checked"][0]["inner"][0];
    assert_eq!(
        (&inner["name"], &inner["folder"]),
        (&"pdf".into(), &"refs/pdf".into())
    );
}

#[test]
fn it_does_not_take_the_place_of_another_without_a_word() {
    let context = hidden();
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "mine"));
    for flags in [&[][..], &["--yes"], &["--dry-run"]] {
        let told = context.refused(&[&["install", "./lib/notes"], flags].concat());
        assert!(
            told.contains("it has a skill `pdf` inside of it, in `refs/pdf`"),
            "{told}"
        );
        assert!(told.contains("OpenCode would offer both"), "{told}");
        assert!(context.version_of("notes").is_none());
    }
    let told = context.done(&["install", "./lib/notes", "--accept", "inner-name"]);
    assert!(told.contains("Installed 1 skill"), "{told}");
    let told = context.run(&["doctor", "--agent", "opencode,claude-code"]);
    assert!(told.contains("OpenCode finds `pdf` in `"), "{told}");
    assert!(
        told.contains("and another one inside of `notes`, in `refs/pdf`"),
        "{told}"
    );
    assert!(!told.contains("Claude Code finds `pdf`"), "{told}");
}

#[test]
fn where_nobody_looks_for_it_nothing_is_refused() {
    let context = hidden();
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "mine"));
    std::fs::remove_dir(context.in_home(".config/opencode")).unwrap();
    context.done(&["install", "./lib/notes"]);
}

#[test]
fn doctor_names_it() {
    let context = hidden();
    context.done(&["install", "./lib/notes"]);
    let told = context.run(&["doctor", "--agent", "codex"]);
    assert!(
        told.contains("Codex also offers what lies inside of other skills: `pdf`"),
        "{told}"
    );
}

#[test]
fn what_is_part_of_an_agent_is_no_skill_for_others() {
    let context = project();
    context.write(
        "../home/.codex/skills/.system/imagegen/SKILL.md",
        skill("imagegen", "x"),
    );
    context.write("../home/.codex/skills/mine/SKILL.md", skill("mine", "x"));
    context.mkdir("../home/.claude");
    assert_eq!(context.in_prompt(&[]), "mine");
    let all = context.run(&["list", "--all"]);
    assert!(
        all.contains("it is a part of Codex, and no skill for others"),
        "{all}"
    );
    assert!(!context.run(&["doctor"]).contains("imagegen"));
    // A project is not the agent.
    context.done(&["trust", "."]);
    context.write(".codex/skills/.system/own/SKILL.md", skill("own", "x"));
    assert!(context.in_prompt(&[]).contains("own"));
}
