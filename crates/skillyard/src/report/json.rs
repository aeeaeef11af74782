//! The result as one JSON document.

use serde_json::{Value, json};
use skillyard_format::{Diagnostic, LineIndex, Severity};

use super::{Checked, Summary};

/// `{"results": […], "summary": {…}}`.
pub(crate) fn document(checked: &[Checked], summary: &Summary) -> Value {
    let results: Vec<Value> = checked.iter().map(result).collect();
    json!({
        "results": results,
        "summary": {
            "skills": summary.skills,
            "invalid": summary.invalid,
            "errors": summary.errors,
            "warnings": summary.warnings,
            "fixable": summary.fixable,
            "fixed": summary.fixed,
        }
    })
}

fn result(checked: &Checked) -> Value {
    let errors: Vec<&str> = checked
        .diagnostics
        .iter()
        .filter(|each| each.severity == Severity::Error)
        .map(|each| each.message.as_str())
        .collect();
    let lines = LineIndex::new(&checked.text);
    let diagnostics: Vec<Value> = checked
        .diagnostics
        .iter()
        .map(|each| diagnostic(each, &lines))
        .collect();
    json!({
        "path": checked.folder.to_string_lossy(),
        "file": checked.path.to_string_lossy(),
        "name": checked.name,
        "valid": checked.is_valid(),
        "errors": errors,
        "diagnostics": diagnostics,
    })
}

/// A diagnostic with its place as bytes and as line and column.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, lines: &LineIndex<'_>) -> Value {
    let mut value = json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "fixable": !diagnostic.fix.is_empty(),
    });
    if let Some(span) = diagnostic.span {
        value["span"] = json!(span);
        value["start"] = json!(lines.position(span.start));
        value["end"] = json!(lines.position(span.end));
    }
    if let Some(help) = &diagnostic.help {
        value["help"] = json!(help);
    }
    value
}
