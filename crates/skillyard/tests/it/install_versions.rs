//! Skills that need others in certain versions: what one command takes, the next ones keep to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use insta::assert_snapshot;
use serde_json::json;
use skillyard_format::Digest;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::TestContext;
use crate::project::project;
use crate::servers::http::{Reply, Server};

/// Archives by `name@version`.
pub(crate) type Shelf = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

pub(crate) fn put(shelf: &Shelf, id: &str, requires: &str) {
    let (name, version) = id.split_once('@').unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: Use when {name}.\nmetadata:\n  skillyard.requires-skills: \"{requires}\"\n---\n\n{version}\n"
    );
    let file = PackFile {
        path: &format!("{name}/SKILL.md"),
        mode: Mode::Plain,
        content: text.as_bytes(),
    };
    let archive = pack(&[file], PackFormat::TarGz, &Limits::skill()).unwrap();
    shelf.lock().unwrap().insert(id.to_owned(), archive);
}

/// A registry of what is on a shelf, which other requests may be answered by before it.
pub(crate) fn registry(shelf: &Shelf) -> Server {
    let shelf = Arc::clone(shelf);
    Server::start(move |asked| {
        let shelf = shelf.lock().unwrap();
        let parts: Vec<&str> = asked.path().trim_start_matches('/').split('/').collect();
        match parts[..] {
            ["index", .., name] => {
                let of_name = shelf
                    .iter()
                    .filter(|(id, _)| id.split_once('@').unwrap().0 == name);
                let lines: Vec<String> = of_name
                    .map(|(id, bytes)| {
                        let version = id.split_once('@').unwrap().1;
                        let digest = Digest::of(bytes).to_string();
                        // `2.0.0-beta.1` has the tag `beta`.
                        let tag = version.split(['-', '.']).nth(3).into_iter();
                        let tags: Vec<&str> = tag.collect();
                        let line = json!({ "name": name, "version": version, "digest": digest, "dist_tags": tags });
                        format!("{line}\n")
                    })
                    .collect();
                if lines.is_empty() {
                    Reply::status(404)
                } else {
                    Reply::ok(lines.concat())
                }
            }
            ["skills"] => Reply::json(&json!({ "skills": [], "total": 0 })),
            ["skills", name, version, "download"] => {
                let found = shelf.get(&format!("{name}@{version}"));
                found.map_or(Reply::status(404), |bytes| Reply::ok(bytes.clone()))
            }
            _ => Reply::status(404),
        }
    })
}

/// A project, and a registry with `lib` in three versions and who needs which of them.
pub(crate) fn libraries() -> (TestContext, Server, Shelf) {
    let shelf = Shelf::default();
    for (id, requires) in [
        ("lib@1.0.0", ""),
        ("lib@1.5.0", ""),
        ("lib@2.0.0", ""),
        ("loose@1.0.0", "lib@>=1"),
        ("tool@1.0.0", "lib@^1"),
        ("apps@1.0.0", "lib@^2"),
    ] {
        put(&shelf, id, requires);
    }
    let server = registry(&shelf);
    let context = project();
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    (context, server, shelf)
}

