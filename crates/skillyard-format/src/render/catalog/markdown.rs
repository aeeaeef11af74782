//! A Markdown list.

use std::fmt::Write as _;

use super::CatalogEntry;
use crate::render::escape::line;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let mut text = String::from("## Available skills\n");
    for entry in entries {
        let _ = write!(
            text,
            "\n- **{}**: {}",
            line(&entry.name),
            line(&entry.description)
        );
        if let Some(location) = &entry.location {
            let _ = write!(text, " (`{}`)", line(location).replace('`', "'"));
        }
    }
    text
}
