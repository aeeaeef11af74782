//! A machine with another registry than a project was locked from: one name can be two skills.

use insta::assert_snapshot;
use serde_json::json;

use crate::TestContext;
use crate::install_versions::{Shelf, libraries, put, registry};
use crate::servers::http::Server;

/// Two registries: the project's own, and a stranger's that is set on this machine.
fn moved_registry() -> (TestContext, [Server; 2], [Shelf; 2]) {
    let (context, own, shelf) = libraries();
    put(&shelf, "notes@1.0.0", "");
    context.done(&["install", "notes", "tool", "--yes"]);
    let other = Shelf::default();
    put(&other, "notes@1.0.1", "");
    put(&other, "lib@1.9.0", "");
    put(&other, "tool@1.0.0", "lib@^1");
    let stranger = registry(&other);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", stranger.url("")));
    (context, [own, stranger], [shelf, other])
}

#[test]
fn a_name_of_another_registry_is_another_skill() {
    let (context, servers, _shelves) = moved_registry();
    let lock = context.read("skills.lock");
    let shown = |text: String| {
        let text = text.replace(&servers[0].url("/"), "[OWN]/");
        text.replace(&servers[1].url("/"), "[OTHER]/")
    };
    assert_snapshot!(shown(context.refused(&["update", "notes", "--yes"])), @r"
    error: `notes` is locked from [OWN]/, and what [OTHER]/ has under this name may be something else

    hint: Set the registry that it is locked from; or look at the other one, and take it from there with `skillyard update notes --force`
    ");
    let told = shown(context.refused(&["outdated"]));
    assert!(
        told.contains(" ! notes: `notes` is locked from [OWN]/"),
        "{told}"
    );
    assert!(
        told.contains(" ! lib: `lib` is locked from [OWN]/"),
        "{told}"
    );
    let answer = context.json(&["outdated", "--json"]);
    assert_eq!(answer["outdated"], json!([]));
    // What is the same there brings nothing else along.
    let told = shown(context.refused(&["update", "tool", "--yes"]));
    assert!(told.contains("`lib` is locked from [OWN]/"), "{told}");
    let told = shown(context.refused(&["install", "notes", "--yes"]));
    assert!(told.contains("`notes` is locked from [OWN]/"), "{told}");
    context.refused(&["update", "--yes"]);
    assert_eq!(context.read("skills.lock"), lock);
    // Whoever says so takes it from there.
    context.done(&["update", "notes", "--yes", "--force"]);
    assert_eq!(context.version_of("notes").as_deref(), Some("1.0.1"));
    assert!(context.read("skills.lock").contains(&servers[1].url("/")));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn the_same_bytes_elsewhere_do_not_move_a_skill() {
    let (context, servers, [_own, other]) = moved_registry();
    put(&other, "notes@1.0.0", "");
    context.done(&["install", "notes@1.0.0", "--yes"]);
    let now = context.read("skills.lock");
    assert!(!now.contains(&servers[1].url("/")), "{now}");
}

#[test]
fn what_another_registry_does_not_have_says_where_it_was_locked_from() {
    let (context, servers, [_own, other]) = moved_registry();
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let hint = format!("hint: It was locked from {}", servers[0].url("/"));
    other.lock().unwrap().clear();
    let told = context.refused(&["sync"]);
    assert!(told.contains("has no skill `lib`"), "{told}");
    assert!(told.contains(&hint), "{told}");
    put(&other, "lib@9.0.0", "");
    let told = context.refused(&["sync"]);
    assert!(told.contains("has no version that fits"), "{told}");
    assert!(told.contains(&hint), "{told}");
    put(&other, "lib@1.5.0", "other");
    let told = context.refused(&["sync"]);
    assert!(told.contains("is not what the lock says"), "{told}");
    assert!(told.contains(&hint), "{told}");
}
