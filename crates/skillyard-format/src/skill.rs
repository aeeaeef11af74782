//! A skill as it is used: the fields of its frontmatter, read leniently.

use std::borrow::Cow;

use crate::allowed_tools::AllowedTools;
use crate::document::Document;
use crate::name::known_as;
use crate::requires::Requirements;
use crate::text::one_line;
use crate::yaml::{Mapping, Node, Value};

/// Most characters of `compatibility`.
pub const COMPATIBILITY_LENGTH: usize = 500;

const DISABLE_MODEL_INVOCATION: &str = "disable-model-invocation";
const USER_INVOCABLE: &str = "user-invocable";
/// The first of them as a field of the specification has it.
const INNER_SWITCH: &str = "skillyard.disable-model-invocation";

/// A skill that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name, as it is [known](known_as); the directory's where the file has none.
    pub name: String,
    /// Its description, trimmed.
    pub description: String,
    /// Every field, as written.
    pub frontmatter: Mapping,
}

impl Skill {
    /// The skill that `document` describes, if it has a description and a name can be had.
    pub fn from_document(document: &Document<'_>, directory: Option<&str>) -> Option<Self> {
        let (name, description) = name_and_description(document, directory)?;
        Some(Self {
            name,
            description,
            frontmatter: document.mapping()?.clone(),
        })
    }

    /// The same, taking the fields out of the document instead of copying them.
    pub fn take(document: Document<'_>, directory: Option<&str>) -> Option<Self> {
        let (name, description) = name_and_description(&document, directory)?;
        Some(Self {
            name,
            description,
            frontmatter: document.into_mapping()?,
        })
    }

    /// A text field of the specification.
    fn field(&self, key: &str) -> Option<&str> {
        self.frontmatter.get(key)?.value.as_str()
    }

    /// The licence, as text.
    pub fn license(&self) -> Option<&str> {
        self.field("license").filter(|text| !text.is_empty())
    }

    /// What the skill needs around it, as text.
    pub fn compatibility(&self) -> Option<&str> {
        self.field("compatibility").filter(|text| !text.is_empty())
    }

    /// The same in one line, cut where it is longer than the specification lets it be.
    pub fn stated_compatibility(&self) -> Option<String> {
        let line = one_line(self.compatibility()?);
        let mut characters = line.chars();
        let mut text: String = characters.by_ref().take(COMPATIBILITY_LENGTH).collect();
        if characters.next().is_some() {
            text.push('…');
        }
        (!text.is_empty()).then_some(text)
    }

    /// The tools the skill may use, if it says so.
    pub fn allowed_tools(&self) -> Option<AllowedTools> {
        let node = &self.frontmatter.get("allowed-tools")?.value;
        AllowedTools::from_node(node).filter(|tools| !tools.patterns.is_empty())
    }

    /// The tools the skill must not use, if it says so.
    pub fn disallowed_tools(&self) -> Option<AllowedTools> {
        let node = &self.frontmatter.get("disallowed-tools")?.value;
        AllowedTools::from_node(node).filter(|tools| !tools.patterns.is_empty())
    }

    /// One value of `metadata`.
    pub fn metadata(&self, key: &str) -> Option<&Node> {
        let metadata = self.frontmatter.get("metadata")?.value.as_mapping()?;
        metadata.get(key).map(|entry| &entry.value)
    }

    /// The words of a `metadata` value that is text separated by spaces or commas, or a list.
    pub fn metadata_words(&self, key: &str) -> Vec<String> {
        let Some(node) = self.metadata(key) else {
            return Vec::new();
        };
        words(node)
    }

    /// The version, from `metadata` or, as a quarter of real files have it, from the top level.
    pub fn version(&self) -> Option<&str> {
        self.metadata("version")
            .and_then(Node::as_str)
            .or_else(|| self.field("version"))
    }

    /// The commands that must be here for the skill to be of use; where one of several is enough,
    /// they are separated by `|`.
    pub fn requires(&self) -> Vec<String> {
        Requirements::of(&self.frontmatter).commands
    }

    /// References to the skills that it needs beside it, each with its range of versions.
    pub fn requires_skills(&self) -> Vec<String> {
        let flat = self.metadata_words("skillyard.requires-skills");
        if !flat.is_empty() {
            return flat;
        }
        // Half of all real `metadata` is nested.
        let nested = |key: &str| -> Option<&Node> {
            let table = self.metadata("skillyard")?.as_mapping()?;
            table.get(key).map(|entry| &entry.value)
        };
        nested("requires-skills")
            .map(references)
            .unwrap_or_default()
    }

    /// Whether the model may choose this skill by itself. The key may also stand in `metadata`,
    /// behind `skillyard.`, so that a file that has it stays valid under every profile.
    pub fn is_model_invocable(&self) -> bool {
        let mut said = switches(&self.frontmatter).filter(|(key, ..)| *key != USER_INVOCABLE);
        // Who wrote the key wanted something of it, whatever the value should have been.
        !said.next().is_some_and(|(.., said)| said.unwrap_or(true))
    }

