//! `skillyard login`.

use std::io::Read as _;

use secrecy::SecretString;
use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_install::fetch::http::Header;
use skillyard_install::fetch::registry::{Account, RegistryError};
use skillyard_registry::token::PREFIX;

use crate::config::edit::ConfigFile;
use crate::config::layer::known;
use crate::config::login::{auth_key, is_same_place};
use crate::context::Context;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::remote::{RegistryArg, Remote};
use crate::redactor::without_userinfo;
use crate::text::sanitize::visible;

/// Log in to the registry
///
/// Keeps the token in your own configuration, which nobody else may read. The registry is asked
/// first whom it names.
///
/// Examples:
///   skillyard login --token sky_…
///   pass show registry | skillyard login --token -
///   skillyard login --registry internal --token sky_…
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct LoginArgs {
    /// The token; `-` reads it from stdin, which keeps it out of the shell's history
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &LoginArgs) -> Outcome {
    let token = match args.token.as_deref() {
        None => return Err(RegistryFailure::NothingToLogInWith.into()),
        Some("-") => from_stdin()?,
        Some(token) => token.to_owned(),
    };
    let is_token = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !token.starts_with(PREFIX) || !token.chars().all(is_token) {
        return Err(RegistryFailure::NotAToken.into());
    }
    let alias = args.registry.alias();
    let key = auth_key(alias);
    let file = ConfigFile::user(&context.environment);
    file.refuse_locked(&key)?;
    let mut remote = Remote::open(context, alias)?;
    let config = context.config()?;
    let place = key.replace(".auth", ".url");
    let meant = config.place_of_own_login(&key);
    if let Some(meant) = &meant
        && !is_same_place(meant, remote.registry.base.as_str())
    {
        return Err(RegistryFailure::LoginElsewhere {
            in_use: remote.address(),
            meant: without_userinfo(meant).into_owned(),
            is_locked: config.lock_of(&place).is_some(),
            place,
        }
        .into());
    }
    context.ready_to_record()?;
    let account = account(&mut remote, &token)?;
    // The file says whom the token is for: a place of this run alone is another the next time.
    if meant.is_none() {
        keep(context, &file, &place, &remote.address())?;
        let note = format!("`{place}` is {} from now on", visible(&remote.address()));
        context.printer.note(&note);
    }
    keep(context, &file, &key, &format!("bearer:{token}"))?;
    if context.printer.is_json() {
        let user = account.as_ref().map(|account| &account.user);
        context
            .printer
            .json(&json!({ "user": user, "checked": account.is_some() }))?;
        return Ok(ExitStatus::Success);
    }
    match account {
        Some(account) => context
            .printer
            .note(&format!("Logged in as `{}`", visible(&account.user))),
        None => context
            .printer
            .note("warning: the token is kept, but the registry could not be asked about it"),
    }
    Ok(ExitStatus::Success)
}

/// Whom the token names; nothing when the registry cannot be reached now.
fn account(remote: &mut Remote, token: &str) -> Result<Option<Account>, CommandError> {
    let header = Header::bearer(&SecretString::from(token.to_owned()));
    remote.registry.headers = vec![header.map_err(InstallFailure::from)?];
    match remote.registry.account(&remote.http) {
        Ok(account) => Ok(Some(account)),
        Err(RegistryError::Http(error)) if error.status().is_none() => Ok(None),
        Err(RegistryError::Unauthorized { .. }) => {
            Err(RegistryFailure::TokenRefused(remote.address()).into())
        }
        Err(error) => Err(InstallFailure::from(error).into()),
    }
}

fn keep(context: &Context, file: &ConfigFile, key: &str, text: &str) -> Result<(), CommandError> {
    let wrong = |problem| CommandError::Setting(ConfigError::here(problem));
    let (key, entry) = known(key).map_err(wrong)?;
    let value = entry.kind.read_words(&[text.to_owned()]);
    let value = value.map_err(|problem| {
        wrong(ConfigProblem::Value {
            key: key.clone(),
            problem,
        })
    })?;
    file.set(&key, &value)?;
    let event = Event::new(EventKind::ConfigChanged)
        .trigger("login")
        .detail("change", "set")
        .detail("key", &key);
    context.record(&event)
}

fn from_stdin() -> Result<String, CommandError> {
    let mut text = String::new();
    std::io::stdin().take(4096).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}
