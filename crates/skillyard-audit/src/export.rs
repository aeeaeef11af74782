//! Events as CSV, for a spreadsheet.

use crate::entry::AuditEntry;

/// The names of the columns, with the end of the line.
pub const CSV_HEADER: &str = "seq,time,event,actor,outcome,session,task,skill,digest,source,origin,tier,trigger,reason,detail\r\n";

/// An event as a line of CSV, with its end.
pub fn csv(entry: &AuditEntry<'_>) -> String {
    let detail = if entry.detail.is_empty() {
        String::new()
    } else {
        serde_json::to_string(&entry.detail).unwrap_or_default()
    };
    let text =
        |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().unwrap_or("").to_owned();
    let fields = [
        entry.seq.to_string(),
        entry.time.to_string(),
        entry.event.to_string(),
        entry.actor.to_string(),
        entry.outcome.to_string(),
        text(&entry.session),
        text(&entry.task),
        text(&entry.skill),
        text(&entry.digest),
        text(&entry.source),
        text(&entry.origin),
        text(&entry.tier),
        text(&entry.trigger),
        text(&entry.reason),
        detail,
    ];
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    format!("{}\r\n", fields.join(","))
}

/// A field that no spreadsheet takes for a formula.
fn quoted(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let field = if is_formula {
        format!("'{field}")
    } else {
        field.to_owned()
    };
    if field.contains([',', '"', '\n', '\r', ' ']) || is_formula {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stay_fields() {
        assert_eq!(quoted("pdf"), "pdf");
        assert_eq!(quoted("a \"b\",\nc"), "\"a \"\"b\"\",\nc\"");
        for formula in ["=HYPERLINK(\"x\")", "+1", "-1", "@x", "\t=1"] {
            assert!(quoted(formula).starts_with("\"'"), "{formula}");
        }
    }
}
