//! What found skills can be narrowed down by, with how many would be left.

use super::home::Wanted;
use crate::facets::{Count, Facets};

/// Most choices of one kind.
const MOST: usize = 8;

/// One thing to narrow down by.
pub(super) struct Facet {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) choices: Vec<Choice>,
}

/// One choice; made already, its address takes it back.
pub(super) struct Choice {
    pub(super) label: String,
    pub(super) count: usize,
    pub(super) chosen: bool,
    pub(super) address: String,
}

/// The choices among what was found, `total` skills.
pub(super) fn facets(wanted: &Wanted, found: &Facets, total: usize) -> Vec<Facet> {
    let facet = |key, title, chosen: &str, choices: Vec<(&str, &str, usize)>| Facet {
        key,
        title,
        choices: choices
            .into_iter()
            .filter(|(.., count)| *count > 0)
            .map(|(value, label, count)| {
                let is_chosen = chosen.eq_ignore_ascii_case(value);
                Choice {
                    label: label.to_owned(),
                    count,
                    chosen: is_chosen,
                    address: wanted.address(key, if is_chosen { "" } else { value }),
                }
            })
            .collect(),
    };
    let (signed, scripts) = (found.signed, found.with_scripts);
    let is_signed = vec![
        ("yes", "Signed", signed),
        ("no", "Not signed", total.saturating_sub(signed)),
    ];
    let has_scripts = vec![
        ("no", "Without scripts", total.saturating_sub(scripts)),
        ("yes", "With scripts", scripts),
    ];
    let all = [
        facet("signed", "Trust", &wanted.signed, is_signed),
        facet("verdict", "Scan", &wanted.verdict, counted(&found.verdicts)),
        facet("scripts", "Scripts", &wanted.scripts, has_scripts),
        facet("tag", "Tags", &wanted.tag, counted(&found.tags)),
        facet(
            "license",
            "Licence",
            &wanted.license,
            counted(&found.licenses),
        ),
        facet("owner", "Owner", &wanted.owner, counted(&found.owners)),
    ];
    all.into_iter()
        .filter(|facet| !facet.choices.is_empty())
        .collect()
}

fn counted(counts: &[Count]) -> Vec<(&str, &str, usize)> {
    counts
        .iter()
        .take(MOST)
        .map(|each| (each.value.as_str(), each.value.as_str(), each.count))
        .collect()
}
