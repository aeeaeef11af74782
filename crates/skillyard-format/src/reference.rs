//! The reference validator, `skills-ref` 0.1.1, as a drop-in: verdicts, messages, properties.
//!
//! It is a demonstration with rules of its own (a closed set of fields, a subset of
//! YAML, delimiters found anywhere in a line), and people run it in CI. So its
//! answers are reproduced here, apart from the rules of the specification, and
//! `docs/skills-ref.md` lists where we differ: where it crashes, and for the few
//! inputs that `tests/skills_ref/differences.txt` names.

mod strict_yaml;

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use unicode_normalization::UnicodeNormalization as _;

use crate::fields::STANDARD_FIELDS;
use crate::name::{NameProblem, normalise, problems};
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
    Ok(universal_newlines(&content[3..3 + length]))
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
        Some(entry) => match text(&entry.value).filter(|text| !strip(text).is_empty()) {
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
        .map(|text| normalise(strip(text)))
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
    if nfkc(directory) != name {
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

/// The properties of a skill as the reference implementation prints them.
#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// The name, trimmed and otherwise as written.
    pub name: String,
    /// The description, trimmed.
    pub description: String,
    /// Every property, in the order it is printed.
    pub fields: Map<String, Json>,
}

impl Properties {
    /// The JSON text that the reference implementation prints.
    pub fn to_json(&self) -> String {
        ascii_json(&format!("{:#}", Json::Object(self.fields.clone())))
    }
}

/// The properties, or the message of the error that the reference implementation prints.
pub fn read_properties(content: &str) -> Result<Properties, String> {
    let source = source_of(content)?;
    let fields = parse_source(&source)?;
    for required in ["name", "description"] {
        if fields.get(required).is_none() {
            return Err(missing(required));
        }
    }
    let required = |field: &str| {
        let value = fields.get(field).and_then(|entry| text(&entry.value));
        match value.map(strip) {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(empty(field)),
        }
    };
    let name = required("name")?;
    let description = required("description")?;
    let mut printed = Map::new();
    printed.insert("name".into(), name.clone().into());
    printed.insert("description".into(), description.clone().into());
    for field in ["license", "compatibility", "allowed-tools"] {
        if let Some(entry) = fields.get(field) {
            printed.insert(field.into(), as_text_json(&entry.value));
        }
    }
    if let Some(entry) = fields.get("metadata") {
        let metadata = match &entry.value.value {
            Value::Mapping(mapping) => Json::Object(stringified(mapping)),
            _ => as_text_json(&entry.value),
        };
        let is_empty = match &metadata {
            Json::Object(map) => map.is_empty(),
            Json::Array(items) => items.is_empty(),
            other => other.as_str() == Some(""),
        };
        if !is_empty {
            printed.insert("metadata".into(), metadata);
        }
    }
    Ok(Properties {
        name,
        description,
        fields: printed,
    })
}

/// Every scalar as text, whatever it looks like.
fn as_text_json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.clone().into(),
        Value::Sequence(items) => items.iter().map(as_text_json).collect(),
        Value::Mapping(mapping) => Json::Object(
            mapping
                .entries
                .iter()
                .map(|entry| (entry.key.clone(), as_text_json(&entry.value)))
                .collect(),
        ),
    }
}

/// `{str(k): str(v)}`: what is nested becomes Python's `repr` of it.
fn stringified(mapping: &Mapping) -> Map<String, Json> {
    mapping
        .entries
        .iter()
        .map(|entry| {
            let value = match &entry.value.value {
                Value::Scalar(scalar) => scalar.text.clone(),
                _ => repr_node(&entry.value),
            };
            (entry.key.clone(), value.into())
        })
        .collect()
}

fn repr_node(node: &Node) -> String {
    match &node.value {
        Value::Scalar(scalar) => repr(&scalar.text),
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(repr_node).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(mapping) => {
            let entries: Vec<String> = mapping
                .entries
                .iter()
                .map(|entry| format!("{}: {}", repr(&entry.key), repr_node(&entry.value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Text as Python reads a file: every line break is `\n`.
pub(super) fn universal_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// NFKC without trimming.
pub(super) fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// `strip` of a string, which takes four separators away that Unicode does not call white space.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c))
}

/// `repr` of a string.
pub(super) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut result = String::with_capacity(text.len() + 2);
    result.push(quote);
    for c in text.chars() {
        match c {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            c if c == quote => {
                result.push('\\');
                result.push(c);
            }
            c if is_printable(c) => result.push(c),
            c => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0xFF => write!(result, "\\x{code:02x}"),
                    0x100..=0xFFFF => write!(result, "\\u{code:04x}"),
                    _ => write!(result, "\\U{code:08x}"),
                };
            }
        }
    }
    result.push(quote);
    result
}

/// Whether `repr` shows a character as it is: not a control, format or separator character.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let separator = c.is_whitespace();
    let format = matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}');
    !(separator || format || c.is_control())
}

/// JSON with every character outside printable ASCII escaped, as `json.dumps` writes it.
pub(super) fn ascii_json(json: &str) -> String {
    let mut result = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || (' '..='~').contains(&c) {
            result.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(result, "\\u{unit:04x}");
            }
        }
    }
    result
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod python_tests {
    use super::*;

    #[test]
    fn repr_chooses_quotes_and_escapes() {
        assert_eq!(repr("a"), "'a'");
        assert_eq!(repr("it's"), "\"it's\"");
        assert_eq!(repr("'\""), "'\\'\"'");
        assert_eq!(repr("a\n\u{a0}\u{200b}技"), "'a\\n\\xa0\\u200b技'");
    }

    #[test]
    fn json_is_ascii() {
        assert_eq!(
            ascii_json("\"é😀\u{7f}\""),
            "\"\\u00e9\\ud83d\\ude00\\u007f\""
        );
    }
}
