//! Skills whose folders are read-only: they are not changed, with a clear error.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::project::{everything, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, text, unprivileged_user};

fn all(root: &Path) -> impl Iterator<Item = PathBuf> {
    let below = everything(root).into_iter().map(|path| root.join(path));
    std::iter::once(root.to_owned()).chain(below)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// A project in which `pdf` is installed.
struct Project(TestContext);

impl Project {
    fn new() -> Self {
        let context = project();
        context
            .write("lib/pdf/SKILL.md", skill("pdf", "one"))
            .write("lib/pdf/scripts/deep/run.sh", "echo one\n");
        unprivileged_user::own(&context);
        let project = Self(context);
        project.done(&["install", "./lib/pdf", "--yes"]);
        project
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let told = output(unprivileged_user::skillyard(&self.0).args(arguments));
        (told.status.success(), text(&told.stderr))
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) {
        let (is_done, told) = self.run(arguments);
        assert!(is_done, "{arguments:?}: {told}");
    }

    fn folder(&self) -> PathBuf {
        self.0.root().join(".agents/skills/pdf")
    }

    /// Makes all of the installed skill read-only.
    fn close(&self) {
        let mut paths: Vec<PathBuf> = all(&self.folder()).collect();
        paths.reverse();
        for path in paths {
            let is_folder = path.is_dir();
            set_mode(&path, if is_folder { 0o555 } else { 0o444 });
        }
    }

    /// That nothing waits beside the skills.
    #[track_caller]
    fn is_tidy(&self) {
        let left = everything(&self.0.root().join(".agents"));
        let left: Vec<&String> = left
            .iter()
            .filter(|path| path.contains("skillyard-"))
            .collect();
        assert_eq!(left, Vec::<&String>::new());
    }
}

#[test]
fn a_change_of_a_read_only_skill_fails_and_leaves_it() {
    let project = Project::new();
    project.close();
    project.0.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    for arguments in [&["update", "--yes"][..], &["remove", "pdf", "--yes"]] {
        let (is_done, told) = project.run(arguments);
        assert!(!is_done && told.contains("Permission denied"), "{told}");
        assert_eq!(project.0.version_of("pdf").as_deref(), Some("one"));
        for folder in ["", "scripts", "scripts/deep"] {
            assert_eq!(mode(&project.folder().join(folder)), 0o555, "{folder}");
        }
        project.is_tidy();
    }
    set_mode(&project.folder(), 0o755);
    project.done(&["update", "--yes"]);
    assert_eq!(project.0.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn a_lock_that_is_closed_to_its_owner_is_not_to_be_removed() {
    let project = Project::new();
    let lock = project.0.root().join("skills.lock");
    set_mode(&lock, 0o000);
    for command in [&["sync"][..], &["list", "--installed"], &["doctor"]] {
        let told = output(unprivileged_user::skillyard(&project.0).args(command));
        let told = text(&told.stdout) + &text(&told.stderr);
        let hint = format!("`chmod u+r {}`", lock.display());
        assert!(told.contains(&hint), "{command:?}: {told}");
        assert!(!told.contains("remove it"), "{command:?}: {told}");
    }
    set_mode(&lock, 0o400);
    project.done(&["sync"]);
}
