//! Texts and addresses as messages may repeat them: visible, not endless, without secrets.

use url::Url;

/// How many characters of a text a message repeats.
const LONGEST: usize = 200;

/// `text` without secrets and control characters, and not endless.
pub(crate) fn shown(text: &str) -> String {
    let text = without_secrets(text);
    let mut shown = String::new();
    for (place, character) in text.chars().enumerate() {
        if place == LONGEST {
            shown.push('…');
            break;
        }
        if is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The address without password, user name and whatever in the query looks like a secret.
pub(crate) fn shown_url(url: &Url) -> String {
    shown(url.as_str())
}

/// Whether a character cannot be seen, or changes how others are seen.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a part of a query is a secret, by its name.
pub(crate) fn is_secret_parameter(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "token",
        "secret",
        "passw",
        "signature",
        "credential",
        "auth",
        "apikey",
        "api_key",
        "api-key",
        "session",
        "jwt",
        "accesskey",
        "x-amz-",
    ];
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "sig" | "key" | "code" | "pwd")
        || WORDS.iter().any(|word| name.contains(word))
}

/// Works on text that is perhaps no valid address, because errors about those repeat it, too.
fn without_secrets(text: &str) -> String {
    let (before, fragment) = split_keeping(text, '#');
    let (address, query) = split_keeping(before, '?');
    let mut clean = without_userinfo(address);
    if let Some(query) = query.strip_prefix('?') {
        let kept = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if is_secret_parameter(name) => format!("{name}=…"),
            _ => pair.to_owned(),
        });
        clean.push('?');
        clean.push_str(&kept.collect::<Vec<_>>().join("&"));
    }
    clean.push_str(fragment);
    clean
}

fn without_userinfo(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    let (authority, path) = split_keeping(rest, '/');
    match authority.rsplit_once('@') {
        // The user of ssh is part of the address; `git` is nobody's secret.
        Some((user, host)) if scheme.ends_with("ssh") && !user.contains(':') => {
            format!("{scheme}://{user}@{host}{path}")
        }
        Some((_, host)) => format!("{scheme}://{host}{path}"),
        None => address.to_owned(),
    }
}

/// Splits before the first `separator`, which stays with the second part.
fn split_keeping(text: &str, separator: char) -> (&str, &str) {
    text.split_at(text.find(separator).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        for (text, expected) in [
            ("https://u:p@h/x", "https://h/x"),
            ("https://ghp_secret@h/x?y=1", "https://h/x?y=1"),
            (
                "https://h/x?a=1&access_token=abc&b=2",
                "https://h/x?a=1&access_token=…&b=2",
            ),
            (
                "https://h/x?X-Amz-Signature=abc#s",
                "https://h/x?X-Amz-Signature=…#s",
            ),
            ("https://p@ss@h:99999999/x", "https://h:99999999/x"),
            ("git+ssh://git@h/x.git", "git+ssh://git@h/x.git"),
            ("ssh://git:p@h/x.git", "ssh://h/x.git"),
            ("owner/repo@v1", "owner/repo@v1"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        assert_eq!(shown("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!(shown(&"x".repeat(300)).chars().count(), LONGEST + 1);
    }
}
