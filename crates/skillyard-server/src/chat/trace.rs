//! W3C trace context: what a caller says its request belongs to goes into the audit log.

use axum::http::HeaderMap;

/// What a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trace(String);

impl Trace {
    /// The trace that the headers name, if it is one.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all("traceparent").iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let mut parts = value.to_str().ok()?.split('-');
        let (version, trace) = (parts.next()?, parts.next()?);
        let (parent, flags) = (parts.next()?, parts.next()?);
        // Version 0 has four parts; later ones may have more.
        let ends = version != "00" || parts.next().is_none();
        let good = is_hex(version, 2)
            && version != "ff"
            && is_hex(trace, 32)
            && is_hex(parent, 16)
            && is_hex(flags, 2)
            && !is_zero(trace)
            && !is_zero(parent);
        (good && ends).then(|| Self(trace.to_owned()))
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        &self.0
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
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", value.parse().unwrap());
        let found = Trace::of(&headers);
        assert_eq!(found.as_ref().map(Trace::id), expected, "{value}");
    }

    #[test]
    fn only_what_the_standard_allows_is_taken() {
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
    fn two_of_them_are_none() {
        let mut headers = HeaderMap::new();
        let value: axum::http::HeaderValue =
            format!("00-{TRACE}-00f067aa0ba902b7-01").parse().unwrap();
        headers.append("traceparent", value.clone());
        headers.append("traceparent", value);
        assert_eq!(Trace::of(&headers), None);
    }
}
