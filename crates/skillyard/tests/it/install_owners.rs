//! Root in somebody else's project, as with `sudo` or in a container that has it mounted.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use crate::project::{everything, project};
use crate::servers::repository::skill;
use crate::{output, text};

/// Somebody who is not root.
const SOMEBODY: u32 = 1000;

#[test]
fn what_root_installs_in_somebodys_project_is_theirs() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let context = project();
    let root = context.root();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/pdf/scripts/deep/run.sh", "echo one\n");
    let give = |path: &Path| chown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    let all = |root: &Path| {
        everything(root)
            .into_iter()
            .map(|path| root.join(path))
            .collect::<Vec<_>>()
    };
    give(&root);
    for path in all(&root) {
        give(&path);
    }
    let theirs = |what: &str| {
        for path in all(&root) {
            let found = fs::symlink_metadata(&path).unwrap();
            let owner = (found.uid(), found.gid());
            assert_eq!(owner, (SOMEBODY, SOMEBODY), "{what}: {}", path.display());
        }
    };
    context.done(&["install", "./lib/pdf"]);
    theirs("installed");
    assert!(
        root.join(".agents/skills/pdf/scripts/deep/run.sh")
            .is_file()
    );
    fs::write(root.join("lib/pdf/SKILL.md"), skill("pdf", "two")).unwrap();
    context.done(&["update", "--yes"]);
    theirs("updated");
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["install", "./lib/pdf", "--agent", "claude-code"]);
    theirs("another agent");
}

#[test]
fn what_root_makes_in_somebodys_home_is_told() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    let home = context.root().join("../home");
    fs::create_dir_all(&home).unwrap();
    let _ = fs::remove_dir_all(home.join(".skillyard"));
    chown(&home, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    let told = |arguments: &[&str]| {
        let ran = output(context.skillyard().args(arguments));
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        text(&ran.stderr)
    };
    let warning = "in the home of another user (1000)";
    let said = told(&["validate", "lib/pdf"]);
    assert!(!said.contains(warning), "{said}");
    assert!(!home.join(".skillyard").exists());
    let said = told(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    assert!(said.contains(warning), "{said}");
    assert!(said.contains("`chown -R 1000 "), "{said}");
    assert!(home.join(".skillyard").exists());
    // Where root is at home nothing is said, nor is it said twice.
    let said = told(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    assert!(!said.contains(warning), "{said}");
}
