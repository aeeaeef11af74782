//! Responses to requests that do not pass the gate.

use axum::extract::Request;
use axum::http::header::{ACCEPT, REFERER};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use skillyard_http::login::address;
use skillyard_http::origin::Foreign;
use skillyard_http::origin::named_host;

use crate::problem::Problem;
use crate::web;

/// Why a request does not pass: a problem, which people read on a page, or an answer of its own.
pub(super) enum Refusal {
    /// What is wrong, and the page to go on from.
    Problem(Problem, Option<String>),
    /// The answer.
    Answer(Response),
}

impl Refusal {
    /// A problem.
    pub(super) fn new(status: StatusCode, text: &str) -> Self {
        Problem::new(status, text).into()
    }

    /// The answer, as a person or a program reads it.
    pub(super) fn told(self, reads_pages: bool) -> Response {
        match self {
            Self::Problem(problem, back) if reads_pages => web::turned_away(problem, back),
            Self::Problem(problem, _) => problem.into_response(),
            Self::Answer(response) => response,
        }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem, None)
    }
}

impl From<Response> for Refusal {
    fn from(response: Response) -> Self {
        Self::Answer(response)
    }
}

/// The page that a form was sent from, if it is one of ours.
pub(super) fn page_before(headers: &HeaderMap) -> Option<String> {
    let before = headers.get(REFERER)?.to_str().ok()?;
    let (_, before) = before.split_once("://")?;
    let (authority, path) = before.split_at(before.find('/')?);
    let host = named_host(headers, None)?;
    let is_ours =
        authority.eq_ignore_ascii_case(host) && !path.starts_with("//") && !path.contains('\\');
    is_ours.then(|| path.to_owned())
}

/// Why a page or a name of elsewhere gets no answer.
pub(super) fn explain(foreign: Foreign) -> &'static str {
    match foreign {
        Foreign::Host => "this server answers to names of its own machine only",
        Foreign::Origin => {
            "pages of other sites get no answer; a proxy in front of this server has to pass on `Host`"
        }
    }
}

/// The response to a request without a valid token.
pub(super) fn unknown(request: &Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") || path == "/mcp" || path == "/metrics" {
        no_token()
    } else {
        login(request)
    }
}

/// Whether a person reads the answer.
pub(super) fn reads_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok());
    accepted.is_some_and(|kinds| kinds.contains("text/html"))
}

/// Says that a token is needed.
pub(super) fn no_token() -> Response {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, "a token is needed");
    let mut response = problem.into_response();
    let scheme = axum::http::HeaderValue::from_static("Bearer");
    response.headers_mut().insert("www-authenticate", scheme);
    response
}

/// Leads to the login, and from there back to what was asked for.
pub(super) fn login(request: &Request) -> Response {
    let asked = request.uri().path_and_query().map(PathAndQuery::as_str);
    let asked = asked.filter(|_| request.method() == Method::GET);
    Redirect::to(&address(asked)).into_response()
}
