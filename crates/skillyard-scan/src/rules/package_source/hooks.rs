//! What the manifests of a skill run by themselves when their packages are installed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::call::{Call, Place};
use crate::Severity;
use crate::rules::install_hook;

/// How many scripts may start each other.
const MAX_STARTS: usize = 8;

/// The scripts of all manifests of a skill, by the folders that these lie in.
#[derive(Debug, Default)]
pub(super) struct Manifests(BTreeMap<String, Map<String, Value>>);

/// What is known of the scripts that were looked at: whether each does what many packages do.
type Known<'a> = BTreeMap<(&'a str, String), bool>;

impl Manifests {
    /// Notes the scripts of the manifest at `path`.
    pub(super) fn add(&mut self, path: &str, manifest: &Value) {
        let scripts = manifest.get("scripts").and_then(Value::as_object);
        let scripts = scripts.cloned().unwrap_or_default();
        self.0.insert(folder(path).to_owned(), scripts);
    }

    /// What runs by itself when the package at `path` is installed, but for what every package runs.
    pub(super) fn hooks(&self, path: &str) -> Vec<(&'static str, Severity)> {
        let hooks = [
            ("preinstall", Severity::Medium),
            ("install", Severity::Medium),
            ("postinstall", Severity::Medium),
            ("prepare", Severity::Low),
        ];
        let Some((folder, scripts)) = self.0.get_key_value(folder(path)) else {
            return Vec::new();
        };
        let known = &mut Known::new();
        let unusual = hooks.into_iter().filter(|(hook, _)| {
            let command = scripts.get(*hook).and_then(Value::as_str);
            command.is_some_and(|command| !self.is_usual(folder, command, MAX_STARTS, known))
        });
        unusual.collect()
    }

    /// Whether a command in a folder does what many packages do, also where it starts other scripts.
    fn is_usual<'a>(
        &'a self,
        folder: &'a str,
        command: &str,
        starts: usize,
        known: &mut Known<'a>,
    ) -> bool {
        let mut parts = command.split("&&").map(str::trim);
        parts.all(|part| {
            let Some(call) = Call::of(part) else {
                return install_hook::is_usual(part);
            };
            let Some(folders) = self.folders(folder, &call.place) else {
                return false;
            };
            let name = call.script.unwrap_or_default();
            let mut having = folders
                .into_iter()
                .filter(|folder| self.0[*folder].contains_key(name))
                .peekable();
            if having.peek().is_none() {
                return install_hook::is_usual(&call.rest);
            }
            starts > 0 && having.all(|each| self.is_usual_script(each, name, starts - 1, known))
        })
    }

    /// The same of a script, with what runs before and after it.
    fn is_usual_script<'a>(
        &'a self,
        folder: &'a str,
        name: &str,
        starts: usize,
        known: &mut Known<'a>,
    ) -> bool {
        let key = (folder, name.to_owned());
        if let Some(known) = known.get(&key) {
            return *known;
        }
        // What starts itself has no end.
        known.insert(key.clone(), false);
        let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let mut commands = around
            .iter()
            .filter_map(|name| self.0[folder].get(name)?.as_str());
        let is_usual = commands.all(|next| self.is_usual(folder, next, starts, known));
        known.insert(key, is_usual);
        is_usual
    }

    /// The folders whose manifests are meant, seen from one of them; nothing if one is not in the
    /// skill, so that nobody can say what it runs.
    fn folders<'a>(&'a self, from: &'a str, place: &Place<'_>) -> Option<Vec<&'a str>> {
        match place {
            Place::Here => Some(vec![from]),
            Place::Folder(named) => {
                let (folder, _) = self.0.get_key_value(&joined(from, named)?)?;
                Some(vec![folder])
            }
            Place::Members => Some(self.0.keys().map(String::as_str).collect()),
        }
    }
}

/// The folder of a file.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path that is seen from a folder, unless it leads out of the skill.
fn joined(from: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
