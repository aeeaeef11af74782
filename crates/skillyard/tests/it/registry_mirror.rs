//! Mirrors of a registry that goes on meanwhile, is broken off, or does not have all that it signed.

use serde_json::{Value, json};

use super::TestContext;
use super::registry::Server;
use super::registry_attacks::{INSTALL, Middle, at};
use super::registry_crash::ask;
use super::servers::http::Reply;

const STORAGE: [&str; 4] = ["--database", "sqlite:m.db", "--blobs", "m"];

/// A registry, somebody before it, and a way to mirror it.
pub(super) struct Mirrored {
    pub(super) context: TestContext,
    pub(super) server: Server,
    pub(super) middle: Middle,
}

impl Mirrored {
    pub(super) fn new() -> Self {
        let context = TestContext::new();
        let server = context.with_registry();
        let middle = Middle::before(&server.url);
        let mirrored = Self {
            context,
            server,
            middle,
        };
        mirrored.publish("pdf", "1.0.0");
        mirrored
    }

    pub(super) fn publish(&self, name: &str, version: &str) {
        self.context.write_version(name, name, version);
        self.context.good(&["publish", name, "--yes"]);
    }

    fn arguments(&self) -> Vec<String> {
        let url = self.middle.server.url("");
        let arguments = ["registry", "mirror", &url, "--json"];
        let arguments = arguments.iter().chain(&STORAGE);
        arguments.map(|each| (*each).to_owned()).collect()
    }

    pub(super) fn mirror(&self) -> Value {
        let arguments = self.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.context.json(&arguments)
    }

    pub(super) fn served(&self) -> Server {
        Server::start_with(&self.context, &[&["--port", "0"], &STORAGE[..]].concat())
    }

