//! How long an answer of a model may be, from the words of a server that refuses more.
//!
//! No server says it beforehand, and models differ: a request that allows the answer more than the
//! model gives is refused as a whole.

/// How servers call the limit of an answer, in small letters.
const LIMIT: [&str; 6] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "output tokens",
    "completion tokens",
];
/// How they say that it is too much.
const TOO_MUCH: [&str; 8] = [
    " > ",
    "<=",
    "≤",
    "at most",
    "exceed",
    "less than",
    "maximum",
    "too large",
];
/// Shorter answers are not worth asking for.
const LEAST: u32 = 256;

/// How many tokens may be asked for, where these are a server's words for `asked` being too many:
/// the number that it names, or else half.
pub(super) fn answer(words: &str, asked: u32) -> Option<u32> {
    let words = words.to_lowercase();
    let says = |all: &[&str]| all.iter().any(|each| words.contains(each));
    if !says(&LIMIT) || !says(&TOO_MUCH) {
        return None;
    }
    let numbers = words.split(|each: char| !each.is_ascii_digit());
    let numbers = numbers.filter_map(|number| number.parse().ok());
    let fitting = numbers.filter(|number| (LEAST..asked).contains(number));
    let most = fitting.max().unwrap_or(asked / 2);
    (most >= LEAST).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_answer_is_understood() {
        let check =
            |words: &str, most: Option<u32>| assert_eq!(answer(words, 8192), most, "{words}");
        check(
            "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
            Some(4096),
        );
        check(
            "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
            Some(4096),
        );
        check(
            "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 4096, but got 8192 instead.",
            Some(4096),
        );
        check(
            "`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens`",
            Some(2048),
        );
        check("max_tokens exceeds what this model gives", Some(4096));
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            None,
        );
        check(
            "`max_tokens` must be greater than `thinking.budget_tokens`",
            None,
        );
        check("the key is not valid", None);
        assert_eq!(answer("max_tokens is too large", 300), None);
    }
}
