//! Repositories that are named by a path of this machine: the path means the same in every folder.

use std::fs;

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::Repository;

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
