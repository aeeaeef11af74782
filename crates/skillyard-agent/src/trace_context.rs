//! W3C trace context: the span of the caller that a request belongs to.

use std::fmt;

/// The `traceparent` of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent {
    trace: String,
    span: String,
    flags: String,
}

impl TraceParent {
    /// Parses a `traceparent`; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace) = (parts.next()?, parts.next()?);
        let (span, flags) = (parts.next()?, parts.next()?);
        // Version 0 has four parts; later ones may have more.
        let ends = version != "00" || parts.next().is_none();
        let is_valid = is_hex(version, 2)
            && version != "ff"
            && is_hex(trace, 32)
            && is_hex(span, 16)
            && is_hex(flags, 2)
            && !is_zero(trace)
            && !is_zero(span);
        (is_valid && ends).then(|| Self {
            trace: trace.to_owned(),
            span: span.to_owned(),
            flags: flags.to_owned(),
        })
    }

    /// The trace ID, in hexadecimal digits.
    pub fn trace(&self) -> &str {
        &self.trace
    }

    /// The span ID, in hexadecimal digits.
    pub fn span(&self) -> &str {
        &self.span
    }

    /// Whether the caller records this trace.
    pub fn is_sampled(&self) -> bool {
        u8::from_str_radix(&self.flags, 16).is_ok_and(|flags| flags & 1 == 1)
    }
}

/// Formats it as version 00.
impl fmt::Display for TraceParent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "00-{}-{}-{}", self.trace, self.span, self.flags)
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == length && text.bytes().all(is_digit)
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn check(value: &str, expected: Option<&str>) {
        let found = TraceParent::parse(value);
        assert_eq!(found.as_ref().map(TraceParent::trace), expected, "{value}");
    }

    #[test]
    fn invalid_values_are_rejected() {
        check(&format!("00-{TRACE}-00f067aa0ba902b7-01"), Some(TRACE));
        check(&format!("01-{TRACE}-00f067aa0ba902b7-01-x"), Some(TRACE));
        check(&format!("00-{TRACE}-00f067aa0ba902b7-01-x"), None);
        check(&format!("ff-{TRACE}-00f067aa0ba902b7-01"), None);
        check(&format!("00-{TRACE}-0000000000000000-01"), None);
        check(&format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), None);
        check(&format!("00-{}-00f067aa0ba902b7-01", "A".repeat(32)), None);
        check("00-x-y-z", None);
        check("", None);
    }

    #[test]
    fn it_is_formatted_unchanged() {
        let text = format!("00-{TRACE}-00f067aa0ba902b7-00");
        let parent = TraceParent::parse(&text).unwrap();
        assert_eq!(parent.to_string(), text);
        assert!(!parent.is_sampled());
        let later = TraceParent::parse(&format!("cc-{TRACE}-00f067aa0ba902b7-01-more")).unwrap();
        assert!(later.is_sampled() && later.to_string().starts_with("00-"));
    }
}
