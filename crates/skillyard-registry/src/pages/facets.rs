//! What found skills can be narrowed down by, with how many would be left.

use std::collections::HashMap;

use super::home::Wanted;
use crate::store::skills::SkillRow;

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

/// The choices among what was found.
pub(super) fn facets(wanted: &Wanted, found: &[&SkillRow]) -> Vec<Facet> {
    let facet = |key, title, chosen: &str, choices: Vec<(&str, &str, usize)>| Facet {
        key,
        title,
        choices: choices
            .into_iter()
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
    let count = |is: &dyn Fn(&SkillRow) -> bool| found.iter().filter(|skill| is(skill)).count();
    let scripts = count(&|skill| skill.latest.facts.has_scripts());
    let signed = count(&|skill| skill.latest.signer.is_some());
    let clean = count(&|skill| skill.latest.verdict == "clean");
    let all = [
        facet(
            "trust",
            "Trust",
            &wanted.trust,
            some(&[
                ("signed", "Signed", signed),
                ("unsigned", "Not signed", found.len() - signed),
                ("clean", "No findings", clean),
                ("findings", "With findings", found.len() - clean),
            ]),
        ),
        facet(
            "scripts",
            "Scripts",
            &wanted.scripts,
            some(&[
                ("no", "Without scripts", found.len() - scripts),
                ("yes", "With scripts", scripts),
            ]),
        ),
        facet(
            "tag",
            "Tags",
            &wanted.tag,
            most(found, |skill| {
                skill.latest.facts.tags.iter().map(String::as_str).collect()
            }),
        ),
        facet(
            "license",
            "Licence",
            &wanted.license,
            most(found, |skill| {
                skill.latest.facts.license.as_deref().into_iter().collect()
            }),
        ),
        facet(
            "owner",
            "Owner",
            &wanted.owner,
            most(found, |skill| vec![&skill.latest.publisher]),
        ),
    ];
    all.into_iter()
        .filter(|facet| !facet.choices.is_empty())
        .collect()
}

fn some<'a>(choices: &[(&'a str, &'a str, usize)]) -> Vec<(&'a str, &'a str, usize)> {
    choices.iter().copied().filter(|each| each.2 > 0).collect()
}

/// The values that most of the skills have.
fn most<'a>(
    found: &[&'a SkillRow],
    values: impl Fn(&'a SkillRow) -> Vec<&'a str>,
) -> Vec<(&'a str, &'a str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for value in found.iter().flat_map(|skill| values(skill)) {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    counts.truncate(MOST);
    counts
        .into_iter()
        .map(|(value, count)| (value, value, count))
        .collect()
}
