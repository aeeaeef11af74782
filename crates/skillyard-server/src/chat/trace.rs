//! W3C trace context in the headers of a request.

use axum::http::HeaderMap;
use skillyard_agent::telemetry::TraceParent;

/// The span that the headers name, if they name exactly one.
pub(crate) fn parent_of(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all("traceparent").iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    TraceParent::parse(value.to_str().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn two_of_them_are_none() {
        let mut headers = HeaderMap::new();
        headers.append("traceparent", PARENT.parse().unwrap());
        assert_eq!(parent_of(&headers).unwrap().to_string(), PARENT);
        headers.append("traceparent", PARENT.parse().unwrap());
        assert_eq!(parent_of(&headers), None);
    }
}
