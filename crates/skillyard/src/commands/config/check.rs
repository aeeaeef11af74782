//! `skillyard config check`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::Outcome;
use crate::config::hosts::HostSettings;
use crate::config::layer::Setting;
use crate::config::problem::{ConfigError, Problem};
use crate::config::sources::Source;
use crate::context::Context;
use crate::error::Status;
use crate::redactor::without_userinfo;
use crate::sanitize::visible;

/// Check that the configuration can be used
///
/// Reads every layer, and resolves the variables of every source and host as `install` would, and
/// of the database of sessions.
/// Nothing is sent anywhere. The exit code is 1 when something could not be used.
///
/// Examples:
///   skillyard config check
///   skillyard config check --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

/// A place that skills can be fetched from, or that sessions are in.
struct Place {
    name: String,
    url: String,
    /// The header that logs in, by its name.
    login: Option<String>,
}

pub(super) fn run(context: &Context) -> Outcome {
    let config = context.config()?;
    let mut places = Vec::new();
    if let Some(found) = config.registry().transpose() {
        let place = of_source("registry", found, config.get("registry.url"));
        places.push(("registry".to_owned(), place));
    }
    for alias in config.aliases() {
        if let Some(found) = config.source(&alias).transpose() {
            let key = format!("sources.{alias}");
            let place = of_source(&alias, found, config.get(&format!("{key}.url")));
            places.push((key, place));
        }
    }
    places.push((
        "hosts.github".to_owned(),
        of_host("github", config.github()),
    ));
    places.push((
        "hosts.gitlab".to_owned(),
        of_host("gitlab", config.gitlab()),
    ));
    if let Some(found) = config.sessions_database().transpose() {
        let place = found.map(|address| Place {
            name: "sessions (PostgreSQL)".to_owned(),
            url: without_userinfo(address.expose()).into_owned(),
            login: None,
        });
        places.push(("sessions.database".to_owned(), place));
    }
    let status = if places.iter().all(|(_, place)| place.is_ok()) {
        Status::Yes
    } else {
        Status::No
    };
    if context.printer.is_json() {
        let places: Vec<Value> = places
            .iter()
            .map(|(key, place)| as_json(key, place))
            .collect();
        context
            .printer
            .json(&json!({ "usable": status == Status::Yes, "places": places }))?;
        return Ok(status);
    }
    let mut text = String::new();
    for (key, place) in &places {
        let _ = match place {
            Ok(place) => writeln!(text, "✓ {}  {}{}", place.name, place.url, login(place)),
            Err(error) => writeln!(text, "✗ {key}  {error}"),
        };
    }
    context.printer.data(&visible(&text))?;
    Ok(status)
}

fn of_source(
    name: &str,
    found: Result<Source<'_>, ConfigError>,
    said: Option<&Setting>,
) -> Result<Place, ConfigError> {
    let source = found?;
    if let (Some(problem), Some(said)) = (source.misfit(), said) {
        return Err(ConfigError {
            at: Some(said.origin.clone()),
            problem: Problem::Value {
                key: said.key.clone(),
                problem: problem.to_owned(),
            },
        });
    }
    Ok(Place {
        name: format!("{name} ({})", source.kind.as_str()),
        url: without_userinfo(&source.url).into_owned(),
        login: source.auth_header()?.map(|(header, _)| header),
    })
}

fn of_host(name: &str, found: Result<HostSettings, ConfigError>) -> Result<Place, ConfigError> {
    let host = found?;
    Ok(Place {
        name: name.to_owned(),
        url: format!(
            "{}, API {}",
            without_userinfo(&host.web),
            without_userinfo(&host.api)
        ),
        login: host.token.map(|_| "Authorization".to_owned()),
    })
}

fn login(place: &Place) -> String {
    place
        .login
        .as_ref()
        .map_or_else(String::new, |header| format!(", logs in with `{header}`"))
}

fn as_json(key: &str, place: &Result<Place, ConfigError>) -> Value {
    match place {
        Ok(place) => json!({ "key": key, "url": place.url, "login": place.login }),
        Err(error) => json!({ "key": key, "problem": error.to_string() }),
    }
}
