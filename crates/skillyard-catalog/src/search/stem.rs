//! English word endings: `booking`, `booked` and `books` are all `book`.
//!
//! The suffix rules are Porter's (1980), written again, with a table of irregular words that matter when finding skills. Words with a
//! digit or a letter outside `a-z` are left alone, so other languages and names such as `s3` are matched as written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Irregular forms, and words that the suffix rules would tear apart or push together: the stem, then its forms.
const IRREGULAR: &str = "\
    advert advertisement advertisements; analyz analyse analysed analyser analyses analysing analysis analyst analysts analytic \
    analytical analytics; bui bought; build built; child children; choos chose chosen; data \
    data; draw drawn drew; drive drove; eat ate eaten; find found; fly flew flies flown; foot \
    feet; give gave; grow grew; index indices indexes; keep kept; know knew; lose lost; make \
    made; man men; matrix matrices; mouse mice; news news; pai paid; run ran; sell sold; send \
    sent; sing sang; spend spent; take took; teach taught; tell told; think thought; tooth \
    teeth; univers universe; university university universities; vertex vertices; wear wore; \
    woman women; write wrote written";

static STEM_OF: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut stems = HashMap::new();
    for line in IRREGULAR.split(';') {
        let mut words = line.split_whitespace();
        let stem = words.next().unwrap_or_default();
        stems.extend(words.map(|form| (form, stem)));
    }
    stems
});

/// Second-step suffixes: replaced where something pronounceable is left before them.
const DERIVED: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("iser", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("isation", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
    ("ise", "ize"),
];

/// Third-step suffixes.
const DERIVED_TWICE: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Fourth-step suffixes: dropped where enough is left.
const DROPPED: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
];

/// The stem of a lower-case word; words that are not plain English letters come back unchanged.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = STEM_OF.get(word) {
        return Cow::Borrowed(stem);
    }
    let mut text = word.to_owned();
    drop_plural(&mut text);
    drop_tense(&mut text);
    if text.ends_with('y') && has_vowel(&text[..text.len() - 1]) {
        text.pop();
        text.push('i');
    }
    replace_first(&mut text, DERIVED);
    replace_first(&mut text, DERIVED_TWICE);
    drop_ending(&mut text);
    tidy(&mut text);
    Cow::Owned(text)
}

fn drop_plural(text: &mut String) {
    if text.ends_with("sses") || (text.ends_with("ies") && text.len() > 4) {
        text.truncate(text.len() - 2);
    } else if text.ends_with('s')
        && !text.ends_with("ss")
        && !text.ends_with("us")
        && text.len() > 3
    {
        text.pop();
    }
}

fn drop_tense(text: &mut String) {
    if text.ends_with("eed") {
        if measure(&text[..text.len() - 3]) > 0 {
            text.pop();
        }
        return;
    }
    let Some(kept) = ["ing", "ed"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .map(str::len)
    else {
        return;
    };
    if kept < 2 || !has_vowel(&text[..kept]) {
        return;
    }
    text.truncate(kept);
    if text.ends_with("at") || text.ends_with("bl") || text.ends_with("iz") || text.ends_with("is")
    {
        text.push('e');
    } else if ends_double(text) && !text.ends_with(['l', 's', 'z']) {
        text.pop();
    } else if measure(text) == 1 && ends_short(text) {
        text.push('e');
    }
}

fn replace_first(text: &mut String, rules: &[(&str, &str)]) {
    let rule = rules
        .iter()
        .filter(|(suffix, _)| text.ends_with(suffix))
        .max_by_key(|(suffix, _)| suffix.len());
    if let Some((suffix, replacement)) = rule {
        let kept = text.len() - suffix.len();
        if measure(&text[..kept]) > 0 {
            text.truncate(kept);
            text.push_str(replacement);
        }
    }
}

fn drop_ending(text: &mut String) {
    let kept = if let Some(before) = text.strip_suffix("ion") {
        if !before.ends_with(['s', 't']) {
            return;
        }
        before.len()
    } else if let Some(suffix) = DROPPED.iter().find(|suffix| text.ends_with(*suffix)) {
        text.len() - suffix.len()
    } else {
        return;
    };
    if measure(&text[..kept]) > 1 {
        text.truncate(kept);
    }
}

fn tidy(text: &mut String) {
    if text.ends_with('e') {
        let kept = &text[..text.len() - 1];
        if measure(kept) > 1 || (measure(kept) == 1 && !ends_short(kept)) {
            text.pop();
        }
    }
    if text.ends_with("ll") && measure(text) > 1 {
        text.pop();
    }
}

fn is_vowel(text: &[u8], place: usize) -> bool {
    match text[place] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => place > 0 && !is_vowel(text, place - 1),
        _ => false,
    }
}

fn has_vowel(text: &str) -> bool {
    (0..text.len()).any(|place| is_vowel(text.as_bytes(), place))
}

/// How many times a vowel is followed by a consonant: Porter's measure of how much word is left.
fn measure(text: &str) -> usize {
    let mut turns = 0;
    let mut before = None;
    for byte in text.bytes() {
        let vowel = match byte {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => before == Some(false),
            _ => false,
        };
        turns += usize::from(before == Some(true) && !vowel);
        before = Some(vowel);
    }
    turns
}

fn ends_double(text: &str) -> bool {
    let bytes = text.as_bytes();
    let length = bytes.len();
    length > 1 && bytes[length - 1] == bytes[length - 2] && !is_vowel(bytes, length - 1)
}

/// Consonant, vowel, consonant at the end, as in `fil` of `filing`, where an `e` was dropped.
fn ends_short(text: &str) -> bool {
    let bytes = text.as_bytes();
    let length = bytes.len();
    length > 2
        && !is_vowel(bytes, length - 1)
        && is_vowel(bytes, length - 2)
        && !is_vowel(bytes, length - 3)
        && !matches!(bytes[length - 1], b'w' | b'x' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(words: &[&str]) {
        for word in words {
            assert_eq!(stem(word), stem(words[0]), "{word} and {}", words[0]);
        }
    }

    #[test]
    fn brings_forms_together() {
        same(&["book", "books", "booked", "booking"]);
        same(&[
            "translate",
            "translates",
            "translation",
            "translator",
            "translating",
        ]);
        same(&["calculate", "calculator", "calculation"]);
        same(&[
            "optimize",
            "optimizer",
            "optimization",
            "optimise",
            "optimisation",
            "optimising",
        ]);
        same(&["recommend", "recommendation", "recommended"]);
        same(&["analyze", "analysis", "analytics", "analyse", "analyzing"]);
        same(&["query", "queries", "querying"]);
        same(&["file", "files", "filing"]);
        same(&["child", "children"]);
        same(&["advertise", "advertising", "advertisement"]);
        same(&["promise", "promising"]);
    }

    #[test]
    fn keeps_words_apart() {
        assert_ne!(stem("university"), stem("universe"));
        assert_ne!(stem("new"), stem("news"));
        assert_ne!(stem("pass"), stem("pas"));
    }

    #[test]
    fn leaves_other_words_alone() {
        for word in ["s3", "天気", "über", "is", ""] {
            assert_eq!(stem(word), word);
        }
    }

    proptest! {
        #[test]
        fn is_total_and_never_longer_by_more_than_one(word in "[a-z]{0,40}") {
            prop_assert!(stem(&word).len() <= word.len() + 1);
        }
    }
}
