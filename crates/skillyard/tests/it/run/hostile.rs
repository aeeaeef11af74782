//! A workspace in which what git or others obey is no file that could be read to its end.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use super::{any_script, ran};
use crate::{TestContext, output};

/// Runs a script in the workspace; whoever waits for a pipe is stopped by the test itself.
fn runs(context: &TestContext) -> bool {
    let arguments = ["tools", "any.sh", "--workspace", ".", "--", "echo here"];
    let (printed, code) = ran(context, &arguments);
    code == Some(0) && printed.contains("here")
}

fn pipe(context: &TestContext, path: &str) {
    let made = output(context.command("mkfifo").arg(path));
    assert!(made.status.success(), "{path}");
}

fn huge(context: &TestContext, path: &str) {
    let file = File::create(context.root().join(path)).unwrap();
    file.set_len(100 << 30).unwrap();
}

#[test]
fn no_pipe_of_a_repository_is_waited_for() {
    let files = ["config", "commondir", "config.worktree", "HEAD", "index"];
    for file in files {
        let context = any_script();
        context.write(".git/description", "x");
        pipe(&context, &format!(".git/{file}"));
        assert!(runs(&context), "{file}");
    }
    for file in [
        ".git",
        ".gitignore",
        ".gitmodules",
        "CLAUDE.md",
        ".mcp.json",
    ] {
        let context = any_script();
        pipe(&context, file);
        assert!(runs(&context), "{file}");
    }
}

#[test]
fn nothing_endless_of_a_repository_is_read_to_its_end() {
    for file in ["config", "commondir", "index", "sharedindex.1"] {
        let context = any_script();
        context.write(".git/description", "x");
        huge(&context, &format!(".git/{file}"));
        assert!(runs(&context), "{file}");
    }
    let context = any_script();
    huge(&context, ".git");
    assert!(runs(&context));
    fs::remove_file(context.root().join(".git")).unwrap();
    context.write(".git/config", "[include]\n\tpath = /dev/zero\n");
    assert!(runs(&context));
    fs::remove_file(context.root().join(".git/config")).unwrap();
    symlink("/dev/zero", context.root().join(".git/config")).unwrap();
    assert!(runs(&context));
}
