//! What is in the way stays: edited skills, folders of others, links, and a damaged store.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use insta::assert_snapshot;

use crate::TestContext;
use crate::project::{everything, project};
use crate::servers::repository::skill;

const INSTALLED: &str = ".agents/skills/pdf/SKILL.md";

/// A project with `pdf` from `lib/pdf`, of which there is a newer state.
fn outdated() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context
}

#[test]
fn edited_skills_are_never_overwritten_silently() {
    let context = outdated();
    let mine = skill("pdf", "mine");
    context.write(INSTALLED, &mine);
    let lock = context.read("skills.lock");
    assert_snapshot!(context.refused(&["update"]), @r"
    error: something is in the way
      Caused by: `.agents/skills/pdf` was edited after it was installed

    hint: Keep your changes elsewhere, or give them up with `--force`
    ");
    for command in [
        &["install", "./lib/pdf"][..],
        &["update", "--yes"],
        &["sync"],
        &["sync", "--frozen"],
        &["remove", "pdf"],
    ] {
        let told = context.refused(command);
        assert!(told.contains("was edited after it was installed"), "{told}");
        assert_eq!(context.read(INSTALLED), mine);
        assert_eq!(context.read("skills.lock"), lock);
    }
    assert_eq!(context.code(&["sync", "--check"]), Some(1));
    context.done(&["install", "./lib/pdf", "--skip-existing"]);
    assert_eq!(context.read(INSTALLED), mine);
    // A file that is added is an edit as well.
    context.done(&["sync", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.write(".agents/skills/pdf/notes.md", "mine");
    context.refused(&["remove", "pdf"]);
    context.done(&["update", "--force", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.write(INSTALLED, &mine);
    context.done(&["remove", "pdf", "--force"]);
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn what_others_put_there_is_kept() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(INSTALLED, skill("pdf", "foreign"));
    assert_snapshot!(context.refused(&["install", "./lib/pdf"]), @r"
    error: something is in the way
      Caused by: `.agents/skills/pdf` is there already and was not installed by skillyard

    hint: Give it another name with `--name`, replace it with `--force`, or leave it with `--skip-existing`
    ");
    context.done(&["install", "./lib/pdf", "--skip-existing"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("foreign"));
    context.done(&["install", "./lib/pdf", "--name", "forms"]);
    assert_eq!(context.version_of("forms").as_deref(), Some("one"));
    context.done(&["install", "./lib/pdf", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    // A file and a link are in the way, too, and what a link leads to is not touched.
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    let treasure = context.outside("treasure");
    fs::create_dir_all(&treasure).unwrap();
    fs::write(treasure.join("key"), "mine").unwrap();
    symlink(&treasure, context.root().join(".agents/skills/csv")).unwrap();
    context.refused(&["install", "./lib/csv"]);
    context.done(&["install", "./lib/csv", "--force"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    assert_eq!(everything(&treasure), ["key"]);
    context.write("lib/tar/SKILL.md", skill("tar", "one"));
    context.write(".agents/skills/tar", "a file");
    context.refused(&["install", "./lib/tar"]);
    assert_eq!(context.read(".agents/skills/tar"), "a file");
}

#[test]
fn folders_that_lead_out_of_the_project_are_refused() {
    for link in [".agents", ".agents/skills"] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        let outside = context.outside("victim");
        fs::create_dir_all(&outside).unwrap();
        let link = context.root().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&outside, &link).unwrap();
        let told = context.refused(&["install", "./lib/pdf"]);
        assert!(told.contains("leads out of the project"), "{told}");
        context.refused(&["install", "./lib/pdf", "--force", "--yes"]);
        assert_eq!(everything(&outside), Vec::<String>::new());
        // A link to nothing is no better.
        fs::remove_dir(&outside).unwrap();
        context.refused(&["install", "./lib/pdf", "--force"]);
        assert!(!outside.exists());
        assert!(!context.root().join("skills.lock").exists());
    }
}

/// The file of `pdf` in the store, which can be written to.
fn in_store(context: &TestContext) -> PathBuf {
    let store = context.in_home(".skillyard/store/sha256");
    let files = everything(&store);
    let file = files
        .iter()
        .find(|path| path.ends_with("SKILL.md"))
        .unwrap();
    let file = store.join(file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    file
}

#[test]
fn a_store_that_was_tampered_with_is_found_out() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    assert_eq!(context.code(&["store", "verify"]), Some(0));
    fs::write(in_store(&context), skill("pdf", "evil")).unwrap();
    assert_eq!(context.code(&["store", "verify"]), Some(1));
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    let told = context.refused(&["sync", "--offline"]);
    assert!(
        told.contains("not in the store") || told.contains("damaged"),
        "{told}"
    );
    assert_eq!(context.version_of("pdf"), None);
    // With the source at hand it is mended on the way.
    context.done(&["sync", "--locked"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert_eq!(context.code(&["store", "verify"]), Some(0));
    fs::write(in_store(&context), skill("pdf", "evil")).unwrap();
    context.done(&["store", "verify", "--fix"]);
    assert_eq!(context.code(&["store", "verify"]), Some(0));
}

#[test]
fn links_never_lead_to_bytes_that_were_tampered_with() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    fs::write(in_store(&context), skill("pdf", "evil")).unwrap();
    assert_snapshot!(hashed(&context.refused(&["install", "./lib/pdf", "--link"])), @r"
    error: the store is damaged: [DIGEST] has become [DIGEST]

    hint: Find all damage with `skillyard store verify`, mend it with `skillyard store verify --fix`
    ");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.done(&["store", "verify", "--fix"]);
    context.done(&["install", "./lib/pdf", "--link"]);
    fs::write(in_store(&context), skill("pdf", "evil")).unwrap();
    assert_eq!(context.code(&["sync", "--check"]), Some(1));
    context.done(&["store", "verify", "--fix"]);
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert_eq!(context.code(&["sync", "--check"]), Some(0));
}

/// Digests without their digits.
fn hashed(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + "[DIGEST]" + part.get(64..).unwrap_or(part)
    })
}

#[test]
fn the_collector_keeps_what_any_project_uses() {
    let context = outdated();
    context.done(&["update", "--yes"]);
    let collected = context.json(&["store", "gc", "--json"]);
    assert_eq!(
        (&collected["removed"], &collected["kept"]),
        (&1.into(), &1.into())
    );
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    context.done(&["sync", "--offline"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["remove", "pdf"]);
    let collected = context.json(&["store", "gc", "--json"]);
    assert_eq!(
        (&collected["removed"], &collected["kept"]),
        (&1.into(), &0.into())
    );
    // A lock that cannot be read may name anything, so nothing is removed.
    context.done(&["install", "./lib/pdf"]);
    context.write("skills.lock", "<<<<<<< HEAD\n");
    assert_eq!(context.code(&["store", "gc"]), Some(2));
}

#[test]
fn what_was_written_by_hand_is_deleted_on_request_only() {
    let context = TestContext::new();
    let new = [
        "new",
        "mine",
        "-d",
        "Does it. Use when asked.",
        "--scope",
        "user",
    ];
    assert_eq!(context.code(&new), Some(0));
    context.write_skill("elsewhere/mine");
    let told = context.run(&["remove", "mine", "--scope", "user"]);
    assert!(
        told.contains("error: `mine` was not installed: it was written into `")
            && told.contains("hint: `skillyard remove mine --force` deletes that folder for good"),
        "{told}"
    );
    let file = "../home/.agents/skills/mine/SKILL.md";
    let force = ["remove", "mine", "--scope", "user", "--force"];
    let dry = context.json(&[&force[..], &["--dry-run", "--json"]].concat());
    assert_eq!(dry["changes"][0]["change"], "removed");
    assert!(context.root().join(file).exists());
    // Of a link only the link goes.
    context.write_skill("../home/real/linked");
    context.link("../../real/linked", "../home/.agents/skills/linked");
    assert_eq!(
        context.code(&["remove", "linked", "mine", "--scope", "user", "--force"]),
        Some(0)
    );
    assert!(!context.root().join(file).exists());
    assert!(context.root().join("../home/real/linked/SKILL.md").exists());
    assert!(context.root().join("elsewhere/mine/SKILL.md").exists());
    // Builtin skills and those of other scopes are not this scope's.
    assert_eq!(
        context.code(&["remove", "skill-review", "--force"]),
        Some(1)
    );
}
