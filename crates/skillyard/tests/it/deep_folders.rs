//! Folders that lie deeper below each other than any path leads.

use std::fs;
use std::path::Path;

use crate::TestContext;
use crate::run::{ran, skill};

/// Makes a chain of folders that is longer than a path may be, out of three that are not.
fn deepen(folder: &Path) {
    let name = "d".repeat(60);
    let chain: String = vec![name.as_str(); 35].join("/");
    let (whole, part) = (folder.join("deep"), folder.join("part"));
    fs::create_dir_all(whole.join(&chain)).unwrap();
    for _ in 0..2 {
        fs::create_dir_all(part.join(&chain)).unwrap();
        fs::rename(&whole, part.join(&chain).join("deep")).unwrap();
        fs::rename(&part, &whole).unwrap();
    }
}

#[test]
fn a_skill_with_such_folders_is_told_of_by_every_command() {
    let context = TestContext::new();
    let folder = "../home/.agents/skills/far";
    let text = "---\nname: far\ndescription: Far. Use it for far things.\n---\nX\n";
    context.write(&format!("{folder}/SKILL.md"), text);
    deepen(&context.root().join(folder));
    for (arguments, line) in [
        (
            &["doctor"][..],
            "is unavailable: its files cannot be hashed",
        ),
        (&["list"], "(unavailable) its files cannot be hashed"),
        (&["validate", folder], "is deeper than 64 folders"),
        (&["scan", folder], "it lies deeper than is looked at"),
        (&["install", folder, "--yes"], "lies too deep"),
    ] {
        let told = context.run(arguments);
        assert!(told.contains(line), "{arguments:?}: {told}");
    }
}

#[test]
fn such_folders_in_a_workspace_are_the_reason_that_is_told() {
    let context = skill("");
    deepen(&context.root());
    let (told, code) = ran(&context, &["tools", "count.sh", "--workspace", "."]);
    assert_eq!(code, Some(2), "{told}");
    let reason = "it has folders too deep below each other to find what must stay as it is";
    assert!(told.contains(reason), "{told}");
    let arguments = ["tools", "count.sh", "--workspace", ".", "--read-only"];
    assert_eq!(ran(&context, &arguments).1, Some(0));
}

#[test]
fn such_folders_in_an_installed_skill_can_be_given_up() {
    let context = TestContext::new();
    let text = "---\nname: far\ndescription: Far. Use it for far things.\n---\nX\n";
    context.write("../src/far/SKILL.md", text);
    context.done(&["install", "../src/far", "--yes", "--scope", "project"]);
    let place = context.root().join(".agents/skills/far");
    deepen(&place);
    let told = context.refused(&["sync"]);
    assert!(told.contains("lies too deep"), "{told}");
    context.done(&["sync", "--force"]);
    assert!(place.join("SKILL.md").is_file() && !place.join("deep").exists());
    deepen(&place);
    context.done(&["remove", "far", "--yes", "--force"]);
    assert!(!place.exists());
}
