//! `skillyard token create`.

use secrecy::ExposeSecret as _;
use serde_json::json;
use skillyard_install::fetch::registry::TokenWish;

use super::super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::error::install::InstallFailure;
use crate::remote::Remote;
use crate::sanitize::visible;

/// Make a token and show it, once
///
/// A scope is `publish`, `yank` or `owners`, alone or with `:NAME` or `:PREFIX*`, or `read`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What it allows (may be repeated)
    #[arg(long, value_name = "SCOPE", required = true, value_delimiter = ',', num_args = 1..)]
    scope: Vec<String>,
    /// After how many days it ends
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=365))]
    days: u32,
    /// What you want to recognise it by
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
}

pub(super) fn run(context: &Context, alias: Option<&str>, args: &Args) -> Outcome {
    let remote = Remote::open(context, alias)?;
    let wish = TokenWish {
        scopes: &args.scope,
        days: args.days,
        label: args.label.as_deref(),
    };
    let made = remote.registry.create_token(&remote.http, &wish);
    let made = made.map_err(InstallFailure::from)?;
    let secret = made.secret.expose_secret();
    if context.printer.is_json() {
        context.printer.json(&json!({
            "token": secret,
            "id": made.id,
            "user": made.user,
            "scopes": made.scopes,
            "expires": made.expires,
        }))?;
        return Ok(Status::Yes);
    }
    context.printer.data(&format!("{}\n", visible(secret)))?;
    let until = made.expires.as_deref().unwrap_or("no end");
    context.printer.note(&visible(&format!(
        "A token for `{}`, shown only now; it ends at {until}. Revoke it with `skillyard token revoke {}`",
        made.user, made.id
    )));
    Ok(Status::Yes)
}
