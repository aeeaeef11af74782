//! Hides where things lie on this machine from whoever need not know.
//!
//! Texts name places in many ways: where a skill came from, why a question is asked, what a model
//! was given. Every place that Skillyard itself can name is known here, so it is looked for in all
//! of them; what skills and people write about other places stays as they wrote it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillyard_format::render::xml;

use crate::chat::ChatEvent;
use crate::host::Standing;
use crate::server::Server;

/// What stands for a place that has no better name.
const SOMEWHERE: &str = "…";

/// Hides the places of this machine in texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Veil {
    /// A place and what is shown instead, the longest first.
    hidden: Vec<(String, &'static str)>,
}

impl Veil {
    /// A veil over what this server can name.
    pub(crate) fn of(server: &Server) -> Self {
        let mut hidden = Vec::new();
        // A skill's folder is its address, as for whoever has no file system of ours.
        let roots = server.shelf.stock().roots();
        let owners: Vec<PathBuf> = roots.iter().filter_map(|root| owner(root)).collect();
        hidden.extend(both(roots, "skill:/"));
        hidden.extend(both(server.host.home().map(Path::to_owned), "~"));
        hidden.extend(both(server.host.places(), SOMEWHERE));
        hidden.extend(both(owners, SOMEWHERE));
        // The root of the file system is no secret, and stands in every path.
        hidden.retain(|(place, _)| place.len() > 1);
        hidden.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then(one.cmp(other)));
        // Of two names for a place the first counts.
        hidden.dedup_by(|later, first| later.0 == first.0);
        Self { hidden }
    }

    /// A text without the places.
    pub(crate) fn over(&self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        for (place, instead) in &self.hidden {
            if text.contains(place.as_str()) {
                text = Cow::Owned(replaced(&text, place, instead));
            }
        }
        text.into_owned()
    }

    /// How much of a text that is still being written can be shown: what stands behind that may
    /// become a place.
    pub(crate) fn settled(&self, text: &str) -> usize {
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
            Value::String(text) => Value::String(self.over(&text)),
            Value::Array(all) => all.into_iter().map(|each| self.value(each)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| (self.over(&key), self.value(value)))
                .collect(),
            plain => plain,
        }
    }

    /// How far a skill is trusted, without the places.
    pub(crate) fn standing(&self, mut standing: Standing) -> Standing {
        let Standing {
            provenance,
            origin,
            reason,
            ..
        } = &mut standing;
        for text in [provenance, origin, reason] {
            *text = self.over(text);
        }
        if let Some(altered) = &mut standing.altered {
            for text in [&mut altered.reason, &mut altered.remedy] {
                *text = self.over(text);
            }
        }
        standing
    }

    /// An event without the places; what a person said stays as they said it.
    pub(crate) fn event(&self, mut event: ChatEvent) -> ChatEvent {
        match &mut event {
            ChatEvent::Skill { content: text, .. }
            | ChatEvent::Note { text }
            | ChatEvent::Text { text }
            | ChatEvent::Problem { text }
            | ChatEvent::Retry { reason: text, .. }
            | ChatEvent::ToolResult { output: text, .. } => *text = self.over(text),
            ChatEvent::ToolCall { input, .. } => *input = self.value(input.take()),
            ChatEvent::Approval { question } => {
                for text in [&mut question.reason, &mut question.command] {
                    *text = self.over(text);
                }
                if let Some(difference) = &mut question.difference {
                    *difference = self.over(difference);
                }
            }
            ChatEvent::Reset
            | ChatEvent::User { .. }
            | ChatEvent::Started { .. }
            | ChatEvent::Active { .. }
            | ChatEvent::Decided { .. }
            | ChatEvent::Usage { .. }
            | ChatEvent::Done { .. } => {}
        }
        event
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
        let veil = Veil {
            hidden: vec![
                ("/home/ann/.agents/skills".into(), "skill:/"),
                ("/srv/acme".into(), SOMEWHERE),
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
            assert_eq!(veil.over(text), expected);
        }
    }

    #[test]
    fn what_may_become_a_place_is_not_settled() {
        let veil = Veil {
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
            assert_eq!(&text[..veil.settled(text)], settled, "{text}");
        }
        assert_eq!(Veil::default().settled("/home"), 5, "nothing is hidden");
    }

    #[test]
    fn values_are_veiled_however_their_texts_are_escaped() {
        let veil = Veil {
            hidden: vec![("/srv/a\"b".into(), SOMEWHERE)],
        };
        let value = serde_json::json!({ "x": ["/srv/a\"b/c", 1] });
        assert_eq!(veil.value(value), serde_json::json!({ "x": ["…/c", 1] }));
    }
}
