//! What is found below a source, what is passed over, and why.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod limits;
mod links;
#[path = "../support/tree.rs"]
mod tree;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use skillyard_catalog::Status;
use skillyard_catalog::walk::Links;
use tree::{Tree, skill};

/// Walks `s`, into which links may lead, and compares what was found and what was passed over.
#[track_caller]
fn check(tree: &Tree, found: &[&str], skipped: &[&str]) {
    let links = Links::Within(vec![tree.path("s")]);
    let (is_found, is_skipped) = tree.walk("s", links);
    assert_eq!(is_found, found);
    assert_eq!(is_skipped, skipped);
}

fn tree() -> Tree {
    let tree = Tree::new();
    tree.skill("s/good", "It works.");
    tree
}

#[test]
fn a_source_may_be_missing_a_file_or_a_skill_itself() {
    let tree = Tree::new();
    assert_eq!(tree.walk("nowhere", Links::Skip), (vec![], vec![]));
    tree.write("s", "no folder");
    let (found, skipped) = tree.walk("s", Links::Skip);
    assert_eq!(found, [""; 0]);
    assert_eq!(
        skipped,
        ["s: it cannot be read: Not a directory (os error 20)"]
    );
    tree.remove("s")
        .skill("s", "itself")
        .skill("s/inner", "inner");
    check(&tree, &["s/SKILL.md"], &[]);
}

#[test]
fn a_skill_in_a_skill_belongs_to_it() {
    let tree = tree();
    tree.skill("s/good/inner", "inner")
        .write("s/lower/skill.md", skill("lower", "x"))
        .skill("s/lower/inner", "inner");
    check(&tree, &["s/good/SKILL.md", "s/lower/skill.md"], &[]);
}

#[test]
fn skills_are_found_six_folders_deep() {
    let tree = Tree::new();
    let mut folder = "s".to_owned();
    for depth in 1..=7 {
        folder = format!("{folder}/g{depth}");
        tree.skill(&format!("{folder}/skill"), "deep");
    }
    check(
        &tree,
        &[
            "s/g1/skill/SKILL.md",
            "s/g1/g2/skill/SKILL.md",
            "s/g1/g2/g3/skill/SKILL.md",
            "s/g1/g2/g3/g4/skill/SKILL.md",
            "s/g1/g2/g3/g4/g5/skill/SKILL.md",
        ],
        &[
            "s/g1/g2/g3/g4/g5/g6/g7: it is deeper than 6 folders",
            "s/g1/g2/g3/g4/g5/g6/skill: it is deeper than 6 folders",
        ],
    );
}

#[test]
fn spellings_of_the_file() {
    let tree = tree();
    tree.write("s/a/skill.md", skill("a", "x"))
        .write("s/b/Skill.MD", skill("b", "x"))
        .write("s/c/SKILL.md", skill("c", "upper"))
        .write("s/c/skill.md", skill("c", "lower"))
        .write("s/d/sKILL.md", skill("d", "x"))
        .write("s/d/skill.md", skill("d", "lower"));
    check(
        &tree,
        &[
            "s/c/SKILL.md",
            "s/good/SKILL.md",
            "s/a/skill.md",
            "s/b/Skill.MD",
            "s/d/skill.md",
        ],
        &[],
    );
}

