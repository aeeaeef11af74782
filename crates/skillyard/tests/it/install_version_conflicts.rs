//! Versions that do not go together: what one command finds, the next ones neither refuse nor offer
//! to change.

use serde_json::{Value, json};

use crate::TestContext;
use crate::install_versions::{Shelf, put, registry};
use crate::project::project;
use crate::servers::http::Server;

fn shelf(skills: &[(&str, &str)]) -> (TestContext, Server, Shelf) {
    let shelf = Shelf::default();
    for (id, requires) in skills {
        put(&shelf, id, requires);
    }
    let server = registry(&shelf);
    let context = project();
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    (context, server, shelf)
}

/// Installs skills, and what all commands say of them then. Returns what is held back.
#[track_caller]
fn settled(context: &TestContext, roots: &[&str], versions: &[(&str, Option<&str>)]) -> Value {
    let install = [&["install"], roots, &["--yes"]].concat();
    context.done(&install);
    for command in [&install[..], &["update", "--yes"], &["outdated"]] {
        for (name, version) in versions {
            assert_eq!(context.version_of(name).as_deref(), *version, "{name}");
        }
        context.done(command);
    }
    context.done(&["sync", "--locked", "--check"]);
    let answer = context.json(&["outdated", "--json"]);
    assert_eq!(answer["outdated"], json!([]));
    answer["held_back"].clone()
}

#[test]
fn a_need_that_leads_back_is_held_back() {
    let (context, _server, _shelf) = shelf(&[
        ("b@1.0.0", "c@^1"),
        ("b@1.2.0", ""),
        ("b@2.1.0", "c@^2"),
        ("c@1.2.0", ""),
        ("c@2.0.0", ""),
        ("c@2.1.0", "b@^1"),
    ]);
    let versions = [("b", Some("2.1.0")), ("c", Some("2.0.0"))];
    let held_back = settled(&context, &["b"], &versions);
    let reason = "`c` needs `b@^1`, and 2.1.0 is taken of `b`";
    let expected =
        json!([{ "name": "c", "version": "2.0.0", "newest": "2.1.0", "reason": reason }]);
    assert_eq!(held_back, expected);
}

#[test]
fn what_only_the_older_version_needs_is_held_back_too() {
    let (context, _server, shelf) = shelf(&[
        ("app@1.0.0", "dep@>=1"),
        ("app@2.0.0", "core@^1"),
        ("dep@1.0.0", ""),
        ("dep@1.1.0", "core@^1"),
        ("tool@1.0.0", "core@^2"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ]);
    let versions = [
        ("app", Some("1.0.0")),
        ("dep", Some("1.0.0")),
        ("core", Some("2.0.0")),
    ];
    let held_back = settled(&context, &["app", "tool"], &versions);
    let names: Vec<&Value> = held_back.as_array().unwrap().iter().collect();
    let names: Vec<&Value> = names.into_iter().map(|each| &each["name"]).collect();
    assert_eq!(names, ["app", "dep"]);
    // What goes together with the rest comes, and is what was offered.
    put(&shelf, "dep@1.2.0", "core@>=2");
    let answer = context.json(&["outdated", "--json"]);
    assert_eq!(answer["outdated"][0]["available"]["version"], "1.2.0");
    assert_eq!(context.code(&["outdated"]), Some(1));
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("dep").as_deref(), Some("1.2.0"));
}

#[test]
fn what_was_installed_is_not_refused() {
    let (context, _server, _shelf) = shelf(&[
        ("bbb@1.0.0", "ccc@<2 eee@^2 fff@>=2"),
        ("bbb@1.1.0", ""),
        ("bbb@1.2.0", "ccc@^1 eee@^2 fff@>=2"),
        ("bbb@2.0.0", "ccc ddd eee@^2 fff ggg@^1"),
        ("bbb@2.1.0", "ddd eee@^2 ggg@^1"),
        ("ccc@1.0.0", "ddd@^1 eee@^2 ggg@^1"),
        ("ccc@1.2.0", "fff ggg@<2"),
        ("ccc@2.1.0", "ddd@^2 fff@^2 ggg@>=2"),
        ("ddd@1.0.0", "eee@>=1 fff"),
        ("ddd@1.2.0", "eee@^2 fff ggg@>=1"),
        ("ddd@2.1.0", "eee@^1.1"),
        ("eee@1.0.0", "ggg@^1"),
        ("eee@1.2.0", "ggg@^2"),
        ("eee@2.0.0", "fff ggg@^2"),
        ("eee@2.1.0", "fff ggg@^2"),
        ("fff@2.0.0", "ggg@^1"),
        ("fff@2.1.0", "ggg@<2"),
        ("ggg@1.0.0", ""),
        ("ggg@2.0.0", ""),
        ("ggg@2.1.0", ""),
    ]);
    let versions = [
        ("bbb", Some("1.1.0")),
        ("eee", Some("1.2.0")),
        ("ggg", Some("2.1.0")),
        ("fff", None),
    ];
    settled(&context, &["bbb", "eee", "ggg@^2"], &versions);
}

#[test]
fn an_older_version_that_asks_for_less_is_found() {
    let (context, _server, _shelf) = shelf(&[
        ("app@1.0.0", "lib@>=1"),
        ("app@2.0.0", "lib@~1.0"),
        ("lib@1.0.0", "core@^2"),
        ("lib@1.1.0", "core@^1"),
        ("tool@1.0.0", "core@^1"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ]);
    let versions = [("app", Some("1.0.0")), ("lib", Some("1.1.0"))];
    let held_back = settled(&context, &["app", "tool"], &versions);
    assert_eq!(held_back[0]["name"], "app");
}
