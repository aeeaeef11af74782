//! Words of a shell that are put together from variables: `A=/.aws; cat "$HOME$A/$B"`.
//!
//! Only what is written down as a plain value counts, and only where two variables touch: a
//! script that names an address once and uses it later is left as it is.

use std::collections::BTreeMap;

/// Most variables that are remembered, and most bytes of a value.
const MAX_VARIABLES: usize = 64;
const MAX_VALUE_BYTES: usize = 80;

/// The plain values that a script gave its variables so far.
#[derive(Debug, Default)]
pub(crate) struct ShellVariables {
    known: BTreeMap<String, String>,
}

impl ShellVariables {
    /// A statement with its pieces put together, if it has any.
    pub(crate) fn assembled(&self, statement: &str) -> Option<String> {
        if self.known.is_empty() || !has_adjacent_variables(statement) {
            return None;
        }
        let mut text = String::with_capacity(statement.len());
        let mut replaced = 0;
        let mut rest = statement;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let (name, length) = variable(&rest[at..]);
            match self.known.get(name) {
                Some(value) => {
                    text.push_str(value);
                    replaced += 1;
                }
                None => text.push_str(&rest[at..at + length]),
            }
            rest = &rest[at + length..];
        }
        text.push_str(rest);
        (replaced > 0).then_some(text)
    }

    /// Remembers what a statement gives a plain value to.
    pub(crate) fn learn(&mut self, statement: &str) {
        if !statement.contains('=') {
            return;
        }
        for part in statement.split([';', ' ']) {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            let value = value.trim_matches(['"', '\'']);
            let is_name = !name.is_empty() && name.bytes().all(is_letter);
            let is_plain = !value.is_empty()
                && value.len() <= MAX_VALUE_BYTES
                && !value.contains(['$', '`', '(', '"', '\'']);
            if is_name && is_plain && self.known.len() < MAX_VARIABLES {
                self.known.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// Whether two variables stand side by side, with nothing or a slash between them.
fn has_adjacent_variables(statement: &str) -> bool {
    let mut rest = statement;
    while let Some(at) = rest.find('$') {
        let (_, length) = variable(&rest[at..]);
        rest = &rest[at + length..];
        let next = rest.trim_start_matches(['"', '\'', '/', '.']);
        if length > 1 && next.starts_with('$') && rest.len() - next.len() <= 3 {
            return true;
        }
    }
    false
}

/// The name of the variable that `text` starts with, and how long it is written.
fn variable(text: &str) -> (&str, usize) {
    let bytes = text.as_bytes();
    let braced = bytes.get(1) == Some(&b'{');
    let start = if braced { 2 } else { 1 };
    let length = bytes[start..]
        .iter()
        .take_while(|byte| is_letter(**byte))
        .count();
    let end = start + length;
    let closes = braced && bytes.get(end) == Some(&b'}');
    if braced && !closes {
        return ("", 1);
    }
    (&text[start..end], end + usize::from(closes))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(learned: &[&str], statement: &str, expected: Option<&str>) {
        let mut pieces = ShellVariables::default();
        for each in learned {
            pieces.learn(each);
        }
        assert_eq!(
            pieces.assembled(statement).as_deref(),
            expected,
            "{statement}"
        );
    }

    #[test]
    fn pieces_side_by_side_are_put_together() {
        let learned = ["a=/.aws", "b='credentials'; c=cu", "d=rl"];
        check(
            &learned,
            "f=\"$home$a/$b\"",
            Some("f=\"$home/.aws/credentials\""),
        );
        check(&learned, "${c}${d} x", Some("curl x"));
        check(&learned, "$c\"$d\" x", Some("cu\"rl\" x"));
    }

    #[test]
    fn what_stands_alone_stays() {
        let learned = ["url=https://x.test", "out=a.zip"];
        check(&learned, "curl -o $out $url", None);
        check(&learned, "echo $1 $# ${x", None);
        check(&[], "$a$b", None);
        check(&["a=$(x)", "b=`y`"], "$a$b", None);
    }
}
