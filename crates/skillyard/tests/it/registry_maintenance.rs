//! Looking after a registry: a wrong address never looks like a registry in which all is well.

use std::path::Path;

use super::TestContext;

/// How many files are below a folder.
fn files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let count = entries.map(|entry| match entry.path() {
        path if path.is_dir() => files(&path),
        _ => 1,
    });
    count.sum()
}

#[test]
fn whoever_only_looks_makes_no_registry() {
    let context = TestContext::new();
    let home = context.root().join("fresh");
    std::fs::write(context.root().join("empty.db"), "").unwrap();
    let verbs: [&[&str]; 8] = [
        &["verify"],
        &["gc"],
        &["backup", "copy"],
        &["export-static", "public"],
        &["token", "list"],
        &["token", "revoke", "x"],
        &["name", "list"],
        &["name", "allow", "pdf", "--user", "ada"],
    ];
    let places: [&[&str]; 4] = [
        &[],
        &["--database", "sqlite:typo.db"],
        &["--database", "sqlite:typo.db?mode=rwc"],
        &["--database", "sqlite:empty.db"],
    ];
    for verb in verbs {
        for place in places {
            let arguments = [&["registry"], verb, place].concat();
            let mut command = context.skillyard();
            let command = command.env("SKILLYARD_HOME", &home).args(&arguments);
            let done = super::output(command);
            let said = super::text(&done.stderr);
            assert_eq!(done.status.code(), Some(2), "{arguments:?}: {said}");
            assert!(
                said.contains("there is no registry in the database"),
                "{arguments:?}: {said}"
            );
        }
    }
    for made in ["typo.db", "copy", "public", "fresh/registry"] {
        assert!(!context.root().join(made).exists(), "{made}");
    }
    assert_eq!(std::fs::read(context.root().join("empty.db")).unwrap(), b"");
}

#[test]
fn archives_of_another_registry_are_not_removed() {
    let context = TestContext::new();
    let _server = context.with_registry();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
    }
    let blobs = context.folder.path().join("home/.skillyard/registry/blobs");
    let archives = blobs.to_str().unwrap();
    let foreign = ["--database", "sqlite:other.db", "--blobs", archives];
    let create = [
        "registry", "token", "create", "--user", "bob", "--scope", "read",
    ];
    context.good(&[&create[..], &foreign[..2]].concat());
    let collect = ["registry", "gc", "--older-than", "0"];
    let said = context.bad(&[&collect[..], &foreign].concat());
    assert!(said.contains("3 of the 3 archives"), "{said}");
    assert!(said.contains("`--force`"), "{said}");
    assert_eq!(files(&blobs), 3);
    // What was broken off goes, as ever.
    let left = blobs.join("sha256/00").join("0".repeat(62));
    std::fs::create_dir_all(left.parent().unwrap()).unwrap();
    std::fs::write(&left, "half").unwrap();
    assert_eq!(
        context.json(&[&collect[..], &["--json"]].concat())["removed"],
        1
    );
    assert_eq!(files(&blobs), 3);
    // A copy is for whoever knows what it is.
    context.good(&[&collect[..], &foreign, &["--force"]].concat());
    assert_eq!(files(&blobs), 0);
}

#[test]
fn a_key_that_is_not_there_is_told_as_such() {
    let context = TestContext::new();
    let serve = ["registry", "serve", "--port", "0", "--log-key", "none.pem"];
    let done = super::output(context.skillyard().args(serve));
    let said = super::text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot read"), "{said}");
    assert!(said.contains("No such file"), "{said}");
}

#[test]
fn what_cannot_be_copied_makes_no_registry() {
    let context = TestContext::new();
    for command in [
        ["registry", "restore", "nowhere"],
        ["registry", "mirror", "http://127.0.0.1:1"],
    ] {
        let done = super::output(context.skillyard().args(command));
        assert!(!done.status.success(), "{command:?}");
        let verify = super::output(context.skillyard().args(["registry", "verify"]));
        let said = super::text(&verify.stderr);
        assert_eq!(verify.status.code(), Some(2), "{command:?}: {said}");
        assert!(said.contains("there is no registry"), "{command:?}: {said}");
    }
}
