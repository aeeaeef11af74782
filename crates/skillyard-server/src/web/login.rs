//! Logging in with a token, for browsers that reach a server with tokens.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;
use skillyard_http::login::{LIFETIME, Next, TokenForm};
use skillyard_http::origin::is_https;

use super::{Frame, NoPage, Page, shown};
use crate::access::{Access, COOKIE, Peer};
use crate::problem::Problem;
use crate::server::Server;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    frame: Frame,
    active: &'static str,
    form: TokenForm<'a>,
}

impl<'a> LoginPage<'a> {
    fn new(frame: Frame, wrong: bool, next: &'a Next) -> Self {
        let reason = "This server can be reached from other machines, so it asks for a token.";
        let next = next.page();
        Self {
            frame,
            active: "",
            form: TokenForm {
                reason,
                wrong,
                next,
            },
        }
    }
}

/// `GET /login`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    next: Result<Query<Next>, QueryRejection>,
) -> Page {
    let Query(next) = next.unwrap_or_default();
    if matches!(server.access(), Access::Loopback) {
        return Ok(Redirect::to("/").into_response());
    }
    Ok(shown(&LoginPage::new(frame, false, &next)))
}

/// The token that is given.
#[derive(Deserialize)]
pub(crate) struct Login {
    token: String,
    #[serde(flatten)]
    next: Next,
}

/// `POST /login`.
pub(crate) async fn login(
    State(server): State<Arc<Server>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    frame: Frame,
    Form(login): Form<Login>,
) -> Page {
    let Access::Tokens(tokens) = server.access() else {
        return Ok(Redirect::to("/").into_response());
    };
    let Some(value) = server.logins.login(&tokens, login.token.trim()) else {
        let address = peer.map(|Extension(Peer(address))| address.ip());
        let address = server.proxy.address(address, &headers);
        // Right tokens cost nothing, so that guesses of one client do not block others.
        if address.is_some_and(|address| !server.guesses.take(address)) {
            let text = "too many tries; wait a minute";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, text);
            return Err(NoPage::new(frame, problem));
        }
        let page = LoginPage::new(frame, true, &login.next);
        return Ok((StatusCode::UNAUTHORIZED, shown(&page)).into_response());
    };
    let cookie = COOKIE.kept(&headers, is_https(&headers), &value, LIFETIME.as_secs());
    Ok(([(SET_COOKIE, cookie)], Redirect::to(login.next.page())).into_response())
}

/// `POST /logout`.
pub(crate) async fn logout(State(server): State<Arc<Server>>, headers: HeaderMap) -> Page {
    if let Some(value) = COOKIE.value(&headers) {
        server.logins.logout(value);
    }
    let cookie = COOKIE.kept(&headers, is_https(&headers), "", 0);
    // What pages keep of what was being written goes, too.
    let headers = [
        (SET_COOKIE, cookie.as_str()),
        (HeaderName::from_static("clear-site-data"), "\"storage\""),
    ];
    Ok((headers, Redirect::to("/login")).into_response())
}
