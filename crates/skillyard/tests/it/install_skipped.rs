//! Skills that something is in the way of stay as they are, together with what they need.

use crate::TestContext;
use crate::install_versions::{Shelf, libraries, put};
use crate::project::project;
use crate::servers::http::Server;
use crate::servers::repository::{Repository, skill};

impl TestContext {
    /// Changes an installed skill.
    pub(crate) fn edit(&self, name: &str) {
        let file = format!(".agents/skills/{name}/SKILL.md");
        let text = self.read(&file);
        self.write(&file, format!("{text}mine\n"));
    }

    /// The version of a skill that is locked.
    fn locked(&self, name: &str) -> String {
        let lock = self.read("skills.lock");
        let mut entries = lock.split("[[skill]]\n");
        let start = format!("name = \"{name}\"\n");
        let entry = entries.find(|entry| entry.starts_with(&start)).unwrap();
        let version = entry.split("\nversion = \"").nth(1).unwrap();
        version.split('"').next().unwrap().to_owned()
    }
}

/// `tool` 1.0.0 with `lib` 1.5.0, and a newer one that needs a newer `lib`.
fn newer_tool(wanted: &str) -> (TestContext, Server, Shelf) {
    let (context, server, shelf) = libraries();
    context.done(&["install", "tool", "--yes"]);
    put(&shelf, "tool@2.0.0", "lib@^2");
    context.write("skills.toml", format!("[skills]\ntool = \"{wanted}\"\n"));
    context.done(&["sync", "--offline"]);
    (context, server, shelf)
}

#[test]
fn what_an_edited_skill_needs_stays_with_it() {
    let (context, _server, shelf) = newer_tool("tool");
    put(&shelf, "notes@1.0.0", "");
    context.done(&["install", "notes", "--yes"]);
    put(&shelf, "notes@1.1.0", "");
    context.edit("tool");
    let told = context.refused(&["update", "--yes"]);
    assert!(told.contains("`.agents/skills/tool` was edited"), "{told}");
    assert_eq!(context.locked("tool"), "1.0.0");
    assert_eq!(context.locked("lib"), "1.5.0");
    // The others are updated, as far as that goes together with it.
    assert_eq!(context.locked("notes"), "1.1.0");
    put(&shelf, "notes@1.2.0", "lib@^2");
    context.refused(&["update", "--yes"]);
    assert_eq!(context.locked("notes"), "1.1.0");
    assert_eq!(context.locked("lib"), "1.5.0");
    let told = context.done(&["install", "tool@^2", "--skip-existing", "--yes"]);
    assert!(told.contains("tool  left out"), "{told}");
    assert_eq!(context.locked("lib"), "1.5.0");
    context.refused(&["sync", "--locked", "--check"]);
    context.done(&["update", "--force", "--yes"]);
    assert_eq!(context.locked("tool"), "2.0.0");
    assert_eq!(context.locked("lib"), "2.0.0");
}

#[test]
fn who_needs_another_state_of_an_edited_skill_is_left_out() {
    let (context, _server, shelf) = newer_tool("tool");
    put(&shelf, "notes@1.0.0", "");
    context.done(&["install", "notes", "--yes"]);
    put(&shelf, "notes@1.1.0", "");
    context.edit("lib");
    // Also where there is nothing else to do.
    for _ in 0..2 {
        let told = context.refused(&["update", "--yes"]);
        assert!(told.contains("`.agents/skills/lib` was edited"), "{told}");
        let reason =
            "`tool` needs `lib@^2`, and `lib@1.5.0` stays, because something is in its way";
        let line = format!(" ! tool: 1.0.0 is taken, not 2.0.0: {reason}");
        assert!(told.contains(&line), "{told}");
        assert_eq!(context.locked("tool"), "1.0.0", "{told}");
        assert_eq!(context.locked("lib"), "1.5.0");
        assert_eq!(context.locked("notes"), "1.1.0");
    }
    // Also where skills.toml wants nothing else any more.
    context.write(
        "skills.toml",
        "[skills]\nnotes = \"notes\"\ntool = \"tool@^2\"\nloose = \"loose\"\n",
    );
    let told = context.refused(&["sync", "--yes"]);
    assert!(
        told.contains("tool  left out: `tool` needs `lib`, which is left out"),
        "{told}"
    );
    assert_eq!(context.locked("tool"), "1.0.0");
    assert_eq!(context.locked("lib"), "1.5.0");
    assert_eq!(context.locked("loose"), "1.0.0");
    context.done(&["sync", "--force", "--yes"]);
    assert_eq!(context.locked("tool"), "2.0.0");
    assert_eq!(context.locked("lib"), "2.0.0");
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_only_an_edited_skill_needs_is_not_taken_away() {
    let (context, _server, shelf) = newer_tool("tool");
    put(&shelf, "tool@3.0.0", "");
    context.edit("tool");
    context.refused(&["update", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
}

#[test]
fn what_an_edited_skill_needs_stays_also_where_nobody_wants_that_skill() {
    for command in ["sync", "update"] {
        let (context, _server, shelf) = libraries();
        put(&shelf, "notes@1.0.0", "");
        context.done(&["install", "tool", "notes", "--yes"]);
        context.edit("tool");
        let lock = context.read("skills.lock");
        context.write("skills.toml", "[skills]\nnotes = \"notes\"\n");
        // Also where there is nothing else to do.
        for _ in 0..2 {
            let told = context.refused(&[command, "--yes"]);
            assert!(told.contains("`.agents/skills/tool` was edited"), "{told}");
            assert!(!told.contains("stays"), "{told}");
            assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
            assert_eq!(context.read("skills.lock"), lock);
        }
        let told = context.refused(&["sync", "--locked"]);
        assert!(told.contains("`tool` is locked and not wanted\n"), "{told}");
        // Others get what goes together with it.
        context.write("skills.toml", "[skills]\napps = \"apps\"\n");
        let told = context.refused(&[command, "--yes"]);
        let reason = "`apps` needs `^2`, `tool` needs `^1`";
        assert!(told.contains(reason), "{told}");
        assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
        context.done(&[command, "--yes", "--force"]);
        assert_eq!(context.version_of("tool"), None);
        assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
        context.done(&["sync", "--locked", "--check"]);
    }
}

#[test]
fn what_cannot_be_had_is_not_offered() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.skill("skills/app", "one").commit("one");
    context.done(&[
        "install",
        &format!("{}#skills/app", repository.url()),
        "--yes",
    ]);
    let needs = "metadata:\n  skillyard.requires-skills: ../gone\n---\n\n";
    let app = skill("app", "two").replace("---\n\n", needs);
    repository.write("skills/app/SKILL.md", app).commit("two");
    let told = context.json(&["outdated", "--json"]);
    assert_eq!(told["outdated"], serde_json::json!([]), "{told}");
    assert_eq!(told["failed"][0]["name"], "app", "{told}");
    assert_eq!(context.code(&["outdated"]), Some(1));
}
