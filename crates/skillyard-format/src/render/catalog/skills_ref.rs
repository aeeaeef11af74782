//! The block as the reference implementation prints it, to the byte.
//!
//! That one does not escape the location; a path that would break the XML is escaped
//! here all the same, because a skill's folder can be named by a stranger.

use super::CatalogEntry;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let mut text = String::from("<available_skills>\n");
    for entry in entries {
        text.push_str("<skill>\n");
        element(&mut text, "name", &escape(&entry.name));
        element(&mut text, "description", &escape(&entry.description));
        if let Some(location) = &entry.location {
            element(&mut text, "location", &escape(location));
        }
        text.push_str("</skill>\n");
    }
    text.push_str("</available_skills>");
    text
}

fn element(text: &mut String, name: &str, content: &str) {
    for part in ["<", name, ">\n", content, "\n</", name, ">\n"] {
        text.push_str(part);
    }
}

/// Python's `html.escape` with quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            c => escaped.push(c),
        }
    }
    escaped
}
