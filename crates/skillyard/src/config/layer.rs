//! One layer: the settings that a file, the environment or the command line holds.

use std::path::Path;

use toml_edit::{Document, TableLike};

use super::schema;
use super::schema::{Layers, Project};
use crate::config::schema::{KeyLookup, KeySpec};
use crate::config::value::ConfigValue;
use crate::environment::Environment;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::{LayerKind, SettingOrigin};

/// A key with its value, and who said it.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// The key under its own name.
    pub(crate) key: String,
    /// What the table says about it.
    pub(crate) entry: &'static KeySpec,
    /// The value.
    pub(crate) value: ConfigValue,
    /// Who said it.
    pub(crate) origin: SettingOrigin,
}

/// What could be read, and what was wrong.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// What it says.
    pub(crate) settings: Vec<Setting>,
    /// What is wrong with it.
    pub(crate) problems: Vec<ConfigError>,
}

impl Layer {
    /// Reads the text of a file.
    pub(crate) fn of_file(kind: LayerKind, path: &Path, text: &str) -> Self {
        let mut layer = Self::default();
        let reader = LayerReader { kind, path, text };
        match Document::parse(text) {
            Ok(document) => reader.table(document.as_table(), "", &mut layer),
            Err(error) => layer.problems.push(ConfigError {
                at: Some(reader.origin(error.span().map_or(0, |span| span.start))),
                problem: ConfigProblem::Syntax(error.message().to_owned()),
            }),
        }
        layer
    }

    /// Reads the variables of the environment.
    pub(crate) fn of_environment(environment: &Environment) -> Self {
        let mut layer = Self::default();
        for (variable, key, text) in &environment.settings {
            let origin = SettingOrigin::Environment(variable);
            layer.add(key, origin, |entry| entry.kind.read_variable(text.expose()));
        }
        layer
    }

    /// Reads the `--config KEY=VALUE` of the command line.
    pub(crate) fn of_flags(flags: &[String]) -> Self {
        let mut layer = Self::default();
        for flag in flags {
            match flag.split_once('=') {
                Some((key, text)) => layer.add(key.trim(), SettingOrigin::Flag, |entry| {
                    entry.kind.read_words(&[text.trim().to_owned()])
                }),
                None => layer
                    .problems
                    .push(ConfigError::here(ConfigProblem::NoValue)),
            }
        }
        layer
    }

    fn add(
        &mut self,
        key: &str,
        origin: SettingOrigin,
        read: impl FnOnce(&KeySpec) -> Result<ConfigValue, String>,
    ) {
        let (own, entry) = match known(key) {
            Ok(found) => found,
            Err(problem) => return self.wrong(origin, problem),
        };
        if let Some(problem) = misplaced(entry, &own, origin.layer()) {
            return self.wrong(origin, problem);
        }
        let same = |each: &Setting| each.key == own && each.origin.layer() != LayerKind::Flag;
        if self.settings.iter().any(same) {
            let problem = ConfigProblem::Twice {
                key: key.to_owned(),
                other: own,
            };
            return self.wrong(origin, problem);
        }
        match read(entry) {
            Ok(value) => self.settings.push(Setting {
                key: own,
                entry,
                value,
                origin,
            }),
            Err(problem) => self.wrong(
                origin,
                ConfigProblem::Value {
                    key: key.to_owned(),
                    problem,
                },
            ),
        }
    }

    fn wrong(&mut self, origin: SettingOrigin, problem: ConfigProblem) {
        self.problems.push(ConfigError {
            at: Some(origin),
            problem,
        });
    }
}

/// The key under its own name, if there is such a key.
pub(crate) fn known(key: &str) -> Result<(String, &'static KeySpec), ConfigProblem> {
    let key = key.to_owned();
    match schema::find(&key) {
        KeyLookup::Key(own, entry) => Ok((own, entry)),
        KeyLookup::Table => Err(ConfigProblem::Table {
            keys: schema::below(&key),
            key,
        }),
        KeyLookup::BadName(problem) => Err(ConfigProblem::Name { key, problem }),
        KeyLookup::Unknown(meant) => Err(ConfigProblem::Unknown { key, meant }),
    }
}

