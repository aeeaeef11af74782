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
fn what_others_need_cannot_be_called_otherwise() {
    let context = project();
    let report = skill("report", "one").replace(
        "\n---\n\n",
        "\nmetadata:\n  skillyard.requires-skills: ../chart\n---\n\n",
    );
    context
        .write("lib/report/SKILL.md", report)
        .write("lib/chart/SKILL.md", skill("chart", "one"))
        .write(".agents/skills/chart/SKILL.md", skill("chart", "mine"));
    assert_snapshot!(context.refused(&["install", "./lib/report"]), @r"
    error: something is in the way of `chart`, which `report` needs
      Caused by: `.agents/skills/chart` is there already and was not installed by skillyard

    hint: It is needed under this name: take away what is there, or replace it with `--force`
    ");
    context.done(&["install", "./lib/report", "--force"]);
    assert_eq!(context.version_of("chart").as_deref(), Some("one"));
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
