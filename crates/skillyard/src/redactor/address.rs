//! Logins in addresses: what stands between `://` and `@`.

use std::borrow::Cow;
use std::ops::Range;

use crate::redactor::secret::REDACTED;

/// What stands between the scheme of an address and its host.
pub(super) const SCHEME: &[u8] = b"://";
/// The least length of what is taken for a token in place of a user.
const MIN_TOKEN_LENGTH: usize = 12;
/// From this length on also letters or digits alone may be one.
const LONG: usize = 20;
/// Schemes whose addresses name a user without a password.
const USERS: [&str; 9] = [
    "ssh",
    "sftp",
    "postgres",
    "postgresql",
    "mysql",
    "redis",
    "rediss",
    "git",
    "smb",
];

/// What stands before the host of an address.
pub(super) struct Login<'a> {
    scheme: &'a str,
    text: &'a str,
}

impl<'a> Login<'a> {
    /// All of it, if a password is in it.
    pub(super) fn with_password(&self) -> Option<&'a str> {
        let (_, password) = self.text.split_once(':')?;
        (!password.is_empty()).then_some(self.text)
    }

    /// What is hidden wherever it stands.
    pub(super) fn secret(&self) -> Option<&'a str> {
        match self.text.split_once(':') {
            Some((_, password)) => Some(password).filter(|password| !is_word(password)),
            None => Some(self.text).filter(|text| is_token(text)),
        }
    }

    /// Whether it is hidden in the address itself.
    fn is_hidden(&self) -> bool {
        let is_password = || self.with_password().is_some();
        // A variable is a name, and so is the user of git.
        let is_user = || self.names_users() && !is_token(self.text);
        !is_variables(self.text) && self.text != "git" && (is_password() || !is_user())
    }

    /// Whether who stands alone before the host is a user; elsewhere it may be a token.
    fn names_users(&self) -> bool {
        let scheme = self.scheme.rsplit('+').next().unwrap_or_default();
        let mut known = USERS.iter();
        known.any(|each| each.eq_ignore_ascii_case(scheme))
    }
}

/// The login in the first address of `text`, whatever it is made of: the text is an address.
pub(super) fn login(text: &str) -> Option<Login<'_>> {
    let found = find(text, |_| true)?;
    Some(at(text, found))
}

/// An address with its login hidden, and every other that stands behind it.
pub(crate) fn without_userinfo(address: &str) -> Cow<'_, str> {
    without(address, |_| true)
}

/// `text` with the logins of all addresses hidden. Only what can be nothing but a login is taken for
/// one: a text may be a command, and a shell does not know where an address ends.
pub(super) fn without_logins(text: &str) -> Cow<'_, str> {
    without(text, |c| {
        c.is_ascii_alphanumeric() || "-._~%:+=!*,@".contains(c)
    })
}

fn without(text: &str, is_part: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut rest = text;
    let mut result = String::new();
    while let Some(found) = find(rest, &is_part) {
        let login = at(rest, found.clone());
        result.push_str(&rest[..found.start]);
        result.push_str(if login.is_hidden() {
            REDACTED
        } else {
            login.text
        });
        rest = &rest[found.end..];
    }
    if result.is_empty() {
        return Cow::Borrowed(text);
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// Where the login of the first address stands that has one, without the `@`.
fn find(text: &str, is_part: impl Fn(char) -> bool) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], SCHEME) {
        let start = from + at + SCHEME.len();
        let rest = &text[start..];
        let ends = |c: char| {
            c.is_whitespace()
                || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>')
                || !is_part(c)
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        if let Some(at) = rest[..end].rfind('@') {
            return Some(start..start + at);
        }
        from = start;
    }
    None
}

fn at(text: &str, found: Range<usize>) -> Login<'_> {
    let before = &text[..found.start - SCHEME.len()];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = before.rsplit(|c| !is_part(c)).next().unwrap_or_default();
    let text = &text[found];
    Login { scheme, text }
}

/// Whether a text is nothing but letters.
fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphabetic)
}

/// Whether a text may be a token: nobody is called so.
fn is_token(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    let has_both = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    text.len() >= if has_both { MIN_TOKEN_LENGTH } else { LONG }
}

/// Whether the text is nothing but `${NAME}` and colons.
fn is_variables(text: &str) -> bool {
    text.split(':').all(|part| {
        part.strip_prefix("${")
            .and_then(|part| part.strip_suffix('}'))
            .is_some_and(|name| !name.contains(['$', '{', '}']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_password() {
        let check = |text, expected: &str| assert_eq!(without_userinfo(text), expected);
        check(
            "at https://me:pw@host/x@y, http://b@c",
            "at https://…redacted@host/x@y, http://…redacted@c",
        );
        check("https://host/a@b", "https://host/a@b");
        check("ssh://git@host/x", "ssh://git@host/x");
        check(
            "https://${USER}:${PASS}@host",
            "https://${USER}:${PASS}@host",
        );
        check("https://${USER}:pw@host", "https://…redacted@host");
        check("https://a:p@w@host", "https://…redacted@host");
        check("https://a:p;w$(x)@host", "https://…redacted@host");
        check("a://b c@d", "a://b c@d");
    }

    #[test]
    fn a_user_alone_is_a_name_unless_it_may_be_a_token() {
        let check = |text: &str, expected: &str| assert_eq!(without_userinfo(text), expected);
        check("postgres://skills@host/x", "postgres://skills@host/x");
        check("postgres://skills:@host/x", "postgres://skills:@host/x");
        check("postgres://me:pw@host/x", "postgres://…redacted@host/x");
        check(
            "git+ssh://0123456789abcdef@host",
            "git+ssh://…redacted@host",
        );
        for scheme in ["git+https", "HTTPS", "htps", "sparse+http"] {
            let hidden = format!("{scheme}://…redacted@host");
            check(&format!("{scheme}://zecret@host"), &hidden);
        }
        check("git+SSH://deploy@host", "git+SSH://deploy@host");
        let secret = |address| login(address).and_then(|login| login.secret());
        assert_eq!(secret("postgres://skills@host"), None);
        assert_eq!(secret("https://digest@host"), None);
        assert_eq!(secret("https://x:digest@host"), None);
        assert_eq!(secret("https://x:tok-1@host"), Some("tok-1"));
        assert_eq!(
            secret("https://ghp_0123456789@host"),
            Some("ghp_0123456789")
        );
    }

    #[test]
    fn what_a_shell_would_run_is_no_login() {
        for text in [
            "ls https://docs;touch${IFS}pwned;:@example.com",
            "git clone ssh://git;id;@host:x",
            "echo https://a|sh@b",
            "x https://$(id)@b",
            "x https://a&b@c",
            "x https://(a)@c {https://a{b,c}@d}",
            "x https://a\\b@c",
        ] {
            assert_eq!(without_logins(text), text);
        }
        assert_eq!(
            without_logins("git fetch https://me:p%40ss@host/x"),
            "git fetch https://…redacted@host/x"
        );
    }
}
