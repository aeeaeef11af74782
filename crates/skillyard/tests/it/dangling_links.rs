//! Links that lead to nothing, as to a disk that is not mounted now: what lies behind them is not known,
//! which is another thing than that nothing is there.

use std::fs;

use crate::project::{installed, project};
use crate::{TestContext, output, text};

#[test]
fn a_link_anywhere_above_the_own_folder_is_no_empty_folder() {
    let context = TestContext::new();
    context.write_skill("lib/pdf").link("unmounted", "../disk");
    for home in ["../disk", "../disk/ada", "../disk/ada/skillyard"] {
        let home = context.root().join(home);
        for arguments in [
            &["list"][..],
            &["prompt"],
            &["trust", "list"],
            &["remove", "pdf", "--scope", "user", "--yes"],
            &["sync", "--scope", "user"],
            &["install", "./lib/pdf", "--scope", "user", "--yes"],
            &["config", "set", "limits.max_skills", "9"],
            &["verify", "./lib/pdf"],
        ] {
            let told = output(
                context
                    .skillyard()
                    .env("SKILLYARD_HOME", &home)
                    .args(arguments),
            );
            let told = (told.status.code(), text(&told.stderr));
            assert_eq!(told.0, Some(2), "{arguments:?}: {}", told.1);
            assert!(
                told.1.contains("Bring back what"),
                "{arguments:?}: {}",
                told.1
            );
        }
        let mut doctor = context.skillyard();
        let told = output(doctor.env("SKILLYARD_HOME", &home).arg("doctor"));
        let told = text(&told.stdout);
        assert!(told.contains("where nothing is"), "{told}");
        assert!(!told.contains("can be written to"), "{told}");
        assert_eq!(told.matches("Bring back what").count(), 1, "{told}");
    }
}

#[test]
fn what_lies_behind_one_is_not_forgotten() {
    let context = project();
    context.write_skill("lib/pdf");
    let install = ["install", "./lib/pdf", "--agent", "claude-code", "--yes"];
    context.done(&install);
    let claude = context.root().join(".claude");
    let away = context.root().join("away");
    fs::rename(&claude, &away).unwrap();
    context.link("unmounted", ".claude");
    for arguments in [
        &["remove", "pdf", "--yes"][..],
        &["remove", "pdf", "--yes", "--force"],
        &["sync"],
        &["update", "--yes", "--force"],
        &install,
    ] {
        let told = context.refused(arguments);
        assert!(
            told.contains("`.claude` is a link to nothing") && told.contains("Bring back what"),
            "{arguments:?}: {told}"
        );
    }
    // What a colleague took out of the lock is not let go either.
    let lock = context.read("skills.lock");
    context
        .write("skills.toml", "")
        .write("skills.lock", "version = 1\n");
    context.refused(&["sync"]);
    context.write("skills.lock", lock);
    fs::remove_file(&claude).unwrap();
    fs::rename(&away, &claude).unwrap();
    context.done(&["remove", "pdf", "--yes"]);
    assert!(!context.root().join(".claude/skills/pdf").exists());
}

#[test]
fn a_link_that_is_removed_is_forgotten_with_what_was_there() {
    let context = installed();
    let agents = context.root().join(".agents");
    fs::rename(&agents, context.root().join("away")).unwrap();
    context.link("unmounted", ".agents");
    context.refused(&["remove", "pdf", "--yes"]);
    fs::remove_file(&agents).unwrap();
    context.done(&["remove", "pdf", "--yes"]);
}

#[test]
fn a_file_behind_a_link_is_what_is_in_the_way() {
    let context = project();
    context.write_skill("lib/pdf");
    context.write(".claude", "a file");
    fs::create_dir(context.root().join(".agents")).unwrap();
    context.link("../.claude/skills", ".agents/skills");
    let told = context.refused(&["install", "./lib/pdf", "--yes"]);
    assert!(
        told.contains("`.claude` is a file, and no folder for skills"),
        "{told}"
    );
}
