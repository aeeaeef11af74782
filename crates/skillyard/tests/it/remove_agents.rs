//! `skillyard remove NAME --agent A`: out of the folder of one agent, and out of no other.

use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use crate::TestContext;
use crate::install_requires::needing;
use crate::project::project;
use crate::servers::repository::skill;

const SHARED: &str = ".agents/skills/pdf/SKILL.md";
const CLAUDE: &str = ".claude/skills/pdf/SKILL.md";
const REMOVE: [&str; 4] = ["remove", "pdf", "--agent", "claude-code"];

/// A project with `pdf` for two agents.
fn both() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf", "--agent", "claude-code,codex"]);
    context
}

fn is_there(context: &TestContext, path: &str) -> bool {
    context.root().join(path).is_file()
}

#[test]
fn the_other_agents_keep_it() {
    let context = both();
    let dry = [&REMOVE[..], &["--dry-run"]].concat();
    assert!(context.done(&dry).contains("Would change 1 skill"));
    assert!(is_there(&context, CLAUDE));
    assert_snapshot!(context.done(&REMOVE), @"
     ~ pdf  same files, now in .agents/skills
    Updated 1 skill (project scope) in [TIME]
    ");
    assert!(is_there(&context, SHARED));
    // The folder was made for it alone.
    assert!(!context.root().join(".claude/skills").exists());
    assert!(context.read("skills.toml").contains("pdf"));
    context.done(&["sync", "--locked", "--check"]);
    context.done(&["doctor"]);
    // Nothing puts it back by the way.
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert!(!is_there(&context, CLAUDE));
    let told = context.refused(&REMOVE);
    assert!(
        told.contains("`pdf` is not installed into `.claude/skills`"),
        "{told}"
    );
    assert!(told.contains("It is in .agents/skills"), "{told}");
    let told = context.refused(&["remove", "csv", "--agent", "codex"]);
    assert!(told.contains("`csv` is not installed here"), "{told}");
    let told = context.refused(&["remove", "pdf", "--agent", "claude"]);
    assert!(told.contains("Did you mean `claude-code`?"), "{told}");
}

#[test]
fn what_no_other_agent_has_goes_as_a_whole() {
    let context = both();
    let answer = context.json(&[&REMOVE[..], &["--json"]].concat());
    let change = &answer["changes"][0];
    assert_eq!(change["change"], "changed", "{answer}");
    assert_eq!(
        change["to"]["targets"],
        serde_json::json!([".agents/skills"])
    );
    let told = context.done(&["remove", "pdf", "--agent", "codex"]);
    assert!(told.contains(" - pdf"), "{told}");
    assert!(!is_there(&context, SHARED));
    assert!(!context.read("skills.toml").contains("pdf"));
    assert!(!context.read("skills.lock").contains("pdf"));
}

#[test]
fn what_lies_in_the_other_folders_is_not_looked_at() {
    let context = both();
    context.write(SHARED, "mine");
    context.write(CLAUDE, "mine, too");
    let told = context.refused(&REMOVE);
    assert!(told.contains("`.claude/skills/pdf` was edited"), "{told}");
    assert!(!told.contains(".agents"), "{told}");
    context.done(&[&REMOVE[..], &["--force"]].concat());
    assert!(!is_there(&context, CLAUDE));
    assert_eq!(context.read(SHARED), "mine");
}

#[test]
fn what_would_come_back_or_leave_others_without_is_refused() {
    let context = both();
    let wanted = context.read("skills.toml");
    context.write(
        "skills.toml",
        format!("agents = [\"claude-code\"]\n{wanted}"),
    );
    let told = context.refused(&REMOVE);
    assert!(
        told.contains("skills.toml wants all skills in `.claude/skills`"),
        "{told}"
    );
    assert!(is_there(&context, CLAUDE));
    context.write("skills.toml", wanted);
    // One folder is not two because a link leads to it.
    let link = context.root().join(".claude/skills/pdf");
    fs::remove_dir_all(&link).unwrap();
    symlink("../../.agents/skills/pdf", &link).unwrap();
    let told = context.refused(&["remove", "pdf", "--agent", "codex"]);
    assert!(
        told.contains("one of them is a link to the other"),
        "{told}"
    );
    assert!(is_there(&context, SHARED));
    context.done(&REMOVE);
    assert!(is_there(&context, SHARED) && !link.is_symlink());
}

#[test]
fn what_a_skill_needs_stays_where_that_is() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/forms/SKILL.md", needing("forms", "one", "../pdf"));
    let install = ["install", "./lib/forms", "--agent", "claude-code,codex"];
    context.done(&install);
    let told = context.refused(&REMOVE);
    assert!(told.contains("`pdf` is needed by `forms`"), "{told}");
    assert!(
        told.contains("`skillyard remove pdf forms --agent claude-code`"),
        "{told}"
    );
    let both = ["remove", "pdf", "forms", "--agent", "claude-code"];
    context.done(&both);
    assert!(is_there(&context, SHARED) && !is_there(&context, CLAUDE));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn of_links_to_the_store_one_goes() {
    let context = both();
    context.done(&["install", "./lib/pdf", "--link", "--force", "--yes"]);
    context.done(&REMOVE);
    assert!(is_there(&context, SHARED) && !is_there(&context, CLAUDE));
    context.done(&["sync", "--check"]);
}

#[test]
fn who_else_reads_the_folder_is_told() {
    let context = both();
    context.write("../home/.gemini/settings.json", "{}");
    let told = context.done(&["remove", "pdf", "--agent", "codex"]);
    assert!(
        told.contains("because the folder is theirs, too: Gemini CLI"),
        "{told}"
    );
}
