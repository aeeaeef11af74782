//! What can be done with a registry that cannot be reached.

use super::TestContext;

#[test]
fn what_was_seen_is_found_and_installed_offline() {
    let context = TestContext::new();
    let server = context.with_registry();
    for version in ["1.0.0", "1.1.0"] {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
    }
    context.good(&["search", "pdf", "--registry"]);
    context.good(&["install", "pdf@1.0", "--scope", "project", "--yes"]);
    context.good(&["remove", "pdf", "--scope", "project"]);
    drop(server);

    let said = context.good(&["search", "forms", "--offline"]);
    assert!(
        said.contains("+ pdf  1.1.0") && said.contains("offline: among 1 skills"),
        "{said}"
    );
    assert!(said.contains("just now"), "{said}");
    let none = super::output(context.skillyard().args(["search", "zebra", "--offline"]));
    assert_eq!(none.status.code(), Some(1));

    // What is in the store is installed; what was only seen is not.
    let said = context.good(&[
        "install",
        "pdf@1.0",
        "--scope",
        "project",
        "--offline",
        "--yes",
    ]);
    assert!(
        said.contains("offline: `pdf` as it was seen just now"),
        "{said}"
    );
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.0.0.")
    );
    assert!(
        context
            .read("skills.lock")
            .contains("origin = \"registry\"")
    );
    let said = context.bad(&[
        "install",
        "pdf@1.1",
        "--scope",
        "user",
        "--offline",
        "--yes",
    ]);
    assert!(said.contains("`pdf@1.1.0` is not in the store"), "{said}");
    let said = context.bad(&["install", "csv", "--offline", "--yes"]);
    assert!(said.contains("was never seen"), "{said}");
    let said = context.bad(&["install", "acme/skills/pdf", "--offline", "--yes"]);
    assert!(said.contains("nothing may be fetched"), "{said}");

    // Bytes in the store that somebody changed are no longer what was published.
    let store = context.folder.path().join("home/.skillyard/store/packs");
    for pack in std::fs::read_dir(&store).unwrap() {
        let pack = pack.unwrap().path();
        let bytes = std::fs::read(&pack).unwrap();
        std::fs::remove_file(&pack).unwrap();
        std::fs::write(
            &pack,
            String::from_utf8_lossy(&bytes).replace("This", "That"),
        )
        .unwrap();
    }
    let said = context.bad(&[
        "install",
        "pdf@1.0",
        "--scope",
        "user",
        "--offline",
        "--yes",
    ]);
    assert!(said.contains("is not in the store"), "{said}");
}
