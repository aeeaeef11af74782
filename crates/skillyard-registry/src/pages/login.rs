//! `/login` and `/logout`: the way of browsers into a private registry.

use askama::Template;
use axum::Extension;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use skillyard_http::login::{Next, TokenForm};
use skillyard_http::mount::Admitted;
use utoipa::ToSchema;

use super::Frame;
use super::page;
use crate::browser_login;
use crate::error::RegistryError;
use crate::server::{ReadAccess, Server};

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    frame: Frame,
    form: TokenForm<'a>,
}

fn asking(wrong: bool, next: &Next) -> Result<Response, RegistryError> {
    let form = TokenForm {
        reason: "This registry is not for everybody, so it asks for a token.",
        wrong,
        next: next.page(),
    };
    let page = page(&LoginPage {
        frame: Frame::default(),
        form,
    })?;
    Ok(([(CACHE_CONTROL, "no-store")], page).into_response())
}

/// Whether everybody is let in already, or somebody else decides about that.
fn is_open(server: &Server, let_in: Option<&Extension<Admitted>>) -> bool {
    server.settings.access == ReadAccess::Open || let_in.is_some()
}

/// See the form that asks for a token
#[utoipa::path(get, path = "/login", tag = "pages",
    params(("next" = Option<String>, Query, description = "the page to go on to")),
    responses((status = 200, description = "a page", content_type = "text/html"),
        (status = 303, description = "nobody is asked for a token here")))]
pub(crate) async fn show(
    State(server): State<Server>,
    let_in: Option<Extension<Admitted>>,
    next: Result<Query<Next>, QueryRejection>,
) -> Result<Response, RegistryError> {
    if is_open(&server, let_in.as_ref()) {
        return Ok(Redirect::to("/").into_response());
    }
    let Query(next) = next.unwrap_or_default();
    asking(false, &next)
}

/// The token that is given.
#[derive(Deserialize, ToSchema)]
#[schema(as = Given)]
pub(crate) struct LoginForm {
    /// The token.
    token: String,
    /// The page to go on to.
    #[serde(default)]
    next: String,
}

/// Log in with a token: a cookie that reads pages for twelve hours
#[utoipa::path(post, path = "/login", tag = "pages",
    request_body(content = LoginForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "to the page that was asked for, with the cookie"),
        (status = 401, description = "the form again", content_type = "text/html")))]
pub(crate) async fn login(
    State(server): State<Server>,
    let_in: Option<Extension<Admitted>>,
    headers: HeaderMap,
    given: Result<Form<LoginForm>, FormRejection>,
) -> Result<Response, RegistryError> {
    if is_open(&server, let_in.as_ref()) {
        return Ok(Redirect::to("/").into_response());
    }
    browser_login::from_our_page(&server, &headers)?;
    let Form(given) = given.map_err(|_| no_form("`token`"))?;
    let next = Next { next: given.next };
    match browser_login::enter(&server, &headers, given.token.trim()).await {
        Ok(cookie) => Ok(([(SET_COOKIE, cookie)], Redirect::to(next.page())).into_response()),
        Err(RegistryError::BadToken) => {
            Ok((StatusCode::UNAUTHORIZED, asking(true, &next)?).into_response())
        }
        Err(error) => Err(error),
    }
}

/// The value that our pages carry.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Leaving {
    /// The value.
    #[serde(default)]
    csrf: String,
}

/// Log out
#[utoipa::path(post, path = "/logout", tag = "pages",
    request_body(content = Leaving, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "to the login; the cookie is gone")))]
pub(crate) async fn logout(
    State(server): State<Server>,
    headers: HeaderMap,
    leaving: Result<Form<Leaving>, FormRejection>,
) -> Result<Response, RegistryError> {
    browser_login::from_our_page(&server, &headers)?;
    let Form(leaving) = leaving.map_err(|_| no_form("`csrf`"))?;
    let cookie = browser_login::leave(&server, &headers, &leaving.csrf).await?;
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/login")).into_response())
}

fn no_form(field: &str) -> RegistryError {
    RegistryError::Parameter(format!("a form with one {field} is taken here"))
}
