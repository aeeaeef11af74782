//! A rendered catalog that fits: every token that a model will read is counted.

use skillyard_format::render::catalog::{CatalogEntry, CatalogFormat, render};
use skillyard_format::tokens::estimate;

use crate::budget::{self, Budget, Entry, Fitting};

/// Tokens kept free for the line that says what was left out.
const OMISSION: usize = 30;

/// What a prompt has room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Tokens.
    pub tokens: usize,
    /// Skills.
    pub skills: usize,
}

/// Makes the entries fit; a ranking says which matter most.
pub fn fit_catalog(
    all: &[CatalogEntry],
    format: CatalogFormat,
    room: Room,
    ranking: Option<&[usize]>,
) -> (Vec<CatalogEntry>, Fitting) {
    let frames: Vec<Frame> = all.iter().map(|entry| Frame::of(entry, format)).collect();
    let around = frames.first().map_or(0, |frame| frame.around);
    let plain: Vec<Entry> = all
        .iter()
        .zip(&frames)
        .map(|(entry, frame)| Entry {
            name: entry.name.clone(),
            // A summary shows no descriptions, so none has to give way.
            description: match format {
                CatalogFormat::Summary => String::new(),
                _ => entry.description.clone(),
            },
            frame: frame.entry,
        })
        .collect();
    let limits = Budget {
        tokens: room.tokens.saturating_sub(around + OMISSION),
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
        let tokens = |entries: &[CatalogEntry]| estimate(&render(entries, format));
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