    /// Whether the user may invoke this skill by name.
    pub fn is_user_invocable(&self) -> bool {
        let mut said = switches(&self.frontmatter).filter(|(key, ..)| *key == USER_INVOCABLE);
        said.next().and_then(|(.., said)| said).unwrap_or(true)
    }

    /// What a model is told of the skill: its description, and when to use it where that stands in
    /// a field of its own.
    pub fn offer(&self) -> Cow<'_, str> {
        offer(&self.description, self.when_to_use())
    }

    /// When to use it, where that stands in a field of its own.
    pub fn when_to_use(&self) -> Option<&str> {
        self.field("when_to_use")
    }
}

/// A description together with what `when_to_use` says, as Claude Code lists skills.
pub fn offer<'a>(description: &'a str, when: Option<&str>) -> Cow<'a, str> {
    match when.map(str::trim) {
        Some(when) if !when.is_empty() && !description.contains(when) => {
            Cow::Owned(format!("{description} - {when}"))
        }
        _ => Cow::Borrowed(description),
    }
}

/// The switches of a frontmatter, with what each says if it can be read.
pub(crate) fn switches(
    frontmatter: &Mapping,
) -> impl Iterator<Item = (&'static str, &Node, Option<bool>)> {
    let own = [DISABLE_MODEL_INVOCATION, USER_INVOCABLE]
        .into_iter()
        .filter_map(|key| Some((key, &frontmatter.get(key)?.value)));
    let metadata = frontmatter.get("metadata");
    let metadata = metadata.and_then(|entry| entry.value.as_mapping());
    let inner = metadata.and_then(|metadata| metadata.get(INNER_SWITCH));
    let inner = inner.map(|entry| (INNER_SWITCH, &entry.value));
    own.chain(inner)
        .map(|(key, node)| (key, node, node.as_str().and_then(switch)))
}

/// Whether a text means on or off, if it means one of them.
pub fn switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// Texts separated by spaces only: ranges of versions have commas in them.
fn references(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.split_whitespace().map(str::to_owned).collect(),
        Value::Sequence(items) => items.iter().flat_map(references).collect(),
        Value::Mapping(_) => Vec::new(),
    }
}

fn name_and_description(
    document: &Document<'_>,
    directory: Option<&str>,
) -> Option<(String, String)> {
    let frontmatter = document.mapping()?;
    let description = text_of(document, frontmatter, "description")?;
    let name = text_of(document, frontmatter, "name").or(directory)?;
    let name = known_as(name).into_owned();
    (!name.is_empty()).then(|| (name, description.to_owned()))
}

fn words(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Scalar(scalar) => words_in(&scalar.text),
        Value::Sequence(items) => items.iter().flat_map(words).collect(),
        Value::Mapping(_) => Vec::new(),
    }
}

fn words_in(text: &str) -> Vec<String> {
    let words = text.split([' ', ',', '\n', '\t']);
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The names that fields of a frontmatter, as JSON, give to its arguments, in their order.
pub fn argument_names_in(fields: &serde_json::Value) -> Vec<String> {
    fn words(value: &serde_json::Value) -> Vec<String> {
        match value {
            serde_json::Value::String(text) => words_in(text),
            serde_json::Value::Array(items) => items.iter().flat_map(words).collect(),
            serde_json::Value::Number(number) => vec![number.to_string()],
            _ => Vec::new(),
        }
    }
    fields.get("arguments").map(words).unwrap_or_default()
}

/// The names that a document gives to its arguments, in their order.
pub(crate) fn argument_names(document: &Document<'_>) -> Vec<String> {
    let entry = document
        .mapping()
        .and_then(|fields| fields.get("arguments"));
    entry.map(|entry| words(&entry.value)).unwrap_or_default()
}

/// The trimmed text of a field; a list or mapping is taken as the author wrote it.
fn text_of<'a>(document: &'a Document<'_>, frontmatter: &'a Mapping, key: &str) -> Option<&'a str> {
    let node = &frontmatter.get(key)?.value;
    let text = match &node.value {
        Value::Scalar(_) if node.is_null() => return None,
        Value::Scalar(scalar) => &scalar.text,
        _ => node.span.of(&document.text),
    };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Whether a file of this name makes a folder a skill on every system.
pub fn is_spelled(name: &str) -> bool {
    matches!(name, "SKILL.md" | "skill.md")
}

/// The file among those of a folder that only some systems take for its `SKILL.md`, where there is none.
pub fn misspelled<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = None;
    for name in names {
        if is_spelled(name) {
            return None;
        }
        if found.is_none() && name.eq_ignore_ascii_case("SKILL.md") {
            found = Some(name);
        }
    }
    found
}

#[cfg(test)]
mod skill_file_tests {
    use super::misspelled;

    #[test]
    fn only_what_is_no_skill_elsewhere_is_misspelled() {
        assert_eq!(misspelled(["a", "Skill.md"]), Some("Skill.md"));
        for fine in [&["Skill.md", "SKILL.md"][..], &["skill.md"], &["SKILL.txt"]] {
            assert_eq!(misspelled(fine.iter().copied()), None);
        }
    }
}
