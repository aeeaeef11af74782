//! A model whose own key never comes back.
//!
//! A server may quote the key that it was asked with, whole or a letter at a time. What it says goes
//! to terminals, pages, sessions and logs of people who were never given the key, so it is taken out
//! where the answer comes in.

use std::sync::atomic::AtomicBool;

use secrecy::{ExposeSecret as _, SecretString};

use super::{Completion, Delta, ModelRequest, Provider, ProviderError};
use crate::message::AssistantPart;

/// What is said in place of a key.
const REDACTED: &str = "…redacted";
/// Shorter keys are always words.
const SHORT: usize = 6;
/// From this length a text of lowercase letters is not a word.
const LONG: usize = 12;
/// What people write where a local server wants any key.
const WORDS: [&str; 12] = [
    "api-key",
    "dummy-key",
    "lm-studio",
    "no-key",
    "no-key-required",
    "not-needed",
    "not-required",
    "not-used",
    "placeholder",
    "sk-dummy",
    "sk-no-key-required",
    "your-api-key",
];

/// A model, and the key that its server knows.
pub struct RedactingProvider {
    model: Box<dyn Provider>,
    key: SecretString,
}

impl RedactingProvider {
    /// The model as it is to be asked with a key, unless that [is none](is_secret_key).
    pub fn around(model: Box<dyn Provider>, key: &SecretString) -> Box<dyn Provider> {
        // A server quotes it without what stood around it.
        let key = SecretString::from(key.expose_secret().trim().to_owned());
        if is_secret_key(key.expose_secret()) {
            Box::new(Self { model, key })
        } else {
            model
        }
    }

    fn without_key(&self, text: &mut String) {
        let key = self.key.expose_secret();
        if text.contains(key) {
            *text = text.replace(key, REDACTED);
        }
    }
}

/// Whether a key is one: local servers take any word, such as `ollama` or `not-needed`, and who hides
/// it everywhere tears holes into every text.
pub fn is_secret_key(key: &str) -> bool {
    let is_word = key.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_short = key.len() < if is_word { LONG } else { SHORT };
    let is_known = WORDS.iter().any(|word| key.eq_ignore_ascii_case(word));
    !is_short && !is_known
}

impl Provider for RedactingProvider {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let mut held = PendingText {
            key: self.key.expose_secret(),
            text: String::new(),
        };
        let mut hear = |delta: Delta<'_>| match delta {
            Delta::Text(text) => {
                let said = held.push(text);
                if !said.is_empty() {
                    on(Delta::Text(&said));
                }
            }
            other @ Delta::Retry(..) => on(other),
        };
        let completion = self.model.complete(request, &mut hear, cancel);
        if !held.text.is_empty() {
            on(Delta::Text(&held.text));
        }
        let mut completion = completion?;
        for part in &mut completion.parts {
            match part {
                AssistantPart::Text { text } => self.without_key(text),
                AssistantPart::Call(call) => self.without_key(&mut call.arguments),
                // Its provider needs it unchanged, and no other reader gets it.
                AssistantPart::Opaque { .. } => {}
            }
        }
        Ok(completion)
    }
}

/// Words that may be the beginning of the key.
struct PendingText<'a> {
    key: &'a str,
    text: String,
}

impl PendingText<'_> {
    /// What can be said once these words have come.
    fn push(&mut self, words: &str) -> String {
        self.text.push_str(words);
        if self.text.contains(self.key) {
            self.text = self.text.replace(self.key, REDACTED);
        }
        let ends = self.text.char_indices().map(|(at, _)| at);
        let mut ends = ends.skip_while(|at| self.text.len() - at >= self.key.len());
        let begins = ends.find(|at| self.key.starts_with(&self.text[*at..]));
        let rest = self.text.split_off(begins.unwrap_or(self.text.len()));
        std::mem::replace(&mut self.text, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-secret-1234567890";

    /// A model that says the same in pieces and as a whole.
    struct Quoting(&'static [&'static str]);

    impl Provider for Quoting {
        fn name(&self) -> &'static str {
            "quoting"
        }

        fn complete(
            &self,
            _: &ModelRequest<'_>,
            on: &mut dyn FnMut(Delta<'_>),
            _: &AtomicBool,
        ) -> Result<Completion, ProviderError> {
            self.0.iter().for_each(|piece| on(Delta::Text(piece)));
            let text = self.0.concat();
            Ok(Completion {
                parts: vec![AssistantPart::Text { text }],
                ..Completion::default()
            })
        }
    }

    fn said(pieces: &'static [&'static str], key: &str) -> (String, Completion) {
        let model = RedactingProvider::around(Box::new(Quoting(pieces)), &key.to_owned().into());
        let request = ModelRequest {
            model: "m",
            system: "",
            tools: &[],
            messages: &[],
            max_tokens: 1,
            shape: None,
        };
        let mut told = String::new();
        let mut on = |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                told.push_str(text);
            }
        };
        let completion = model.complete(&request, &mut on, &AtomicBool::new(false));
        (told, completion.unwrap())
    }

    #[test]
    fn a_key_is_never_said_however_it_comes() {
        for (pieces, expected) in [
            (&["a sk-secret-1234567890 b"][..], "a …redacted b"),
            (&["a sk-se", "cret-123", "4567890 b"], "a …redacted b"),
            (&["s", "k", "-", "secret-1234567890"], "…redacted"),
            (&["sk-sk-secret-123456789", "0"], "sk-…redacted"),
            (&["über sk-sec", "ond é"], "über sk-second é"),
            (&["ends with sk-"], "ends with sk-"),
        ] {
            let (told, completion) = said(pieces, KEY);
            assert_eq!(told, expected);
            assert_eq!(completion.text(), expected);
        }
    }

    #[test]
    fn a_key_is_hidden_whatever_stands_around_it() {
        for key in [" sk-secret-1234567890 ", "sk-secret-1234567890\n"] {
            let (told, _) = said(&["a sk-secret-1234567890 b"], key);
            assert_eq!(told, "a …redacted b");
        }
        assert!(is_secret_key("sk-MasterPassword"));
    }

    #[test]
    fn a_word_in_place_of_a_key_is_no_secret() {
        for word in ["ollama", "lm-studio", "not-needed", "x1"] {
            assert_eq!(
                said(&["ollama lm-studio x1"], word).0,
                "ollama lm-studio x1"
            );
        }
    }
}