/// Why the layer may not say this key at all, if it may not.
pub(crate) fn misplaced(entry: &KeySpec, key: &str, layer: LayerKind) -> Option<ConfigProblem> {
    match (entry.layers, entry.project, layer) {
        (Layers::OrgOnly, _, LayerKind::Org) => None,
        (Layers::OrgOnly, ..) => Some(ConfigProblem::OrgOnly(key.to_owned())),
        (_, Project::Never(why), LayerKind::Project) => Some(ConfigProblem::NotForProjects {
            key: key.to_owned(),
            why,
        }),
        _ => None,
    }
}

struct LayerReader<'a> {
    kind: LayerKind,
    path: &'a Path,
    text: &'a str,
}

impl LayerReader<'_> {
    fn table(&self, table: &dyn TableLike, prefix: &str, layer: &mut Layer) {
        for (name, item) in table.iter() {
            let key = if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}.{name}")
            };
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            let origin = self.origin(span.map_or(0, |span| span.start));
            match (schema::find(&key), item.as_table_like()) {
                (KeyLookup::Table, Some(table)) => self.table(table, &key, layer),
                (KeyLookup::Table, None) => layer.wrong(origin, ConfigProblem::NotATable(key)),
                _ => layer.add(&key, origin, |entry| entry.kind.read(item)),
            }
        }
    }

    fn origin(&self, offset: usize) -> SettingOrigin {
        let before = self.text.get(..offset).unwrap_or(self.text);
        SettingOrigin::File {
            layer: self.kind,
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: LayerKind, text: &str, expected: &str) {
        let layer = Layer::of_file(kind, Path::new("c.toml"), text);
        let settings = layer
            .settings
            .iter()
            .map(|each| format!("{} = {} ({})", each.key, each.value, each.origin.place()));
        let problems = layer.problems.iter().map(ToString::to_string);
        assert_eq!(
            settings.chain(problems).collect::<Vec<_>>().join("\n"),
            expected,
            "{text}"
        );
    }

    #[test]
    fn every_layout_of_toml_is_read() {
        let expected = "sources.a.url = \"https://h\" (c.toml:";
        for (text, line) in [
            ("[sources.a]\nurl = \"https://h\"", 2),
            ("sources.a.url = 'https://h'", 1),
            ("\n[sources]\na = { url = 'https://h' }", 3),
            ("sources = { a.url = 'https://h' }", 1),
            ("[skills.sources.a]\nurl = 'https://h'", 2),
        ] {
            check(LayerKind::User, text, &format!("{expected}{line})"));
        }
    }

    #[test]
    fn problems_have_a_line_and_all_are_told() {
        check(
            LayerKind::User,
            "[registry]\nurll = 'x'\nurl = 'abc'\n[sources]\nx = 'secret'\ngithub.url = 'https://h'\n",
            "c.toml:2: there is no key `registry.urll`\n\
             c.toml:3: `registry.url` has no valid value: it must be a URL, such as `https://example.com`\n\
             c.toml:5: `sources.x` is a value, not a table\n\
             c.toml:6: `sources.github.url` cannot be used: no source may be called `github`: references with `github:` have a meaning already",
        );
        check(
            LayerKind::User,
            "a = secret",
            "c.toml:1: string values must be quoted, expected literal string",
        );
        check(
            LayerKind::User,
            "scripts.allow = false\nskills.allow_scripts = true",
            "scripts.allow = false (c.toml:1)\nc.toml:2: `skills.allow_scripts` says the same as `scripts.allow`",
        );
        check(
            LayerKind::User,
            "locked = ['scripts']",
            "c.toml:1: only the organisation's file may set `locked`",
        );
        check(
            LayerKind::Project,
            "registry.url = 'https://h'",
            "c.toml:1: a project may not set `registry.url`: it decides where skills come from",
        );
    }
}
