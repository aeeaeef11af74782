//! Mirrors of a registry whose changes begin anew, or of which somebody says so.

use std::fs;

use serde_json::{Value, json};

use super::registry::Server;
use super::registry_attacks::at;
use super::registry_mirror::Mirrored;
use super::servers::http::Reply;

/// A registry of which a copy was made before changes that a mirror has seen.
fn mirrored() -> Mirrored {
    let mirrored = Mirrored::new();
    mirrored.publish("csv", "1.0.0");
    mirrored.context.good(&["registry", "backup", "copy"]);
    for undo in [false, true, false, true] {
        let undo: &[&str] = if undo { &["--undo"] } else { &[] };
        let yank = [&["yank", "pdf@1.0.0"], undo].concat();
        mirrored.context.good(&yank);
    }
    mirrored.context.good(&["tag", "set", "pdf@1.0.0", "beta"]);
    mirrored.mirror();
    mirrored
}

/// Starts the registry again where it was, after something happened to its folder.
fn again(mirrored: &mut Mirrored, happens: impl FnOnce(&Mirrored)) {
    let port = mirrored.server.url.rsplit(':').next().unwrap().to_owned();
    mirrored.server.stop();
    happens(mirrored);
    mirrored.server = Server::start_with(&mirrored.context, &["--port", &port]);
}

fn withdrawn(mirrored: &Mirrored) -> Value {
    let yank = ["yank", "csv@1.0.0", "--reason", "steals keys"];
    mirrored.context.good(&yank);
    let run = mirrored.mirror();
    let copy = mirrored.served();
    assert_eq!(mirrored.same(&copy, "csv")[0]["yanked"], true);
    // What was undone there is undone here.
    mirrored.same(&copy, "pdf");
    run
}

#[test]
fn a_mirror_of_a_restored_registry_learns_what_is_withdrawn_then() {
    let mut mirrored = mirrored();
    again(&mut mirrored, |mirrored| {
        fs::remove_dir_all(mirrored.context.in_home(".skillyard/registry")).unwrap();
        mirrored.context.good(&["registry", "restore", "copy"]);
    });
    let run = withdrawn(&mirrored);
    assert_eq!(
        (&run["changed"], &run["set_back"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(mirrored.mirror()["changed"], 0);
}

#[test]
fn a_mirror_of_a_registry_whose_disk_was_set_back_begins_again_and_says_so() {
    let mut mirrored = mirrored();
    again(&mut mirrored, |mirrored| {
        let home = mirrored.context.in_home(".skillyard/registry");
        fs::remove_dir_all(&home).unwrap();
        fs::rename(mirrored.context.root().join("copy"), &home).unwrap();
    });
    let run = withdrawn(&mirrored);
    assert_eq!(
        (&run["changed"], &run["set_back"]),
        (&json!(2), &json!(true))
    );
    let run = mirrored.mirror();
    assert_eq!(
        (&run["changed"], &run["set_back"]),
        (&json!(0), &json!(false))
    );
}

#[test]
fn a_number_that_is_a_lie_blinds_no_mirror() {
    for also_last in [false, true] {
        let mirrored = mirrored();
        mirrored.context.good(&["tag", "set", "pdf@1.0.0", "rc"]);
        mirrored.middle.now(at("/changes", move |reply| {
            let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
            if let Some(skill) = body["skills"].get_mut(0) {
                skill["sequence"] = json!(99_999_999);
            }
            if also_last {
                body["last"] = json!(99_999_999);
            }
            Reply::ok(body.to_string())
        }));
        mirrored.mirror();
        mirrored.middle.honest();
        assert_eq!(withdrawn(&mirrored)["set_back"], also_last);
    }
}
