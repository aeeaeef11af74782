//! `GET /owners/{account}`: the skills of an account.

use askama::Template;
use axum::extract::State;
use axum::response::Response;

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
    skills: Vec<String>,
}

pub(crate) async fn owner(
    State(server): State<Server>,
    Segments(account): Segments<String>,
) -> Result<Response, RegistryError> {
    if !is_account(&account) {
        return Err(RegistryError::NoRoute);
    }
    let skills = owners::skills_of(&server.registry.database, &account).await?;
    if skills.is_empty() {
        return Err(RegistryError::NoRoute);
    }
    page(&Page { account, skills })
}
