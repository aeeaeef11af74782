//! Addresses: a registry below a path instead of at a root, and names in namespaces as one segment.
//!
//! Pages are written for a registry at a root, so their links are moved below its path. Routes are
//! matched by segments, so the slash within a name such as `@acme/pdf` is escaped before routing.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::IntoResponse as _;
use axum::response::Response;

/// The longest page.
const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;

/// An answer whose links to the root lead below `place`, which is empty for a registry at a root.
pub(crate) async fn rewrite_base_path(mut response: Response, place: &str) -> Response {
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
    let Ok(bytes) = to_bytes(body, MAX_PAGE_BYTES).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    parts.headers.remove(CONTENT_LENGTH);
    let page = rewrite_page(&String::from_utf8_lossy(&bytes), place);
    Response::from_parts(parts, Body::from(page))
}

/// A page whose links to the root lead below `place`. Only tags have links: what looks like one in
/// the text of a page is content, and stays as it is.
pub(crate) fn rewrite_page(page: &str, place: &str) -> String {
    let mut text = String::with_capacity(page.len() + page.len() / 16);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (before, behind) = rest.split_at(at);
        let (tag, behind) = behind.split_at(end_of_tag(behind));
        text.push_str(before);
        push_rewritten(&mut text, tag, place);
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
fn push_rewritten(text: &mut String, tag: &str, place: &str) {
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

/// The request with the names in its address made one segment each.
pub(crate) fn join_scoped_name(mut request: Request) -> Request {
    if let Some(uri) = rewritten(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

fn rewritten(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    // At the very start it is a namespace with documents of its own, not a name.
    let start = [path.find("/@"), path.find("/%40")];
    let start = start.into_iter().flatten().min().filter(|at| *at > 0)?;
    let slash = start + 1 + path[start + 1..].find('/')?;
    let query = uri.query().map(|query| format!("?{query}"));
    let joined = format!(
        "{}%2F{}{}",
        &path[..slash],
        &path[slash + 1..],
        query.unwrap_or_default()
    );
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(joined).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_root_are_moved_and_others_are_not() {
        let page = r#"<a href="/view/pdf">x</a><link href="/style.css"><form action="/"><a href="//x.example/"><a href="https://x.example/"><p title="/x"><a href="view">"#;
        let expected = r#"<a href="/registry/view/pdf">x</a><link href="/registry/style.css"><form action="/registry/"><a href="//x.example/"><a href="https://x.example/"><p title="/x"><a href="view">"#;
        assert_eq!(rewrite_page(page, "/registry"), expected);
        assert_eq!(rewrite_page(page, ""), page);
    }

    #[test]
    fn what_looks_like_a_link_in_the_text_stays_as_it_is() {
        for page in [
            r#"<code>&lt;a href="/docs/start"&gt;</code>"#,
            r#"<p> href="/docs/x" <b> src="/a.png"</b> a > b action="/go""#,
            r#"<p title="a > b"> href="/x""#,
        ] {
            assert_eq!(rewrite_page(page, "/registry"), page);
        }
        let page = r#"<a title="a > b" href="/x"> href="/x"</a>"#;
        let expected = r#"<a title="a > b" href="/registry/x"> href="/x"</a>"#;
        assert_eq!(rewrite_page(page, "/registry"), expected);
    }

    #[test]
    fn names_become_one_segment() {
        let check = |path: &str, expected: Option<&str>| {
            let uri: Uri = path.parse().unwrap();
            let found = rewritten(&uri).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{path}");
        };
        check("/skills/pdf/download", None);
        check("/skills/@acme", None);
        check("/skills/@acme/pdf", Some("/skills/@acme%2Fpdf"));
        check(
            "/skills/%40acme/pdf/1.0.0?x=/@a/b",
            Some("/skills/%40acme%2Fpdf/1.0.0?x=/@a/b"),
        );
        check("/index/@acme/3/p/pdf", Some("/index/@acme%2F3/p/pdf"));
        check("/@acme/.well-known/skills/index.json", None);
    }
}
