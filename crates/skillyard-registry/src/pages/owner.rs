//! `GET /owners/{account}`: the skills of an account.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Card;
use super::Frame;
use super::{owner_address, page, with_query};
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::server::Server;
use crate::store::{owners, skills};
use crate::token::is_account;

/// How many skills stand on a page.
const PAGE_SIZE: usize = 50;

#[derive(Template)]
#[template(path = "owner.html")]
struct OwnerPage {
    frame: Frame,
    account: String,
    count: usize,
    downloads: u64,
    skills: Vec<Card>,
    previous: Option<String>,
    next: Option<String>,
}

/// Which part of a long list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct OwnerQuery {
    /// How many to leave out at the start.
    offset: usize,
}

/// Look at the skills of an account
#[utoipa::path(get, path = "/owners/{account}", tag = "pages",
    params(("account" = String, Path, description = "the account"), OwnerQuery),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn owner(
    State(server): State<Server>,
    frame: Frame,
    Segments(account): Segments<String>,
    wanted: Result<Query<OwnerQuery>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let nobody = || RegistryError::NoOwner(account.chars().take(64).collect());
    if !is_account(&account) {
        return Err(nobody());
    }
    let registry = &server.registry;
    let names = owners::skills_of(&registry.database, &account).await?;
    if names.is_empty() {
        return Err(nobody());
    }
    let picture = registry.search_snapshot().await?;
    let offset = wanted.map_or(0, |wanted| wanted.0.offset).min(names.len());
    let end = (offset + PAGE_SIZE).min(names.len());
    let shown: Vec<&str> = names[offset..end].iter().map(String::as_str).collect();
    let skills = skills::named(&registry.database, &shown).await?;
    let at = |offset: usize| match offset {
        0 => owner_address(&account),
        offset => with_query(&owner_address(&account), &[("offset", &offset.to_string())]),
    };
    page(&OwnerPage {
        frame,
        downloads: picture.downloads(names.iter().map(String::as_str)),
        count: names.len(),
        skills: skills.iter().map(Card::from).collect(),
        previous: (offset > 0).then(|| at(offset.saturating_sub(PAGE_SIZE))),
        next: (end < names.len()).then(|| at(end)),
        account,
    })
}
