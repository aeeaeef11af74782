//! Entity tags: who has the answer already does not get it again.

/// Whether one of the values of `If-None-Match` names `tag`.
pub fn is_known<'a>(values: impl IntoIterator<Item = &'a str>, tag: &str) -> bool {
    let plain = |text: &'a str| text.trim().trim_start_matches("W/");
    values
        .into_iter()
        .flat_map(|value| value.split(','))
        .map(plain)
        .any(|known| known == tag.trim_start_matches("W/") || known == "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_in_a_list_weak_or_by_the_star() {
        for header in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*"] {
            assert!(is_known([header], "\"a\""), "{header}");
        }
        assert!(is_known(["\"b\"", "\"a\""], "W/\"a\""));
        assert!(!is_known(["\"b\"", "a"], "\"a\""));
        assert!(!is_known([], "\"a\""));
    }
}
