//! Plain BM25 as in the project's research: k1 1.2, b 0.75, stop words, a tiny stemmer, humps split. It shares no code with the core.

use std::collections::HashMap;

const STOP: &str = "a an the and or of to in for on with by from at as is are be this that it its into your you i my me we our us can \
    could would should will do does did how what which who when where why if then than so such not no any all some each other more most \
    use used using user when have has had been was were but about also only own too very just out up over under again please help need want";

/// A plain BM25 index over one text per skill.
pub(crate) struct Bm25 {
    postings: HashMap<String, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Bm25 {
    /// Indexes texts.
    pub(crate) fn build(texts: impl Iterator<Item = String>) -> Self {
        let mut postings: HashMap<String, Vec<(u32, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (document, text) in (0_u32..).zip(texts) {
            let terms = terms(&text);
            lengths.push(terms.len() as f64);
            for term in terms {
                let list = postings.entry(term).or_default();
                match list.last_mut() {
                    Some((previous, count)) if *previous == document => *count += 1.0,
                    _ => list.push((document, 1.0)),
                }
            }
        }
        let average = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self {
            postings,
            lengths,
            average,
        }
    }

    /// All skills with a score, best first.
    pub(crate) fn search(&self, query: &str) -> Vec<u32> {
        let mut scores: HashMap<u32, f64> = HashMap::new();
        let mut query = terms(query);
        query.sort_unstable();
        query.dedup();
        for term in query {
            let Some(list) = self.postings.get(&term) else {
                continue;
            };
            let (all, holders) = (self.lengths.len() as f64, list.len() as f64);
            let rarity = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln();
            for (document, count) in list {
                let bound =
                    1.2 * (1.0 - 0.75 + 0.75 * self.lengths[*document as usize] / self.average);
                *scores.entry(*document).or_default() += rarity * count * 2.2 / (count + bound);
            }
        }
        let mut order: Vec<(u32, f64)> = scores.into_iter().collect();
        order.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        order.into_iter().map(|(document, _)| document).collect()
    }
}

fn terms(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + text.len() / 8);
    let mut before_lower = false;
    for character in text.chars() {
        if before_lower && character.is_uppercase() {
            spaced.push(' ');
        }
        before_lower = character.is_lowercase() || character.is_ascii_digit();
        spaced.push(character);
    }
    spaced
        .to_lowercase()
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.len() > 1 && !STOP.split_whitespace().any(|stop| stop == *word))
        .map(tiny_stem)
        .collect()
}

fn tiny_stem(word: &str) -> String {
    for (ending, replacement) in [("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")] {
        if let Some(kept) = word.strip_suffix(ending)
            && kept.len() >= 3
            && !(ending == "s" && kept.ends_with('s'))
        {
            return format!("{kept}{replacement}");
        }
    }
    word.to_owned()
}
