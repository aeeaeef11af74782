//! What a skill says it needs besides commands: a system, variables, settings of its client.
//!
//! They stand beside `bins` in the tables that commands are read from: `env` and `config` in
//! `requires`, `os` there or around it. Nobody is kept from a skill by them, because authors list
//! what only parts of a skill need; whoever uses it is told.

use serde_json::{Map, Value};

use crate::requires::CLIENTS;

/// What a skill says it needs besides commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The systems that it is for, in the words of its author; any if there are none.
    pub systems: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<String>,
    /// Settings or files of the client that it was written for, which nobody else can check.
    pub settings: Vec<String>,
}

/// A condition that does not hold here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmet {
    /// It is for these systems.
    System(Vec<String>),
    /// These variables are not set.
    Variables(Vec<String>),
}

impl Conditions {
    /// Whether fields that are written so can hold conditions at all, which is quickly found out.
    pub fn may_be_in(fields: &str) -> bool {
        fields.contains("\"requires\"") || fields.contains("\"os\"")
    }

    /// What the fields of a frontmatter say.
    pub fn of(fields: &Map<String, Value>) -> Self {
        let mut found = Self::default();
        found.table(fields.get("requires"));
        let metadata = fields.get("metadata").and_then(Value::as_object);
        let Some(metadata) = metadata else {
            return found;
        };
        let clients = CLIENTS
            .iter()
            .filter_map(|client| metadata.get(*client)?.as_object());
        for around in std::iter::once(metadata).chain(clients) {
            found.systems(around.get("os"));
            found.table(around.get("requires"));
        }
        found
    }

    /// Those that do not hold on this system, as Rust names it, where these variables are set.
    pub fn unmet(&self, system: &str, is_set: impl Fn(&str) -> bool) -> Vec<Unmet> {
        let mut unmet = Vec::new();
        let fits = |word: &String| is_for(word, system).unwrap_or(true);
        if !self.systems.is_empty() && !self.systems.iter().any(fits) {
            unmet.push(Unmet::System(self.systems.clone()));
        }
        let missing = self.variables.iter().filter(|name| !is_set(name));
        let missing: Vec<String> = missing.cloned().collect();
        if !missing.is_empty() {
            unmet.push(Unmet::Variables(missing));
        }
        unmet
    }

    fn table(&mut self, table: Option<&Value>) {
        let Some(Value::Object(table)) = table else {
            return;
        };
        self.systems(table.get("os"));
        let variables = table.get("env").map(named).unwrap_or_default();
        let variables = variables.into_iter().filter(|name| is_variable(name));
        add(&mut self.variables, variables);
        add(
            &mut self.settings,
            table.get("config").map(named).unwrap_or_default(),
        );
    }

    fn systems(&mut self, systems: Option<&Value>) {
        add(&mut self.systems, systems.map(named).unwrap_or_default());
    }
}

fn add(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for each in more {
        if !list.contains(&each) {
            list.push(each);
        }
    }
}

/// The names in a text, a list or a table, but for those that are said to be optional.
fn named(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            let words = text.split(|c: char| c.is_whitespace() || c == ',');
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        }
        Value::Array(all) => all.iter().filter_map(entry).collect(),
        Value::Object(table) => {
            let needed = table.iter().filter(|(_, about)| !is_optional(about));
            needed.map(|(name, _)| name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The name in an entry of a list.
fn entry(value: &Value) -> Option<String> {
    let name = match value {
        // Behind the name people explain what it is.
        Value::String(text) if text.to_ascii_lowercase().contains("optional") => None,
        Value::String(text) => text.split_whitespace().next(),
        Value::Object(_) if is_optional(value) => None,
        Value::Object(table) => {
            let mut keys = ["name", "key"].iter();
            keys.find_map(|key| table.get(*key)?.as_str())
        }
        _ => None,
    };
    name.map(str::to_owned)
}

fn is_optional(about: &Value) -> bool {
    let says = |key: &str, word: bool| about.get(key).and_then(Value::as_bool) == Some(word);
    says("required", false) || says("optional", true) || about.get("default").is_some()
}

/// Whether a variable can be called so.
fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a word for a system means this one; nothing if it is not known.
fn is_for(word: &str, system: &str) -> Option<bool> {
    let systems: &[&str] = match word.to_ascii_lowercase().as_str() {
        "linux" => &["linux"],
        "darwin" | "mac" | "macos" | "osx" => &["macos"],
        "win" | "win32" | "win64" | "windows" => &["windows"],
        "freebsd" => &["freebsd"],
        _ => return None,
    };
    Some(systems.contains(&system))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(fields: &Value) -> Conditions {
        assert!(Conditions::may_be_in(&fields.to_string()));
        Conditions::of(fields.as_object().unwrap())
    }

    #[test]
    fn every_table_is_read() {
        let requires = json!({ "env": ["TOKEN"], "config": ["a.b"], "os": ["darwin"], "bins": [] });
        let expected = Conditions {
            systems: vec!["darwin".into()],
            variables: vec!["TOKEN".into()],
            settings: vec!["a.b".into()],
        };
        assert_eq!(read(&json!({ "requires": requires })), expected);
        assert_eq!(
            read(&json!({ "metadata": { "requires": requires } })),
            expected
        );
        for client in CLIENTS {
            let inner = json!({ "metadata": { client: { "requires": requires } } });
            assert_eq!(read(&inner), expected);
            let beside = json!({ "env": "TOKEN", "config": "a.b" });
            let around = json!({ client: { "os": "darwin", "requires": beside } });
            assert_eq!(read(&json!({ "metadata": around })), expected);
        }
        assert_eq!(
            read(&json!({ "metadata": { "os": "darwin" } })).systems,
            ["darwin"]
        );
    }

    #[test]
    fn variables_are_read_as_people_write_them() {
        let check = |env: &Value, expected: &[&str]| {
            let found = read(&json!({ "metadata": { "requires": { "env": env } } }));
            assert_eq!(found.variables, expected, "{env}");
        };
        check(&json!(["A", "B", "A"]), &["A", "B"]);
        check(&json!("A, B"), &["A", "B"]);
        check(&json!({ "A": "a key", "B": { "required": false } }), &["A"]);
        check(
            &json!([{ "name": "A" }, { "key": "B", "required": true }, { "name": "C", "optional": true }, { "name": "D", "default": "x" }, 7]),
            &["A", "B"],
        );
        check(
            &json!(["A for the service", "B (optional)", "1A", "A=B", ""]),
            &["A"],
        );
        check(&json!(null), &[]);
    }

    #[test]
    fn what_does_not_hold_is_told() {
        let conditions = |systems: &[&str], variables: &[&str]| Conditions {
            systems: systems.iter().map(|each| (*each).into()).collect(),
            variables: variables.iter().map(|each| (*each).into()).collect(),
            settings: vec!["x".into()],
        };
        let unmet = |systems: &[&str], variables: &[&str]| {
            conditions(systems, variables).unmet("linux", |name| name == "SET")
        };
        assert_eq!(unmet(&["darwin", "linux"], &["SET"]), []);
        assert_eq!(unmet(&[], &[]), []);
        // A word that nobody knows keeps nobody away.
        assert_eq!(unmet(&["darwin", "any"], &[]), []);
        assert_eq!(
            unmet(&["macOS", "win32"], &["SET", "TOKEN"]),
            [
                Unmet::System(vec!["macOS".into(), "win32".into()]),
                Unmet::Variables(vec!["TOKEN".into()]),
            ]
        );
    }
}
