//! What holds for every request: it is let in under a name of ours, it is answered in time, and browsers take the
//! answer for what it is.
//!
//! All of it stands in one layer: each of its own would cost every request several allocations.

use axum::extract::{Request, State};
use axum::http::uri::{Authority, PathAndQuery};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use skillyard_http::cause::Cause;
use skillyard_http::cause::catch_panic;
use skillyard_http::headers::POLICY;
use skillyard_http::login;
use skillyard_http::origin::{is_loopback, named_host};

use crate::base_path::{join_scoped_name, rewrite_base_path};
use crate::browser_login::Login;
use crate::error::RegistryError;
use crate::etag::ConditionalRequest;
use crate::extract;
use crate::pages::trouble;
use crate::server::{Names, Server};

/// Puts an end to what takes too long, and sets the headers that every answer has.
pub(crate) async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let what = format!("{} {}", request.method(), request.uri().path());
    let answering = explained(&server, join_scoped_name(request), next);
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

/// The response; a browser gets a problem as a page.
async fn explained(server: &Server, request: Request, next: Next) -> Response {
    let reads_pages = trouble::reads_pages(request.headers());
    let response = match named(server, &request) {
        Ok(()) => match catch_panic(counted(server, request, next)).await {
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
    let is_ours = || named_host(request.headers(), authority).is_some_and(is_loopback);
    match server.settings.names {
        Names::Loopback if !is_ours() => Err(RegistryError::ForeignName),
        _ => Ok(()),
    }
}

/// Applies the rate limit, and reports what is left of it in headers.
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

/// Refuses requests without a token where the registry is private.
async fn known(server: &Server, request: Request, next: Next) -> Response {
    let to_login = to_login(&request);
    match extract::let_in(server, request).await {
        Ok(request) => {
            let conditional = ConditionalRequest::new(&request, server.settings.access);
            let login = request.extensions().get::<Login>().cloned();
            let mut response = rewrite_base_path(next.run(request).await, &server.base_path).await;
            // Who made a page of a problem does not know who asked.
            login.map(|login| response.extensions_mut().insert(login));
            conditional.respond(response).await
        }
        Err(error) => match to_login.filter(|_| matches!(error, RegistryError::NoToken)) {
            Some(response) => rewrite_base_path(response, &server.base_path).await,
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
