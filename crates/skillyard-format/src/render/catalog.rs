//! Tier 1: the skills a model may choose from, in the shapes clients use.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::render::{html, line, xml};

/// One skill of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Where a model with a file system finds it; `None` for models that use tools.
    pub location: Option<String>,
}

/// The shape of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogFormat {
    /// `<available_skills>` with one element a line.
    Xml,
    /// The same bytes as the reference implementation.
    SkillsRef,
    /// `{"available_skills": […]}`.
    Json,
    /// A list with aliases for the folders, as Codex writes it.
    Codex,
    /// A list.
    Markdown,
    /// Names only.
    Summary,
}

/// The catalog as text, without a final line break; nothing at all when there is no skill.
pub fn render(entries: &[CatalogEntry], format: CatalogFormat) -> String {
    if entries.is_empty() && format != CatalogFormat::SkillsRef {
        return String::new();
    }
    match format {
        CatalogFormat::Xml => render_xml(entries),
        CatalogFormat::SkillsRef => render_skills_ref(entries),
        CatalogFormat::Json => render_json(entries),
        CatalogFormat::Codex => render_codex(entries),
        CatalogFormat::Markdown => render_markdown(entries),
        CatalogFormat::Summary => render_summary(entries),
    }
}

/// What a model is told along with a catalog.
///
/// Models with a file system read the file that the catalog names; the others call a tool.
pub fn activation_text(has_locations: bool) -> &'static str {
    if has_locations {
        "When a task matches one of these skills, read its SKILL.md at the given location before \
         you start, follow its instructions, and read or run the other files of its folder only \
         as they are needed. Paths in a skill are relative to its folder."
    } else {
        "When a task matches one of these skills, call `skill_load` with its name before you \
         start, follow the instructions it returns, and fetch the skill's other files with \
         `skill_read` only as they are needed."
    }
}

fn render_codex(entries: &[CatalogEntry]) -> String {
    let mut roots: Vec<&str> = Vec::new();
    for (root, _) in entries.iter().filter_map(located) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    let mut text = String::from("## Skills\n");
    if !roots.is_empty() {
        text.push_str("### Skill roots\n");
        for (number, root) in roots.iter().enumerate() {
            let _ = writeln!(text, "- `r{number}` = `{}`", line(root).replace('`', "'"));
        }
    }
    text.push_str("### Available skills");
    for entry in entries {
        let _ = write!(
            text,
            "\n- {}: {}",
            line(&entry.name),
            line(&entry.description)
        );
        if let Some((root, rest)) = located(entry) {
            let number = roots
                .iter()
                .position(|each| *each == root)
                .unwrap_or_default();
            let _ = write!(text, " (file: r{number}/{})", line(rest));
        } else if let Some(location) = &entry.location {
            // A path such as `skills/pdf` has no folder worth an alias.
            let _ = write!(text, " (file: {})", line(location));
        }
    }
    text
}

/// The folder that holds the skill's folder, and the path below it.
fn located(entry: &CatalogEntry) -> Option<(&str, &str)> {
    let location = entry.location.as_deref()?;
    let (folder, _) = location.rsplit_once('/')?;
    let (root, _) = folder.rsplit_once('/')?;
    Some((root, &location[root.len() + 1..]))
}

fn render_json(entries: &[CatalogEntry]) -> String {
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

fn render_markdown(entries: &[CatalogEntry]) -> String {
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

fn render_skills_ref(entries: &[CatalogEntry]) -> String {
    let mut text = String::from("<available_skills>\n");
    for entry in entries {
        text.push_str("<skill>\n");
        html_element(&mut text, "name", &html(&entry.name));
        html_element(&mut text, "description", &html(&entry.description));
        if let Some(location) = &entry.location {
            html_element(&mut text, "location", &html(location));
        }
        text.push_str("</skill>\n");
    }
    text.push_str("</available_skills>");
    text
}

fn html_element(text: &mut String, name: &str, content: &str) {
    for part in ["<", name, ">\n", content, "\n</", name, ">\n"] {
        text.push_str(part);
    }
}

fn render_summary(entries: &[CatalogEntry]) -> String {
    // A comma separates; a name that holds one is not valid, and must not pass for two.
    let names: Vec<String> = entries
        .iter()
        .map(|entry| line(&entry.name).replace(',', ";"))
        .collect();
    format!("Available skills: {}", names.join(", "))
}

fn render_xml(entries: &[CatalogEntry]) -> String {
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
    for part in ["    <", name, ">", &xml(content), "</", name, ">\n"] {
        text.push_str(part);
    }
}

#[cfg(test)]
mod tests;
