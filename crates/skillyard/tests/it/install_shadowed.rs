//! Skills that are installed and will not be used, and orders of sources that look elsewhere.

use serde_json::json;

use crate::TestContext;

const NAME: &str = "pdf";

/// A source of `pdf`, to be installed for the user.
fn with(config: &str, metadata: &str) -> TestContext {
    let context = TestContext::new();
    context.configure(config);
    context.write(
        "lib/pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: Fills forms. Use for forms.\n{metadata}---\n\nGo.\n"),
    );
    context
}

#[track_caller]
fn check(config: &str, metadata: &str, reason: &str) {
    let told = with(config, metadata).done(&["install", "./lib/pdf", "--scope", "user"]);
    let line = format!("`{NAME}` will not be used: {reason}");
    assert!(told.contains(&line), "{told}");
}

#[test]
fn who_installs_it_is_told() {
    check(
        "[skills]\ndisabled = [\"p*\"]\n",
        "",
        "disabled by `p*` (user)",
    );
    check(
        "",
        "metadata:\n  requires: no-such-command\n",
        "missing commands: no-such-command",
    );
    let context = with("", "");
    let org = context.outside("org");
    std::fs::create_dir_all(org.join("pdf")).unwrap();
    let text = "---\nname: pdf\ndescription: Ours. Use for forms.\n---\n";
    std::fs::write(org.join("pdf/SKILL.md"), text).unwrap();
    context.configure(&format!("[[org]]\npath = {org:?}\npinned = true\n"));
    let install = ["install", "./lib/pdf", "--scope", "user", "--json"];
    // What was not put anywhere yet is not known to be used or not.
    let dry = context.json(&[&install[..], &["--dry-run"]].concat());
    assert_eq!(dry.get("unused"), Some(&serde_json::Value::Null));
    let told = context.json(&install);
    let place = org.join("pdf");
    let reason = format!(
        "the one at {} (source org-pinned) comes first",
        place.display()
    );
    assert_eq!(told["unused"], json!([{ "name": "pdf", "reason": reason }]));
    // Nothing is said of what is used.
    let told = with("", "").done(&["install", "./lib/pdf", "--scope", "user"]);
    assert!(!told.contains("will not be used"), "{told}");
}

#[test]
fn what_lies_beside_it_is_told_of() {
    // Another folder with the same name in its file, and the order of names.
    let context = with("", "");
    let text = "---\nname: pdf\ndescription: Mine. Use for forms.\n---\n";
    let mine = context.in_home(".agents/skills/mine");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::write(mine.join("SKILL.md"), text).unwrap();
    let told = context.done(&["install", "./lib/pdf", "--scope", "user"]);
    let line = "`pdf` will not be used: the one at ~/.agents/skills/mine (source user) comes first";
    assert!(told.contains(line), "{told}");
    // What the folder itself passes over.
    let context = with("", "");
    let folder = context.in_home(".agents/skills");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".gitignore"), "p*\n").unwrap();
    let told = context.done(&["install", "./lib/pdf", "--scope", "user"]);
    let line = "`pdf` will not be used: it is ignored by a `.gitignore` beside it";
    assert!(told.contains(line), "{told}");
    // A name that is never looked into.
    let context = TestContext::new();
    let text = "---\nname: target\ndescription: Aims. Use for aims.\n---\n";
    context.write("lib/target/SKILL.md", text);
    let told = context.done(&["install", "./lib/target", "--scope", "user"]);
    let line = "`target` will not be used: folders called `target` are never looked into";
    assert!(told.contains(line), "{told}");
}

#[test]
fn who_asks_for_what_is_there_already_is_told() {
    let context = with("", "");
    let install = ["install", "./lib/pdf", "--scope", "user"];
    context.done(&install);
    let told = context.done(&install);
    assert!(!told.contains("will not be used"), "{told}");
    context.configure("[skills]\ndisabled = [\"p*\"]\n");
    let told = context.done(&install);
    assert!(told.contains("Already up to date"), "{told}");
    let reason = "disabled by `p*` (user)";
    let line = format!("`{NAME}` will not be used: {reason}");
    assert!(told.contains(&line), "{told}");
    let told = context.json(&[&install[..], &["--json"]].concat());
    assert_eq!(told["unused"], json!([{ "name": "pdf", "reason": reason }]));
}

#[test]
fn an_order_of_sources_finds_what_is_installed_under_it() {
    for (preset, folder, own) in [
        // What was installed comes before everything else there.
        ("agent-harness", ".agent/plugins", "plugin"),
        ("keep-up", ".keep-up/skills", "user"),
        ("claude-code", ".claude/skills", "user"),
    ] {
        let context = with(&format!("[discovery]\nprecedence = \"{preset}\"\n"), "");
        for (scope, source) in [("user", own), ("project", "project")] {
            let told = context.done(&["install", "./lib/pdf", "--scope", scope]);
            assert!(!told.contains("will not be used"), "{told}");
            assert_eq!(
                context.in_home(folder).join("pdf").exists(),
                scope == "user"
            );
            let list = context.json(&["list", "--json", "--allow", "pdf"]);
            assert_eq!(list["skills"][0]["source"], source, "{preset}: {list}");
            context.done(&["sync", "--scope", scope, "--frozen"]);
            context.done(&["remove", "pdf", "--scope", scope]);
        }
        assert!(!context.in_home(folder).join("pdf").exists());
        let description = ["--description", "Reads tables. Use for tables."];
        let new = ["new", "csv", "--scope", "user"];
        context.done(&[&new[..], &description].concat());
        let list = context.json(&["list", "--json", "--allow", "csv"]);
        assert_eq!(list["skills"][0]["source"], "user", "{preset}: {list}");
        // Who names agents wants their folders alone.
        let agent = [
            "install",
            "./lib/pdf",
            "--scope",
            "user",
            "--agent",
            "goose",
        ];
        let told = context.done(&agent);
        let line = format!("`discovery.precedence` is `{preset}`, which does not read its folder");
        assert!(told.contains(&line), "{told}");
        let told = context.run(&["doctor"]);
        let line = "`discovery.precedence` has no folder of `pdf` (user scope)";
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn an_order_of_sources_finds_it_from_folders_of_the_project_too() {
    for preset in ["agent-harness", "remcochat", "keep-up", "claude-code"] {
        let context = with(&format!("[discovery]\nprecedence = \"{preset}\"\n"), "");
        context.write(".git/HEAD", "").write("sub/x", "");
        let done = |arguments: &[&str]| {
            let mut command = context.skillyard();
            let command = command.current_dir(context.root().join("sub"));
            let output = crate::output(command.args(arguments));
            assert!(output.status.success(), "{preset}: {output:?}");
            let told = crate::text(&output.stderr);
            assert!(!told.contains("will not be used"), "{preset}: {told}");
            crate::text(&output.stdout)
        };
        done(&["install", "../lib/pdf", "--scope", "project"]);
        let description = ["--description", "Reads tables. Use for tables."];
        done(&[&["new", "csv", "--scope", "project"][..], &description].concat());
        let list = done(&["list", "--json"]);
        for name in ["pdf", "csv"] {
            let id = format!("\"id\":\"project/{name}\"");
            assert!(list.contains(&id), "{preset}: {list}");
        }
    }
}
