//! Skills whose folders are read-only, as copies from a read-only place are: who owns them can update
//! and remove them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::project::{everything, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, somebody, text};

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
        somebody::own(&context);
        let project = Self(context);
        project.done(&["install", "./lib/pdf", "--yes"]);
        project
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let told = output(somebody::skillyard(&self.0).args(arguments));
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
fn they_are_updated_put_right_and_removed() {
    let project = Project::new();
    project.close();
    project.0.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    project.done(&["update", "--yes"]);
    assert_eq!(project.0.version_of("pdf").as_deref(), Some("two"));
    project.is_tidy();
    let edited = project.folder().join("SKILL.md");
    fs::write(&edited, skill("pdf", "edited")).unwrap();
    project.close();
    project.done(&["sync", "--force"]);
    assert_eq!(project.0.version_of("pdf").as_deref(), Some("two"));
    project.is_tidy();
    project.close();
    project.done(&["remove", "pdf", "--yes"]);
    assert!(!project.folder().exists());
    project.is_tidy();
}

#[test]
fn what_is_closed_to_its_owner_is_put_right_and_removed() {
    // The whole skill, a folder in it, and both.
    for closed in [&[""][..], &["scripts"], &["scripts/deep"], &["scripts", ""]] {
        for mode in [0o000, 0o444, 0o111] {
            let project = Project::new();
            let close = || {
                for folder in closed {
                    set_mode(&project.folder().join(folder), mode);
                }
            };
            close();
            project.done(&["sync", "--force"]);
            assert_eq!(project.0.version_of("pdf").as_deref(), Some("one"));
            project.is_tidy();
            close();
            project.done(&["remove", "pdf", "--force", "--yes"]);
            assert!(!project.folder().exists(), "{closed:?} {mode:o}");
            project.is_tidy();
        }
    }
}

#[test]
fn what_the_user_wrote_goes_as_a_whole() {
    let project = Project::new();
    fs::rename(
        project.folder(),
        project.0.root().join(".agents/skills/own"),
    )
    .unwrap();
    let own = project.0.root().join(".agents/skills/own");
    fs::write(own.join("SKILL.md"), skill("own", "one")).unwrap();
    project.done(&["remove", "pdf", "--yes"]);
    for path in ["scripts/deep", "scripts", ""] {
        set_mode(&own.join(path), 0o555);
    }
    project.done(&["remove", "own", "--yes", "--force"]);
    assert!(!own.exists());
}

#[test]
fn they_are_what_they_were_where_something_fails() {
    let project = Project::new();
    project.close();
    project.0.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    // In a folder that is read-only nothing can be put beside them, nor moved.
    let skills = project.0.root().join(".agents/skills");
    for around in [skills.clone(), project.0.root().join(".agents")] {
        set_mode(&around, 0o555);
        for arguments in [&["update", "--yes"][..], &["remove", "pdf", "--yes"]] {
            let (is_done, told) = project.run(arguments);
            assert!(!is_done, "{told}");
            assert_eq!(project.0.version_of("pdf").as_deref(), Some("one"));
            for folder in ["", "scripts", "scripts/deep"] {
                assert_eq!(mode(&project.folder().join(folder)), 0o555, "{folder}");
            }
        }
        set_mode(&around, 0o755);
    }
    project.done(&["update", "--yes"]);
    assert_eq!(project.0.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn a_lock_that_is_closed_to_its_owner_is_not_to_be_removed() {
    let project = Project::new();
    let lock = project.0.root().join("skills.lock");
    set_mode(&lock, 0o000);
    for command in [&["sync"][..], &["list", "--installed"], &["doctor"]] {
        let told = output(somebody::skillyard(&project.0).args(command));
        let told = text(&told.stdout) + &text(&told.stderr);
        let hint = format!("`chmod u+r {}`", lock.display());
        assert!(told.contains(&hint), "{command:?}: {told}");
        assert!(!told.contains("remove it"), "{command:?}: {told}");
    }
    set_mode(&lock, 0o400);
    project.done(&["sync"]);
}
