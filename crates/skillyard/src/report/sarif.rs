//! The result as SARIF 2.1.0, for code scanning.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use skillyard_format::{Diagnostic, LineIndex, Severity, rules};

use super::{Checked, explanation};

/// A SARIF log with one run.
pub(crate) fn document(checked: &[Checked]) -> impl Serialize {
    #[derive(Serialize)]
    struct Log<'a> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        version: &'static str,
        runs: [Run<'a>; 1],
    }
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: tool(),
            column_kind: "unicodeCodePoints",
            results: Results(checked),
        }],
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Value,
    column_kind: &'static str,
    results: Results<'a>,
}

/// Skillyard and its rules.
fn tool() -> Value {
    let rules: Vec<Value> = rules::ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "fullDescription": { "text": explanation(rule).trim() },
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
struct Results<'a>(&'a [Checked]);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().flat_map(|skill| {
            let lines = LineIndex::new(&skill.text);
            let path = uri(&skill.path.to_string_lossy());
            let findings = skill.diagnostics.iter();
            findings.map(move |each| result(each, &path, &lines))
        }))
    }
}

fn result(diagnostic: &Diagnostic, path: &str, lines: &LineIndex<'_>) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": path } });
    if let Some(span) = diagnostic.span {
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
        "ruleId": diagnostic.code,
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": { "text": diagnostic.message },
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
