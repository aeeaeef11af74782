//! The `<available_skills>` block.

use super::CatalogEntry;
use crate::render::escape;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let mut text = String::from("<available_skills>\n");
    for entry in entries {
        text.push_str("  <skill>\n");
        element(&mut text, "name", &entry.name);
        element(&mut text, "description", &entry.description);
        if let Some(location) = &entry.location {
            element(&mut text, "location", location);
        }
        text.push_str("  </skill>\n");
    }
    text.push_str("</available_skills>");
    text
}

fn element(text: &mut String, name: &str, content: &str) {
    for part in ["    <", name, ">", &escape::xml(content), "</", name, ">\n"] {
        text.push_str(part);
    }
}
