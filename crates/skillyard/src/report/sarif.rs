//! The result as SARIF 2.1.0, for code scanning.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use skillyard_format::LineIndex;

use super::{Loudness, Noted, RuleNote};
use crate::report::FindingNote;

/// A SARIF log with one run.
pub(crate) fn document<T: Noted>(
    skills: &[T],
    rules: impl Iterator<Item = RuleNote>,
) -> impl Serialize {
    #[derive(Serialize)]
    #[serde(bound = "")]
    struct Log<'a, T: Noted> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        version: &'static str,
        runs: [Run<'a, T>; 1],
    }
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: tool(rules),
            column_kind: "unicodeCodePoints",
            results: Results(skills),
        }],
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", bound = "")]
struct Run<'a, T: Noted> {
    tool: Value,
    column_kind: &'static str,
    results: Results<'a, T>,
}

/// Skillyard and its rules.
fn tool(rules: impl Iterator<Item = RuleNote>) -> Value {
    let rules: Vec<Value> = rules
        .map(|rule| {
            json!({
                "id": rule.code,
                "fullDescription": { "text": rule.explanation().trim() },
            })
        })
        .collect();
    json!({
        "driver": {
            "name": "skillyard",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }
    })
}

/// The findings, made one by one while they are written.
struct Results<'a, T>(&'a [T]);

impl<T: Noted> Serialize for Results<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = self.0.iter().flat_map(Noted::files);
        serializer.collect_seq(files.flat_map(|file| {
            let lines = LineIndex::new(file.text);
            let path = uri(&file.path);
            let notes = file.notes.into_iter();
            notes.map(move |note| result(&note, &path, &lines))
        }))
    }
}

fn result(note: &FindingNote<'_>, path: &str, lines: &LineIndex<'_>) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": path } });
    if let Some(span) = note.span {
        let start = lines.position(span.start);
        let end = lines.position(span.end);
        // A region of one line has to hold something; one that ends further down may not.
        let least = if end.line == start.line {
            start.column + 1
        } else {
            1
        };
        location["region"] = json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column.max(least),
        });
    }
    json!({
        "ruleId": note.code,
        "level": match note.loudness {
            Loudness::Error => "error",
            Loudness::Warning => "warning",
            Loudness::Note => "note",
        },
        "message": { "text": note.message },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
