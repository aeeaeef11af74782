//! Two runs in one workspace: what a script does there leads the other run nowhere else.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use super::{any_script, ran};
use crate::TestContext;

/// Waits in a script until a file is there.
pub(super) fn until(file: &str) -> String {
    format!("until test -e {file}; do sleep 0.02; done")
}

/// Starts a script, and comes back when it has said `ready`.
fn started(context: &TestContext, script: &str) -> Child {
    let mut command = context.skillyard();
    command.args(["run", "tools", "any.sh", "--workspace", ".", "--", script]);
    let mut run = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 6];
    run.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"ready\n");
    run
}

/// Another script in the same workspace, to its end.
fn beside(context: &TestContext, script: &str) -> (String, Option<i32>) {
    let arguments = ["tools", "any.sh", "--workspace", ".", "--", script];
    ran(context, &arguments)
}

/// A folder that no run was shown, and that everybody may change.
fn victim(context: &TestContext) -> String {
    context.write("../victim/.claude/settings.json", "mine");
    context.write("../victim/AGENTS.md", "mine");
    context.write("../victim/key", "PRIVATE");
    let folder = context.root().parent().unwrap().join("victim");
    for place in ["", ".claude", ".claude/settings.json", "AGENTS.md", "key"] {
        let mode = fs::Permissions::from_mode(0o777);
        fs::set_permissions(folder.join(place), mode).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_folder_that_is_exchanged_all_the_time_lets_nobody_out() {
    let context = any_script();
    let victim = victim(&context);
    let flipping = format!(
        "python3 -c '
import ctypes, os
call = ctypes.CDLL(None).renameat2
os.makedirs(\"sub\"); os.makedirs(\"node_modules\")
open(\"sub/AGENTS.md\", \"w\").close()
os.symlink(\"{victim}\", \"node_modules/s\")
print(\"ready\", flush=True)
while not os.path.exists(\"end\"):
    for _ in range(50): call(-100, b\"sub\", -100, b\"node_modules/s\", 2)
'"
    );
    let mut first = started(&context, &flipping);
    for _ in 0..12 {
        let (printed, _) = beside(&context, "cat sub/key; echo x > sub/pwned");
        assert!(!printed.contains("PRIVATE"), "{printed}");
    }
    context.write("end", "");
    first.wait().unwrap();
    let mut names: Vec<_> = fs::read_dir(&victim)
        .unwrap()
        .map(|each| each.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".claude", "AGENTS.md", "key"]);
    assert_eq!(context.read("../victim/AGENTS.md"), "mine");
}

#[test]
fn two_honest_runs_do_not_disturb_each_other() {
    let context = any_script();
    context
        .write("AGENTS.md", "mine")
        .write("sub/CLAUDE.md", "x");
    let script = format!("echo ready; {}; echo 1 > one", until("go"));
    let mut first = started(&context, &script);
    let (printed, code) = beside(
        &context,
        "touch go; echo 2 > two; echo evil > sub/CLAUDE.md",
    );
    assert_ne!(code, Some(0), "{printed}");
    assert!(first.wait().unwrap().success());
    assert_eq!(context.read("one") + &context.read("two"), "1\n2\n");
    assert_eq!(
        context.tree(),
        ["AGENTS.md", "go", "one", "sub/", "sub/CLAUDE.md", "two"]
    );
}
