//! The block as JSON.

use serde_json::{Map, Value, json};

use super::CatalogEntry;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let skills: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let mut skill = Map::new();
            skill.insert("name".into(), entry.name.clone().into());
            skill.insert("description".into(), entry.description.clone().into());
            if let Some(location) = &entry.location {
                skill.insert("location".into(), location.clone().into());
            }
            Value::Object(skill)
        })
        .collect();
    format!("{:#}", json!({ "available_skills": skills }))
}
