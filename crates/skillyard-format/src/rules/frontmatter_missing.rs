//! Files that do not start with frontmatter.

use super::{Report, Subject};
use crate::document::Frontmatter;
use crate::edit::Edit;
use crate::frontmatter::Absent;
use crate::frontmatter::repair::quoted;
use crate::name::SkillName;
use crate::span::{Line, Lines, Span};

rule! {
    /// A `SKILL.md` must start with frontmatter between two `---` lines.
    ///
    /// ```text
    /// ---
    /// name: pdf-tools
    /// description: Fills and merges PDF forms. Use when a task involves PDF files.
    /// ---
    /// ```
    ///
    /// Without it there is no description, and a model could not know when to use the skill.
    ///
    /// **Fix:** add the block; `--fix` makes one from the folder's name and the first paragraph.
    "frontmatter-missing", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.document.frontmatter != Frontmatter::Absent(Absent::NoFrontmatter) {
        return;
    }
    let text = &subject.document.text;
    let first = Lines::new(text).find(|line| !line.text.trim().is_empty());
    let span = first.map(|line: Line| Span::new(line.start, line.end));
    let added = report
        .add(
            &RULE,
            span,
            "the file does not start with frontmatter".into(),
        )
        .help("start it with a `---` line, `name:`, `description:` and another `---` line");
    if let Some(edit) = proposal(subject) {
        added.fix([edit]);
    }
}

/// Frontmatter made from what is there.
fn proposal(subject: &Subject<'_>) -> Option<Edit> {
    let name = SkillName::from_text(subject.directory?)?;
    let text = &subject.document.text;
    let mut paragraph = String::new();
    for line in Lines::new(text).map(|line| line.text.trim()) {
        let is_prose = !line.is_empty()
            && !line.starts_with(['#', '-', '*', '`', '|', '<', '>', '!', '=', '[']);
        if is_prose {
            paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
            paragraph.push_str(line);
        } else if !paragraph.is_empty() {
            break;
        }
    }
    let description: String = paragraph
        .chars()
        .filter(|c| !c.is_control() && *c != crate::text::BOM)
        .take(1024)
        .collect();
    let description = description.trim();
    if description.is_empty() {
        return None;
    }
    let start = if text.starts_with(crate::text::BOM) {
        3
    } else {
        0
    };
    Some(Edit::replace(
        Span::new(0, start),
        format!(
            "---\nname: {name}\ndescription: {}\n---\n\n",
            quoted(description)
        ),
    ))
}
