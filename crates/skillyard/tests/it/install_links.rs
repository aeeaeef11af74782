//! Links that a repository brought along: they may not lead what is written or deleted elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::TestContext;
use crate::project::{everything, installed, project};
use crate::servers::repository::skill;

impl TestContext {
    /// Makes a link below the root, with the folders around it.
    fn linked(&self, link: &str, to: impl AsRef<Path>) {
        let link = self.root().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, link).unwrap();
    }
}

#[test]
fn a_checkout_cannot_bring_hooks() {
    let links = [
        (".agents/skills", "../.git"),
        (".agents/skills", "../sub/.git"),
        (".agents", "x"),
        (".agents/skills", "../.hg"),
        (".agents/skills", "../docs"),
        (".agents/skills", ".."),
    ];
    for (link, to) in links {
        // As its author made it, who had no link there.
        let context = project();
        context.write("lib/hooks/SKILL.md", skill("hooks", "one"));
        context.write("lib/hooks/pre-commit", "#!/bin/sh\ntouch pwned\n");
        context.done(&["install", "./lib/hooks"]);
        fs::remove_dir_all(context.root().join(".agents")).unwrap();
        for folder in [".git", "sub/.git", "x", ".hg", "docs"] {
            fs::create_dir_all(context.root().join(folder)).unwrap();
        }
        symlink("../.git", context.root().join("x/skills")).unwrap();
        context.linked(link, to);
        let before = everything(&context.root());
        for command in [
            &["sync"][..],
            &["install", "./lib/hooks", "--force", "--yes"],
        ] {
            let told = context.refused(command);
            let named = format!("`{link}` is a link, and behind it is `");
            assert!(told.contains(&named), "{link} to {to}: {told}");
            assert!(told.contains(&format!("`rm {link}`")), "{told}");
        }
        assert_eq!(everything(&context.root()), before, "{link} to {to}");
    }
}

#[test]
fn agents_may_share_a_folder_through_a_link() {
    for (link, to) in [
        (".claude/skills", "../.agents/skills"),
        (".claude", ".agents"),
    ] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        fs::create_dir_all(context.root().join(".agents")).unwrap();
        context.linked(link, to);
        context.done(&["install", "./lib/pdf"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        assert!(context.read("skills.lock").contains("\".claude/skills\""));
        context.done(&["sync"]);
        context.done(&["remove", "pdf"]);
        assert_eq!(everything(&context.root().join(".agents/skills")), [""; 0]);
        assert!(context.root().join(link).is_symlink());
    }
}

#[test]
fn a_link_to_a_folder_of_skills_that_is_still_to_be_made_is_followed() {
    for (link, to) in [
        (".agents/skills", "../.claude/skills"),
        (".agents/skills", "../.codex/skills"),
        (".agents", ".claude"),
    ] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        context.linked(link, to);
        let install = ["install", "./lib/pdf", "--agent", "codex", "--yes"];
        context.done(&[&install[..], &["--dry-run"]].concat());
        context.done(&install);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"), "{link}");
        context.done(&["sync", "--check"]);
        context.done(&["remove", "pdf", "--yes"]);
        // The folder was made for the skill; the link is the project's own.
        let link = context.root().join(link);
        assert!(link.is_symlink() && !link.exists(), "{}", link.display());
        // As with a checkout that has the lock and not the skills.
        context.done(&install);
        for folder in [".claude", ".codex"] {
            let _ = fs::remove_dir_all(context.root().join(folder));
        }
        context.done(&["sync"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    }
}

#[test]
fn nothing_outside_the_project_is_deleted() {
    let context = installed();
    context.write("skills.toml", "[skills]\npdf = \"./lib/pdf\"\n");
    let outside = context.outside("skills");
    fs::create_dir_all(outside.join("mine")).unwrap();
    fs::write(outside.join("mine/SKILL.md"), skill("mine", "one")).unwrap();
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    context.linked(".agents/skills", &outside);
    context.done(&["trust", "."]);
    for flags in [&["--force", "--yes"][..], &["--force", "--yes", "--json"]] {
        context.refused(&[&["remove", "mine"], flags].concat());
        assert!(outside.join("mine/SKILL.md").is_file());
    }
}

#[test]
fn what_was_written_is_deleted_last_and_told() {
    let context = installed();
    context.write_skill(".agents/skills/mine");
    let mine = context.root().join(".agents/skills/mine");
    let force = ["remove", "pdf", "mine", "--force", "--yes"];
    let names = |answer: &serde_json::Value| -> Vec<String> {
        let changes = answer["changes"].as_array().unwrap().iter();
        changes
            .map(|each| format!("{} {}", each["change"], each["name"]))
            .collect()
    };
    let both = ["\"removed\" \"pdf\"", "\"removed\" \"mine\""];
    let dry = context.json(&[&force[..], &["--dry-run", "--json"]].concat());
    assert_eq!(names(&dry), both);
    // What is installed cannot be removed, so what was written stays, too.
    let agents = context.root().join(".agents");
    fs::rename(&agents, context.root().join("real")).unwrap();
    context.linked(".agents", "real");
    let told = context.refused(&force);
    assert!(told.contains("`.agents` is a link"), "{told}");
    assert!(mine.join("SKILL.md").is_file());
    fs::remove_file(&agents).unwrap();
    fs::rename(context.root().join("real"), &agents).unwrap();
    let done = context.json(&[&force[..], &["--json"]].concat());
    assert_eq!(names(&done), both);
    assert_eq!(everything(&agents.join("skills")), [""; 0]);
}

#[test]
fn a_link_in_the_place_of_a_copy_is_told_and_the_other_way_round() {
    let context = project();
    context.write_skill("lib/pdf");
    context.done(&["install", "./lib/pdf", "--yes"]);
    let told = context.done(&["install", "./lib/pdf", "--link", "--yes"]);
    assert!(told.contains(" ~ pdf  same files, now a link"), "{told}");
    let told = context.done(&["install", "./lib/pdf", "--yes"]);
    assert!(told.contains(" ~ pdf  same files, now a copy"), "{told}");
}
