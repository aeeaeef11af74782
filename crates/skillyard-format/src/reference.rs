//! The reference validator, `skills-ref` 0.1.1, as a drop-in: verdicts, messages, properties.
//!
//! It is a demonstration with rules of its own (a closed set of fields, a subset of
//! YAML, delimiters found anywhere in a line), and people run it in CI. So its
//! answers are reproduced here, apart from the rules of the specification, and
//! `docs/skills-ref.md` lists where we differ: where it crashes, and for the few
//! inputs that `tests/skills_ref/differences.txt` names.

mod properties;
mod python;
mod strict_yaml;

pub use properties::{Properties, read_properties};

use std::borrow::Cow;

use crate::name::{NameProblem, normalise, problems};
use crate::skill::STANDARD_FIELDS;
use crate::yaml::{Mapping, Node, Scalar, ScalarStyle, Value};

/// The fields of the specification as Python prints a list.
const STANDARD_LIST: &str =
    "['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name']";

/// The reference validator's messages for a `SKILL.md` in `directory`; none when it is valid.
pub fn validate(content: &str, directory: &str) -> Vec<String> {
    let messages = source_of(content).and_then(|source| {
        let fields = parse_source(&source)?;
        Ok(validate_fields(&fields, directory))
    });
    messages.unwrap_or_else(|message| vec![message])
}

/// The YAML of a file as Python reads it, or what the reference says where there is none.
fn source_of(content: &str) -> Result<Cow<'_, str>, String> {
    if !content.starts_with("---") {
        return Err("SKILL.md must start with YAML frontmatter (---)".into());
    }
    // The reference cuts at the next three dashes, wherever they stand.
    let Some(length) = memchr::memmem::find(&content.as_bytes()[3..], b"---") else {
        return Err("SKILL.md frontmatter not properly closed with ---".into());
    };
    // What is not read need not be made into what Python reads: a body can be long.
    Ok(python::universal_newlines(&content[3..3 + length]))
}

/// The fields, or the message of the one error that stopped the reader.
fn parse_source(source: &str) -> Result<Mapping, String> {
    let root = strict_yaml::load(source)
        .map_err(|problem| format!("Invalid YAML in frontmatter: {problem}"))?;
    match root {
        Some(Node {
            value: Value::Mapping(mapping),
            ..
        }) => Ok(mapping),
        _ => Err("SKILL.md frontmatter must be a YAML mapping".into()),
    }
}

fn validate_fields(fields: &Mapping, directory: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut unknown: Vec<&str> = fields
        .entries
        .iter()
        .map(|entry| &*entry.key)
        .filter(|key| !STANDARD_FIELDS.contains(key))
        .collect();
    if !unknown.is_empty() {
        unknown.sort_unstable();
        let unknown = unknown.join(", ");
        errors.push(
            [
                "Unexpected fields in frontmatter: ",
                &unknown,
                ". Only ",
                STANDARD_LIST,
                " are allowed.",
            ]
            .concat(),
        );
    }
    match fields.get("name") {
        None => errors.push(missing("name")),
        Some(entry) => validate_name(&entry.value, directory, &mut errors),
    }
    match fields.get("description") {
        None => errors.push(missing("description")),
        Some(entry) => match text(&entry.value).filter(|text| !python::strip(text).is_empty()) {
            None => errors.push(empty("description")),
            Some(text) => too_long("Description", text, 1024, &mut errors),
        },
    }
    if let Some(entry) = fields.get("compatibility") {
        match text(&entry.value) {
            None => errors.push("Field 'compatibility' must be a string".into()),
            Some(text) => too_long("Compatibility", text, 500, &mut errors),
        }
    }
    errors
}

fn validate_name(node: &Node, directory: &str, errors: &mut Vec<String>) {
    let Some(name) = text(node)
        .map(|text| normalise(python::strip(text)))
        .filter(|name| !name.is_empty())
    else {
        errors.push(empty("name"));
        return;
    };
    for problem in problems(&name) {
        errors.push(match problem {
            NameProblem::Empty => empty("name"),
            NameProblem::TooLong(length) => {
                format!("Skill name '{name}' exceeds 64 character limit ({length} chars)")
            }
            NameProblem::Uppercase => format!("Skill name '{name}' must be lowercase"),
            NameProblem::OuterHyphen => "Skill name cannot start or end with a hyphen".into(),
            NameProblem::DoubleHyphen => "Skill name cannot contain consecutive hyphens".into(),
            NameProblem::Character(_) => format!(
                "Skill name '{name}' contains invalid characters. \
                 Only letters, digits, and hyphens are allowed."
            ),
        });
    }
    if python::nfkc(directory) != name {
        errors.push(format!(
            "Directory name '{directory}' must match skill name '{name}'"
        ));
    }
}

fn too_long(field: &str, text: &str, limit: usize, errors: &mut Vec<String>) {
    let length = if text.len() > limit {
        text.chars().count()
    } else {
        0
    };
    if length > limit {
        errors.push(format!(
            "{field} exceeds {limit} character limit ({length} chars)"
        ));
    }
}

fn missing(field: &str) -> String {
    format!("Missing required field in frontmatter: {field}")
}

fn empty(field: &str) -> String {
    format!("Field '{field}' must be a non-empty string")
}

/// The text of a value; a plain `=` is an object to the reference, not text.
fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar(Scalar { text, style }) if *style != ScalarStyle::Plain || text != "=" => {
            Some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
