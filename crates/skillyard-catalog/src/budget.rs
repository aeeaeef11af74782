//! A catalog that fits a budget: descriptions are shortened fairly, then entries are left out.
//!
//! Descriptions that are squeezed too far are worth nothing: models stop choosing skills
//! at all. So they are cut to one common length, but never below [`MIN_DESCRIPTION_TOKENS`], and when
//! that is not enough the entries that matter least to the task go.

use serde::Serialize;
use skillyard_format::tokens::estimate;

/// Fewest tokens that are left of a description.
pub const MIN_DESCRIPTION_TOKENS: usize = 40;
/// An entry of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetEntry {
    /// The skill's name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Tokens of the entry without its description: name, location and markup.
    pub frame: usize,
}

/// What is to fit into what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Most tokens of the whole catalog.
    pub tokens: usize,
    /// Most entries.
    pub entries: usize,
}

/// How a catalog was made to fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fitting {
    /// The entries that stay, by their place in the input, in the order of the input.
    #[serde(skip)]
    pub kept: Vec<(usize, String)>,
    /// Tokens of all entries as they were.
    pub tokens_before: usize,
    /// Tokens of what stays.
    pub tokens_after: usize,
    /// Names whose description was shortened, with tokens before and after.
    pub shortened: Vec<(String, usize, usize)>,
    /// Names that were left out.
    pub omitted: Vec<String>,
}

/// Makes `entries` fit; `ranking` has the places of the most relevant ones first.
pub fn fit(entries: &[BudgetEntry], budget: Budget, ranking: Option<&[usize]>) -> Fitting {
    let costs: Vec<(usize, usize)> = entries
        .iter()
        .map(|entry| (entry.frame, estimate(&entry.description)))
        .collect();
    let order = order(entries.len(), ranking);
    let total = |places: &[usize], cap: usize| -> usize {
        places
            .iter()
            .map(|at| costs[*at].0 + costs[*at].1.min(cap))
            .sum()
    };
    let mut places: Vec<usize> = order.into_iter().take(budget.entries).collect();
    let longest = costs
        .iter()
        .map(|(_, description)| *description)
        .max()
        .unwrap_or_default();
    let mut cap = longest;
    if total(&places, longest) > budget.tokens {
        let fits = |cap: usize| total(&places, cap) <= budget.tokens;
        cap = (MIN_DESCRIPTION_TOKENS..=longest)
            .rev()
            .find(|cap| fits(*cap))
            .unwrap_or(MIN_DESCRIPTION_TOKENS.min(longest));
        while total(&places, cap) > budget.tokens && !places.is_empty() {
            places.pop();
        }
        // Entries that went may have made room for longer descriptions.
        cap = (cap..=longest)
            .rev()
            .find(|cap| total(&places, *cap) <= budget.tokens)
            .unwrap_or(cap);
    }
    let mut kept_places = places;
    kept_places.sort_unstable();
    report(entries, &costs, &kept_places, cap)
}

/// Every place once, the ranked ones first.
fn order(count: usize, ranking: Option<&[usize]>) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    for at in ranking.unwrap_or_default().iter().copied().chain(0..count) {
        if at < count && !seen[at] {
            seen[at] = true;
            order.push(at);
        }
    }
    order
}

fn report(
    entries: &[BudgetEntry],
    costs: &[(usize, usize)],
    kept: &[usize],
    cap: usize,
) -> Fitting {
    let mut fitting = Fitting {
        kept: Vec::with_capacity(kept.len()),
        tokens_before: costs
            .iter()
            .map(|(name, description)| name + description)
            .sum(),
        tokens_after: 0,
        shortened: Vec::new(),
        omitted: Vec::new(),
    };
    let mut stays = kept.iter().copied().peekable();
    for (at, entry) in entries.iter().enumerate() {
        if stays.next_if_eq(&at).is_none() {
            fitting.omitted.push(entry.name.clone());
            continue;
        }
        let (frame, tokens) = costs[at];
        let description = if tokens > cap {
            shorten(&entry.description, cap)
        } else {
            entry.description.clone()
        };
        let after = estimate(&description);
        if tokens > cap {
            fitting.shortened.push((entry.name.clone(), tokens, after));
        }
        fitting.tokens_after += frame + after;
        fitting.kept.push((at, description));
    }
    fitting
}

/// The longest beginning of whole words that has at most `tokens` tokens, marked as cut.
fn shorten(text: &str, tokens: usize) -> String {
    let words = text.char_indices().filter(|(_, c)| c.is_whitespace());
    let words: Vec<usize> = words.map(|(at, _)| at).collect();
    // One endless word is cut between its characters.
    longest(text, &words, tokens).unwrap_or_else(|| {
        let characters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        longest(text, &characters, tokens).unwrap_or_default()
    })
}

