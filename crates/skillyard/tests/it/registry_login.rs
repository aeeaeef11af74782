//! A login is for one registry, and no other one gets to see it.

use super::TestContext;
use super::servers::http::{Reply, Server};

/// A server that says whether it was ever sent a login.
fn stranger() -> Server {
    Server::start(|_| Reply::status(404))
}

fn was_sent_a_login(server: &Server) -> bool {
    let asked = server.asked();
    assert!(!asked.is_empty(), "nobody asked");
    asked
        .iter()
        .any(|each| !each.header("authorization").is_empty())
}

#[test]
fn another_registry_is_not_sent_the_login_for_the_one_before() {
    let context = TestContext::new();
    let _server = context.with_registry();
    let other = stranger();
    let said = context.good(&["config", "set", "registry.url", &other.url("")]);
    assert!(
        said.contains("`registry.auth` was for the place before"),
        "{said}"
    );
    context.code(&["search", "forms"]);
    context.code(&["install", "forms", "--yes"]);
    assert!(!was_sent_a_login(&other));
    let config = context.read("../home/.skillyard/config.toml");
    assert!(!config.contains("sky_"), "{config}");
}

#[test]
fn a_registry_of_one_run_is_not_sent_the_login_for_the_usual_one() {
    let context = TestContext::new();
    let _server = context.with_registry();
    let other = stranger();
    let flag = format!("registry.url={}", other.url(""));
    context.code(&["--config", &flag, "search", "forms"]);
    let mut command = context.skillyard();
    command.env("SKILLYARD_REGISTRY_URL", other.url(""));
    super::output(command.args(["search", "forms"]));
    assert!(!was_sent_a_login(&other));
    // A login that comes with the address is meant for it.
    let mut command = context.skillyard();
    command.env("SKILLYARD_REGISTRY_URL", other.url(""));
    command.env("SKILLYARD_REGISTRY_AUTH", "bearer:sky_other");
    super::output(command.args(["search", "forms"]));
    assert!(was_sent_a_login(&other));
    // One that could not be used later is not kept.
    let told = context.tell(&["--config", &flag, "login", "--token", "sky_other"]);
    assert!(
        told.contains("a login is kept for http://127.0.0.1"),
        "{told}"
    );
    context.good(&["whoami"]);
}

#[test]
fn the_same_registry_keeps_its_login() {
    let context = TestContext::new();
    let server = context.with_registry();
    let listed = format!("{}/skills", server.url);
    let said = context.good(&["config", "set", "registry.url", &listed]);
    assert!(!said.contains("registry.auth"), "{said}");
    context.good(&["whoami"]);
}
