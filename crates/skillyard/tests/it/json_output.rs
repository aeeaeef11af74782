//! `--json` of what changes something, as a program reads it: one document, the same names for the
//! same things, and nothing that only people are told.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::project::installed;
use super::{TestContext, output};

/// The one document that a command writes, and its code.
fn answer(context: &TestContext, arguments: &[&str]) -> (Option<i32>, Value) {
    let done = output(context.skillyard().args(arguments).arg("--json"));
    let document = serde_json::from_slice(&done.stdout);
    (
        done.status.code(),
        document.expect("stdout is one document"),
    )
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn what_is_told_of_a_change_has_the_same_names_everywhere() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--yes"]);
    context.good(&["deprecate", "pdf", "use forms"]);
    let install = ["install", "pdf", "--yes", "--scope", "user"];
    let deprecated = json!([{ "name": "pdf", "instead": "use forms" }]);
    let check = |arguments: &[&str], is_checked: bool| {
        let (code, told) = answer(&context, arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {told}");
        assert_eq!(told["deprecated"], deprecated, "{arguments:?}: {told}");
        let warning = "`pdf` is deprecated: use forms";
        assert_eq!(told["warnings"], json!([warning]), "{arguments:?}: {told}");
        for name in ["revoked", "withdrawn", "held_back"] {
            assert_eq!(told[name], json!([]), "{arguments:?}: {told}");
        }
        if is_checked {
            let checked = &told["checked"][0];
            assert_eq!(checked["name"], "pdf", "{arguments:?}: {told}");
            assert_eq!(checked["left_out"], json!([]));
            let digest = told["changes"][0]["to"]["digest"].as_str().unwrap();
            assert!(digest.starts_with("sha256:"), "{told}");
        }
        told
    };
    let dry = check(&[&install[..], &["--dry-run"]].concat(), true);
    let installed = check(&install, true);
    let updated = check(&["update", "--scope", "user"], false);
    // What the lock names is fetched, and looked at, once more.
    for folder in [".agents/skills/pdf", ".skillyard/store"] {
        std::fs::remove_dir_all(context.in_home(folder)).unwrap();
    }
    let synced = check(&["sync", "--scope", "user", "--yes"], true);
    assert_eq!(keys(&dry), keys(&installed));
    for told in [&updated, &synced] {
        let missing: Vec<_> = keys(&dry).difference(&keys(told)).copied().collect();
        // Only who installs something new is told whether it will be used.
        assert_eq!(missing, ["unused"]);
    }

    context.good(&["yank", "pdf@1.0.0", "--reason", "deletes files"]);
    for folder in [".agents/skills/pdf", ".skillyard/store"] {
        std::fs::remove_dir_all(context.in_home(folder)).unwrap();
    }
    let (_, told) = answer(&context, &["sync", "--scope", "user", "--yes"]);
    assert_eq!(told["withdrawn"][0]["reason"], "deletes files", "{told}");
}

#[test]
fn what_is_published_is_told_as_what_would_be() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    context.write("pdf/.DS_Store", "x");
    let (_, would) = answer(&context, &["publish", "pdf", "--dry-run"]);
    assert_eq!(would["dry_run"], true);
    let publish = ["publish", "pdf", "--yes"];
    let (code, told) = answer(&context, &publish);
    assert_eq!((code, &told["published"]), (Some(0), &json!(true)));
    assert_eq!(told["dry_run"], false);
    assert_eq!(told["yanked"], false);
    for name in [
        "name", "version", "digest", "tree", "size", "files", "signer",
    ] {
        assert_eq!(told[name], would[name], "{name}");
    }
    for name in ["findings", "may_hold_secrets", "warnings"] {
        assert_eq!(
            (&told[name], &would[name]),
            (&json!([]), &json!([])),
            "{name}"
        );
    }
    assert_eq!(told["left_out"], json!([".DS_Store"]));

    // The same files again do not offer it again.
    context.good(&["yank", "pdf@1.0.0", "--reason", "deletes files"]);
    let (code, told) = answer(&context, &publish);
    assert_eq!((code, &told["published"]), (Some(0), &json!(false)));
    assert_eq!(told["yanked"], true);
    assert_eq!(told["yank_reason"], "deletes files");
    let said = context.good(&publish);
    let hint = "`skillyard yank pdf@1.0.0 --undo`";
    assert!(
        said.contains("was withdrawn") && said.contains(hint),
        "{said}"
    );

    context.write("pdf/more.md", "More.\n");
    let (code, told) = answer(&context, &publish);
    assert_eq!(code, Some(1));
    assert_eq!(keys(&told), BTreeSet::from(["error"]));
}

#[test]
fn a_check_of_sync_has_the_keys_of_sync() {
    let context = installed();
    let (_, whole) = answer(&context, &["sync"]);
    let (_, check) = answer(&context, &["sync", "--check"]);
    assert_eq!(keys(&check), keys(&whole));
    assert!(keys(&whole).is_superset(&BTreeSet::from(["checked", "older", "stale"])));
}
