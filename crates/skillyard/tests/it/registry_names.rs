//! Namespaces, roles, tags and tokens, from the side of those who use them.

use serde_json::{Value, json};

use super::TestContext;

impl TestContext {
    fn as_user(&self, user: &str) -> &Self {
        let made = self.json(&[
            "registry",
            "token",
            "create",
            "--user",
            user,
            "--json",
            "--scope",
            "publish,yank,owners,tokens",
        ]);
        self.good(&["login", "--token", made["token"].as_str().unwrap()]);
        self
    }
}

#[test]
fn a_skill_in_a_namespace_is_published_installed_locked_and_updated() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    let said = context.bad(&["publish", "pdf", "--namespace", "acme", "--yes"]);
    assert!(said.contains("`skillyard owner create @acme`"), "{said}");
    let said = context.good(&["owner", "create", "@acme"]);
    assert!(said.contains("`@acme` is there now"), "{said}");
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        context.write_version("pdf", "pdf", version);
        let said = context.good(&["publish", "pdf", "--namespace", "acme", "--yes"]);
        assert!(said.contains(&format!(" + @acme/pdf@{version}")), "{said}");
    }
    // Another one has the bare name, and nobody mixes them up.
    context.write_version("pdf", "pdf", "9.0.0");
    context.good(&["publish", "pdf", "--yes"]);

    context.good(&["install", "@acme/pdf@^1", "--scope", "project", "--yes"]);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.1.0.")
    );
    let lock = context.read("skills.lock");
    assert!(
        lock.contains("source = \"@acme/pdf\"") && lock.contains("requested = \"^1\""),
        "{lock}"
    );
    assert!(context.read("skills.toml").contains("@acme/pdf@^1"));
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.folder.path().join("home/.skillyard/store")).unwrap();
    context.good(&["sync", "--locked"]);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.1.0.")
    );
    context.write_version("pdf", "pdf", "1.2.0");
    context.good(&["publish", "pdf", "--namespace", "@acme", "--yes"]);
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["outdated"][0]["available"]["version"], "1.2.0");
    context.good(&["update", "--yes"]);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.2.0.")
    );

    context.good(&["yank", "@acme/pdf@1.2.0", "--reason", "broken"]);
    context.good(&["deprecate", "@acme/pdf", "use pdf"]);
    let found = context.json(&["search", "pdf", "--owner", "@acme", "--json"]);
    let found = found["results"].as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["name"], &found[0]["deprecated"]),
        (&json!("@acme/pdf"), &json!("use pdf"))
    );
    for (flags, count) in [
        (&["--license", "MIT"][..], 0),
        (&["--scripts"], 0),
        (&["--no-scripts"], 2),
        (&["--signed"], 0),
        (&["--tag", "none-has-this"], 0),
    ] {
        let arguments = [&["search", "pdf", "--json"], flags].concat();
        let found = super::output(context.skillyard().args(&arguments));
        let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!(
            found["results"].as_array().unwrap().len(),
            count,
            "{flags:?}"
        );
    }
    for bad in ["@acme", "@acme/", "@Acme/pdf", "@/pdf", "@acme/pdf/x"] {
        let said = super::output(context.skillyard().args(["install", bad, "--yes"]));
        assert_eq!(said.status.code(), Some(2), "{bad}");
    }
    let said = context.bad(&["install", "@nobody/pdf", "--yes"]);
    assert!(said.contains("has no skill `@nobody/pdf`"), "{said}");
}

#[test]
fn what_is_not_released_is_offered_by_its_version() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0-rc.1");
    context.good(&["publish", "pdf", "--yes"]);
    let told = context.tell(&["search", "pdf"]);
    let hint = "`skillyard install pdf@1.0.0-rc.1`";
    assert!(told.contains(hint), "{told}");
    let install = ["install", "pdf@1.0.0-rc.1", "--scope", "project", "--yes"];
    context.good(&install);
}

