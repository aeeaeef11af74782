//! The catalog of a prompt, made to fit: every token that will be printed is counted.

use serde_json::json;
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};
use skillyard_format::tokens::estimate;

use crate::budget::{self, Budget, BudgetEntry, Fitting, Way};
use crate::record::Record;

/// Tokens of a catalog when nothing is said: 2 % of a context of 200,000.
pub const DEFAULT_BUDGET: usize = 4_000;
/// What is written once around all entries.
const AROUND: &str = "<available_skills>\n</available_skills>";
/// Tokens kept free for the line that says what was left out.
const OMISSION: usize = 30;
/// Tokens kept free for that line in JSON, where it has names around it.
const JSON_OMISSION: usize = 50;

/// About how many tokens a skill here has in every prompt; none where models are not told of it.
pub fn prompt_tokens(record: &Record) -> usize {
    if record.model_invocable {
        entry_tokens(&record.name, &record.description)
    } else {
        0
    }
}

/// About how many tokens a skill has in every prompt: those of its entry as it is written there.
pub fn entry_tokens(name: &str, description: &str) -> usize {
    let entry = CatalogEntry {
        name: name.to_owned(),
        description: description.to_owned(),
        // Where exactly it lies makes little of a difference.
        location: Some(format!("~/.agents/skills/{name}/SKILL.md")),
    };
    let alone = estimate(&catalog::render(&[entry], CatalogFormat::Xml));
    alone.saturating_sub(estimate(AROUND))
}

/// What a prompt has room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// How many tokens.
    pub tokens: usize,
    /// How many skills.
    pub skills: usize,
}

/// The catalog as a prompt has it: within its room, and with a line that says how many skills are
/// missing. `ranking` has the places of the most relevant entries first.
pub fn render(
    all: &[CatalogEntry],
    format: CatalogFormat,
    room: Room,
    ranking: Option<&[usize]>,
    way: Way,
) -> (String, Fitting) {
    let (kept, fitting) = fitted(all, format, room, ranking);
    let text = catalog::render(&kept, format);
    let omitted = fitting.omitted.len();
    let text = match budget::omission_line(omitted, way) {
        Some(line) => with_omission(&text, &line, omitted, format),
        None => text,
    };
    (text, fitting)
}

/// Makes the entries fit, counting every token that will be printed.
pub fn fitted(
    all: &[CatalogEntry],
    format: CatalogFormat,
    room: Room,
    ranking: Option<&[usize]>,
) -> (Vec<CatalogEntry>, Fitting) {
    let frames: Vec<Frame> = all.iter().map(|entry| Frame::of(entry, format)).collect();
    let around = frames.first().map_or(0, |frame| frame.around);
    let plain: Vec<BudgetEntry> = all
        .iter()
        .zip(&frames)
        .map(|(entry, frame)| BudgetEntry {
            name: entry.name.clone(),
            // A summary shows no descriptions, so none must give way.
            description: match format {
                CatalogFormat::Summary => String::new(),
                _ => entry.description.clone(),
            },
            frame: frame.entry,
        })
        .collect();
    let omission = match format {
        CatalogFormat::Json => JSON_OMISSION,
        _ => OMISSION,
    };
    let limits = Budget {
        tokens: room.tokens.saturating_sub(around + omission),
        entries: room.skills,
    };
    let fitting = budget::fit(&plain, limits, ranking);
    let entries = fitting
        .kept
        .iter()
        .map(|(at, description)| CatalogEntry {
            description: description.clone(),
            ..all[*at].clone()
        })
        .collect();
    (entries, fitting)
}

/// The block with the line that says what is missing from it.
pub fn with_omission(text: &str, line: &str, count: usize, format: CatalogFormat) -> String {
    match format {
        CatalogFormat::Json => match serde_json::from_str::<serde_json::Value>(text) {
            Ok(mut value) => {
                value["omitted"] = json!({ "count": count, "note": line });
                format!("{value:#}")
            }
            // Nothing was kept, so the document is empty.
            Err(_) => format!(
                "{:#}",
                json!({ "available_skills": [], "omitted": { "count": count, "note": line } })
            ),
        },
        _ if text.is_empty() => line.to_owned(),
        _ => format!("{text}\n{line}"),
    }
}

/// What an entry costs without its description, and what is around all entries.
struct Frame {
    entry: usize,
    around: usize,
}

impl Frame {
    fn of(entry: &CatalogEntry, format: CatalogFormat) -> Self {
        let bare = CatalogEntry {
            description: String::new(),
            ..entry.clone()
        };
        let tokens = |entries: &[CatalogEntry]| estimate(&catalog::render(entries, format));
        let one = tokens(std::slice::from_ref(&bare));
        let two = tokens(&[bare.clone(), bare]);
        // Estimates are rounded, so each entry may lose one token.
        let entry = two.saturating_sub(one) + 1;
        Self {
            entry,
            around: one.saturating_sub(entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_skill_costs_is_what_a_prompt_grows_by() {
        let name = |number: usize| format!("skill-{number:02}");
        let about = "Fills PDF forms. Use when a task involves PDF files.";
        let entries: Vec<CatalogEntry> = (0..20)
            .map(|number| CatalogEntry {
                name: name(number),
                description: about.to_owned(),
                location: Some(format!("/home/me/.agents/skills/{}/SKILL.md", name(number))),
            })
            .collect();
        let all = estimate(&catalog::render(&entries, CatalogFormat::Xml));
        let one = entry_tokens(&name(0), about);
        assert!(one.abs_diff(all / 20) < 6, "{one} of {all}");
    }
}
