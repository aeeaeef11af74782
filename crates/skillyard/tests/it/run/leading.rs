//! What protected places lead to.

use std::fs;

use super::{any_script, ran};
use crate::TestContext;

/// Tries to write to each place; which of them it could.
fn written(context: &TestContext, places: &[&str]) -> String {
    let script = format!(
        "for place in {}; do (echo evil >> $place) 2>/dev/null && echo $place; done; true",
        places.join(" ")
    );
    let (printed, code) = ran(
        context,
        &["tools", "any.sh", "--workspace", ".", "--", &script],
    );
    assert_eq!(code, Some(0), "{printed}");
    printed
}

#[test]
fn links_in_protected_folders_are_followed() {
    let context = any_script();
    for place in [
        ".git/hooks/post-commit",
        ".git/objects/x",
        ".git/HEAD",
        ".claude/own.json",
        "scripts/pre-commit.sh",
        "skills/foo/SKILL.md",
        "docs/more.md",
        "cfg/settings.json",
        "cfg/other.json",
    ] {
        context.write(place, "mine");
    }
    context.link("../../scripts/pre-commit.sh", ".git/hooks/pre-commit");
    context.link("../../build/hook", ".git/hooks/pre-push");
    fs::create_dir(context.root().join(".claude/skills")).unwrap();
    context.link("../../skills/foo", ".claude/skills/foo");
    context.link("../../docs/more.md", "skills/foo/more.md");
    context.link("../cfg/settings.json", ".claude/settings.json");
    context.link("own.json", ".claude/beside.json");
    let places = [
        "scripts/pre-commit.sh",
        "skills/foo/SKILL.md",
        "skills/foo/new.md",
        "docs/more.md",
        "cfg/settings.json",
        "cfg/other.json",
    ];
    assert_eq!(written(&context, &places), "cfg/other.json\n");
}

#[test]
fn a_second_name_of_a_protected_file_is_protected() {
    let context = any_script();
    context.write("AGENTS.md", "mine");
    context.write(".claude/settings.json", "mine");
    context.mkdir("node_modules/x");
    let other = |of: &str, name: &str| {
        fs::hard_link(context.root().join(of), context.root().join(name)).unwrap();
    };
    other("AGENTS.md", "notes.md");
    other("AGENTS.md", "../elsewhere.md");
    other(".claude/settings.json", "node_modules/x/settings.json");
    let places = ["notes.md", "node_modules/x/settings.json", "new.md"];
    assert_eq!(written(&context, &places), "new.md\n");
    assert_eq!(context.read("AGENTS.md"), "mine");
}

#[test]
fn a_link_that_leads_out_and_in_again_is_followed() {
    let context = any_script();
    for place in ["shared/a.md", "shared/b.md", "cc/settings.json"] {
        context.write(place, "mine");
    }
    let root = context.root();
    let name = root.file_name().unwrap().to_str().unwrap();
    context.link(name, "../alias");
    let alias = root.parent().unwrap().join("alias");
    context.link(alias.join("shared/a.md").to_str().unwrap(), "CLAUDE.md");
    context.link(format!("../{name}/shared/b.md"), "GEMINI.md");
    context.link(format!("../{name}/cc"), ".claude");
    let places = [
        "shared/a.md",
        "shared/b.md",
        "cc/settings.json",
        "shared/c.md",
    ];
    assert_eq!(written(&context, &places), "shared/c.md\n");
}
