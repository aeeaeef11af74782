//! A variable that makes one folder the user's and the project's: it is nobody's alone.

use crate::TestContext;

#[test]
fn a_folder_of_both_scopes_is_not_emptied_by_one() {
    for own in [".claude", "../lnk/.claude"] {
        let context = TestContext::new();
        context
            .mkdir(".git")
            .link("work", "../lnk")
            .write_skill("../lib/pdf")
            .write_skill("../more/pdf")
            .write("../more/pdf/more.md", "More.\n");
        let own = Some(own);
        let into = ["--agent", "claude-code", "--yes", "--scope"];
        let install = |source: &'static str, scope: &'static str| {
            let arguments = [&["install", source][..], &into, &[scope]].concat();
            context.claude(own, &arguments)
        };
        let remove = |scope: &str| {
            let remove = ["remove", "pdf", "--yes", "--scope", scope];
            context.claude_done(own, &remove);
        };
        let file = context.root().join(".claude/skills/pdf/SKILL.md");
        for (first, second) in [("user", "project"), ("project", "user")] {
            assert!(install("../lib/pdf", first).0);
            let (is_done, told) = install("../more/pdf", second);
            let known = format!("is what the {first} scope has there");
            assert!(!is_done && told.contains(&known), "{told}");
            assert!(install("../lib/pdf", second).0);
            remove(second);
            assert!(file.is_file(), "{first}");
            remove(first);
            assert!(!file.exists(), "{first}");
        }
    }
}
