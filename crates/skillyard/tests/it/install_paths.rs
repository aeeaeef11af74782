//! Repositories that are named by a path of this machine: the path means the same in every folder.

use std::fs;

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::{Repository, skill};

impl TestContext {
    /// Runs in a folder below the root, and must succeed.
    #[track_caller]
    fn done_in(&self, folder: &str, arguments: &[&str]) -> String {
        let folder = self.root().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let output = crate::output(self.skillyard().current_dir(folder).args(arguments));
        let told = crate::text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        told
    }
}

/// Two repositories of the same name, beside each other in `a` and `b`, below the project.
fn two(context: &TestContext) -> [Repository<'_>; 2] {
    let each = |folder: &str, version: &str| {
        let place = context.root().join(folder).join("skills.git");
        let repository = Repository::new(context, place.to_str().unwrap());
        repository.skill("pdf", version).commit(version);
        repository
    };
    fs::create_dir_all(context.outside("")).unwrap();
    [each("a", "one"), each("b", "other")]
}

#[test]
fn a_project_finds_its_repository_from_every_folder() {
    let context = project();
    let [repository, _] = two(&context);
    context.done_in("a", &["install", "./skills.git#pdf", "--yes"]);
    let lock = context.read("skills.lock");
    assert!(lock.contains("source = \"./a/skills.git#pdf\""), "{lock}");
    assert!(lock.contains("url = \"./a/skills.git\""), "{lock}");
    assert!(
        context
            .read("skills.toml")
            .contains("\"./a/skills.git#pdf\"")
    );
    repository.skill("pdf", "two").commit("two");
    // Here lies another one of the name.
    context.done_in("b", &["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    context.done_in("b", &["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn a_user_finds_a_repository_from_every_folder() {
    let context = TestContext::new();
    let [repository, _] = two(&context);
    let user = ["--scope", "user"];
    let install = ["install", "./skills.git#pdf", "--yes"];
    context.done_in("a", &[&install[..], &user].concat());
    let lock = fs::read_to_string(context.in_home(".skillyard/lock.toml")).unwrap();
    let whole = repository.folder.canonicalize().unwrap();
    assert!(
        lock.contains(&format!("source = \"{}#pdf\"", whole.display())),
        "{lock}"
    );
    repository.skill("pdf", "two").commit("two");
    context.done_in("b", &[&["update", "--yes"][..], &user].concat());
    let file = context.in_home(".agents/skills/pdf/SKILL.md");
    assert!(fs::read_to_string(file).unwrap().ends_with("\ntwo\n"));
}

/// A project in `svc/a` of a repository that also has the skill `shared/tool`.
fn in_a_large_repository() -> TestContext {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write("shared/tool/SKILL.md", skill("tool", "one"));
    context.write("svc/a/skills.toml", "");
    context.done_in("svc/a", &["install", "../../shared/tool", "--yes"]);
    context
}

#[test]
fn what_lies_beside_a_project_in_its_repository_is_found_in_every_checkout() {
    let context = in_a_large_repository();
    let manifest = context.read("svc/a/skills.toml");
    assert!(
        manifest.contains("tool = \"../../shared/tool\""),
        "{manifest}"
    );
    let lock = context.read("svc/a/skills.lock");
    assert!(lock.contains("source = \"../../shared/tool\""), "{lock}");
    let other = context.outside("clone");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    let mut copy = context.command("cp");
    copy.arg("-r").arg(context.root()).arg(&other);
    assert!(crate::output(&mut copy).status.success());
    let there = |arguments: &[&str]| {
        let mut command = context.skillyard();
        let command = command.current_dir(other.join("svc/a"));
        crate::output(command.args(arguments)).status.code()
    };
    fs::remove_dir_all(other.join("svc/a/.agents")).unwrap();
    assert_eq!(there(&["sync", "--locked"]), Some(0));
    assert_eq!(there(&["outdated"]), Some(0));
    // Each checkout has its own.
    fs::write(other.join("shared/tool/SKILL.md"), skill("tool", "two")).unwrap();
    assert_eq!(there(&["outdated"]), Some(1));
    context.done_in("svc/a", &["outdated"]);
    assert_eq!(there(&["update", "--yes"]), Some(0));
    let text = fs::read_to_string(other.join("svc/a/.agents/skills/tool/SKILL.md")).unwrap();
    assert!(text.ends_with("\ntwo\n"));
    // What is not part of the repository is named by its whole path.
    let alone = context.outside("alone");
    fs::create_dir_all(&alone).unwrap();
    fs::write(alone.join("SKILL.md"), skill("alone", "one")).unwrap();
    context.done_in("svc/a", &["install", alone.to_str().unwrap(), "--yes"]);
    let manifest = context.read("svc/a/skills.toml");
    assert!(manifest.contains(alone.to_str().unwrap()), "{manifest}");
}

#[test]
fn a_repository_beside_a_project_is_found_in_every_checkout() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write("svc/a/skills.toml", "");
    let [repository, _] = two(&context);
    context.done_in("svc/a", &["install", "../../a/skills.git#pdf", "--yes"]);
    let lock = context.read("svc/a/skills.lock");
    assert!(
        lock.contains("source = \"../../a/skills.git#pdf\""),
        "{lock}"
    );
    assert!(lock.contains("url = \"../../a/skills.git\""), "{lock}");
    repository.skill("pdf", "two").commit("two");
    context.done_in("svc/a", &["update", "--yes"]);
    context.done_in("svc/a", &["sync", "--locked", "--check"]);
}

#[test]
fn a_whole_path_that_an_older_version_wrote_is_the_same() {
    let context = in_a_large_repository();
    let whole = context.root().join("shared/tool");
    let lock = context.read("svc/a/skills.lock");
    let older = lock.replace("../../shared/tool", whole.to_str().unwrap());
    context.write("svc/a/skills.lock", &older);
    context.done_in("svc/a", &["sync", "--locked", "--check"]);
    context.write("shared/tool/SKILL.md", skill("tool", "two"));
    context.done_in("svc/a", &["install", "../../shared/tool", "--yes"]);
    let lock = context.read("svc/a/skills.lock");
    assert!(lock.contains("source = \"../../shared/tool\""), "{lock}");
    let text = context.read("svc/a/.agents/skills/tool/SKILL.md");
    assert!(text.ends_with("\ntwo\n"));
}
