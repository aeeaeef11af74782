//! The pages. Templates are compiled in and escape every value; what is HTML already went through
//! `skillyard_http::markdown`, which sanitises it. What would deceive a reader is made visible in the whole.

pub(crate) mod admin;
pub(crate) mod agents;
pub(crate) mod assets;
pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod library;
pub(crate) mod login;
pub(crate) mod skill;

use askama::Template;
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use serde::de::DeserializeOwned;
use skillyard_http::address::encoded;
use skillyard_http::cause::Cause;
use skillyard_http::visible;

use crate::access::{Extras, Holder, Role, SessionOwner, Visitor};
use crate::path_redactor::PathRedactor;
use crate::problem::Problem;
use crate::server::Server;
use crate::view::Viewer;

/// What every page has around it.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    holder: Option<Holder>,
    csrf: String,
    logged_in: bool,
    session_owner: SessionOwner,
    extras: Extras,
}

impl Frame {
    /// Around a page for somebody of whom nothing is known.
    fn stranger() -> Self {
        Self {
            holder: None,
            csrf: String::new(),
            logged_in: false,
            session_owner: SessionOwner::Token(String::new()),
            extras: Extras::default(),
        }
    }

    fn is_admin(&self) -> bool {
        self.role() == Some(Role::Admin)
    }

    fn may_talk(&self) -> bool {
        self.role() >= Some(Role::Chat) && self.extras.agents
    }

    fn may_run(&self) -> bool {
        self.role() >= Some(Role::Run)
    }

    fn is_known(&self) -> bool {
        self.holder.is_some()
    }

    fn is_logged_in(&self) -> bool {
        self.logged_in
    }

    /// Who asks.
    fn holder(&self) -> Holder {
        self.holder.clone().unwrap_or_else(Holder::nobody)
    }

    fn role(&self) -> Option<Role> {
        self.holder.as_ref().map(|holder| holder.role)
    }

    /// Who looks at a page of `server`.
    pub(crate) fn viewer<'a>(&self, server: &'a Server) -> Viewer<'a> {
        Viewer::new(self.role().unwrap_or_default(), server)
    }
}

impl<S: Sync> FromRequestParts<S> for Frame {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let visitor = parts.extensions.get::<Visitor>();
        Ok(visitor.map_or_else(Self::stranger, |visitor| Self {
            holder: Some(visitor.holder.clone()),
            csrf: visitor.csrf.clone(),
            logged_in: visitor.logged_in,
            session_owner: visitor.session_owner.clone(),
            extras: visitor.extras,
        }))
    }
}

/// A page that says what went wrong.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: &'a Frame,
    active: &'static str,
    problem: &'a Problem,
    back: Option<&'a str>,
}

/// Why there is no page.
#[derive(Debug, Clone)]
pub(crate) struct NoPage {
    frame: Frame,
    problem: Problem,
    /// The page to go on from, if it is not the start.
    back: Option<String>,
}

impl NoPage {
    pub(crate) fn new(frame: Frame, problem: impl Into<Problem>) -> Self {
        Self {
            frame,
            problem: problem.into(),
            back: None,
        }
    }

    /// The same without the places of this machine; our own addresses are none of them.
    pub(crate) fn redacted(self, redactor: &PathRedactor) -> Self {
        Self {
            problem: self.problem.redacted(redactor),
            ..self
        }
    }
}

impl IntoResponse for NoPage {
    fn into_response(self) -> Response {
        let status = self.problem.status();
        let cause = self.problem.cause().map(str::to_owned);
        let page = ProblemPage {
            frame: &self.frame,
            active: "",
            problem: &self.problem,
            back: self.back.as_deref(),
        };
        let mut response = (status, shown(&page)).into_response();
        response.extensions_mut().insert(self);
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

/// What every page handler returns.
pub(crate) type Page = Result<Response, NoPage>;

/// A template as an answer.
fn shown(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => Html(visible::page(text)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Runs something that reads or computes for a while, away from the threads that answer.
pub(crate) async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    Ok(tokio::task::spawn_blocking(work).await?)
}

/// The answer to every other address.
pub(crate) async fn missing(frame: Frame, request: Request) -> Response {
    let problem = Problem::new(StatusCode::NOT_FOUND, "there is nothing here");
    answered(frame, &request, problem)
}

/// The answer to a method that an address does not have.
pub(crate) async fn wrong_method(frame: Frame, request: Request) -> Response {
    let reason = format!("`{}` is not for this address", request.method());
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, &reason);
    answered(frame, &request, problem)
}

/// A problem for a person who may not have the page that was asked for.
pub(crate) async fn refused(request: Request, problem: Problem) -> Response {
    let (mut parts, _) = request.into_parts();
    let Ok(frame) = Frame::from_request_parts(&mut parts, &()).await;
    NoPage::new(frame, problem).into_response()
}

/// A problem for a person who did not get past the gate, and the page to go on from.
pub(crate) fn turned_away(problem: Problem, back: Option<String>) -> Response {
    let frame = Frame::stranger();
    let page = NoPage {
        frame,
        problem,
        back,
    };
    page.into_response()
}

/// A problem as a program or as a person reads it.
fn answered(frame: Frame, request: &Request, problem: Problem) -> Response {
    if request.uri().path().starts_with("/api/") {
        return problem.into_response();
    }
    NoPage::new(frame, problem).into_response()
}

/// The address of a skill's page.
fn skill_address(name: &str) -> String {
    // A slash in a name leads no deeper.
    format!("/skills/{}", encoded(name).replace('/', "%2F"))
}

/// The address of all events of a skill.
fn events_address(name: &str) -> String {
    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("/audit?skill={name}")
}

/// The beginning of a digest, for people.
fn short(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..12).unwrap_or(hex)
}

/// The address of the page of a skill's file; `link` may hold a place on it.
fn file_address(name: &str, link: &str) -> String {
    format!("{}/files/{link}", skill_address(name))
}

/// A name in the address; where it is no text there is no such page.
pub(crate) struct PathInput<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathInput<T> {
    type Rejection = NoPage;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, NoPage> {
        if let Ok(Path(part)) = Path::<T>::from_request_parts(parts, state).await {
            return Ok(Self(part));
        }
        let Ok(frame) = Frame::from_request_parts(parts, state).await;
        let problem = Problem::new(StatusCode::NOT_FOUND, "there is nothing here");
        Err(NoPage::new(frame, problem))
    }
}
