//! Text with `${VARIABLE}` in it, which is resolved when it is used and never written back.

use std::fmt;

use crate::environment::Environment;
use crate::redactor::secret::{REDACTED, Secret};

/// Words of a header that are no secret.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "token",
    "apikey",
    "digest",
    "private-token",
];

/// Text and variables, in order.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone)]
enum TemplatePart {
    Text(Secret),
    Variable(String),
}

impl Template {
    /// Reads a text; says what is wrong with it, without quoting it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("it is empty".into());
        }
        if text.contains(char::is_control) {
            return Err("it has a control character in it".into());
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            if start > 0 {
                parts.push(TemplatePart::Text(Secret::new(&rest[..start])));
            }
            let inside = &rest[start + 2..];
            let end = inside
                .find('}')
                .ok_or("a `${` in it is not closed with `}`")?;
            let name = &inside[..end];
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty()
                || !name.chars().all(is_name)
                || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err("what stands in `${…}` is not the name of a variable".into());
            }
            parts.push(TemplatePart::Variable(name.to_owned()));
            rest = &inside[end + 1..];
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(Secret::new(rest)));
        }
        Ok(Self { parts })
    }

    /// The text as it was written, with the secrets that stand in it.
    pub(crate) fn written(&self) -> String {
        self.shown(|text| text.expose().to_owned())
    }

    /// The names of its variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Variable(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }

    /// The text that stands in it itself and is to be kept secret.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Text(text) if !is_scheme(text.expose()) => Some(text),
            _ => None,
        })
    }

    /// Whether something in it is to be kept secret.
    pub(crate) fn holds_secret(&self) -> bool {
        self.secrets().next().is_some()
    }

    /// The text with the values of its variables, or the variable that is not set.
    pub(crate) fn resolve(&self, environment: &Environment) -> Result<Secret, &str> {
        let mut result = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => result.push_str(text.expose()),
                TemplatePart::Variable(name) => {
                    result.push_str(environment.variable(name).ok_or(name.as_str())?.expose());
                }
            }
        }
        Ok(Secret::new(result))
    }

    fn shown(&self, text: impl Fn(&Secret) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            TemplatePart::Text(each) => text(each),
            TemplatePart::Variable(name) => format!("${{{name}}}"),
        });
        parts.collect()
    }
}

/// As written, but for the secrets.
impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown(|text| {
            if is_scheme(text.expose()) {
                text.expose().to_owned()
            } else {
                REDACTED.to_owned()
            }
        }))
    }
}

fn is_scheme(text: &str) -> bool {
    let word = text.trim();
    word.is_empty() || SCHEMES.iter().any(|each| each.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_shown_and_secrets_are_not() {
        let check = |text: &str, expected: &str| {
            let template = Template::parse(text).unwrap();
            assert_eq!(template.to_string(), expected);
            assert_eq!(template.written(), text);
            assert!(!format!("{template:?}").contains("abc"), "{template:?}");
        };
        check("${TOKEN}", "${TOKEN}");
        check("abc", "…redacted");
        check("Bearer ${TOKEN}", "Bearer ${TOKEN}");
        check("Bearer abc", "…redacted");
        check("abc${TOKEN}abc", "…redacted${TOKEN}…redacted");
    }

    #[test]
    fn what_is_no_template() {
        for text in ["", " ", "${", "${}", "${A B}", "${1}", "${A", "a\nb"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
