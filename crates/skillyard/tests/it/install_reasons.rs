//! Why skills cannot be had: the skill is named, its source, and what can be done.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use crate::project::project;
use crate::servers::git_http;
use crate::servers::repository::{Repository, skill};
use crate::{TestContext, output, text};

/// Takes everything away that `sync` could have a skill from but its source.
fn forget(context: &TestContext) {
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    fs::remove_dir_all(context.in_home(".skillyard/store/packs")).unwrap();
}

#[test]
fn a_proxy_that_is_none_is_named() {
    let context = project();
    let mut command = context.skillyard();
    command.env("HTTPS_PROXY", "http://:secret@");
    let output = output(command.args(["install", "https://127.0.0.1:1/pdf.zip", "--yes"]));
    let told = text(&output.stderr);
    assert!(
        told.contains("`HTTPS_PROXY` does not name a proxy"),
        "{told}"
    );
    assert!(!told.contains("secret"), "{told}");
}
