//! Skills of a source that cannot be loaded, beside some that can.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use skillyard_format::Digest;

use crate::TestContext;
use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};

/// What is no frontmatter.
const BROKEN: &str = "---\nname: [\n---\nBody.\n";

/// A project beside a folder with a sound skill and one that is not.
fn with_both() -> TestContext {
    let context = project();
    context.write("lib/good/SKILL.md", skill("good", "one"));
    context.write("lib/bad/SKILL.md", BROKEN);
    context
}

fn warnings(answer: &Value) -> String {
    answer["warnings"].to_string()
}

#[test]
fn all_of_a_folder_but_what_cannot_be_loaded_is_installed_with_a_warning() {
    let context = with_both();
    let told = context.done(&["install", "./lib", "--all", "--yes"]);
    assert!(
        told.contains("warning: `bad` of `./lib` is left out"),
        "{told}"
    );
    assert_eq!(context.version_of("good").as_deref(), Some("one"));
    let all = ["install", "./lib", "--all", "--yes", "--dry-run", "--json"];
    assert!(warnings(&context.json(&all)).contains("`bad` of `./lib`"));
    // Who says that it is known hears no more of it.
    let known = [&all[..], &["--except", "bad"]].concat();
    assert_eq!(warnings(&context.json(&known)), "[]");
}

#[test]
fn names_of_folders_begin_no_line() {
    let context = with_both();
    let forged = "lib/x\n✓ Signed by somebody\ny/SKILL.md";
    context.write(forged, BROKEN);
    let told = context.done(&["install", "./lib", "--all", "--yes"]);
    assert!(
        told.contains("warning: `x ✓ Signed by somebody y` of"),
        "{told}"
    );
    assert!(!told.lines().any(|line| line.starts_with('✓')), "{told}");
}

#[test]
fn all_of_a_repository_is_installed_with_the_same_warning() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let folder = repository.folder.join("skills/bad");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), BROKEN).unwrap();
    repository.commit("bad");
    let told = context.done(&["install", &repository.url(), "--all", "--yes"]);
    assert!(told.contains("warning: `skills/bad` of "), "{told}");
}

#[test]
fn a_folder_that_no_reference_can_name_does_not_keep_the_others_out() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let unreadable = std::ffi::OsStr::from_bytes(b"skills/\xe9t\xe9");
    for folder in [Path::new("skills/draft v1."), Path::new(unreadable)] {
        let folder = repository.folder.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), skill("draft", "one")).unwrap();
    }
    repository.commit("drafts");
    let told = context.done(&["install", &repository.url(), "--all", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert!(told.contains("`skills/draft v1.` of "), "{told}");
    assert!(told.contains("ends in a dot or space"), "{told}");
    assert_eq!(told.matches("its name is not UTF-8").count(), 1, "{told}");
    let folder = repository.folder.display().to_string();
    let told = context.done(&["install", &folder, "--all", "--yes", "--dry-run"]);
    assert_eq!(told.matches("its name is not UTF-8").count(), 1, "{told}");
}

#[test]
fn what_is_chosen_is_not_left_out() {
    let context = with_both();
    let skills = ["install", "./lib", "--skill", "good", "--except", "good"];
    let told = context.refused(&skills);
    assert!(told.contains("--except"), "{told}");
    assert_eq!(context.version_of("good"), None);
}

#[test]
fn a_submodule_of_a_repository_is_told() {
    let context = project();
    let other = Repository::new(&context, "other.git");
    other.skill("xlsx", "one").commit("one");
    let repository = Repository::with_pdf(&context);
    let commit = other.git(&["rev-parse", "HEAD"]);
    let entry = |path: &str| format!("160000,{commit},{path}");
    for path in ["skills/more", "lib/parser"] {
        repository.git(&["update-index", "--add", "--cacheinfo", &entry(path)]);
    }
    repository.git(&["commit", "--quiet", "-m", "submodules"]);
    let url = repository.url();
    let told = context.done(&["install", &url, "--all", "--yes"]);
    assert!(told.contains("warning: `skills/more` of "), "{told}");
    assert!(told.contains("it is a submodule"), "{told}");
    assert!(!told.contains("lib/parser"), "{told}");
    // What lies in it is not there, and nobody looks for it in vain.
    for folder in ["skills/more", "skills/more/xlsx"] {
        let told = context.run(&["install", &format!("{url}#{folder}"), "--yes"]);
        assert!(told.contains("`skills/more` is a submodule"), "{told}");
        assert!(told.contains("`.gitmodules` says where it is"), "{told}");
    }
}

#[test]
fn a_skill_of_a_repository_whose_file_is_a_link_is_told() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let folder = repository.folder.join("skills/linked");
    std::fs::create_dir_all(&folder).unwrap();
    symlink("../pdf/SKILL.md", folder.join("SKILL.md")).unwrap();
    repository.commit("linked");
    let told = context.done(&["install", &repository.url(), "--all", "--yes"]);
    assert!(
        told.contains("`skills/linked` of ") && told.contains("its `SKILL.md` is a link"),
        "{told}"
    );
    let told = context.done(&["install", &repository.url(), "--yes"]);
    assert!(!told.contains("linked"), "{told}");
}

