//! The result as SARIF 2.1.0, for code scanning.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_format::{Diagnostic, LineIndex, Severity, rules};

use super::Checked;

/// A SARIF log with one run.
pub(crate) fn document(checked: &[Checked]) -> Value {
    let results: Vec<Value> = checked.iter().flat_map(results).collect();
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

/// The findings of one skill.
fn results(skill: &Checked) -> Vec<Value> {
    let lines = LineIndex::new(&skill.text);
    let path = uri(&skill.path.to_string_lossy());
    let findings = skill.diagnostics.iter();
    findings.map(|each| result(each, &path, &lines)).collect()
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