#[test]
fn an_odd_spelling_is_a_problem_and_a_lower_one_is_none() {
    let tree = Tree::new();
    tree.write("work/.skills/a/skill.md", skill("a", "Use when x."))
        .write("work/.skills/b/Skill.MD", skill("b", "Use when x."));
    let catalog = tree.load();
    let codes = |name| {
        let problems = &catalog.find(name).unwrap().record.problems;
        problems
            .iter()
            .map(|each| each.code.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("a"), [""; 0]);
    assert_eq!(codes("b"), ["file-name"]);
}

#[test]
fn folders_that_are_never_looked_into() {
    let tree = tree();
    tree.skill("s/.git/a", "x")
        .skill("s/node_modules/b", "x")
        .skill("s/group/target/c", "x")
        .write("s/files/target", "only a file");
    check(
        &tree,
        &["s/good/SKILL.md"],
        &[
            "s/.git: folders called `.git` are never looked into",
            "s/group/target: folders called `target` are never looked into",
            "s/node_modules: folders called `node_modules` are never looked into",
        ],
    );
}

#[test]
fn ignored_folders() {
    let tree = tree();
    tree.write("s/.gitignore", "draft-*\n!draft-kept\n")
        .write("s/group/.ignore", "old/\n")
        .skill("s/draft-a", "x")
        .skill("s/draft-kept", "x")
        .skill("s/group/old", "x")
        .skill("s/group/new", "x");
    check(
        &tree,
        &[
            "s/draft-kept/SKILL.md",
            "s/good/SKILL.md",
            "s/group/new/SKILL.md",
        ],
        &[
            "s/draft-a: it is ignored by a `.gitignore` beside it",
            "s/group/old: it is ignored by a `.gitignore` beside it",
        ],
    );
}

#[test]
fn a_repository_that_ignores_its_skills_folder_still_has_skills() {
    let tree = Tree::new();
    tree.write("work/.gitignore", ".claude/\n")
        .skill("work/.claude/skills/pdf", "x");
    assert_eq!(tree.found(&tree.load()), ["work/.claude/skills/pdf: pdf"]);
}

#[test]
fn files_that_are_no_files() {
    let tree = tree();
    tree.fifo("s/pipe/SKILL.md")
        .fifo("s/pipe-lower/skill.md")
        .mkdir("s/folder/SKILL.md")
        .mkdir("s/folder-lower/skill.md");
    check(
        &tree,
        &["s/good/SKILL.md"],
        &[
            "s/folder/SKILL.md: it cannot be read: it is not a regular file",
            "s/pipe-lower/skill.md: it cannot be read: it is not a regular file",
            "s/pipe/SKILL.md: it cannot be read: it is not a regular file",
        ],
    );
}

#[test]
fn a_folder_that_may_not_be_read() {
    let tree = tree();
    tree.skill("s/group/inner", "x");
    let folder = tree.path("s/group");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything, so what is right depends on who runs the test.
    if fs::read_dir(&folder).is_ok() {
        check(&tree, &["s/good/SKILL.md", "s/group/inner/SKILL.md"], &[]);
    } else {
        check(
            &tree,
            &["s/good/SKILL.md"],
            &["s/group/SKILL.md: it cannot be read: Permission denied (os error 13)"],
        );
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn names_of_strangers() {
    let tree = tree();
    tree.write("s/new\nline/SKILL.md", skill("newline", "x"));
    let raw = tree.path("s").join(OsStr::from_bytes(b"raw\xff"));
    fs::create_dir(&raw).unwrap();
    fs::write(raw.join("SKILL.md"), skill("raw", "x")).unwrap();
    let file = tree.path("s").join(OsStr::from_bytes(b"file\xfe"));
    fs::write(file, "nobody misses it").unwrap();
    check(
        &tree,
        &["s/good/SKILL.md", "s/new\nline/SKILL.md"],
        &["s/raw\u{fffd}: its name is not UTF-8"],
    );
}

/// Writes `text` as the only skill of the project and compares why it cannot be loaded.
#[track_caller]
fn unloadable(text: impl AsRef<[u8]>, reason: &str) {
    let tree = Tree::new();
    tree.write("work/.skills/bad/SKILL.md", text);
    let catalog = tree.load();
    assert_eq!(tree.found(&catalog), [""; 0]);
    assert_eq!(
        tree.skipped(&catalog),
        [format!("work/.skills/bad/SKILL.md: {reason}")]
    );
}

#[test]
fn files_that_hold_no_skill() {
    unloadable("", "the file is empty");
    unloadable("# Only text\n", "the file does not start with frontmatter");
    unloadable("---\nname: bad\n---\nx\n", "`description` is missing");
    unloadable(
        "---\nname: bad\ndescription: \"\"\n---\nx\n",
        "`description` is empty",
    );
    unloadable(
        "---\n- a\n- list\n---\n",
        "the frontmatter is a list, not `key: value` lines",
    );
    unloadable(
        "---\n: : {{{[ \n\t@@@\n---\nx\n",
        "the frontmatter is not valid YAML: did not find expected key, while parsing a block mapping",
    );
}

#[test]
fn a_file_that_is_too_large_is_not_offered() {
    let mut text = skill("bad", "Looks good in its first block.");
    text.push_str(&" ".repeat(10 * 1024 * 1024));
    let size = text.len();
    unloadable(
        text,
        &format!("the file has {size} bytes, and at most 10485760 are read"),
    );
}

#[test]
fn a_name_that_is_not_the_folders_is_a_problem() {
    let tree = Tree::new();
    tree.write(
        "work/.skills/folder/SKILL.md",
        skill("other", "Use when x."),
    );
    let catalog = tree.load();
    let skill = catalog.find("other").unwrap();
    assert_eq!(skill.status, Status::Enabled);
    assert_eq!(skill.record.problems[0].code, "name-matches-directory");
    assert!(catalog.find("folder").is_none());
}
