//! How to log in: `bearer:…`, `token:…` or `header:Name: value`.

use std::fmt;

use super::template::Template;

/// A way to log in, as configured.
#[derive(Debug, Clone)]
pub(crate) struct Auth {
    scheme: Scheme,
    value: Template,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Scheme {
    Bearer,
    Token,
    Header(String),
}

impl Auth {
    /// Reads `scheme:value`; says what is wrong, without quoting it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let unknown = "it must begin with `bearer:`, `token:` or `header:Name:`";
        let (scheme, value) = text.split_once(':').ok_or(unknown)?;
        let (scheme, value) = match scheme {
            "bearer" => (Scheme::Bearer, value),
            "token" => (Scheme::Token, value),
            "header" => {
                let (name, value) = value.split_once(':').ok_or(unknown)?;
                let name = name.trim();
                if name.is_empty() || !name.bytes().all(is_header_byte) {
                    return Err("what follows `header:` is not the name of a header".into());
                }
                (Scheme::Header(name.to_owned()), value)
            }
            _ => return Err(unknown.into()),
        };
        let value = Template::parse(value.trim())?;
        Ok(Self { scheme, value })
    }

    /// The part that is secret.
    pub(crate) fn template(&self) -> &Template {
        &self.value
    }

    /// The name of the header that carries it.
    pub(crate) fn header(&self) -> &str {
        match &self.scheme {
            Scheme::Bearer | Scheme::Token => "Authorization",
            Scheme::Header(name) => name,
        }
    }

    /// The value of that header, from the resolved secret.
    pub(crate) fn header_value(&self, secret: &str) -> String {
        match self.scheme {
            Scheme::Bearer => format!("Bearer {secret}"),
            Scheme::Token => format!("token {secret}"),
            Scheme::Header(_) => secret.to_owned(),
        }
    }

    /// As it was written, with its secret.
    pub(crate) fn written(&self) -> String {
        format!("{}{}", self.prefix(), self.value.written())
    }

    fn prefix(&self) -> String {
        match &self.scheme {
            Scheme::Bearer => "bearer:".to_owned(),
            Scheme::Token => "token:".to_owned(),
            Scheme::Header(name) => format!("header:{name}: "),
        }
    }
}

/// As written, but for the secret.
impl fmt::Display for Auth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.prefix(), self.value)
    }
}

/// What HTTP allows in the name of a header.
fn is_header_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shown: &str, header: &str) {
        let auth = Auth::parse(text).unwrap();
        assert_eq!(auth.to_string(), shown);
        assert_eq!(
            format!("{}: {}", auth.header(), auth.header_value("S")),
            header
        );
        assert!(!format!("{auth:?}").contains("abc"));
    }

    #[test]
    fn the_three_forms() {
        check("bearer:${T}", "bearer:${T}", "Authorization: Bearer S");
        check("token:abc", "token:…redacted", "Authorization: token S");
        check(
            "header:X-Api-Key: abc",
            "header:X-Api-Key: …redacted",
            "X-Api-Key: S",
        );
        check("header:A:Bearer ${T}", "header:A: Bearer ${T}", "A: S");
    }

    #[test]
    fn what_is_no_form() {
        for text in [
            "",
            "abc",
            "basic:x",
            "bearer:",
            "header:abc",
            "header:: x",
            "header:A b: x",
            "header:A: x\r\nB: y",
        ] {
            assert!(!Auth::parse(text).unwrap_err().contains("abc"), "{text}");
        }
    }
}
