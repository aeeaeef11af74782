//! Takes secrets out of everything that is said.
//!
//! The printer asks it for every message, line of data and JSON value, so no command has to
//! think of it. It knows values, not places: whoever reads a secret from the environment, the
//! command line or a file lets it `learn` the value, and from then on it is gone from the
//! output and the audit log, also where another program quoted it. The log loses by their look
//! also those that nobody told of (`forms`). What a skill itself holds is printed byte for
//! byte (`Printer::raw`), because its digest would not fit otherwise.

mod address;
mod forms;
pub(crate) mod secret;

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;

use parking_lot::RwLock;
use skillyard_agent::provider::is_secret_key;

use self::address::{SCHEME, login, without_logins};
use self::forms::without_tokens;
use crate::redactor::secret::{REDACTED, Secret};

pub(crate) use self::address::without_userinfo;

/// Shorter values are also ordinary words, and would tear holes into every text.
const MIN_SECRET_LENGTH: usize = 6;

/// Knows the secrets of this run; its clones know the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    /// The longest first, because one may hold another.
    known: Arc<RwLock<Vec<KnownSecret>>>,
}

/// A secret, and who told of it.
#[derive(Debug)]
struct KnownSecret {
    secret: Secret,
    /// Whether it stood in an address, which may be another's words.
    is_of_address: bool,
}

impl Redactor {
    /// From now on this value is not shown.
    pub(crate) fn learn(&self, value: &str) {
        self.learn_from(value, false);
    }

    fn learn_from(&self, value: &str, is_of_address: bool) {
        let value = value.trim();
        self.keep(value, is_of_address);
        // As it stands in JSON, where it differs.
        if let Ok(quoted) = serde_json::to_string(value) {
            self.keep(&quoted[1..quoted.len() - 1], is_of_address);
        }
    }

    /// Learns the key of a model's server, unless it is a word in place of one.
    pub(crate) fn learn_model_key(&self, key: &str) {
        if is_secret_key(key.trim()) {
            self.learn(key);
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

    /// Learns what gives access in an address: the password, or a token in place of a user. A user
    /// alone is a name, and a word by itself is said for other reasons, too.
    pub(crate) fn learn_address(&self, address: &str) {
        let Some(login) = login(address) else {
            return;
        };
        if let Some(both) = login.with_password() {
            self.learn_from(both, true);
        }
        if let Some(secret) = login.secret() {
            self.learn_from(secret, true);
        }
    }

    /// Whatever an address said, the name of a skill is shown: whoever writes the address must not
    /// choose what people and the log are told.
    pub(crate) fn show_name(&self, name: &str) {
        let mut known = self.known.write();
        known.retain(|each| !each.is_of_address || !name.contains(each.secret.expose()));
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
        let known = self.known.read();
        let mut text = Cow::Borrowed(text);
        for each in known.iter() {
            let secret = each.secret.expose();
            if text.contains(secret) {
                text = Cow::Owned(text.replace(secret, REDACTED));
            }
        }
        text
    }

    /// JSON without the secrets. The names of its fields are ours, and programs look for them.
    pub(crate) fn scrub_json<'a>(&self, text: &'a str) -> Cow<'a, str> {
        values(text, |value| self.scrub(value))
    }

    /// `text` without the secrets, and without logins in addresses that nobody told of; for words
    /// to people, not for data, and not for what somebody is asked to allow.
    pub(crate) fn scrub_for_people<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.scrub(text) {
            Cow::Borrowed(text) => without_logins(text),
            Cow::Owned(text) => Cow::Owned(without_logins(&text).into_owned()),
        }
    }

    /// Whether there is anything to look for.
    pub(crate) fn is_idle(&self) -> bool {
        self.known.read().is_empty()
    }

    fn keep(&self, value: &str, is_of_address: bool) {
        if value.len() < MIN_SECRET_LENGTH || value == REDACTED {
            return;
        }
        let mut known = self.known.write();
        if let Some(same) = known.iter_mut().find(|each| each.secret.expose() == value) {
            same.is_of_address &= is_of_address;
            return;
        }
        let at = known.partition_point(|each| each.secret.expose().len() >= value.len());
        let secret = Secret::new(value);
        let known_now = KnownSecret {
            secret,
            is_of_address,
        };
        known.insert(at, known_now);
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

/// `text` with everything changed but the names of fields.
fn values(text: &str, change: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    if matches!(change(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    // What is not a string has no room for a secret but as a number.
    while let Some(start) = rest.find('"') {
        let length = end_of_string(&rest[start + 1..]);
        let (between, string) = (&rest[..start], &rest[start..start + 1 + length]);
        rest = &rest[start + 1 + length..];
        result.push_str(&change(between));
        if rest.trim_start().starts_with(':') {
            result.push_str(string);
        } else {
            result.push_str(&change(string));
        }
    }
    result.push_str(&change(rest));
    Cow::Owned(result)
}

/// How many bytes a string has behind its first quote, with the last one.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
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
    fn an_address_does_not_choose_what_is_hidden() {
        let redactor = Redactor::default();
        for address in [
            "https://stealer-tool@host",
            "https://x:UNTRUSTED@host",
            "postgres://skills@host",
            "https://x:stealer-2@host",
        ] {
            redactor.learn_address(address);
        }
        redactor.show_name("my-stealer-2");
        let said = "stealer-tool UNTRUSTED skills stealer-2";
        assert_eq!(redactor.scrub(said), said);
        redactor.learn("stealer-2");
        redactor.show_name("stealer-2");
        assert_eq!(redactor.scrub("stealer-2"), REDACTED);
    }
}

#[cfg(test)]
mod json_tests {
    use super::*;

    #[test]
    fn names_of_fields_stay() {
        fn change(text: &str) -> Cow<'_, str> {
            text.replace("digest", "X").into()
        }
        let text = r#"{"digest" : "a digest \" digest", "x":["digest",{"the_digest":1}]}"#;
        let changed = r#"{"digest" : "a X \" X", "x":["X",{"the_digest":1}]}"#;
        assert_eq!(values(text, change), changed);
        assert_eq!(values("\"digest", change), "\"X");
        let unchanged = values(text, |text| Cow::Borrowed(text));
        assert!(matches!(unchanged, Cow::Borrowed(_)));
    }
}
