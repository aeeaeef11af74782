//! `skillyard token create`.

use secrecy::ExposeSecret as _;
use skillyard_install::fetch::registry::TokenRequest;

use super::super::Outcome;
use super::{Made, show_made};
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::remote::Choice;

/// Make a token and show it, once
///
/// A scope is `publish`, `yank` or `owners`, alone or with `:NAME` or `:PREFIX*`, or `read`.
///
/// Examples:
///   skillyard token create --scope 'publish:@acme/*' --days 30 --label ci
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

pub(super) fn run(context: &Context, choice: &Choice, args: &Args) -> Outcome {
    let remote = choice.open(context)?;
    let wish = TokenRequest {
        scopes: &args.scope,
        days: args.days,
        label: args.label.as_deref(),
    };
    let made = remote.registry.create_token(&remote.http, &wish);
    let made = made.map_err(InstallFailure::from)?;
    let then = format!(
        "it ends at {}. Revoke it with `skillyard token revoke {}{}`",
        made.expires.as_deref().unwrap_or("no time"),
        made.id,
        remote.flag()
    );
    let made = Made {
        secret: made.secret.expose_secret(),
        id: &made.id,
        user: &made.user,
        scopes: &made.scopes,
        expires: made.expires.as_deref(),
    };
    show_made(context, &made, &then)
}
