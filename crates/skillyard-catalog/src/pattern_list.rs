//! Lists of patterns in one text, such as `a-*,b-*`.

/// The patterns of a text, which commas part; one in `{a,b}` or `[a,b]`, or behind a `\`, is part of
/// a pattern.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut place = PatternPosition::default();
    let parts = text.split(move |c| place.is_end(c));
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Where in a pattern a character stands.
#[derive(Default)]
struct PatternPosition {
    braces: usize,
    class: Option<Class>,
    is_escaped: bool,
}

/// What there is of a class, such as `[!ab]`, before a character.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Opened,
    Negated,
    Begun,
}

impl PatternPosition {
    /// Whether a pattern ends before this character, which is none of its own.
    fn is_end(&mut self, c: char) -> bool {
        if std::mem::take(&mut self.is_escaped) {
            return false;
        }
        if let Some(class) = self.class {
            self.class = match (class, c) {
                (Class::Begun, ']') => None,
                (Class::Opened, '!' | '^') => Some(Class::Negated),
                // `[]a]` and `[!]a]` have the first bracket in them.
                _ => Some(Class::Begun),
            };
            return false;
        }
        match c {
            '\\' => self.is_escaped = true,
            '[' => self.class = Some(Class::Opened),
            '{' => self.braces += 1,
            '}' => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        c == ',' && self.braces == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split(text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn commas_part_patterns_and_not_their_alternatives() {
        check("a-*, b", &["a-*", "b"]);
        check("a,,b,", &["a", "b"]);
        check("", &[]);
        check("{a,b}-x,c", &["{a,b}-x", "c"]);
        check("{a,{b,c}},d", &["{a,{b,c}}", "d"]);
        check("[a,b],c", &["[a,b]", "c"]);
        check("[{],c", &["[{]", "c"]);
        check("[]],c", &["[]]", "c"]);
        check("[!]],c", &["[!]]", "c"]);
        check("[!!],c", &["[!!]", "c"]);
        check(r"a\,b,c", &[r"a\,b", "c"]);
        check("a],b", &["a]", "b"]);
        check("a},b", &["a}", "b"]);
    }
}
