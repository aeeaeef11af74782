//! Logging in with a token, for browsers that reach a server with tokens.

use std::sync::Arc;
use std::time::Instant;

use askama::Template;
use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::{Frame, NoPage, Page, shown};
use crate::access::gate::Peer;
use crate::access::session::LIFETIME;
use crate::access::{Access, cookie};
use crate::problem::Problem;
use crate::server::Server;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    frame: Frame,
    active: &'static str,
    wrong: bool,
    /// Where to go from there.
    next: String,
}

/// What was asked for before the login.
#[derive(Default, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    next: String,
}

impl Asked {
    /// The page that was asked for, if it is one of ours; a link must not lead elsewhere.
    fn page(&self) -> &str {
        let next = self.next.as_str();
        let is_plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'\\';
        let is_ours = next.starts_with('/')
            && !next.starts_with("//")
            && !next.starts_with("/log")
            && next.as_bytes().iter().all(is_plain);
        if is_ours { next } else { "/" }
    }
}

/// `GET /login`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Page {
    let Query(asked) = asked.unwrap_or_default();
    if matches!(server.access(), Access::Loopback) {
        return Ok(Redirect::to("/").into_response());
    }
    Ok(shown(&LoginPage {
        frame,
        active: "",
        wrong: false,
        next: asked.page().to_owned(),
    }))
}

/// The token that is given.
#[derive(Deserialize)]
pub(crate) struct Login {
    token: String,
    #[serde(flatten)]
    asked: Asked,
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
    let Some(value) = server.sessions.login(&tokens, login.token.trim()) else {
        let address = peer.map(|Extension(Peer(address))| address.ip());
        let address = server.proxy.address(address, &headers);
        // Right tokens cost nothing, so that nobody's guesses keep others from logging in.
        if address.is_some_and(|address| !server.guesses.take(address, Instant::now())) {
            let text = "too many tries; wait a minute";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, text);
            return Err(NoPage::new(frame, problem));
        }
        let page = LoginPage {
            frame,
            active: "",
            wrong: true,
            next: login.asked.page().to_owned(),
        };
        return Ok((StatusCode::UNAUTHORIZED, shown(&page)).into_response());
    };
    let cookie = cookie::kept(&headers, &value, LIFETIME.as_secs());
    Ok(([(SET_COOKIE, cookie)], Redirect::to(login.asked.page())).into_response())
}

/// `POST /logout`.
pub(crate) async fn logout(State(server): State<Arc<Server>>, headers: HeaderMap) -> Page {
    if let Some(value) = cookie::value(&headers) {
        server.sessions.logout(value);
    }
    let cookie = cookie::kept(&headers, "", 0);
    // What pages keep of what was being written goes, too.
    let headers = [
        (SET_COOKIE, cookie.as_str()),
        (HeaderName::from_static("clear-site-data"), "\"storage\""),
    ];
    Ok((headers, Redirect::to("/login")).into_response())
}
