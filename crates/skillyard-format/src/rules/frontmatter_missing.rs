//! Files that do not start with frontmatter.

use super::{Report, Subject};
use crate::document::Frontmatter;
use crate::edit::Edit;
use crate::frontmatter::repair::{key_of, quoted};
use crate::frontmatter::{Absent, Displaced, find_displaced};
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
    /// Without it there is no description, and a model could not know when to use the skill. TOML between `+++` lines
    /// is no frontmatter to any client.
    ///
    /// **Fix:** add the block; `--fix` moves one that stands further down to the top, or makes one from the folder's
    /// name and the first paragraph.
    "frontmatter-missing", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.document.frontmatter != Frontmatter::Absent(Absent::NoFrontmatter) {
        return;
    }
    let text = &subject.document.text;
    let first = Lines::new(text).find(|line| !line.text.trim().is_empty());
    let span = first.map(|line: Line| Span::new(line.start, line.end));
    let toml = Toml::find(text);
    let (message, help) = match toml {
        Toml::None => (
            "the file does not start with frontmatter",
            "start it with a `---` line, `name:`, `description:` and another `---` line",
        ),
        Toml::Described | Toml::Other => (
            "the frontmatter is TOML, between `+++` lines, and must be YAML, between `---` lines",
            "write `---` instead of `+++`, and `key: value` instead of `key = \"value\"`",
        ),
    };
    let added = report.add(&RULE, span, message.into()).help(help);
    // A paragraph must not take the place of a description that is there.
    if toml != Toml::Described
        && let Some(edits) = proposal(subject)
    {
        added.fix(edits);
    }
}

/// What stands between `+++` lines at the start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Toml {
    /// There are none.
    None,
    /// Fields, and a description among them.
    Described,
    /// Other fields.
    Other,
}

impl Toml {
    fn find(text: &str) -> Self {
        let lines = Lines::new(text).map(|line| line.text.trim_matches(is_blank));
        let mut lines = lines.skip_while(|line| line.is_empty());
        if lines.next() != Some("+++") {
            return Self::None;
        }
        let mut fields = lines.take_while(|line| *line != "+++");
        if fields.any(|line| line.starts_with("description")) {
            Self::Described
        } else {
            Self::Other
        }
    }
}

fn is_blank(c: char) -> bool {
    c == crate::text::BOM || c.is_whitespace()
}

/// The frontmatter that stands elsewhere, or one made from what is there.
fn proposal(subject: &Subject<'_>) -> Option<Vec<Edit>> {
    let text = &subject.document.text;
    let mark = text.len() - text.trim_start_matches(crate::text::BOM).len();
    let top = Span::new(0, mark);
    match find_displaced(text) {
        Some(Displaced::Whole(block)) => Some(vec![
            Edit::replace(top, with_break(block.of(text))),
            Edit::remove(block),
        ]),
        Some(Displaced::Unopened(start)) => Some(vec![Edit::replace(Span::new(0, start), "---\n")]),
        None => {
            let name = SkillName::from_text(subject.directory?)?;
            let description = quoted(&described(text)?);
            let block = format!("---\nname: {name}\ndescription: {description}\n---\n\n");
            Some(vec![Edit::replace(top, block)])
        }
    }
}

/// The block may end with the file.
fn with_break(block: &str) -> String {
    let end = if block.ends_with(['\n', '\r']) {
        ""
    } else {
        "\n"
    };
    format!("{block}{end}")
}

/// The first paragraph, if it is prose.
fn described(text: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut skipped_until = None;
    for line in Lines::new(text) {
        let line = line.text.trim_matches(is_blank);
        if let Some(end) = skipped_until {
            // A comment ends within a line, the others with a line of their own.
            let is_end = if end == "-->" {
                line.contains(end)
            } else {
                line.starts_with(end)
            };
            if is_end {
                skipped_until = None;
            }
            continue;
        }
        let is_prose = !line.is_empty()
            && !line.starts_with(['#', '-', '*', '`', '~', '|', '<', '>', '!', '=', '[', '+']);
        if is_prose {
            if is_code(line) {
                return None;
            }
            paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
            paragraph.push_str(line);
        } else if !paragraph.is_empty() {
            break;
        }
        skipped_until = match line.get(..3) {
            Some("```") => Some("```"),
            Some("~~~") => Some("~~~"),
            Some("+++") => Some("+++"),
            _ if line.starts_with("<!--") && !line.contains("-->") => Some("-->"),
            _ => None,
        };
    }
    let description: String = paragraph
        .chars()
        .filter(|c| !c.is_control() && *c != crate::text::BOM)
        .take(1024)
        .collect();
    let description = description.trim();
    (!description.is_empty()).then(|| description.to_owned())
}

/// Whether a line is a field or code, from which no sentence can be made.
fn is_code(line: &str) -> bool {
    key_of(line).is_some()
        || line.starts_with(['{', '}', '"', '$', '@'])
        || line.ends_with(['{', '}', ';'])
        || ["import ", "from ", "def ", "const ", "let ", "set -"]
            .iter()
            .any(|start| line.starts_with(start))
}
