//! The result as SARIF 2.1.0, for code scanning.

use serde_json::{Value, json};
use skillyard_format::{Position, Severity, rules};

use super::Checked;

/// A SARIF log with one run.
pub(crate) fn document(checked: &[Checked]) -> Value {
    let results: Vec<Value> = checked
        .iter()
        .flat_map(|skill| {
            skill.diagnostics.iter().map(|diagnostic| {
                let mut location = json!({
                    "artifactLocation": { "uri": uri(&skill.path.to_string_lossy()) },
                });
                if let Some(span) = diagnostic.span {
                    let start = Position::of(&skill.text, span.start);
                    let end = Position::of(&skill.text, span.end);
                    location["region"] = json!({
                        "startLine": start.line,
                        "startColumn": start.column,
                        "endLine": end.line,
                        "endColumn": end.column.max(start.column + usize::from(end.line == start.line)),
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
            })
        })
        .collect();
    let described: Vec<Value> = rules::ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "fullDescription": { "text": rule.explanation.trim() },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "skillyard",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
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
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
