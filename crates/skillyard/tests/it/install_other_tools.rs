//! Beside tools that keep one copy of a skill, and links to it in the folders of other agents.

use std::fs;

use crate::TestContext;
use crate::project::{installed, project};
use crate::servers::repository::skill;

const BOTH: [&str; 2] = ["--agent", "codex,claude-code"];

/// A project with `pdf` as another tool leaves it: a copy, and a link to that.
fn linked() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "one"));
    context.mkdir(".claude/skills");
    context.link("../../.agents/skills/pdf", ".claude/skills/pdf");
    context
}

impl TestContext {
    fn is_link(&self, path: &str) -> bool {
        self.root().join(path).is_symlink()
    }

    fn is_there(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }
}

#[test]
fn a_link_to_the_copy_of_another_target_is_that_copy() {
    let context = linked();
    let install = [&["install", "./lib/pdf"], &BOTH[..]].concat();
    context.done(&install);
    assert!(context.is_link(".claude/skills/pdf"));
    context.done(&["sync", "--check"]);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context.done(&["update"]);
    assert!(context.read(".claude/skills/pdf/SKILL.md").contains("two"));
    // Where the copy is not wanted any more, the link becomes one.
    let lock = context.read("skills.lock");
    let both = "targets = [\".agents/skills\", \".claude/skills\"]";
    assert!(lock.contains(both), "{lock}");
    context.write(
        "skills.lock",
        lock.replace(both, "targets = [\".claude/skills\"]"),
    );
    context.done(&["sync"]);
    assert!(!context.is_there(".agents/skills/pdf"));
    assert!(!context.is_link(".claude/skills/pdf"));
    context.done(&["remove", "pdf"]);
    assert!(!context.is_there(".claude/skills/pdf"));
}

#[test]
fn links_go_with_what_they_lead_to() {
    let context = linked();
    context.done(&["install", "./lib/pdf", "--agent", "codex"]);
    let told = context.done(&["remove", "pdf", "--force"]);
    assert!(told.contains("pdf, a link to it"), "{told}");
    assert!(!context.is_there(".claude/skills/pdf"));
    assert!(!context.is_there(".agents/skills/pdf"));
}

#[test]
fn links_in_a_circle_are_no_copy() {
    let context = linked();
    fs::remove_dir_all(context.root().join(".agents/skills/pdf")).unwrap();
    context.link("../../.claude/skills/pdf", ".agents/skills/pdf");
    let install = [&["install", "./lib/pdf"], &BOTH[..]].concat();
    let told = context.refused(&install);
    assert!(told.contains("is a link to `"), "{told}");
    context.done(&[&install[..], &["--force"]].concat());
    assert!(context.read(".claude/skills/pdf/SKILL.md").contains("one"));
    assert!(!context.is_link(".agents/skills/pdf"));
}

#[test]
fn all_of_a_skill_that_nobody_installed_is_deleted() {
    let context = linked();
    context.done(&["trust", "."]);
    context.write(".gemini/skills/pdf/SKILL.md", skill("pdf", "one"));
    context.write(".codex/skills/pdf/SKILL.md", skill("pdf", "another"));
    let told = context.refused(&["remove", "pdf"]);
    assert!(told.contains("deletes all of them for good"), "{told}");
    let told = context.done(&["remove", "pdf", "--force", "--yes"]);
    assert!(told.contains("Deleted 1 skill for good"), "{told}");
    for gone in [".agents", ".claude", ".gemini"] {
        assert!(told.contains(&format!("{gone}/skills/pdf")), "{told}");
        assert!(!context.is_there(&format!("{gone}/skills/pdf")), "{gone}");
    }
    assert!(
        told.contains("is another skill called `pdf`, and stays"),
        "{told}"
    );
    assert!(context.is_there(".codex/skills/pdf/SKILL.md"));
}

