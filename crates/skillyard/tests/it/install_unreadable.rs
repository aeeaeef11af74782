//! Folders that the user may not look into, and links that lead back to themselves: they are named with
//! what helps, and neither is anybody's edit.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::symlink;

use crate::project::{installed, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, text, unprivileged_user};

/// What the binary says to somebody who is not root, and how it ends.
fn told(context: &TestContext, arguments: &[&str]) -> (Option<i32>, String) {
    let told = output(unprivileged_user::skillyard(context).args(arguments));
    (told.status.code(), text(&told.stderr) + &text(&told.stdout))
}

fn set_mode(context: &TestContext, path: &str, mode: u32) {
    fs::set_permissions(context.root().join(path), Permissions::from_mode(mode)).unwrap();
}

/// A project of somebody in which `pdf` is installed.
fn theirs() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    unprivileged_user::own(&context);
    let (code, told) = told(&context, &["install", "./lib/pdf", "--yes"]);
    assert_eq!(code, Some(0), "{told}");
    context
}

#[test]
fn a_folder_of_skills_that_is_closed_is_no_edit() {
    let context = theirs();
    for closed in [".agents/skills", ".agents"] {
        set_mode(&context, closed, 0o000);
        for arguments in [
            &["sync"][..],
            &["sync", "--check"],
            &["sync", "--force"],
            &["update", "--dry-run"],
            &["install", "./lib/pdf", "--dry-run"],
            &["remove", "pdf", "--yes"],
        ] {
            let (code, told) = told(&context, arguments);
            assert_eq!(code, Some(1), "{arguments:?}: {told}");
            let named = format!("`{closed}` is closed to you");
            assert!(told.contains(&named), "{arguments:?}: {told}");
            assert!(
                told.contains("chmod u+rwx") && !told.contains("--force"),
                "{arguments:?}: {told}"
            );
        }
        set_mode(&context, closed, 0o755);
    }
    assert_eq!(told(&context, &["sync", "--check"]).0, Some(0));
}

#[test]
fn a_source_that_is_closed_is_not_gone() {
    let context = theirs();
    for (closed, opened, mode) in [
        ("lib/pdf", 0o755, "u+rwx"),
        ("lib", 0o755, "u+rwx"),
        ("lib/pdf/SKILL.md", 0o644, "u+r"),
    ] {
        set_mode(&context, closed, 0o000);
        for (arguments, ends) in [
            (&["update"][..], 2),
            (&["outdated"], 2),
            (&["install", "./lib/pdf", "--yes"], 2),
            (&["sync", "--check"], 1),
            (&["sync", "--locked"], 1),
        ] {
            let (code, told) = told(&context, arguments);
            assert_eq!(code, Some(ends), "{closed} {arguments:?}: {told}");
            assert!(
                told.contains("Permission denied"),
                "{closed} {arguments:?}: {told}"
            );
            let path = context.root().join(closed);
            let opens = format!("`chmod {mode} {}`", path.display());
            assert!(told.contains(&opens), "{closed} {arguments:?}: {told}");
        }
        set_mode(&context, closed, opened);
    }
    assert_eq!(told(&context, &["update"]).0, Some(0));
}

#[test]
fn a_link_that_leads_back_to_itself_is_named() {
    for link in [".agents", ".agents/skills"] {
        let context = installed();
        let path = context.root().join(link);
        fs::remove_dir_all(&path).unwrap();
        symlink(path.file_name().unwrap(), &path).unwrap();
        for arguments in [
            &["sync"][..],
            &["sync", "--check"],
            &["sync", "--force"],
            &["update", "--dry-run"],
            &["install", "./lib/pdf", "--yes", "--force"],
        ] {
            let told = context.refused(arguments);
            let named = format!("`{link}` is a link that leads back to itself");
            assert!(told.contains(&named), "{arguments:?}: {told}");
            assert!(
                told.contains("Remove the link") && !told.contains("--force"),
                "{arguments:?}: {told}"
            );
        }
        fs::remove_file(&path).unwrap();
        context.done(&["sync"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    }
}

#[test]
fn the_hint_is_about_what_force_does_not_lift() {
    let context = project();
    context.write("skills/pdf/SKILL.md", skill("pdf", "one"));
    let install = ["install", "./skills/pdf", "--agent", "codex,claude-code"];
    context.done(&[&install[..], &["--yes"]].concat());
    // The copy of one agent was edited; that of the other became the source, which changed.
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "mine"));
    context.write("skills/pdf/SKILL.md", skill("pdf", "two"));
    let claude = context.root().join(".claude/skills");
    fs::remove_dir_all(&claude).unwrap();
    symlink("../skills", &claude).unwrap();
    let told = context.refused(&["sync"]);
    assert!(told.contains("was edited"), "{told}");
    let told = context.refused(&["sync", "--force"]);
    assert!(
        told.contains("`skillyard update pdf`") && !told.contains("was edited"),
        "{told}"
    );
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
    context.done(&["update", "pdf", "--force", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn a_closed_skill_is_named_with_what_opens_it() {
    let context = theirs();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    unprivileged_user::own(&context);
    let opens = |path: &str| format!("chmod u+rwx {}", context.root().join(path).display());
    for mode in [0o000, 0o600] {
        // Where it comes from.
        set_mode(&context, "lib/csv", mode);
        let named = ["--skill", "csv"];
        for (flags, ends) in [(&["--all"][..], 0), (&named, 1)] {
            let install = [&["install", "./lib", "--dry-run"][..], flags].concat();
            let (code, told) = told(&context, &install);
            assert_eq!(code, Some(ends), "{flags:?}: {told}");
            assert!(told.contains("csv"), "{flags:?}: {told}");
            assert!(told.contains("Permission denied"), "{flags:?}: {told}");
            assert!(told.contains(&opens("lib/csv")), "{flags:?}: {told}");
        }
        for path in ["lib", "lib/csv"] {
            let (code, told) = told(&context, &["validate", path]);
            assert_ne!(code, Some(0), "{path}: {told}");
            assert!(told.contains("lib/csv"), "{path}: {told}");
            assert!(told.contains("chmod u+rwx"), "{path}: {told}");
        }
        set_mode(&context, "lib/csv", 0o755);
        // Where it was installed.
        set_mode(&context, ".agents/skills/pdf", mode);
        for (arguments, ends, remedy) in [
            (&["sync"][..], 1, "--force"),
            (&["sync", "--check"], 1, "--force"),
            (&["remove", "pdf"], 1, "--force"),
            (&["doctor"], 1, "sync --force"),
            (&["doctor"], 1, "chmod u+rwx"),
            (&["list"], 0, "chmod u+rwx"),
            (&["list", "--installed"], 0, "chmod u+rwx"),
            (&["validate", ".agents/skills"], 2, "chmod u+rwx"),
        ] {
            let (code, told) = told(&context, arguments);
            assert_eq!(code, Some(ends), "{mode:o} {arguments:?}: {told}");
            assert!(told.contains(".agents/skills/pdf"), "{arguments:?}: {told}");
            assert!(told.contains("Permission denied"), "{arguments:?}: {told}");
            assert!(told.contains(remedy), "{arguments:?}: {told}");
        }
        set_mode(&context, ".agents/skills/pdf", 0o755);
    }
    assert_eq!(told(&context, &["sync", "--check"]).0, Some(0));
}
