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
            .map(|(value, label, count)| {
                let is_chosen = chosen.eq_ignore_ascii_case(value);
                Choice {
                    label: label.to_owned(),
                    // All that was found has what was chosen.
                    count: if is_chosen { total } else { count },
                    chosen: is_chosen,
                    address: wanted.address(key, if is_chosen { "" } else { value }),
                }
            })
            .filter(|choice| choice.count > 0 || choice.chosen)
            .collect(),
    };
    let counted = |key, title, chosen, counts| facet(key, title, chosen, commonest(counts, chosen));
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
        facet("signed", "Signature", &wanted.signed, is_signed),
        counted("verdict", "Scan", &wanted.verdict, &found.verdicts),
        facet("scripts", "Scripts", &wanted.scripts, has_scripts),
        counted("tag", "Tags", &wanted.tag, &found.tags),
        counted("license", "Licence", &wanted.license, &found.licenses),
        counted("owner", "Owner", &wanted.owner, &found.owners),
    ];
    all.into_iter()
        .filter(|facet| !facet.choices.is_empty())
        .collect()
}

/// The commonest values. The one that was chosen is among them, so that it is seen and can be taken
/// back.
fn commonest<'a>(counts: &'a [Count], chosen: &'a str) -> Vec<(&'a str, &'a str, usize)> {
    let counts = counts.iter().take(MOST);
    let told = |each: &'a Count| (each.value.as_str(), each.value.as_str(), each.count);
    let mut counts: Vec<_> = counts.map(told).collect();
    let is_told = |(value, ..): &(&str, &str, usize)| value.eq_ignore_ascii_case(chosen);
    if !chosen.is_empty() && !counts.iter().any(is_told) {
        counts.push((chosen, chosen, 0));
    }
    counts
}
