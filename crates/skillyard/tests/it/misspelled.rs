//! A file that only some systems take for a `SKILL.md`: read where it lies, and handed on by nobody.

use skillyard_format::package::archive::Limits;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::{Repository, skill};

const REASON: &str = "rename it to `SKILL.md`";

fn misspelled() -> TestContext {
    let context = project();
    let text = skill("pdf", "one").replace("---\n\n", "metadata:\n  version: 1.0.0\n---\n\n");
    context.write("lib/pdf/Skill.md", text);
    context
}

#[test]
fn nobody_hands_it_on_from_a_folder() {
    let context = misspelled();
    let told = context.refused(&["install", "./lib/pdf"]);
    assert!(
        told.contains("`Skill.md`") && told.contains(REASON),
        "{told}"
    );
    context.done(&["key", "generate", "mine"]);
    for command in [
        &["sign", "lib/pdf"][..],
        &["publish", "lib/pdf", "--dry-run"],
    ] {
        let told = context.tell(command);
        assert!(told.starts_with("exit status: 2"), "{told}");
        let hint = "hint: Rename it to `SKILL.md`: `mv lib/pdf/Skill.md lib/pdf/SKILL.md`";
        assert!(
            told.contains("`lib/pdf/Skill.md`") && told.contains(hint),
            "{told}"
        );
    }
    // What is here may still be used, and is told as odd.
    context.write(".agents/skills/csv/Skill.md", skill("csv", "one"));
    context.done(&["trust", ".", "--yes"]);
    context.done(&["read", "csv"]);
    let told = context.tell(&["export", "csv", "--archive", "csv.zip"]);
    assert!(told.contains("hint: Rename it to `SKILL.md`"), "{told}");
    assert!(!context.root().join("csv.zip").exists());
    let told = context.tell(&["validate", "lib/pdf"]);
    assert!(told.contains("warning[file-name]"), "{told}");
}

#[test]
fn no_archive_and_no_repository_delivers_it() {
    let context = misspelled();
    let text = context.read("lib/pdf/Skill.md");
    let file = PackFile::new("pdf/Skill.md", false, text.as_bytes());
    let archive = pack(&[file], PackFormat::Zip, &Limits::skill());
    // Whoever packs with us is told; others pack what they like.
    if let Ok(archive) = archive {
        context.write("pdf.zip", archive);
        let told = context.refused(&["install", "./pdf.zip"]);
        assert!(
            told.contains("`pdf/Skill.md`") && told.contains(REASON),
            "{told}"
        );
    }
    let repository = Repository::new(&context, "remote.git");
    repository.write("skills/pdf/Skill.md", &text).commit("one");
    let told = context.refused(&["install", &repository.url(), "--yes"]);
    assert!(
        told.contains("`Skill.md`") && told.contains(REASON),
        "{told}"
    );
    // Beside skills such a file is likely about something else.
    repository.skill("skills/csv", "one").commit("two");
    context.done(&["install", &repository.url(), "--yes"]);
}

#[test]
fn lower_case_is_accepted_everywhere() {
    let context = misspelled();
    let root = context.root().join("lib/pdf");
    std::fs::rename(root.join("Skill.md"), root.join("skill.md")).unwrap();
    context.done(&["key", "generate", "mine"]);
    context.done(&["sign", "lib/pdf"]);
    context.done(&["publish", "lib/pdf", "--dry-run"]);
    context.done(&["install", "./lib/pdf", "--yes"]);
    context.done(&["trust", ".", "--yes"]);
    context.done(&["export", "pdf", "--archive", "pdf.zip"]);
}