#[test]
fn tags_choose_versions() {
    let context = TestContext::new();
    let _server = context.with_registry();
    for version in ["1.0.0", "1.1.0"] {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
    }
    context.write_version("pdf", "pdf", "2.0.0-rc.1");
    context.good(&["publish", "pdf", "--tag", "beta", "--yes"]);
    assert_eq!(
        context.good(&["tag", "list", "pdf"]),
        "beta  2.0.0-rc.1\nlatest  1.1.0\n"
    );
    let install = |reference: &str| {
        context.good(&[
            "install", reference, "--scope", "project", "--yes", "--force",
        ]);
        context.read(".agents/skills/pdf/SKILL.md")
    };
    assert!(install("pdf@beta").contains("This is 2.0.0-rc.1."));
    assert!(context.read("skills.lock").contains("requested = \"beta\""));
    // When the tag moves, so does whoever follows it.
    context.write_version("pdf", "pdf", "2.0.0-rc.2");
    context.good(&["publish", "pdf", "--tag", "beta", "--yes"]);
    context.good(&["update", "--yes"]);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 2.0.0-rc.2.")
    );
    assert!(install("pdf").contains("This is 1.1.0."));
    context.good(&["tag", "set", "pdf@1.0.0", "latest"]);
    assert!(install("pdf").contains("This is 1.0.0."));
    context.good(&["tag", "remove", "pdf", "latest"]);
    assert!(install("pdf").contains("This is 1.1.0."));
    let said = context.bad(&["install", "pdf@nightly", "--yes"]);
    assert!(said.contains("no version that fits `nightly`"), "{said}");
    let said = context.bad(&["tag", "remove", "pdf", "nightly"]);
    assert!(said.contains("has no tag `nightly`"), "{said}");
    let said = super::output(context.skillyard().args(["tag", "set", "pdf@1.0.0", "v2"]));
    assert_eq!(said.status.code(), Some(2));
}

#[test]
fn roles_are_given_and_things_change_hands() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.as_user("ada").good(&["owner", "create", "@acme"]);
    context.token("grace");
    context.good(&["owner", "add", "@acme", "grace", "--role", "publisher"]);
    assert_eq!(
        context.good(&["owner", "list", "@acme"]),
        "ada  owner\ngrace  publisher\n"
    );
    context.write_version("pdf", "pdf", "1.0.0");
    context
        .as_user("grace")
        .good(&["publish", "pdf", "--namespace", "acme", "--yes"]);
    let said = context.bad(&["yank", "@acme/pdf@1.0.0"]);
    assert!(
        said.contains("`grace` is publisher of `@acme/pdf`, and this is for a maintainer"),
        "{said}"
    );
    context
        .as_user("ada")
        .good(&["owner", "transfer", "@acme", "grace"]);
    let offers = context
        .as_user("grace")
        .json(&["owner", "offers", "--json"]);
    assert_eq!(offers["offers"][0]["subject"], "@acme");
    context.good(&["owner", "accept", "@acme"]);
    assert_eq!(context.good(&["owner", "list", "@acme"]), "grace\n");
    let said = context.bad(&["owner", "remove", "@acme", "grace"]);
    assert!(said.contains("would have no owner left"), "{said}");
    let said = context
        .as_user("eve")
        .bad(&["publish", "pdf", "--namespace", "acme", "--yes"]);
    assert!(said.contains("does not own"), "{said}");
}