/// The text up to the last of `ends` that fits, if any beginning does.
fn longest(text: &str, ends: &[usize], tokens: usize) -> Option<String> {
    let cut = |end: usize| {
        let kept = text[..end].trim_end_matches(|c: char| c.is_whitespace() || ",;:.".contains(c));
        (!kept.is_empty()).then(|| format!("{kept} …"))
    };
    let fits = |text: &String| estimate(text) <= tokens;
    let last = ends.partition_point(|end| cut(*end).is_none_or(|text| fits(&text)));
    // An estimate need not grow with every character.
    ends[..last]
        .iter()
        .rev()
        .find_map(|end| cut(*end).filter(fits))
}

/// How a model finds entries that were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With our tools.
    Tool,
    /// With a shell, as agents that read files have one.
    Command,
    /// By looking around: no search knows the folders that they lie in.
    Around,
    /// Not at all, as far as is known here.
    Unknown,
}

/// The line for a model about entries that were left out.
pub fn omission_line(count: usize, way: Way) -> Option<String> {
    (count > 0).then(|| {
        let (noun, verb) = if count == 1 {
            ("skill", "is")
        } else {
            ("skills", "are")
        };
        let how = match way {
            Way::Tool => "; find them with `skill_search`",
            Way::Command => "; find them with `skillyard search WORDS`",
            Way::Around => "; look for `SKILL.md` files around those that are",
            Way::Unknown => "",
        };
        format!("{count} more {noun} {verb} available but not listed here{how}.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(name: &str, words: usize) -> BudgetEntry {
        BudgetEntry {
            name: name.into(),
            description: "word ".repeat(words).trim().into(),
            frame: 25,
        }
    }

    #[test]
    fn what_fits_is_left_alone() {
        let entries = [entry("a", 20), entry("b", 30)];
        let fitting = fit(
            &entries,
            Budget {
                tokens: 1000,
                entries: 200,
            },
            None,
        );
        assert_eq!((fitting.shortened.len(), fitting.omitted.len()), (0, 0));
        assert_eq!(fitting.kept[1].1, entries[1].description);
    }

    #[test]
    fn long_descriptions_are_shortened_before_short_ones() {
        let entries = [entry("short", 30), entry("long", 400)];
        let fitting = fit(
            &entries,
            Budget {
                tokens: 200,
                entries: 200,
            },
            None,
        );
        assert_eq!(fitting.omitted.len(), 0);
        assert_eq!(fitting.shortened.len(), 1);
        assert_eq!(fitting.shortened[0].0, "long");
        assert!(fitting.kept[1].1.ends_with('…'));
    }

    #[test]
    fn the_least_relevant_entries_go() {
        let entries: Vec<BudgetEntry> = (0..10).map(|n| entry(&format!("s{n}"), 100)).collect();
        let fitting = fit(
            &entries,
            Budget {
                tokens: 200,
                entries: 200,
            },
            Some(&[7, 3]),
        );
        let kept: Vec<usize> = fitting.kept.iter().map(|(at, _)| *at).collect();
        assert!(kept.contains(&7) && kept.contains(&3), "{kept:?}");
        assert_eq!(kept.len() + fitting.omitted.len(), 10);
    }

    #[test]
    fn the_model_is_told_what_is_missing() {
        assert_eq!(omission_line(0, Way::Tool), None);
        assert!(
            omission_line(1, Way::Tool)
                .unwrap()
                .starts_with("1 more skill is")
        );
        // Where no search looks none is named.
        for way in [Way::Around, Way::Unknown] {
            let line = omission_line(2, way).unwrap();
            assert!(!line.contains("search") && line.ends_with('.'), "{line}");
        }
    }

    proptest! {
        #[test]
        fn the_budget_holds(words in proptest::collection::vec(0_usize..300, 0..40), tokens in 0_usize..3000, most in 0_usize..50) {
            let entries: Vec<BudgetEntry> = words.iter().enumerate().map(|(n, words)| entry(&format!("s{n}"), *words)).collect();
            let fitting = fit(&entries, Budget { tokens, entries: most }, None);
            prop_assert!(fitting.tokens_after <= tokens + 2 * fitting.shortened.len());
            prop_assert!(fitting.kept.len() <= most);
            prop_assert_eq!(fitting.kept.len() + fitting.omitted.len(), entries.len());
        }
    }
}