#[test]
fn what_stays_under_the_name_of_what_goes_is_told() {
    let context = installed();
    let others = [".codex/skills/pdf", "../home/.agents/skills/pdf"];
    for other in others {
        context.write(&format!("{other}/SKILL.md"), skill("pdf", "another"));
    }
    let planned = context.json(&["remove", "pdf", "--dry-run", "--json"]);
    let stays = planned["stays"].as_array().unwrap();
    assert_eq!(stays.len(), 2, "{planned}");
    assert!(stays.iter().all(|each| each["name"] == "pdf"), "{planned}");
    let told = context.done(&["remove", "pdf"]);
    let stays = "is another skill called `pdf`, and stays";
    assert_eq!(told.matches(stays).count(), 2, "{told}");
    assert!(!context.is_there(".agents/skills/pdf"));
    for other in others {
        assert!(context.is_there(&format!("{other}/SKILL.md")), "{other}");
    }
}

#[test]
fn of_a_link_that_leads_elsewhere_only_it_goes() {
    let context = project();
    context.done(&["trust", "."]);
    context.write("shared/pdf/SKILL.md", skill("pdf", "one"));
    context.mkdir(".claude/skills");
    context.link("../../shared/pdf", ".claude/skills/pdf");
    let told = context.done(&["remove", "pdf", "--force", "--yes"]);
    assert!(told.contains("a link to `../../shared/pdf`"), "{told}");
    assert!(told.contains("Deleted the link to 1 skill alone"), "{told}");
    assert!(context.is_there("shared/pdf/SKILL.md"));
}

#[test]
fn a_file_where_a_folder_of_skills_should_be_is_named() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(".claude/skills", "../.agents/skills");
    for more in [&[][..], &["--force"], &["--skip-existing"]] {
        let told = context.refused(&[&["install", "./lib/pdf"], &BOTH[..], more].concat());
        assert!(
            told.contains(
                "`.claude/skills` is a file, and no folder for skills: a link to `../.agents/skills` that git wrote as text"
            ),
            "{told}"
        );
        assert!(!context.is_there(".agents"), "{more:?}");
    }
}

#[test]
fn a_folder_of_skills_that_cannot_be_reached_is_told_where_nothing_is_to_change() {
    let context = project();
    for name in ["pdf", "tar"] {
        context.write(&format!("lib/{name}/SKILL.md"), skill(name, "one"));
    }
    context.done(&["install", "./lib", "--all", "--agent", "codex"]);
    let folder = context.root().join(".agents/skills");
    fs::remove_dir_all(&folder).unwrap();
    let commands = [
        &["sync", "--check"][..],
        &["sync", "--check", "--force"],
        &["sync", "--locked", "--check"],
        &["sync", "--json", "--check"],
        &["sync"],
        &["update", "--dry-run"],
        &["update"],
    ];
    fs::write(&folder, "").unwrap();
    let cause = "`.agents/skills` is a file, and no folder for skills";
    for command in commands {
        let told = context.refused(command);
        assert_eq!(told.matches(cause).count(), 1, "{command:?}: {told}");
    }
    let told = context.tell(&["doctor"]);
    assert_eq!(told.matches(cause).count(), 1, "{told}");
    assert!(told.contains("Move it away; where it is"), "{told}");
    assert!(!told.contains("sync --force"), "{told}");
    fs::remove_file(&folder).unwrap();
    context.link("nowhere", ".agents/skills");
    for command in commands {
        let told = context.refused(command);
        assert!(told.contains("is a link to nothing"), "{command:?}: {told}");
    }
}

#[test]
fn what_cannot_be_reached_comes_before_what_was_edited() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&[&["install", "./lib/pdf"], &BOTH[..]].concat());
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "evil"));
    fs::remove_dir_all(context.root().join(".claude/skills")).unwrap();
    context.write(".claude/skills", "../.agents/skills");
    for command in [
        &["sync", "--check"][..],
        &["sync", "--frozen", "--offline", "--check"],
    ] {
        let told = context.refused(command);
        assert!(told.contains("`.agents/skills/pdf` was edited"), "{told}");
        assert!(told.contains("hint: Move it away"), "{told}");
    }
}
