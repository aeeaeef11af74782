//! Names only, for the smallest budgets.

use super::CatalogEntry;
use crate::render::escape::line;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let names: Vec<String> = entries.iter().map(|entry| line(&entry.name)).collect();
    format!("Available skills: {}", names.join(", "))
}
