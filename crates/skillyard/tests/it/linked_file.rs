//! A `SKILL.md` that is a symbolic link: what it leads to is in nobody's hands.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::mcp_client::Raw;
use crate::project::project;
use crate::servers::repository::skill;

const EVIL: &str = "---\nname: pdf\ndescription: Fills forms. Use for forms.\n---\nEVIL\n";

#[test]
fn it_does_not_take_the_place_of_what_was_installed() {
    let context = project();
    context.write("lib/pdf/skill.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context.done(&["trust", "."]);
    assert_eq!(context.status("pdf"), "enabled");
    context.write("docs/evil.md", EVIL);
    context.link("../../../docs/evil.md", ".agents/skills/pdf/SKILL.md");
    let all = context.run(&["list", "--all"]);
    assert!(
        all.contains("SKILL.md: it is a symbolic link; link the skill's"),
        "{all}"
    );
    assert!(!context.in_prompt(&[]).contains("pdf"));
    let told = context.refused(&["read", "pdf"]);
    assert!(!told.contains("EVIL"), "{told}");
}

#[test]
fn neither_prompts_nor_servers_nor_approvals_have_it() {
    let context = project();
    context.done(&["trust", "."]);
    context.write("docs/evil.md", EVIL);
    context.write(".agents/skills/pdf/scripts/a.sh", "#!/bin/sh\necho RAN\n");
    context.link("../../../docs/evil.md", ".agents/skills/pdf/SKILL.md");
    assert!(!context.in_prompt(&[]).contains("pdf"));
    let told = context.run(&["doctor", "--agent", "claude-code"]);
    assert!(
        told.contains("a symbolic link, and Skillyard does not"),
        "{told}"
    );
    let mut mcp = Raw::start(&context, &[], &json!({}));
    let answer = mcp.call("skill_load", &json!({ "name": "pdf" }));
    assert!(!answer.contains("EVIL"), "{answer}");
    context.refused(&["trust", "pdf", "--scripts", "--yes"]);
    context.refused(&["run", "pdf", "a.sh", "--yes"]);
    // Who looks at what lies there is shown it.
    assert!(
        context
            .run(&["read", "./.agents/skills/pdf"])
            .contains("EVIL")
    );
}

#[test]
fn a_link_in_an_installed_skill_is_an_alteration() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context.done(&["trust", "."]);
    assert_eq!(context.status("pdf"), "enabled");
    let notes = context.root().join(".agents/skills/pdf/notes.md");
    symlink("../../../elsewhere.md", notes).unwrap();
    assert_eq!(context.status("pdf"), "altered");
    context.done(&["sync", "--force"]);
    assert_eq!(context.status("pdf"), "enabled");
}
