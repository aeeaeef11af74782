//! The result as one JSON document, made finding by finding while it is written.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use skillyard_catalog::walk::Skipped;
use skillyard_format::{Diagnostic, LineIndex, Severity};

use super::{Checked, Summary};

/// `{"results": […], "skipped": […], "summary": {…}}`.
pub(crate) fn document<'a>(
    checked: &'a [Checked],
    passed: &[Skipped],
    summary: &Summary,
) -> impl Serialize + use<'a> {
    #[derive(Serialize)]
    struct Document<'a> {
        results: Vec<CheckedJson<'a>>,
        skipped: Vec<Value>,
        summary: Value,
    }
    Document {
        results: checked.iter().map(CheckedJson::new).collect(),
        skipped: passed
            .iter()
            .map(|each| json!({ "path": each.path.to_string_lossy(), "reason": each.reason }))
            .collect(),
        summary: json!({
            "skills": summary.skills,
            "invalid": summary.invalid,
            "errors": summary.errors,
            "warnings": summary.warnings,
            "fixable": summary.fixable,
            "fixed": summary.fixed,
        }),
    }
}

#[derive(Serialize)]
struct CheckedJson<'a> {
    path: String,
    file: String,
    name: Option<&'a str>,
    valid: bool,
    errors: Vec<&'a str>,
    diagnostics: Diagnostics<'a>,
}

impl<'a> CheckedJson<'a> {
    fn new(checked: &'a Checked) -> Self {
        let diagnostics = &checked.diagnostics;
        Self {
            path: checked.folder.to_string_lossy().into_owned(),
            file: checked.path().to_string_lossy().into_owned(),
            name: checked.name.as_deref(),
            valid: checked.is_valid(),
            errors: diagnostics
                .iter()
                .filter(|each| each.severity == Severity::Error)
                .map(|each| each.message.as_str())
                .collect(),
            diagnostics: Diagnostics {
                diagnostics,
                text: &checked.text,
            },
        }
    }
}

/// Diagnostics with their places as bytes and as lines and columns.
pub(crate) struct Diagnostics<'a> {
    /// What was found.
    pub(crate) diagnostics: &'a [Diagnostic],
    /// The text it was found in.
    pub(crate) text: &'a str,
}

impl Serialize for Diagnostics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = LineIndex::new(self.text);
        serializer.collect_seq(self.diagnostics.iter().map(|each| diagnostic(each, &lines)))
    }
}

fn diagnostic(diagnostic: &Diagnostic, lines: &LineIndex<'_>) -> Value {
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
