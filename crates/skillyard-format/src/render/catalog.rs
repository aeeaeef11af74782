//! Tier 1: the skills a model may choose from, in the shapes clients use.

mod codex;
mod json;
mod markdown;
mod skills_ref;
mod summary;
mod xml;

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
        CatalogFormat::Xml => xml::render(entries),
        CatalogFormat::SkillsRef => skills_ref::render(entries),
        CatalogFormat::Json => json::render(entries),
        CatalogFormat::Codex => codex::render(entries),
        CatalogFormat::Markdown => markdown::render(entries),
        CatalogFormat::Summary => summary::render(entries),
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

#[cfg(test)]
mod tests;
