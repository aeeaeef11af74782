//! Why a skill fits a task, in words.

use skillyard_catalog::search::{Hit, Match, MatchOrigin, stem::stem, tokenize::words};

use crate::sanitize::visible;

/// Most words that are told of a skill.
const MOST: usize = 8;

/// What a hit has in common with the task, each with what it is worth; `text` is what the skill says of
/// itself.
pub(crate) fn reasons(hit: &Hit, text: &str) -> Vec<(f32, String)> {
    let Some(explanation) = &hit.explanation else {
        return Vec::new();
    };
    let matches = explanation.matches.iter().take(MOST);
    let mut reasons: Vec<(f32, String)> = matches
        .map(|each| (each.worth(), matched(each, text)))
        .collect();
    if explanation.name_bonus >= 0.05 {
        reasons.push((
            explanation.name_bonus,
            "its name is like the task".to_owned(),
        ));
    }
    if let Some(trigger) = &explanation.trigger {
        let (pattern, found) = (visible(&trigger.pattern), visible(&trigger.text));
        let reason = format!("its trigger `{pattern}` on `{found}`");
        reasons.push((trigger.worth, reason));
    }
    reasons
}

/// How a word of the task and one of a skill belong together.
pub(super) fn how(origin: MatchOrigin) -> &'static str {
    match origin {
        MatchOrigin::Asked => "as written",
        MatchOrigin::Spelling => "spelled like",
        MatchOrigin::Compound => "part of",
        MatchOrigin::Related => "related to",
    }
}

fn matched(each: &Match, text: &str) -> String {
    let word = visible(&each.word);
    match each.origin {
        MatchOrigin::Asked => word.into_owned(),
        other => {
            let found = whole(&each.term, text);
            format!("{word} ({} `{}`)", how(other), visible(&found))
        }
    }
}

/// The word of a text that a term is the stem of; the instructions, which are not at hand, may have it
/// with any ending.
fn whole(term: &str, text: &str) -> String {
    let mut words = words(text).into_iter();
    let found = words.find(|word| stem(word) == term);
    found.unwrap_or_else(|| format!("{term}…"))
}
