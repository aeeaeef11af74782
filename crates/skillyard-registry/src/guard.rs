//! What holds for every request: it is let in under a name of ours, it is answered in time, and browsers take the
//! answer for what it is.
//!
//! All of it stands in one layer: each of its own would cost every request several allocations.

use axum::extract::{Request, State};
use axum::http::uri::{Authority, PathAndQuery};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use skillyard_http::caught::caught;
use skillyard_http::cause::Cause;
use skillyard_http::host;
use skillyard_http::login;
use skillyard_http::policy::POLICY;

use crate::auth;
use crate::entrance::Login;
use crate::error::RegistryError;
use crate::moved::moved;
use crate::pages::trouble;
use crate::scoped::joined;
use crate::server::{Names, Server};
use crate::tag::Asked;

/// Puts an end to what takes too long, and sets the headers that every answer has.
pub(crate) async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let what = format!("{} {}", request.method(), request.uri().path());
    let answering = explained(&server, joined(request), next);
    let mut response = match tokio::time::timeout(server.settings.answer_time, answering).await {
        Ok(response) => response,
        Err(_) => RegistryError::TooSlow.into_response(),
    };
    if let (Some(report), Some(Cause(cause))) = (&server.report, response.extensions().get()) {
        report(&what, cause);
    }
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    headers.insert(
        header::REFERRER_POLICY,
        // Without any, browsers would send forms of ours without their origin.
        HeaderValue::from_static("same-origin"),
    );
    response
}

/// A page about a problem says the same as the problem, whoever found it.
async fn explained(server: &Server, request: Request, next: Next) -> Response {
    let reads_pages = trouble::reads_pages(request.headers());
    let response = match named(server, &request) {
        Ok(()) => match caught(counted(server, request, next)).await {
            Ok(response) => response,
            Err(Cause(cause)) => RegistryError::internal(cause).into_response(),
        },
        Err(error) => error.into_response(),
    };
    trouble::explained(server, reads_pages, response).await
}

/// Refuses names of elsewhere, where only this machine is to be answered.
fn named(server: &Server, request: &Request) -> Result<(), RegistryError> {
    let authority = request.uri().authority().map(Authority::as_str);
    let is_ours = || host::named(request.headers(), authority).is_some_and(host::is_loopback);
    match server.settings.names {
        Names::Loopback if !is_ours() => Err(RegistryError::ForeignName),
        _ => Ok(()),
    }
}

/// Lets through whoever has not asked too often, and says how much is left.
async fn counted(server: &Server, request: Request, next: Next) -> Response {
    match server.gate.admit(&request, server.settings.proxy) {
        Ok(allowance) => {
            let mut response = known(server, request, next).await;
            if let Some(allowance) = allowance {
                allowance.tell(response.headers_mut());
            }
            response
        }
        Err(refused) => refused.into_response(),
    }
}

/// Lets nobody without a token into a registry that is not for everybody.
async fn known(server: &Server, request: Request, next: Next) -> Response {
    let to_login = to_login(&request);
    match auth::let_in(server, request).await {
        Ok(request) => {
            let asked = Asked::by(&request, server.settings.access);
            let login = request.extensions().get::<Login>().cloned();
            let mut response = moved(next.run(request).await, &server.below).await;
            // Who made a page of a problem does not know who asked.
            login.map(|login| response.extensions_mut().insert(login));
            asked.answered(response).await
        }
        Err(error) => match to_login.filter(|_| matches!(error, RegistryError::NoToken)) {
            Some(response) => moved(response, &server.below).await,
            None => error.into_response(),
        },
    }
}

/// The way of a person to the login, and from there to what they asked for.
fn to_login(request: &Request) -> Option<Response> {
    let is_page = request.method() == Method::GET && trouble::reads_pages(request.headers());
    let asked = request.uri().path_and_query().map(PathAndQuery::as_str);
    is_page.then(|| Redirect::to(&login::address(asked)).into_response())
}
