//! Hides paths of this machine in texts for clients that are not admins.
//!
//! It knows every path that Skillyard itself can name; other paths that skills or users write stay.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillyard_format::render::xml;

use crate::host::SkillTrust;

/// What stands for a place that has no better name.
const PLACEHOLDER: &str = "…";

/// Hides the places of this machine in texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathRedactor {
    /// A place and what is shown instead, the longest first.
    hidden: Vec<(String, &'static str)>,
}

impl PathRedactor {
    /// Hides the folders of skills, the home directory, and further paths that the program can name.
    pub(crate) fn new(
        skill_roots: Vec<PathBuf>,
        home: Option<&Path>,
        further: Vec<PathBuf>,
    ) -> Self {
        let owners: Vec<PathBuf> = skill_roots.iter().filter_map(|root| owner(root)).collect();
        let mut hidden = Vec::new();
        // A skill's folder is shown as its address.
        hidden.extend(both(skill_roots, "skill:/"));
        hidden.extend(both(home.map(Path::to_owned), "~"));
        hidden.extend(both(further, PLACEHOLDER));
        hidden.extend(both(owners, PLACEHOLDER));
        // The root of the file system is part of every path.
        hidden.retain(|(path, _)| path.len() > 1);
        hidden.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then(one.cmp(other)));
        // Of two replacements of a path the first counts.
        hidden.dedup_by(|later, first| later.0 == first.0);
        Self { hidden }
    }

    /// A text without the places.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        for (place, instead) in &self.hidden {
            if text.contains(place.as_str()) {
                text = Cow::Owned(replaced(&text, place, instead));
            }
        }
        text.into_owned()
    }

    /// The length of a growing text that can be shown: its end may still become a hidden path.
    pub(crate) fn stable_length(&self, text: &str) -> usize {
        let longest = self.hidden.first().map_or(0, |(place, _)| place.len());
        let near = text.len().saturating_sub(longest);
        let mut starts = text.char_indices().map(|(at, _)| at);
        let may_become = |at: &usize| {
            let end = &text[*at..];
            *at >= near && self.hidden.iter().any(|(place, _)| place.starts_with(end))
        };
        starts.find(may_become).unwrap_or(text.len())
    }

    /// A value without the places, keys included.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(all) => all.into_iter().map(|each| self.value(each)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| (self.redact(&key), self.value(value)))
                .collect(),
            plain => plain,
        }
    }

    /// How far a skill is trusted, without the places.
    pub(crate) fn standing(&self, mut standing: SkillTrust) -> SkillTrust {
        let SkillTrust {
            provenance,
            origin,
            reason,
            ..
        } = &mut standing;
        for text in [provenance, origin, reason] {
            *text = self.redact(text);
        }
        if let Some(altered) = &mut standing.altered {
            for text in [&mut altered.reason, &mut altered.remedy] {
                *text = self.redact(text);
            }
        }
        standing
    }
}

/// What a folder of skills belongs to, such as a project: that in which its hidden folder lies.
fn owner(root: &Path) -> Option<PathBuf> {
    let is_hidden = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with('.'))
    };
    let hidden = root.ancestors().find(is_hidden)?;
    hidden.parent().map(Path::to_owned)
}

/// Each place as it is called, and where links on the way to it lead; each also as it stands in
/// an envelope around a skill.
fn both(
    places: impl IntoIterator<Item = PathBuf>,
    instead: &'static str,
) -> impl Iterator<Item = (String, &'static str)> {
    places.into_iter().flat_map(move |place| {
        let real = place.canonicalize().ok();
        let names = std::iter::once(place).chain(real);
        names.flat_map(move |name| {
            let name = name.display().to_string();
            [(xml(&name), instead), (name, instead)]
        })
    })
}

/// A text with another name for a place; a longer name that only begins like it is another place.
fn replaced(text: &str, place: &str, instead: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(place) {
        let (before, behind) = rest.split_at(at);
        let behind = &behind[place.len()..];
        let goes_on = |next: char| next.is_alphanumeric() || next == '-' || next == '_';
        shown.push_str(before);
        shown.push_str(if behind.starts_with(goes_on) {
            place
        } else {
            instead
        });
        rest = behind;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_place_is_hidden_and_its_neighbours_are_not() {
        let redactor = PathRedactor {
            hidden: vec![
                ("/home/ann/.agents/skills".into(), "skill:/"),
                ("/srv/acme".into(), PLACEHOLDER),
                ("/home/ann".into(), "~"),
            ],
        };
        for (text, expected) in [
            ("/home/ann/.agents/skills/pdf/a.md", "skill://pdf/a.md"),
            ("a local folder, /srv/acme", "a local folder, …"),
            ("from /srv/acme; it asks", "from …; it asks"),
            ("/home/anna and /home/ann.", "/home/anna and ~."),
            ("/usr/bin/env", "/usr/bin/env"),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
    }

    #[test]
    fn what_may_become_a_place_is_not_settled() {
        let redactor = PathRedactor {
            hidden: vec![
                ("/home/ann/skills".into(), "skill:/"),
                ("/home/ann".into(), "~"),
            ],
        };
        for (text, settled) in [
            ("", ""),
            ("at /home/ann/ski", "at "),
            ("at /home/ann", "at "),
            ("ä /", "ä "),
            ("at /home/ann/skills", "at "),
            ("at /home/ann/skills/pdf", "at /home/ann/skills/pdf"),
            ("at /home/bob", "at /home/bob"),
        ] {
            assert_eq!(&text[..redactor.stable_length(text)], settled, "{text}");
        }
        assert_eq!(
            PathRedactor::default().stable_length("/home"),
            5,
            "nothing is hidden"
        );
    }

    #[test]
    fn values_are_veiled_however_their_texts_are_escaped() {
        let redactor = PathRedactor {
            hidden: vec![("/srv/a\"b".into(), PLACEHOLDER)],
        };
        let value = serde_json::json!({ "x": ["/srv/a\"b/c", 1] });
        assert_eq!(
            redactor.value(value),
            serde_json::json!({ "x": ["…/c", 1] })
        );
    }
}