#[test]
fn what_is_installed_keeps_the_versions_it_needs() {
    let (context, _server, shelf) = libraries();
    context.done(&["install", "tool", "--yes"]);
    assert!(
        context
            .read("skills.lock")
            .contains("requires = [\"lib@^1\"]")
    );
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    assert_snapshot!(context.refused(&["install", "apps", "--yes"]), @r"
    error: `lib` cannot be had in a version that fits all who want it: `apps` needs `^2`, `tool` needs `^1`
      Caused by: `lib` has no version that fits `^1,^2`; the highest are 2.0.0, 1.5.0, 1.0.0

    hint: Ask for another version of one of them, or remove one with `skillyard remove NAME`
    ");
    assert_snapshot!(context.refused(&["install", "lib@2", "--yes"]), @r"
    error: `lib` cannot be had in a version that fits all who want it: `tool` needs `^1`, you ask for `2`
      Caused by: `lib` has no version that fits `2,^1`; the highest are 2.0.0, 1.5.0, 1.0.0

    hint: Ask for another version of one of them, or remove one with `skillyard remove NAME`
    ");
    // Who leaves the choice gets what the others can live with.
    context.done(&["install", "loose", "--yes"]);
    context.done(&["install", "lib", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    assert!(context.read("skills.toml").contains("lib = \"lib\""));
    for command in [
        &["update", "--yes"][..],
        &["update", "lib", "--yes"],
        &["outdated"],
    ] {
        context.done(command);
        assert_eq!(
            context.version_of("lib").as_deref(),
            Some("1.5.0"),
            "{command:?}"
        );
    }
    context.done(&["sync", "--locked", "--check"]);
    // What needs something else from now on gets it.
    put(&shelf, "tool@1.1.0", "lib@^2");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
    context.done(&["install", "apps", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn the_question_names_what_changes_along() {
    let (context, _server, shelf) = libraries();
    context.done(&["install", "loose", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
    // Nobody is there to answer, so nothing happens.
    let told = context.refused(&["install", "tool"]);
    let along =
        "Of the skills that are there, this changes:\n ~ lib  2.0.0 → 1.5.0, which is older\n";
    assert!(told.contains(along), "{told}");
    put(&shelf, "loose@1.1.0", "");
    let told = context.refused(&["update"]);
    assert!(told.contains("\n - lib\n"), "{told}");
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
}

#[test]
fn what_the_project_asks_for_itself_is_kept_to() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "lib@^1", "--yes"]);
    let told = context.refused(&["install", "apps", "--yes"]);
    assert!(
        told.contains("`apps` needs `^2`, skills.toml asks for `^1`"),
        "{told}"
    );
    // Also where it was written by hand and not locked yet.
    let (context, _server, _shelf) = libraries();
    context.write("skills.toml", "[skills]\nlib = \"lib@^1\"\n");
    let told = context.refused(&["install", "apps", "--yes"]);
    assert!(told.contains("skills.toml asks for `^1`"), "{told}");
    context.done(&["install", "loose", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    context.done(&["sync"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn the_order_does_not_decide() {
    for order in [["loose", "tool"], ["tool", "loose"]] {
        let (context, _server, _shelf) = libraries();
        context.done(&["install", order[0], order[1], "--yes"]);
        assert_eq!(
            context.version_of("lib").as_deref(),
            Some("1.5.0"),
            "{order:?}"
        );
        let (context, _server, _shelf) = libraries();
        context.done(&["install", order[0], "--yes"]);
        context.done(&["install", order[1], "--yes"]);
        assert_eq!(
            context.version_of("lib").as_deref(),
            Some("1.5.0"),
            "{order:?}"
        );
        context.done(&["update", "loose", "--yes"]);
        assert_eq!(
            context.version_of("lib").as_deref(),
            Some("1.5.0"),
            "{order:?}"
        );
    }
}

#[test]
fn an_older_lock_that_names_no_versions_is_read() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "tool", "--yes"]);
    let lock = context.read("skills.lock");
    context.write("skills.lock", lock.replace("lib@^1", "lib"));
    context.done(&["sync", "--locked", "--check"]);
    context.done(&["why", "lib"]);
    context.done(&["update", "--yes"]);
    assert_eq!(context.read("skills.lock"), lock);
}

#[test]
fn what_cannot_be_updated_does_not_keep_the_rest_back() {
    let (context, _server, shelf) = libraries();
    put(&shelf, "notes@1.0.0", "");
    context.done(&["install", "tool", "notes", "--yes"]);
    // One needs what is not there, another what does not go together with the first.
    put(&shelf, "draw@1.0.0", "");
    put(&shelf, "paint@1.0.0", "");
    context.done(&["install", "draw", "paint", "--yes"]);
    put(&shelf, "draw@1.1.0", "ghost");
    put(&shelf, "paint@1.1.0", "lib@^2");
    put(&shelf, "notes@1.1.0", "");
    let answer = context.json(&["update", "--yes", "--json"]);
    assert_eq!(answer["changes"][0]["name"], "notes");
    assert_eq!(context.version_of("notes").as_deref(), Some("1.1.0"));
    assert_eq!(context.version_of("draw").as_deref(), Some("1.0.0"));
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    let failed = answer["failed"].as_array().unwrap();
    let names: Vec<_> = failed.iter().map(|each| &each["name"]).collect();
    assert_eq!(names, ["draw"]);
    assert_eq!(answer["held_back"][0]["name"], "paint");
    let told = context.refused(&["update", "--yes"]);
    assert!(told.contains(" ! draw: `draw` needs `ghost`"), "{told}");
    // Who asks for one alone is told why as ever.
    let told = context.refused(&["update", "draw", "--yes"]);
    assert!(told.starts_with("error: `draw` needs `ghost`"), "{told}");
}

#[test]
fn an_older_version_is_taken_where_the_newest_does_not_go_together() {
    let (context, _server, shelf) = libraries();
    put(&shelf, "tool@1.1.0", "lib@^1");
    put(&shelf, "tool@1.2.0", "lib@^2");
    put(&shelf, "kit@1.0.0", "lib@^1");
    let command = ["install", "kit", "tool@^1", "--yes"];
    let reason = "`lib` cannot be had in a version that fits all who want it: `kit` needs `^1`, `tool` needs `^2`";
    let answer = context.json(&[&command[..], &["--dry-run", "--json"]].concat());
    let held_back =
        json!([{ "name": "tool", "version": "1.1.0", "newest": "1.2.0", "reason": reason }]);
    assert_eq!(answer["held_back"], held_back);
    let told = context.done(&command);
    let line = format!(" ! tool: 1.1.0 is taken, not 1.2.0: {reason}\n");
    assert!(told.starts_with(&line), "{told}");
    assert!(told.contains("\n + tool  tool 1.1.0\n"), "{told}");
    assert_snapshot!(context.read("skills.toml"), @r#"
    [skills]
    kit = "kit"
    tool = "tool@^1"
    "#);
    assert_eq!(context.version_of("tool").as_deref(), Some("1.1.0"));
    context.done(&["sync", "--locked", "--check"]);
    // What comes later gets in nobody's way either.
    put(&shelf, "tool@1.3.0", "lib@^2");
    assert_snapshot!(context.done(&["update", "--yes"]), @r"
     ! tool: 1.1.0 is taken, not 1.3.0: `lib` cannot be had in a version that fits all who want it: `kit` needs `^1`, `tool` needs `^2`
    Already up to date: 3 skills (project scope) in [TIME]
    ");
    // What an update does not bring is not offered.
    let told = context.done(&["outdated"]);
    assert!(
        told.contains(" ! tool: 1.1.0 is taken, not 1.3.0"),
        "{told}"
    );
    let answer = context.json(&["outdated", "--json"]);
    assert_eq!(answer["outdated"], json!([]));
    assert_eq!(answer["held_back"][0]["name"], "tool");
    let answer = context.json(&["update", "tool", "--yes", "--json"]);
    assert_eq!(answer["held_back"][0]["newest"], "1.3.0");
    assert_eq!(answer["changes"], json!([]));
    // Once nothing stands against it, it comes.
    put(&shelf, "kit@1.1.0", "lib@>=1");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("tool").as_deref(), Some("1.3.0"));
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
}

/// A project with a registry of its own, and the default one, which is somebody else's.
fn two_registries() -> (TestContext, [Server; 2], [Shelf; 2]) {
    let shelves = [Shelf::default(), Shelf::default()];
    let [own, public] = &shelves;
    put(own, "lead@1.0.0", "helper");
    put(own, "helper@1.0.0", "");
    put(public, "helper@9.0.0", "");
    put(public, "ghost@1.0.0", "");
    put(public, "show@1.0.0", "helper");
    let servers = [registry(own), registry(public)];
    let context = project();
    context.configure(&format!(
        "[sources.corp]\nurl = \"{}\"\n[registry]\nurl = \"{}\"\n",
        servers[0].url(""),
        servers[1].url("")
    ));
    (context, servers, shelves)
}

#[test]
fn a_name_is_one_of_the_registry_that_the_skill_is_of() {
    let (context, servers, [own, _]) = two_registries();
    context.done(&["install", "corp:lead", "--yes"]);
    assert_eq!(context.version_of("helper").as_deref(), Some("1.0.0"));
    assert!(context.read("skills.lock").contains("\"corp:helper\""));
    assert!(servers[1].asked().is_empty());
    context.done(&["outdated"]);
    context.done(&["update", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
    // What is not there is not looked for elsewhere.
    put(&own, "needy@1.0.0", "ghost");
    let told = context.refused(&["install", "corp:needy", "--yes"]);
    assert!(told.contains("`needy` needs `ghost`"), "{told}");
    // Nor does it need a default registry.
    context.done(&["remove", "lead"]);
    context.configure(&format!(
        "[sources.corp]\nurl = \"{}\"\n",
        servers[0].url("")
    ));
    context.done(&["install", "corp:lead", "--yes"]);
    assert_eq!(context.version_of("helper").as_deref(), Some("1.0.0"));
}

#[test]
fn skills_of_two_registries_each_mean_their_own() {
    for order in [["corp:lead", "show"], ["show", "corp:lead"]] {
        let (context, _servers, _shelves) = two_registries();
        let told = context.refused(&["install", order[0], order[1], "--yes"]);
        assert!(
            told.contains("`helper` is needed from two sources"),
            "{told}"
        );
        assert!(told.contains("`corp:helper` (1.0.0)"), "{told}");
        assert!(told.contains("`helper` (9.0.0)"), "{told}");
        context.nothing_left();
    }
}

#[test]
fn a_skill_can_name_the_default_registry() {
    let (context, _servers, [own, _]) = two_registries();
    put(&own, "lead@1.0.0", "registry:helper");
    context.done(&["install", "corp:lead", "--yes"]);
    assert_eq!(context.version_of("helper").as_deref(), Some("9.0.0"));
    // What came from there goes to where it is meant to come from.
    put(&own, "lead@1.1.0", "helper");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("helper").as_deref(), Some("1.0.0"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_nobody_asks_for_any_more_stays_where_it_is_needed() {
    for command in ["sync", "update"] {
        let (context, _server, shelf) = libraries();
        context.done(&["install", "tool", "lib@1.0.0", "--yes"]);
        context.write("skills.toml", "[skills]\ntool = \"tool\"\n");
        let told = context.done(&[command, "--yes"]);
        assert!(
            told.contains("`lib` stays, because others need it"),
            "{told}"
        );
        let locked = context.read("skills.lock");
        assert_eq!(locked.matches("dependency = true").count(), 1, "{locked}");
        context.done(&["sync", "--locked", "--check"]);
        // Only `update` takes a newer one, and nothing has to be fetched for the other.
        let expected = if command == "sync" { "1.0.0" } else { "1.5.0" };
        assert_eq!(context.version_of("lib").as_deref(), Some(expected));
        // Another wish for who needs it leads there in one go.
        put(&shelf, "tool@2.0.0", "lib@^2");
        context.write(
            "skills.toml",
            "[skills]\ntool = \"tool@^1\"\nlib = \"lib@=1.0.0\"\n",
        );
        context.done(&["sync", "--yes"]);
        context.write("skills.toml", "[skills]\ntool = \"tool@^2\"\n");
        context.done(&[command, "--yes"]);
        assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
        context.done(&["sync", "--locked", "--check"]);
        // What nobody needs goes as ever.
        context.write("skills.toml", "[skills]\n");
        context.done(&[command]);
        assert_eq!(context.version_of("lib"), None);
    }
}

#[test]
fn the_order_does_not_change_the_lock() {
    let mut locks = Vec::new();
    for order in [["loose", "tool"], ["tool", "loose"]] {
        let (context, server, _shelf) = libraries();
        context.done(&["install", order[0], "--yes"]);
        context.done(&["install", order[1], "--yes"]);
        let lock = context.read("skills.lock");
        assert!(lock.contains("requested = \">=1,^1\""), "{lock}");
        for command in [&["update"][..], &["update", "tool"], &["update", "loose"]] {
            let told = context.done(&[command, &["--yes"]].concat());
            assert!(told.contains("Already up to date"), "{told}");
        }
        context.done(&["install", order[0], "--yes"]);
        assert_eq!(context.read("skills.lock"), lock);
        locks.push(lock.replace(&server.url(""), "[SERVER]"));
        // Who goes takes along what only they request.
        context.done(&["remove", "loose"]);
        let lock = context.read("skills.lock");
        assert!(lock.contains("requested = \"^1\""), "{lock}");
    }
    assert_eq!(locks[0], locks[1]);
}

#[test]
fn a_registry_gives_the_skill_that_was_asked_for_and_no_other() {
    let (context, server, shelf) = libraries();
    put(&shelf, "evil@1.0.0", "");
    let evil = shelf.lock().unwrap().remove("evil@1.0.0").unwrap();
    shelf.lock().unwrap().insert("good@1.0.0".into(), evil);
    let told = context.refused(&["install", "good", "--yes"]);
    assert_snapshot!(told.replace(&server.url(""), "[REGISTRY]"), @"
    error: what [REGISTRY]/ gives as `good` calls itself `evil` in its SKILL.md

    hint: Whoever published it has to give it one name; until then ask them which skill it is
    ");
    context.nothing_left();
}