#[test]
fn what_leaves_it_out_names_each_skill_so_that_it_alone_is_meant() {
    let context = project();
    context.write("lib/good/SKILL.md", skill("good", "one"));
    context.write("lib/more/SKILL.md", skill("more", "one"));
    std::fs::create_dir_all(context.root().join("lib/linked")).unwrap();
    symlink(
        "../good/SKILL.md",
        context.root().join("lib/linked/SKILL.md"),
    )
    .unwrap();
    let told = context.refused(&["install", "./lib", "--all", "--yes"]);
    assert!(
        told.contains("`./linked` cannot be installed")
            && told.contains("Leave it out with `--skill ./good,more`"),
        "{told}"
    );
    context.done(&["install", "./lib", "--skill", "./good,more", "--yes"]);
    assert_eq!(context.version_of("good").as_deref(), Some("one"));
}

#[test]
fn who_asks_for_it_hears_what_is_wrong_with_it() {
    let context = with_both();
    let named = ["install", "./lib", "--skill", "bad", "--yes"];
    let told = context.refused(&named);
    assert!(
        told.contains("the skill `bad` of `./lib` cannot be loaded"),
        "{told}"
    );
    assert!(!told.contains("has no skill"), "{told}");
}

#[test]
fn a_site_says_of_each_skill_what_is_wrong_with_that_one() {
    let context = project();
    let two = skill("wk-two", "one");
    let index = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "Bad Name", "type": "skill-md", "description": "d", "url": "/b", "digest": Digest::of(b"b").to_string() },
            { "name": "wk-one", "type": "skill-md", "description": "d", "url": "/one" },
            { "name": "wk-two", "type": "skill-md", "description": "d", "url": "/two", "digest": Digest::of(two.as_bytes()).to_string() },
        ]
    });
    let server = Server::serve([
        ("/.well-known/agent-skills/index.json", Reply::json(&index)),
        ("/two", Reply::ok(two)),
    ]);
    let site = server.url("");
    let one = format!("{site}#wk-one");
    for arguments in [
        &["install", &site, "--skill", "wk-one", "--yes"][..],
        &["install", &one, "--yes"],
    ] {
        let told = context.refused(arguments);
        assert!(told.contains("missing field `digest`"), "{told}");
        assert!(!told.contains("Bad Name"), "{told}");
    }
    let told = context.done(&["install", &site, "--all", "--yes"]);
    assert!(
        told.contains("`Bad Name`") && told.contains("`wk-one`"),
        "{told}"
    );
    assert_eq!(context.version_of("wk-two").as_deref(), Some("one"));
}
