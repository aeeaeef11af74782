//! Git's own files in a workspace: no script leaves something that a later `git` obeys.

use std::fs;

use super::{any_script, ran};
use crate::{TestContext, output, text};

/// A command that a repository's configuration would start.
const TRAP: &str =
    "[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = \\\"id > $PWD/PWNED; false\\\"\\n";

fn git(context: &TestContext, arguments: &[&str]) -> String {
    let mut command = context.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
    let ran = output(command.args(arguments));
    assert!(ran.status.success(), "{arguments:?}: {}", text(&ran.stderr));
    text(&ran.stdout).trim().to_owned()
}

/// Runs a script in a workspace; what was printed, and whether it got to its end.
fn tried(context: &TestContext, workspace: &str, script: &str) -> (String, bool) {
    let arguments = ["tools", "any.sh", "--workspace", workspace, "--"];
    let script = format!("set -e; {}", script.replace("TRAP", TRAP));
    let (printed, code) = ran(context, &[&arguments[..], &[&script]].concat());
    (printed, code == Some(0))
}

fn works(context: &TestContext, workspace: &str, script: &str) -> bool {
    tried(context, workspace, script).1
}

/// Checks that `run` names a place that a script made and git obeys.
fn is_reported(context: &TestContext, workspace: &str, place: &str, script: &str) {
    let (printed, _) = tried(context, workspace, script);
    let report = format!("sandbox: it made `{place}`: look at it before git");
    assert!(printed.contains(&report), "{printed}");
    let made = context.root().join(workspace).join(place);
    if fs::remove_file(&made).is_err() {
        fs::remove_dir_all(&made).unwrap();
    }
}

#[test]
fn nothing_of_git_is_changed_or_made() {
    let context = any_script();
    git(&context, &["init", "-q", "r"]);
    git(
        &context,
        &["-C", "r", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    context.write("r/file", "x");
    for attempt in [
        "mkdir e; cp -r .git/objects .git/refs .git/HEAD e/; printf \"TRAP\" > e/config; echo ../e > .git/commondir",
        "printf \"TRAP\" >> .git/config",
        "printf \"TRAP\" > .git/config.worktree",
        "mkdir -p .git/modules/x/hooks",
        "mkdir -p .git/worktrees/x",
        "mkdir -p .git/rebase-merge; echo 'exec id' > .git/rebase-merge/git-rebase-todo",
        "echo x > .git/hooks/post-commit",
        "echo x > .git/info/attributes",
        "echo x > .git/HEAD",
        "rm .git/index",
        "mv .git g; mkdir .git",
    ] {
        assert!(!works(&context, "r", attempt), "{attempt}");
    }
    git(&context, &["-C", "r", "status"]);
    assert!(!fs::exists(context.root().join("r/PWNED")).unwrap());
    // It can be read still, and the rest of the workspace can be written to.
    assert!(works(
        &context,
        "r",
        "git -c safe.directory=* log --oneline; git -c safe.directory=* status; echo y > file"
    ));
    assert_eq!(context.read("r/file"), "y\n");
}

#[test]
fn submodules_that_a_script_makes_up_are_reported() {
    let context = any_script();
    git(&context, &["init", "-q", "r"]);
    git(
        &context,
        &["-C", "r", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    let head = git(&context, &["-C", "r", "rev-parse", "HEAD"]);
    for (version, sub) in [("2", "libs/one"), ("4", "libs/other-one")] {
        let entry = format!("160000,{head},{sub}");
        git(
            &context,
            &["-C", "r", "update-index", "--add", "--cacheinfo", &entry],
        );
        git(
            &context,
            &["-C", "r", "update-index", "--index-version", version],
        );
        fs::create_dir_all(context.root().join("r").join(sub)).unwrap();
        // From the top, and from a folder below it.
        for (workspace, path) in [("r", sub), ("r/libs", &sub[5..])] {
            let attempt = format!("mkdir {path}/.git; printf \"TRAP\" > {path}/.git/config");
            let place = format!("{path}/.git");
            is_reported(&context, workspace, &place, &attempt);
            assert!(works(&context, workspace, &format!("echo x > {path}/file")));
        }
    }
    assert_eq!(
        fs::read_dir(context.root().join("r/libs/one"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn what_the_configuration_names_is_protected() {
    let context = any_script();
    git(&context, &["init", "-q", "r"]);
    git(
        &context,
        &["-C", "r", "config", "core.hooksPath", "tools/hooks"],
    );
    git(
        &context,
        &["-C", "r", "config", "include.path", "../shared.config"],
    );
    context.write("r/tools/x", "x");
    let hook = "mkdir -p tools/hooks; echo x > tools/hooks/pre-commit";
    is_reported(&context, "r", "tools/hooks", hook);
    let config = "printf \"TRAP\" > shared.config";
    is_reported(&context, "r", "shared.config", config);
    let hook = "mkdir hooks; echo x > hooks/pre-commit";
    is_reported(&context, "r/tools", "hooks", hook);
    context.write("r/tools/hooks/pre-commit", "x");
    context.write("r/shared.config", "");
    for (workspace, attempt) in [
        ("r", "echo evil > tools/hooks/pre-commit"),
        ("r", "mv tools t"),
        ("r", "printf \"TRAP\" > shared.config"),
        ("r/tools", "echo evil > hooks/pre-commit"),
    ] {
        assert!(!works(&context, workspace, attempt), "{attempt}");
    }
    assert!(works(&context, "r", "echo y > tools/x"));
}

#[test]
fn a_worktree_can_be_a_workspace() {
    let context = any_script();
    git(&context, &["init", "-q", "r"]);
    git(
        &context,
        &["-C", "r", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    git(&context, &["-C", "r", "worktree", "add", "-q", "../tree"]);
    assert!(works(&context, "tree", "echo x > file"));
    assert_eq!(context.read("tree/file"), "x\n");
    for attempt in [
        "mkdir e; echo 'gitdir: e' > .git",
        "rm .git",
        "mv .git x",
        "echo x > \"$(sed 's/gitdir: //' .git)/config.worktree\"",
    ] {
        assert!(!works(&context, "tree", attempt), "{attempt}");
    }
    git(&context, &["-C", "tree", "status"]);
}

#[test]
fn repositories_below_a_workspace_are_protected() {
    let context = any_script();
    git(&context, &["init", "-q", "--bare", "all/.bare"]);
    context.write("all/.git", "gitdir: ./.bare\n");
    context.write("all/gone/.git", "gitdir: ../not-there\n");
    git(&context, &["init", "-q", "all/deep/er/r"]);
    for attempt in [
        "printf \"TRAP\" >> .bare/config",
        "mv .bare b",
        "printf \"TRAP\" >> deep/er/r/.git/config",
        "mv deep d",
        "mv deep/er/r r2",
    ] {
        assert!(!works(&context, "all", attempt), "{attempt}");
    }
    is_reported(&context, "all", "not-there", "mkdir not-there");
    assert!(works(
        &context,
        "all",
        "echo x > deep/er/r/file; mkdir deep/new"
    ));
    for own in ["all/.bare", "all/deep/er/r/.git"] {
        let (printed, code) = ran(&context, &["tools", "any.sh", "--workspace", own]);
        assert!(code == Some(2) && printed.contains("git"), "{printed}");
    }
}
