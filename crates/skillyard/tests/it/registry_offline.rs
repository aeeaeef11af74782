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
        said.contains("+ pdf  1.1.0") && said.contains("offline: among 1 skill of"),
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
    assert!(
        said.contains("hint: Run it once without `--offline`"),
        "{said}"
    );
    let said = context.bad(&["install", "acme/skills/pdf", "--offline", "--yes"]);
    assert!(said.contains("nothing may be fetched"), "{said}");

    // Bytes in the store that somebody changed are no longer what was published.
    let store = context.folder.path().join("home/.skillyard/store/archives");
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

#[test]
fn what_is_here_in_the_store_and_in_every_registry_is_searched_offline() {
    let context = TestContext::new();
    // Nothing is needed to search what is here.
    context.skill(
        "../home/.agents/skills/mine",
        "Fills forms by hand. Use when asked.",
    );
    let said = context.good(&["search", "forms", "--offline"]);
    assert!(said.contains("✓ mine"), "{said}");
    assert!(said.contains("offline: nobody was asked"), "{said}");

    let server = context.with_registry();
    for name in ["pdf", "csv"] {
        context.write_version(name, name, "1.0.0");
        context.good(&["publish", name, "--yes"]);
    }
    // It was installed and never searched, so only its index was seen.
    context.good(&["install", "pdf", "--scope", "project", "--yes"]);
    context.good(&["remove", "pdf", "--scope", "project"]);
    drop(server);
    let url = "https://skills.example.com";
    context.good(&["config", "set", "sources.acme.url", url]);
    context.good(&["config", "set", "sources.acme.type", "registry"]);
    let said = context.good(&["search", "pdf", "--offline"]);
    assert!(said.contains("+ pdf  1.0.0"), "{said}");
    assert!(said.contains("· pdf  in the store"), "{said}");
    assert!(
        said.contains("no skill of https://skills.example.com"),
        "{said}"
    );
    assert!(!said.contains("csv"), "{said}");
    let found = context.json(&["search", "pdf", "--offline", "--json"]);
    let of_pdf = found["results"].as_array().unwrap().iter();
    let of_pdf = of_pdf.filter(|each| each["name"] == "pdf");
    let sources: Vec<&str> = of_pdf
        .map(|each| each["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["registry", "store"], "{found}");
    assert_eq!(found["unseen"], serde_json::json!([url]), "{found}");
    // Who names a registry means that one.
    let none =
        super::output(
            context
                .skillyard()
                .args(["search", "pdf", "--offline", "--from", "acme"]),
        );
    assert_eq!(none.status.code(), Some(1));
    assert!(!super::text(&none.stdout).contains("pdf"));
}
