//! Root in somebody else's project, as with `sudo` or in a container that has it mounted.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use crate::project::{everything, project};
use crate::servers::repository::skill;

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
