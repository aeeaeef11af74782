//! Files of git's settings, as far as they name other files.

use std::iter::Peekable;
use std::str::Chars;

/// A setting, with its section and its key in small letters; a section that has a name of its own is
/// known without it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) section: String,
    pub(super) key: String,
    pub(super) value: String,
}

/// The settings in a file that have a value. What cannot be read says nothing, as far as its line goes.
pub(super) fn settings(text: &str) -> Vec<Setting> {
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let (mut section, mut found) = (String::new(), Vec::new());
    while let Some(&next) = rest.peek() {
        match next {
            '[' => section = header(&mut rest),
            '#' | ';' => skip_line(&mut rest),
            _ if next.is_ascii_alphabetic() => {
                let key = word(&mut rest);
                if let Some(value) = value(&mut rest) {
                    let section = section.clone();
                    found.push(Setting {
                        section,
                        key,
                        value,
                    });
                }
            }
            _ => {
                rest.next();
            }
        }
    }
    found
}

/// What is in `[…]`, up to the name in quotes that may follow there.
fn header(rest: &mut Peekable<Chars<'_>>) -> String {
    rest.next();
    let section = word(rest);
    let mut in_quotes = false;
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '"' => in_quotes = !in_quotes,
            '\\' if in_quotes => {
                rest.next_if(|next| *next != '\n');
            }
            ']' if !in_quotes => break,
            _ => {}
        }
    }
    section
}

fn word(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::new();
    while let Some(next) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '-') {
        word.push(next.to_ascii_lowercase());
    }
    word
}

/// What stands behind `=`, up to the end of its line; nothing where there is no `=`.
fn value(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
    if rest.next_if_eq(&'=').is_none() {
        skip_line(rest);
        return None;
    }
    // Blanks at the ends count only in quotes.
    let (mut value, mut meant) = (String::new(), 0);
    let mut in_quotes = false;
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        let plain = match next {
            '"' => {
                in_quotes = !in_quotes;
                meant = value.len();
                continue;
            }
            '#' | ';' if !in_quotes => {
                skip_line(rest);
                break;
            }
            '\\' => match rest.next() {
                // The line goes on in the next one.
                Some('\n') | None => continue,
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
            },
            blank if blank.is_whitespace() && !in_quotes => {
                if meant > 0 {
                    value.push(blank);
                }
                continue;
            }
            other => other,
        };
        value.push(plain);
        meant = value.len();
    }
    value.truncate(meant);
    Some(value)
}

fn skip_line(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| *next != '\n').is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let check = |text: &str, expected: &[(&str, &str, &str)]| {
            let found = settings(text);
            let found: Vec<_> = found
                .iter()
                .map(|each| (&*each.section, &*each.key, &*each.value))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "\u{feff}[core]\n\texcludesFile = ~/.ignored # mine\n[user]\n\tname = A B  \n",
            &[
                ("core", "excludesfile", "~/.ignored"),
                ("user", "name", "A B"),
            ],
        );
        check(
            "[Core] ExcludesFile=\" a;b \" ; why\n\tbare\n\tignoreCase = a\\\n  b\n",
            &[
                ("core", "excludesfile", " a;b "),
                ("core", "ignorecase", "a  b"),
            ],
        );
        check(
            "[includeIf \"gitdir:~/a]\\\"b/\"]\r\n\tpath = \"C:\\\\x\"\r\n; [core]\n# a = b\n",
            &[("includeif", "path", "C:\\x")],
        );
        check("excludesFile\n[core\n= x\n[core]\nexcludesFile", &[]);
    }
}