    fn index(url: &str, name: &str) -> Vec<Value> {
        let (status, body) = ask(
            url,
            &format!("GET /index/3/{}/{name} HTTP/1.1", &name[..1]),
            b"",
        )
        .unwrap();
        assert_eq!(status, 200, "{name}");
        let text = String::from_utf8(body).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    /// Every line of the index of the copy, and that it is what the registry itself says.
    pub(super) fn same(&self, copy: &Server, name: &str) -> Vec<Value> {
        let lines = Self::index(&copy.url, name);
        assert_eq!(lines, Self::index(&self.server.url, name));
        lines
    }
}

#[test]
fn what_happens_during_a_run_is_taken_in_by_the_next() {
    let mirrored = Mirrored::new();
    mirrored.mirror();
    // The run has read the signed length of the log, and then all of this happens.
    let (_, signed) = ask(&mirrored.server.url, "GET /log/checkpoint HTTP/1.1", b"").unwrap();
    mirrored.publish("pdf", "2.0.0");
    mirrored.context.good(&["tag", "set", "pdf@2.0.0", "beta"]);
    mirrored
        .context
        .good(&["yank", "pdf@2.0.0", "--reason", "deletes files"]);
    mirrored.publish("csv", "1.0.0");
    mirrored.publish("csv", "1.1.0");
    mirrored.context.good(&["yank", "csv@1.1.0"]);
    let before = String::from_utf8(signed).unwrap();
    mirrored
        .middle
        .now(at("/log/checkpoint", move |_| Reply::ok(before.clone())));
    let first = mirrored.mirror();
    assert_eq!((&first["entries"], &first["new"]), (&json!(1), &json!(0)));

    mirrored.middle.honest();
    let second = mirrored.mirror();
    assert_eq!((&second["entries"], &second["new"]), (&json!(4), &json!(3)));
    let copy = mirrored.served();
    let lines = mirrored.same(&copy, "pdf");
    assert_eq!(
        (&lines[1]["yanked"], &lines[1]["dist_tags"]),
        (&json!(true), &json!(["beta"]))
    );
    assert_eq!(mirrored.same(&copy, "csv")[1]["yanked"], true);
    assert_eq!(mirrored.mirror()["changed"], 0);
}

#[test]
fn a_run_that_is_broken_off_changes_nothing_that_is_served() {
    let mirrored = Mirrored::new();
    mirrored.mirror();
    let copy = mirrored.served();
    mirrored.publish("pdf", "2.0.0");
    mirrored.middle.now(at("/changes", |_| Reply::status(400)));
    let arguments = mirrored.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    mirrored.context.bad(&arguments);
    assert_eq!(Mirrored::index(&copy.url, "pdf").len(), 1);
    let context = &mirrored.context;
    context.good(&["config", "set", "registry.url", &copy.url]);
    context.good(&INSTALL);
    let installed = || context.read(".agents/skills/pdf/SKILL.md");
    assert!(installed().contains("This is 1.0.0."));

    mirrored.middle.honest();
    let next = mirrored.mirror();
    assert_eq!((&next["new"], &next["fetched"]), (&json!(1), &json!(0)));
    mirrored.same(&copy, "pdf");
    context.good(&INSTALL);
    assert!(installed().contains("This is 2.0.0."));
}

#[test]
fn a_version_that_cannot_be_had_is_named_and_keeps_no_other_from_coming() {
    let mirrored = Mirrored::new();
    mirrored.publish("pdf", "1.1.0");
    mirrored.publish("csv", "1.0.0");
    mirrored
        .middle
        .now(at("/skills/pdf/1.1.0/download", |_| Reply::status(414)));
    let first = mirrored.mirror();
    let absent = &first["absent"][0];
    assert_eq!(
        (&absent["name"], &absent["version"]),
        (&json!("pdf"), &json!("1.1.0"))
    );
    assert!(
        absent["reason"].as_str().unwrap().contains("414"),
        "{first}"
    );
    let copy = mirrored.served();
    assert_eq!(Mirrored::index(&copy.url, "pdf").len(), 1);
    mirrored.same(&copy, "csv");
    // The log is whole, so what is there is believed.
    let verify = [&["registry", "verify", "--json"], &STORAGE[..]].concat();
    let verified = mirrored.context.json(&verify);
    assert_eq!(
        (&verified["sound"], &verified["absent"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(verified["log"]["problems"], json!([]));
    let context = &mirrored.context;
    context.good(&["config", "set", "registry.url", &copy.url]);
    context.good(&INSTALL);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.0.0.")
    );

    // It is asked for again, and comes once it can be had.
    assert_eq!(mirrored.mirror()["absent"][0]["version"], "1.1.0");
    mirrored.middle.honest();
    assert_eq!(mirrored.mirror()["absent"], json!([]));
    mirrored.same(&copy, "pdf");
    let verified = mirrored.context.json(&verify);
    assert_eq!(
        (&verified["sound"], &verified["absent"]),
        (&json!(3), &json!(0))
    );
    context.good(&INSTALL);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("This is 1.1.0.")
    );
}

#[test]
fn a_log_whose_entries_are_long_is_read_in_smaller_pieces() {
    let mirrored = Mirrored::new();
    mirrored.publish("pdf", "1.1.0");
    mirrored.middle.now(|asked, reply| {
        if asked.path() == "/log/entries" && !asked.target.ends_with("limit=1") {
            return Reply::ok(vec![b' '; 17 * 1024 * 1024]);
        }
        reply
    });
    assert_eq!(mirrored.mirror()["new"], 2);
}

#[test]
fn a_run_that_brings_nothing_new_ends_with_no() {
    let mirrored = Mirrored::new();
    let arguments = mirrored.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    mirrored.middle.now(at("/skills/", |_| Reply::status(404)));
    assert_eq!(mirrored.context.code(&arguments), Some(1));
    // All that there is could not be had, then or now.
    assert_eq!(mirrored.context.code(&arguments), Some(1));
    mirrored.middle.honest();
    assert_eq!(mirrored.context.code(&arguments), Some(0));
    // One of many is named, and the others are there.
    mirrored.publish("csv", "1.0.0");
    mirrored.publish("csv", "1.1.0");
    mirrored
        .middle
        .now(at("/skills/csv/1.1.0", |_| Reply::status(404)));
    assert_eq!(mirrored.context.code(&arguments), Some(0));
    assert_eq!(mirrored.context.code(&arguments), Some(0));
}

#[test]
fn a_private_registry_is_mirrored_with_the_login_of_its_address() {
    let context = TestContext::new();
    let server = Server::start_with(&context, &["--port", "0", "--private"]);
    let mirror = || {
        let arguments = ["registry", "mirror", &*server.url];
        [&arguments[..], &STORAGE[..]].concat()
    };
    let said = context.bad(&mirror());
    assert!(said.contains("wants a token"), "{said}");
    assert!(
        said.contains("skillyard login --registry NAME --token TOKEN"),
        "{said}"
    );
    context.good(&["config", "set", "sources.up.url", &server.url]);
    let token = context.token("ada");
    context.good(&["login", "--registry", "up", "--token", &token]);
    let said = context.good(&mirror());
    assert!(said.contains("registry serve --private"), "{said}");
}
