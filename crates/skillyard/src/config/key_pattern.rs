//! Keys of the table, where a segment in capitals stands for a name that the user chooses.

/// The names that `key` puts in place of the capitals of `pattern`, if it fits.
pub(super) fn matched<'a>(pattern: &'a str, key: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut names = Vec::new();
    let mut segments = key.split('.');
    for expected in pattern.split('.') {
        let segment = segments.next()?;
        if is_placeholder(expected) {
            names.push((expected, segment));
        } else if expected != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(names)
}

/// Whether `key` is a table that holds keys like `pattern`.
pub(super) fn is_table_of(key: &str, pattern: &str) -> bool {
    let mut expected = pattern.split('.');
    let fits = key.split('.').all(|segment| {
        expected
            .next()
            .is_some_and(|expected| expected == segment || is_placeholder(expected))
    });
    fits && expected.next().is_some()
}

/// Whether a segment stands for a name.
pub(super) fn is_placeholder(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_uppercase())
}
