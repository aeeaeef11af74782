//! Answers of a registry that stands below an address and not at a root: its pages are written as
//! if it did, so what they link to is moved below it.

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

/// The longest page.
const LONGEST: usize = 16 * 1024 * 1024;

/// An answer whose links to the root lead below `place`, which is empty for a registry at a root.
pub(crate) async fn moved(mut response: Response, place: &str) -> Response {
    if place.is_empty() {
        return response;
    }
    let location = response.headers().get(LOCATION);
    let location = location.and_then(|location| location.to_str().ok());
    if let Some(location) = location.filter(|location| is_of_root(location))
        && let Ok(location) = HeaderValue::from_str(&format!("{place}{location}"))
    {
        response.headers_mut().insert(LOCATION, location);
    }
    let kind = response.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    parts.headers.remove(CONTENT_LENGTH);
    let page = moved_page(&String::from_utf8_lossy(&bytes), place);
    Response::from_parts(parts, Body::from(page))
}

/// A page whose links to the root lead below `place`. Only tags have links: what looks like one in
/// the text of a page is what somebody wrote, and stays as it is.
pub(crate) fn moved_page(page: &str, place: &str) -> String {
    let mut text = String::with_capacity(page.len() + page.len() / 16);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (before, behind) = rest.split_at(at);
        let (tag, behind) = behind.split_at(end_of_tag(behind));
        text.push_str(before);
        push_moved(&mut text, tag, place);
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// Where a tag ends: behind the first `>` that is in no value.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(opened), letter) if opened == letter => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Writes a tag whose links to the root lead below `place`.
fn push_moved(text: &mut String, tag: &str, place: &str) {
    let mut rest = tag;
    while let Some(at) = rest.find("=\"/") {
        let (before, behind) = rest.split_at(at + 2);
        text.push_str(before);
        let attribute = before.trim_end_matches("=\"");
        let is_link = [" href", " src", " action", " data-src"];
        if is_of_root(behind) && is_link.iter().any(|name| attribute.ends_with(name)) {
            text.push_str(place);
        }
        rest = behind;
    }
    text.push_str(rest);
}

fn is_of_root(place: &str) -> bool {
    place.starts_with('/') && !place.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_root_are_moved_and_others_are_not() {
        let page = r#"<a href="/view/pdf">x</a><link href="/style.css"><form action="/"><a href="//x.example/"><a href="https://x.example/"><p title="/x"><a href="view">"#;
        let expected = r#"<a href="/registry/view/pdf">x</a><link href="/registry/style.css"><form action="/registry/"><a href="//x.example/"><a href="https://x.example/"><p title="/x"><a href="view">"#;
        assert_eq!(moved_page(page, "/registry"), expected);
        assert_eq!(moved_page(page, ""), page);
    }

    #[test]
    fn what_looks_like_a_link_in_the_text_stays_as_it_is() {
        for page in [
            r#"<code>&lt;a href="/docs/start"&gt;</code>"#,
            r#"<p> href="/docs/x" <b> src="/a.png"</b> a > b action="/go""#,
            r#"<p title="a > b"> href="/x""#,
        ] {
            assert_eq!(moved_page(page, "/registry"), page);
        }
        let page = r#"<a title="a > b" href="/x"> href="/x"</a>"#;
        let expected = r#"<a title="a > b" href="/registry/x"> href="/x"</a>"#;
        assert_eq!(moved_page(page, "/registry"), expected);
    }
}
