//! Takes secrets out of everything that is said.
//!
//! The printer asks it for every message, line of data and JSON value, so no command has to
//! think of it. It knows values, not places: whoever reads a secret from the environment, the
//! command line or a file lets it `learn` the value, and from then on it is gone from the
//! output and the audit log, also where another program quoted it. The log loses by their look
//! also those that nobody told of (`forms`). What a skill itself holds is printed byte for
//! byte (`Printer::raw`), because its digest would not fit otherwise.

mod forms;

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::{Arc, PoisonError, RwLock};

use self::forms::without_tokens;
use crate::secret::{REDACTED, Secret};

/// Shorter values are also ordinary words, and would tear holes into every text.
const SHORTEST: usize = 6;
/// What stands between the scheme of an address and its host.
const SCHEME: &[u8] = b"://";

/// Knows the secrets of this run; its clones know the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    /// The longest first, because one may hold another.
    known: Arc<RwLock<Vec<Secret>>>,
}

impl Redactor {
    /// From now on this value is not shown.
    pub(crate) fn learn(&self, value: &str) {
        let value = value.trim();
        self.keep(value);
        // As it stands in JSON, where it differs.
        if let Ok(quoted) = serde_json::to_string(value) {
            self.keep(&quoted[1..quoted.len() - 1]);
        }
    }

    /// Learns what an `Authorization` or another header carries: `Name: value`.
    pub(crate) fn learn_header(&self, header: &str) {
        let value = header.split_once(':').map_or(header, |(_, value)| value);
        self.learn(value);
        // A server may quote the token without its scheme.
        if let Some((_, token)) = value.trim().rsplit_once(' ') {
            self.learn(token);
        }
    }

    /// Learns the user and the password in an address.
    pub(crate) fn learn_address(&self, address: &str) {
        if let Some(found) = userinfo(address) {
            let both = &address[found];
            self.learn(both);
            if let Some((_, password)) = both.split_once(':') {
                self.learn(password);
            }
        }
    }

    /// Learns what stands on the command line: headers, tokens, addresses with a password.
    pub(crate) fn learn_arguments(&self, arguments: &[OsString]) {
        for (at, word) in arguments.iter().enumerate() {
            let bytes = word.as_encoded_bytes();
            // Most are paths, and there can be thousands.
            if !bytes.starts_with(b"-") && memchr::memmem::find(bytes, SCHEME).is_none() {
                continue;
            }
            let word = word.to_string_lossy();
            let next = || arguments.get(at + 1).map(|next| next.to_string_lossy());
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, Some(Cow::Borrowed(value))),
                None => (&*word, next()),
            };
            match (flag, value) {
                ("--header" | "-H", Some(value)) => self.learn_header(&value),
                ("--token", Some(value)) => self.learn(&value),
                _ => self.learn_address(&word),
            }
        }
    }

    /// `text` without the secrets.
    pub(crate) fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(text);
        for secret in known.iter() {
            if text.contains(secret.expose()) {
                text = Cow::Owned(text.replace(secret.expose(), REDACTED));
            }
        }
        text
    }

    /// `text` without the secrets, and without users and passwords in addresses that nobody
    /// told of; for words to people, not for data.
    pub(crate) fn scrub_for_people<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.scrub(text) {
            Cow::Borrowed(text) => without_userinfo(text),
            Cow::Owned(text) => Cow::Owned(without_userinfo(&text).into_owned()),
        }
    }

    /// Whether there is anything to look for.
    pub(crate) fn is_idle(&self) -> bool {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    fn keep(&self, value: &str) {
        if value.len() < SHORTEST || value == REDACTED {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.iter().any(|each| each.expose() == value) {
            return;
        }
        let at = known.partition_point(|each| each.expose().len() >= value.len());
        known.insert(at, Secret::new(value));
    }
}

impl skillyard_audit::Redact for Redactor {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.scrub_for_people(text) {
            Cow::Borrowed(text) => without_tokens(text),
            Cow::Owned(text) => Cow::Owned(without_tokens(&text).into_owned()),
        }
    }
}

/// Where user and password stand in the first address of `text`, without the `@`.
fn userinfo(text: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], SCHEME) {
        let start = from + at + SCHEME.len();
        let rest = &text[start..];
        let end = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>')
            })
            .unwrap_or(rest.len());
        if let Some(at) = rest[..end].rfind('@') {
            return Some(start..start + at);
        }
        from = start;
    }
    None
}

/// `text` with user and password of every address hidden.
pub(crate) fn without_userinfo(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut result = String::new();
    while let Some(found) = userinfo(rest) {
        result.push_str(&rest[..found.start]);
        let inside = &rest[found.clone()];
        // A variable is a name, not a secret; the user of a git remote is no secret either.
        result.push_str(if is_variables(inside) || inside == "git" {
            inside
        } else {
            REDACTED
        });
        rest = &rest[found.end..];
    }
    if result.is_empty() {
        return Cow::Borrowed(text);
    }
    result.push_str(rest);
    Cow::Owned(result)
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
    fn what_was_learned_is_gone() {
        let redactor = Redactor::default();
        assert!(redactor.is_idle());
        redactor.learn("abcdef\"1");
        redactor.learn("abcdef\"123");
        assert_eq!(
            redactor.scrub("x abcdef\"123 abcdef\"1"),
            "x …redacted …redacted"
        );
        assert_eq!(
            redactor.scrub(r#"{"x":"abcdef\"123"}"#),
            r#"{"x":"…redacted"}"#
        );
        redactor.learn("is");
        assert_eq!(redactor.scrub("this is"), "this is");
        assert!(!format!("{redactor:?}").contains("abcdef"));
    }

    #[test]
    fn the_command_line_is_learned() {
        let redactor = Redactor::default();
        let words = "x --header|Authorization: Bearer tok-header|--header=X-Key: tok-equals|-H|A: tok-short|--token|tok-flag|--config=sources.a.url=https://me:tok-config@h|https://u:tok-userinfo@host/x";
        let words: Vec<OsString> = words.split('|').map(OsString::from).collect();
        // The first word is the program, glued to a flag only in this test.
        redactor.learn_arguments(&words[1..]);
        redactor.learn_arguments(&["--header".into(), "Authorization: Bearer tok-header".into()]);
        for secret in [
            "tok-header",
            "tok-equals",
            "tok-short",
            "tok-flag",
            "tok-config",
            "tok-userinfo",
        ] {
            assert_eq!(redactor.scrub(secret), REDACTED, "{secret}");
        }
    }

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
        check("a://b c@d", "a://b c@d");
    }
}
