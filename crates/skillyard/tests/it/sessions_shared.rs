//! Two machines that keep their sessions in one PostgreSQL.

use serde_json::{Value, json};

use super::programs::Postgres;
use super::{TestContext, output, text};
use crate::chat::conformance;
use crate::project::project;
use crate::serve_chat::Serving;

/// What nobody may see.
const PASSWORD: &str = "never-shown-0123";

/// A machine with a home of its own, and how the address of the database is written there.
struct Node {
    context: TestContext,
    variables: Vec<(&'static str, String)>,
}

impl Node {
    fn new(context: TestContext, database: &str) -> Self {
        let file = "../home/.skillyard/config.toml";
        context.write(file, format!("[sessions]\ndatabase = \"{database}\"\n"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(context.root().join(file), mode).unwrap();
        Self {
            context,
            variables: Vec::new(),
        }
    }

    fn with(mut self, variable: &'static str, value: String) -> Self {
        self.variables.push((variable, value));
        self
    }

    /// Runs the binary as loudly as it can be; whatever comes of it, the password is not in it.
    fn tell(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = self.context.skillyard();
        command.args(arguments).arg("-vv");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let told = output(&mut command);
        let (data, words) = (text(&told.stdout), text(&told.stderr));
        for said in [&data, &words] {
            assert!(!said.contains(PASSWORD), "{arguments:?}: {said}");
        }
        (told.status.code(), data, words)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (_, data, words) = self.tell(&[arguments, &["--json"]].concat());
        serde_json::from_str(&data).unwrap_or_else(|_| panic!("{arguments:?}: {data}{words}"))
    }

    fn sessions(&self) -> Vec<Value> {
        let list = self.json(&["chat", "--sessions"]);
        let list = list["sessions"].as_array().unwrap().iter();
        list.map(|each| json!([each["id"], each["messages"]]))
            .collect()
    }
}

fn with_password(postgres: &Postgres, password: &str) -> String {
    let before = "postgres://yard@";
    let after = format!("postgres://yard:{password}@");
    postgres.url().replacen(before, &after, 1)
}

#[test]
fn a_chat_begun_on_one_machine_goes_on_on_another() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let one = Node::new(conformance(), &with_password(&postgres, PASSWORD));
    let other = with_password(&postgres, "${SESSIONS_PASSWORD}");
    let other = Node::new(conformance(), &other).with("SESSIONS_PASSWORD", PASSWORD.into());
    let whole = Node::new(conformance(), "${SESSIONS}");
    let whole = whole.with("SESSIONS", with_password(&postgres, PASSWORD));
    let first = one.json(&["chat", "-p", "/skills-system-validation"]);
    assert_eq!(first["end"], "activated");
    let id = first["session"].as_str().unwrap();
    let length = one.sessions()[0][1].clone();
    for node in [&one, &other, &whole] {
        assert_eq!(node.sessions(), [json!([id, length])]);
    }
    let prompt = "/skills-system-validation read references/REFERENCE.md";
    let second = other.json(&["chat", "--resume", &id[..10], "-p", prompt]);
    assert_eq!(second["session"], first["session"], "{second}");
    let words = second["answer"].as_str().unwrap();
    assert!(words.contains("REFERENCE_v1"), "{words}");
    // All of it is there: what was said on both.
    let exported = one.json(&["chat", "--export", id]).to_string();
    for part in ["BODY_v1", "REFERENCE_v1"] {
        assert!(exported.contains(part), "{exported}");
    }
    let lengths = one.sessions();
    assert_eq!(lengths, other.sessions());
    assert!(lengths[0][1].as_i64() > length.as_i64(), "{lengths:?}");
    // No file was made, and what shows the configuration shows no secret.
    let file = one.context.root().join("../home/.skillyard/sessions.db");
    assert!(!file.exists());
    for node in [&one, &other, &whole] {
        for command in [
            &["config", "list", "--all", "--show-origin"][..],
            &["config", "get", "sessions.database"],
            &["config", "check"],
            &["doctor"],
            &["chat", "--resume", "s-nosuch", "-p", "x"],
            &["chat", "--export", id],
        ] {
            node.tell(command);
            node.json(command);
        }
        let (_, checked, _) = node.tell(&["config", "check"]);
        assert!(checked.contains("✓ sessions (PostgreSQL)"), "{checked}");
    }
    let (_, shown, _) = one.tell(&["config", "get", "sessions.database"]);
    assert!(shown.starts_with("postgres://…redacted@"), "{shown}");
    assert_eq!(other.json(&["chat", "--delete", "last"])["deleted"], id);
    assert!(one.sessions().is_empty() && whole.sessions().is_empty());
}

#[test]
fn sessions_of_a_file_are_copied_into_the_database() {
    let context = conformance();
    let refused = context.refused(&["chat", "--copy-sessions"]);
    assert!(refused.contains("sessions.database"), "{refused}");
    let said = context.json(&["chat", "-p", "/skills-system-validation", "--json"]);
    let id = said["session"].as_str().unwrap().to_owned();
    let before = context.json(&["chat", "--sessions", "--json"]);
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let node = Node::new(context, &with_password(&postgres, PASSWORD));
    assert!(node.sessions().is_empty());
    let copied = node.json(&["chat", "--copy-sessions"]);
    assert_eq!(
        copied,
        json!({ "copied": 1, "known": 0, "in_use": [], "damaged": [] })
    );
    // With its name, its times and all that was said.
    assert_eq!(node.json(&["chat", "--sessions"]), before);
    let prompt = "/skills-system-validation read references/REFERENCE.md";
    node.json(&["chat", "--resume", &id, "-p", prompt]);
    let exported = node.json(&["chat", "--export", &id]).to_string();
    assert!(exported.contains("BODY_v1") && exported.contains("REFERENCE_v1"));
    assert_eq!(node.tell(&["audit", "replay", &id]).0, Some(0));
    // What went on there is not undone.
    let now = node.sessions();
    assert_eq!(node.json(&["chat", "--copy-sessions"])["known"], 1);
    assert_eq!(node.sessions(), now);
}

#[test]
fn what_sessions_need_is_kept_where_they_cannot_be_asked() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let context = project();
    let skill = "---\nname: pdf\ndescription: Fills forms. Use for forms.\n---\n\nBODY\n";
    context.write("lib/pdf/SKILL.md", skill);
    context.done(&["trust", "."]);
    context.done(&["install", "./lib/pdf"]);
    let node = Node::new(context, &with_password(&postgres, PASSWORD));
    node.json(&["chat", "-p", "/pdf"]);
    node.context.done(&["remove", "pdf", "--yes"]);
    assert_eq!(node.json(&["store", "gc"])["kept"], 1);
    let unhealthy = |node: &Node| {
        let checks = node.json(&["doctor"]).to_string();
        checks.contains("cannot use the sessions in the database")
    };
    assert!(!unhealthy(&node));
    drop(postgres);
    assert!(unhealthy(&node));
    for command in [
        &["store", "gc"][..],
        &["chat", "-p", "x"],
        &["chat", "--sessions"],
    ] {
        let (code, _, words) = node.tell(command);
        assert_eq!(code, Some(2), "{command:?}: {words}");
        assert!(words.contains("`sessions.database`"), "{words}");
    }
    // Without the key there are no sessions; until then the skill was there.
    let without = ["store", "gc", "--config", "sessions.database="];
    assert_eq!(node.json(&without)["removed"], 1);
}

#[test]
fn an_address_of_something_else_is_refused() {
    let context = TestContext::new();
    for address in [
        format!("mysql://me:{PASSWORD}@h/x"),
        format!("postgres://me@h/x?password={PASSWORD}"),
        PASSWORD.to_owned(),
    ] {
        let node = Node::new(TestContext::new(), "${SESSIONS}").with("SESSIONS", address.clone());
        let (code, _, words) = node.tell(&["chat", "--sessions"]);
        assert_eq!(code, Some(2), "{words}");
        assert!(
            words.contains("`sessions.database` has no valid value"),
            "{words}"
        );
        assert!(
            words.contains("`postgres://${USER}:${PASSWORD}@HOST/NAME`"),
            "{words}"
        );
        assert_eq!(node.tell(&["config", "check"]).0, Some(1));
        let set = ["config", "set", "sessions.database", &address];
        let told = context.refused(&set);
        assert!(
            told.contains("`sessions.database`") && !told.contains(PASSWORD),
            "{told}"
        );
    }
    let missing = Node::new(TestContext::new(), "${SESSIONS}");
    let (_, _, words) = missing.tell(&["chat", "--sessions"]);
    assert!(words.contains("the variable `SESSIONS`"), "{words}");
}

#[test]
fn a_chat_goes_from_one_server_to_another() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let address = with_password(&postgres, PASSWORD);
    let nodes = [(); 2].map(|()| Node::new(conformance(), &address));
    let [one, other] = nodes
        .each_ref()
        .map(|node| Serving::start(&node.context, &[]));
    let opened = one.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap();
    one.say(id, "/skills-system-validation first");
    let words = |session: &Value| {
        let events = session["events"].as_array().unwrap().iter();
        events.filter(|event| event["type"] == "user").count()
    };
    let path = format!("/api/v1/sessions/{id}");
    assert_eq!(words(&other.json("GET", &path, &Value::Null)), 1);
    assert_eq!(words(&other.say(id, "second")), 2);
    assert_eq!(words(&one.json("GET", &path, &Value::Null)), 2);
    assert_eq!(words(&one.say(id, "third")), 3);
    // Neither server has it when one has deleted it.
    other.json("DELETE", &path, &Value::Null);
    assert_eq!(one.ask_with("GET", &path, "", &Value::Null).0, 404);
    let list = one.json("GET", "/api/v1/sessions", &Value::Null);
    assert!(!list.to_string().contains(id), "{list}");
    drop(postgres);
    let (status, told) = one.ask_with("GET", "/api/v1/sessions", "", &Value::Null);
    assert!(status >= 500 && !told.contains(PASSWORD), "{status} {told}");
}
