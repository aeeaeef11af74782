//! A login is for one registry, and no other one gets to see it.

use super::TestContext;
use super::servers::http::{Reply, Server};

const SECRET: &str = "sky_meant_for_one_host";

/// A server that says whether it was ever sent a login.
fn stranger() -> Server {
    Server::start(|_| Reply::status(404))
}

/// Whether a server was sent the secret, in whatever header.
fn was_sent_the_secret(server: &Server) -> bool {
    let asked = server.asked();
    assert!(!asked.is_empty(), "nobody asked");
    let mut values = asked.iter().flat_map(|each| each.headers.values());
    values.any(|value| value.contains(SECRET))
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

#[test]
fn a_login_for_the_address_of_one_run_is_for_no_other() {
    let context = TestContext::new();
    let server = super::registry::Server::start(&context);
    let other = stranger();
    let token = context.token("ada");
    let with = |url: &str, arguments: &[&str]| {
        let mut command = context.skillyard();
        command.env("SKILLYARD_REGISTRY_URL", url);
        super::output(command.args(arguments))
    };
    let told = with(&server.url, &["login", "--token", &token]);
    assert!(told.status.success(), "{}", super::text(&told.stderr));
    with(&other.url(""), &["whoami"]);
    assert!(!was_sent_a_login(&other));
    // What the token is for stands beside it.
    context.good(&["whoami"]);
    context.good(&["config", "set", "registry.url", &other.url("")]);
    context.code(&["whoami"]);
    assert!(!was_sent_a_login(&other));
}

#[test]
fn an_address_that_goes_takes_its_login_along() {
    let context = TestContext::new();
    let _server = context.with_registry();
    let other = stranger();
    let gone = context.json(&["config", "unset", "registry.url", "--json"]);
    assert_eq!(
        gone["removed"],
        serde_json::json!(["registry.url", "registry.auth"])
    );
    context.good(&["config", "set", "registry.url", &other.url("")]);
    context.code(&["whoami"]);
    assert!(!was_sent_a_login(&other));
    let config = context.read("../home/.skillyard/config.toml");
    assert!(!config.contains("sky_"), "{config}");
}

#[test]
fn an_address_that_is_locked_is_not_sent_the_login_for_ones_own() {
    let context = TestContext::new();
    let server = context.with_registry();
    let other = stranger();
    let there = other.url("");
    let org = format!(
        "locked = ['registry.url', 'sources.team.url']\n\
         [registry]\nurl = '{there}'\n[sources.team]\nurl = '{there}'\n"
    );
    context.write("../org.toml", org);
    context.good(&["config", "set", "sources.team.url", &server.url]);
    context.good(&[
        "config",
        "set",
        "sources.team.auth",
        &format!("bearer:{SECRET}"),
    ]);
    let organised = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.env("SKILLYARD_ORG_CONFIG", context.root().join("../org.toml"));
        super::output(command.args(arguments))
    };
    for arguments in [
        &["whoami"][..],
        &["whoami", "--registry", "team"],
        &["search", "forms", "--registry"],
        &["install", "team:forms", "--yes"],
    ] {
        organised(arguments);
    }
    assert!(!was_sent_a_login(&other));
    // Whoever wants to log in there is told what is in the way.
    let told = organised(&["login", "--token", SECRET]);
    let told = super::text(&told.stderr);
    assert!(
        told.contains("`skillyard config unset registry.url`"),
        "{told}"
    );
    organised(&["config", "unset", "registry.url"]);
    organised(&[
        "config",
        "set",
        "registry.auth",
        &format!("bearer:{SECRET}"),
    ]);
    organised(&["whoami"]);
    assert!(was_sent_the_secret(&other));
}

/// The same for every kind of secret: what stands in the file, what says another place for one run,
/// and what is done then.
#[test]
fn tokens_keys_and_headers_stay_at_home_too() {
    let home = "https://home.example";
    for (table, address, login, last, act) in [
        (
            "hosts.github",
            "url",
            "token",
            "",
            &["install", "acme/repo", "--yes"][..],
        ),
        (
            "hosts.github",
            "api",
            "token",
            "",
            &["install", "acme/repo", "--yes"],
        ),
        (
            "hosts.gitlab",
            "url",
            "token",
            "",
            &["install", "gitlab:acme/repo", "--yes"],
        ),
        (
            "models.work",
            "url",
            "key",
            "/v1",
            &["chat", "--model", "work/m", "-p", "hi"],
        ),
        (
            "telemetry",
            "endpoint",
            "headers.x-key",
            "",
            &["chat", "-p", "/skill-review"],
        ),
        (
            "mcp.servers.t",
            "url",
            "headers.x-key",
            "/mcp",
            &["mcp", "test", "t"],
        ),
    ] {
        let context = TestContext::new();
        let other = stranger();
        let there = format!("{}{last}", other.url(""));
        let (place, login) = (format!("{table}.{address}"), format!("{table}.{login}"));
        context.good(&["config", "set", &place, home]);
        context.good(&["config", "set", &login, SECRET]);
        let flag = format!("{place}={there}");
        context.code(&[&["--config", &flag], act].concat());
        assert!(!was_sent_the_secret(&other), "{place}");
        let told = context.good(&["--config", &flag, "config", "check"]);
        assert!(
            told.contains(&format!("`{login}` is not sent to {there}")),
            "{told}"
        );
        // One that is set anew takes it out of the file, and then it is for the new one.
        let told = context.good(&["config", "set", &place, &there]);
        assert!(
            told.contains(&format!("`{login}` was for the place before")),
            "{told}"
        );
        context.code(act);
        assert!(!was_sent_the_secret(&other), "{place}");
        context.good(&["config", "set", &login, SECRET]);
        context.code(act);
        assert!(was_sent_the_secret(&other), "{place}");
    }
}

#[test]
fn tokens_of_variables_are_for_what_the_environment_names() {
    let context = TestContext::new();
    let other = stranger();
    let install = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = context.skillyard();
        command
            .env("GH_TOKEN", SECRET)
            .envs(variables.iter().copied());
        super::output(
            command
                .args(arguments)
                .args(["install", "acme/repo", "--yes"]),
        );
    };
    let flag = format!("hosts.github.url={}", other.url(""));
    install(&["--config", &flag], &[]);
    assert!(!was_sent_the_secret(&other));
    // One of the file is for what the file names.
    context.good(&["config", "set", "hosts.github.token", "for-github.com"]);
    install(&[], &[("SKILLYARD_GITHUB_URL", &other.url(""))]);
    assert!(was_sent_the_secret(&other));
    let asked = other.asked();
    let mut values = asked.iter().flat_map(|each| each.headers.values());
    assert!(!values.any(|value| value.contains("for-github.com")));
}
