//! Pages for people, made on the server. Templates are compiled in and escape every value; what is
//! HTML already went through `skillyard_http::markdown`, which sanitises it.

pub(crate) mod assets;
mod card;
pub(crate) mod compare;
mod contents;
mod difference;
mod facets;
pub(crate) mod file;
mod frame;
pub(crate) mod home;
pub(crate) mod login;
pub(crate) mod owner;
pub(crate) mod skill;
pub(crate) mod trouble;

use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use skillyard_http::address::encoded;
use skillyard_http::sight;

use skillyard_trust::signature::KeyId;

use crate::error::RegistryError;

fn page(template: &impl Template) -> Result<Response, RegistryError> {
    let text = template.render().map_err(RegistryError::internal)?;
    Ok(Html(sight::page(text)).into_response())
}

/// Where the page of a skill is.
fn skill_address(name: &str) -> String {
    format!("/view/{}", encoded(name))
}

/// Where the page of an account is.
fn owner_address(account: &str) -> String {
    format!("/owners/{}", encoded(account))
}

/// Where all skills with a tag are.
fn tag_address(tag: &str) -> String {
    with_query("/", &[("tag", tag)])
}

/// Where a file of a version is shown that is linked from within `folder`; the link may hold a
/// place on the page.
fn file_address(name: &str, version: &str, folder: &str, link: &str) -> String {
    let (path, place) = match link.split_once('#') {
        Some((path, place)) => (path, format!("#{place}")),
        None => (link, String::new()),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            // Nothing is above the skill.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let address = format!("{}/files/{}", skill_address(name), parts.join("/"));
    with_query(&address, &[("version", version)]) + &place
}

/// An address with parameters; empty ones are left out.
fn with_query(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    match query.finish() {
        query if query.is_empty() => address.to_owned(),
        query => format!("{address}?{query}"),
    }
}

/// Who signed something, in a few letters. That a key fits says nothing of whose it is, so that its
/// id is shown and no word of praise.
fn signer_name(pin: &str) -> String {
    let key = pin.strip_prefix("key:");
    let key = key.and_then(|id| id.parse::<KeyId>().ok());
    key.map_or_else(|| pin.to_owned(), |id| format!("key {}", id.short()))
}

/// The day of a time.
fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_files_lead_where_they_would_in_the_folder() {
        let check = |folder: &str, link: &str, expected: &str| {
            let address = file_address("@acme/pdf", "1.0.0", folder, link);
            assert_eq!(address, format!("/view/@acme/pdf/files/{expected}"));
        };
        check("", "references/a.md", "references/a.md?version=1.0.0");
        check(
            "references",
            "b.md#part",
            "references/b.md?version=1.0.0#part",
        );
        check("references", "../SKILL.md", "SKILL.md?version=1.0.0");
        check("", "../../../etc/passwd", "etc/passwd?version=1.0.0");
    }
}
