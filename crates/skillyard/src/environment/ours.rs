//! The variables that are called as ours are, taken in one pass over the environment.

use skillyard_format::text::nearest;

use super::{COMPLETE, Environment, SETTINGS};
use crate::redactor::secret::Secret;
use crate::text::sanitize::visible;

/// What the names of our variables begin with.
const PREFIX: &str = "SKILLYARD_";

/// Variables of our own that are no keys.
const OTHERS: [&str; 5] = [
    "SKILLYARD_HOME",
    "SKILLYARD_SKILL_DIR",
    "SKILLYARD_ORG_CONFIG",
    "SKILLYARD_KEY_PASSPHRASE",
    COMPLETE,
];

/// What scripts around Skillyard call the program. Skillyard does not read it, so nobody can have meant it.
const PROGRAM: &str = "SKILLYARD_BIN";

/// What the environment has under names like ours; an empty value counts as none.
#[derive(Debug, Default)]
pub(super) struct Ours {
    /// The values of [`SETTINGS`], in their order: variable, key and value.
    pub(super) settings: Vec<(&'static str, &'static str, Secret)>,
    /// The names that nothing reads.
    pub(super) unknown: Vec<String>,
}

impl Ours {
    /// Looks at each variable once.
    pub(super) fn read() -> Self {
        let is_ours = |name: &&str| name.starts_with(PREFIX);
        let mut found = Vec::new();
        let mut unknown = Vec::new();
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str().filter(is_ours) else {
                continue;
            };
            if value.is_empty() || name == PROGRAM || OTHERS.contains(&name) {
                continue;
            }
            match SETTINGS.iter().position(|(known, _)| *known == name) {
                Some(at) => found.extend(value.into_string().ok().map(|value| (at, value))),
                None => unknown.push(name.to_owned()),
            }
        }
        found.sort_unstable();
        unknown.sort_unstable();
        let setting = |(at, value)| {
            let (variable, key) = SETTINGS[at];
            (variable, key, Secret::new(value))
        };
        Self {
            settings: found.into_iter().map(setting).collect(),
            unknown,
        }
    }
}

impl Environment {
    /// Variables that look like ours and are none, each with the one that may have been meant.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        let known = || SETTINGS.iter().map(|(name, _)| *name).chain(OTHERS);
        let names = self.unknown.iter().map(String::as_str);
        names.map(move |name| (name, nearest(name, known())))
    }

    /// The same for people.
    pub(crate) fn unknown_told(&self) -> impl Iterator<Item = String> {
        self.unknown().map(|(name, meant)| {
            let meant =
                meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            let told = format!("warning: nothing reads the variable `{name}`{meant}");
            visible(&told).into_owned()
        })
    }
}