#[test]
fn people_make_their_own_tokens() {
    let context = TestContext::new();
    let server = context.with_registry();
    context.as_user("ada");
    let made = context.json(&[
        "token",
        "create",
        "--scope",
        "publish:pdf*",
        "--days",
        "7",
        "--label",
        "ci",
        "--json",
    ]);
    let listed = context.json(&["token", "list", "--json"]);
    let ci = listed["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["label"] == "ci");
    assert_eq!(ci.unwrap()["id"], made["id"]);
    let said = context.good(&["token", "list"]);
    assert!(!said.contains(made["token"].as_str().unwrap()), "{said}");
    let said = context.bad(&["token", "create", "--scope", "tokens,read,everything"]);
    assert!(said.contains("is no scope"), "{said}");

    // Another registry with its own token, under an alias.
    context.good(&["config", "set", "sources.ci.url", &server.url]);
    let token = made["token"].as_str().unwrap();
    context.good(&["login", "--registry", "ci", "--token", token]);
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--registry", "ci", "--yes"]);
    context.write_version("csv", "csv", "1.0.0");
    let said = context.bad(&["publish", "csv", "--registry", "ci", "--yes"]);
    assert!(
        said.contains("does not allow `publish` for `csv`"),
        "{said}"
    );
    let said = context.bad(&["token", "list", "--registry", "ci"]);
    assert!(said.contains("does not allow `tokens`\n"), "{said}");
    assert!(
        said.contains("a token that has the scope `tokens`"),
        "{said}"
    );
    context.good(&["install", "ci:pdf", "--scope", "project", "--yes"]);
    context.good(&["token", "revoke", made["id"].as_str().unwrap()]);
    context.write_version("pdf", "pdf", "1.1.0");
    let said = context.bad(&["publish", "pdf", "--registry", "ci", "--yes"]);
    assert!(said.contains("wants a token, or refuses"), "{said}");
    let hint = "hint: Log in with `skillyard login --registry ci --token TOKEN`\n";
    assert!(said.contains(hint), "{said}");
    let said = context.bad(&["login", "--registry", "ci", "--token", token]);
    assert!(said.contains("refuses this token"), "{said}");
    context.good(&["logout", "--registry", "ci"]);
    assert_eq!(context.good(&["whoami"]), "ada\n");

    // What a token made ends with it, and is named.
    let made = context.json(&["token", "create", "--scope", "read", "--json"]);
    let listed = context.json(&["token", "list", "--json"]);
    let mut tokens = listed["tokens"].as_array().unwrap().iter();
    let own = tokens.find(|each| each["current"] == true).unwrap();
    let (own, made) = (own["id"].as_str().unwrap(), made["id"].as_str().unwrap());
    let said = context.good(&["registry", "token", "revoke", own]);
    let note = "It is refused from now on, with 1 token that it had made\n";
    assert_eq!(said, format!(" - {own}\n - {made}\n{note}"));
}

#[test]
fn a_name_near_a_popular_one_waits_for_whoever_runs_the_registry() {
    let context = TestContext::new();
    let server = super::registry::Server::start_with(&context, &["--port", "0", "--popular", "1"]);
    context.good(&["config", "set", "registry.url", &server.url]);
    context.as_user("ada");
    context.write_version("pdf-tools", "pdf-tools", "1.0.0");
    context.good(&["publish", "pdf-tools", "--yes"]);
    context.good(&["install", "pdf-tools", "--scope", "project", "--yes"]);
    context.write_version("pdf-toolz", "pdf-toolz", "1.0.0");
    let publish = ["publish", "pdf-toolz", "--yes"];
    // A download is counted a moment after it was answered.
    let counted = || {
        let found = context.json(&["search", "pdf-tools", "--registry", "--json"]);
        found["results"][0]["downloads"] != json!(0)
    };
    let start = std::time::Instant::now();
    while !counted() && start.elapsed() < std::time::Duration::from_secs(20) {
        // The picture that is searched is made anew after a change.
        context.good(&["deprecate", "pdf-tools", "use it"]);
    }
    context.as_user("eve");
    let said = context.bad(&publish);
    assert!(said.contains("one letter from `pdf-tools`"), "{said}");
    let held = context.json(&["registry", "name", "list", "--json"]);
    assert_eq!(
        (&held["names"][0]["name"], &held["names"][0]["user"]),
        (&json!("pdf-toolz"), &json!("eve"))
    );
    let said = context.bad(&[
        "registry",
        "name",
        "allow",
        "pdf-toolz",
        "--user",
        "mallory",
    ]);
    assert!(said.contains("nobody asked"), "{said}");
    context.good(&["registry", "name", "allow", "pdf-toolz", "--user", "eve"]);
    let log = context.json(&[
        "audit",
        "log",
        "--event",
        "registry.owners_changed",
        "--json",
    ]);
    let events = log["events"].as_array().unwrap();
    let is_told =
        |event: &Value| event["skill"] == "pdf-toolz" && event["detail"]["account"] == "eve";
    assert!(events.iter().any(is_told), "{log}");
    context.good(&publish);
}

#[test]
fn a_name_of_another_script_is_published_found_and_installed() {
    let context = TestContext::new();
    let _server = context.with_registry();
    for name in ["表格", "größen", "навык"] {
        context.write_version(name, name, "1.0.0");
        context.good(&["publish", name, "--yes"]);
        let found = context.json(&["search", name, "--json"]);
        assert_eq!(found["results"][0]["name"], name, "{found}");
        context.good(&["install", name, "--scope", "project", "--yes"]);
        assert!(
            context
                .read(&format!(".agents/skills/{name}/SKILL.md"))
                .contains("This is 1.0.0.")
        );
    }
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.folder.path().join("home/.skillyard/store")).unwrap();
    context.good(&["sync", "--locked"]);
    // One that only looks like plain letters is neither published nor asked for.
    context.write_version("рау", "рау", "1.0.0");
    assert_eq!(context.code(&["publish", "рау", "--yes"]), Some(1));
}
