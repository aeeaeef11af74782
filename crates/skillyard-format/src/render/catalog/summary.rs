//! Names only, for the smallest budgets.

use super::CatalogEntry;
use crate::render::escape::line;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    // A comma separates; a name that holds one is not valid, and must not pass for two.
    let names: Vec<String> = entries
        .iter()
        .map(|entry| line(&entry.name).replace(',', ";"))
        .collect();
    format!("Available skills: {}", names.join(", "))
}
