//! Problems for people: where a browser asks, the answer is a page that says where to go on.

use askama::Template;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use skillyard_format::text::nearest;
use skillyard_http::visible;

use super::Frame;
use crate::base_path::rewrite_page;
use crate::problem::{About, Trouble};
use crate::search::SearchQuery;
use crate::server::Server;

/// The most similar names on the page.
const MAX_NEAR_NAMES: usize = 5;

#[derive(Template)]
#[template(path = "trouble.html")]
struct ErrorPage {
    frame: Frame,
    status: u16,
    title: &'static str,
    /// What went wrong; every second piece is a name.
    pieces: Vec<String>,
    nearest: Option<String>,
    skill: Option<String>,
    others: Vec<String>,
    /// Whether the client needs a token.
    needs_token: bool,
}

/// Turns problems into pages for those who read pages.
pub(crate) async fn explained(server: &Server, reads_pages: bool, response: Response) -> Response {
    let Some(trouble) = response.extensions().get::<Trouble>().cloned() else {
        return response;
    };
    let (mut parts, body) = response.into_parts();
    let vary = HeaderValue::from_static("accept");
    parts.headers.insert(header::VARY, vary);
    if !reads_pages {
        return Response::from_parts(parts, body);
    }
    let frame = Frame::of(&parts.extensions);
    let page = page(server, frame, parts.status, trouble).await;
    let Ok(text) = page.render() else {
        return Response::from_parts(parts, body);
    };
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    parts.headers.insert(header::CONTENT_TYPE, kind);
    parts.headers.remove(header::CONTENT_LENGTH);
    let text = rewrite_page(&visible::page(text), &server.base_path);
    Response::from_parts(parts, Body::from(text))
}

/// Browsers say so; programs ask for JSON or for anything.
pub(crate) fn reads_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/html"))
}

async fn page(server: &Server, frame: Frame, status: StatusCode, trouble: Trouble) -> ErrorPage {
    let mut page = ErrorPage {
        frame,
        status: status.as_u16(),
        title: match status {
            StatusCode::UNAUTHORIZED => "Not for everybody",
            StatusCode::NOT_FOUND => "Not here",
            StatusCode::TOO_MANY_REQUESTS => "Too many requests",
            StatusCode::SERVICE_UNAVAILABLE => "Not now",
            _ => "That did not work",
        },
        pieces: pieces(&trouble.detail),
        nearest: None,
        skill: None,
        others: Vec::new(),
        needs_token: status == StatusCode::UNAUTHORIZED,
    };
    match trouble.about {
        About::Missing(name) => {
            let mut near = near(server, &name).await;
            page.nearest = nearest(&name, near.iter().map(String::as_str)).map(str::to_owned);
            near.retain(|each| Some(each) != page.nearest.as_ref());
            page.others = near;
        }
        About::Skill(name) => page.skill = Some(name),
        About::Other => {}
    }
    page
}

/// A phrase as a sentence, in pieces between its backticks.
fn pieces(phrase: &str) -> Vec<String> {
    let mut pieces: Vec<String> = phrase.split('`').map(str::to_owned).collect();
    if let Some(first) = pieces.first_mut() {
        let mut letters = first.chars();
        *first = letters.next().map_or_else(String::new, |letter| {
            letter.to_uppercase().chain(letters).collect()
        });
    }
    if let Some(last) = pieces.last_mut() {
        last.push('.');
    }
    pieces
}

/// Names that a search for a missing one finds.
async fn near(server: &Server, name: &str) -> Vec<String> {
    let registry = &server.registry;
    let Ok(picture) = registry.search_snapshot().await else {
        return Vec::new();
    };
    let question = SearchQuery {
        words: name.replace('-', " "),
        limit: MAX_NEAR_NAMES,
        ..SearchQuery::default()
    };
    let found = picture.ask(&question).names.into_iter();
    found.map(str::to_owned).collect()
}
