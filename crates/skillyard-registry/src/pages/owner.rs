//! `GET /owners/{account}`: the skills of an account.

use askama::Template;
use axum::extract::State;
use axum::response::Response;

use super::card::Card;
use super::page;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::owners;
use crate::token::is_account;

#[derive(Template)]
#[template(path = "owner.html")]
struct Page {
    account: String,
    skills: Vec<Card>,
    downloads: u64,
}

/// Look at the skills of an account
#[utoipa::path(get, path = "/owners/{account}", tag = "pages",
    params(("account" = String, Path, description = "the account")),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn owner(
    State(server): State<Server>,
    Segments(account): Segments<String>,
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
    let picture = registry.picture().await?;
    let skills = names.iter().filter_map(|name| picture.one(name));
    let skills: Vec<Card> = skills.map(Card::from).collect();
    page(&Page {
        account,
        downloads: skills.iter().map(|skill| skill.downloads).sum(),
        skills,
    })
}
