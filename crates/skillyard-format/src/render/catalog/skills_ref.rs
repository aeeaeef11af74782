//! The block as the reference implementation prints it, to the byte.
//!
//! That one does not escape the location; a path that would break the XML is escaped
//! here all the same, because a skill's folder can be named by a stranger.

use super::CatalogEntry;
use crate::render::escape::html;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let mut text = String::from("<available_skills>\n");
    for entry in entries {
        text.push_str("<skill>\n");
        element(&mut text, "name", &html(&entry.name));
        element(&mut text, "description", &html(&entry.description));
        if let Some(location) = &entry.location {
            element(&mut text, "location", &html(location));
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
