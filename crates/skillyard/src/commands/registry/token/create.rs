//! `skillyard registry token create`.

use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use skillyard_audit::{Event, EventKind};
use skillyard_registry::store::tokens::{self, Terms};
use skillyard_registry::token::{NewToken, Scope, is_account};

use super::super::super::Outcome;
use super::super::super::token::{Made, show_made};
use super::super::{Need, Storage};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::report::counted;

/// Make a token and show it, once
///
/// A scope is `publish`, `yank` or `owners`, alone or with `:NAME` or `:PREFIX*`, such as
/// `publish:@acme/*`; `tokens`, to make further tokens with `skillyard token`; or `read`, for a
/// registry that is served with `--private`.
///
/// Examples:
///   skillyard registry token create --user ada --scope publish --scope yank
///   skillyard registry token create --user ci --scope 'publish:pdf-*' --days 30 --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Whom it names
    #[arg(long, value_name = "ACCOUNT")]
    user: String,
    /// What it allows (may be repeated)
    #[arg(long, value_name = "SCOPE", required = true, value_delimiter = ',', num_args = 1..)]
    scope: Vec<String>,
    /// After how many days it ends
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    /// What to recognise it by
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Make the account although its name looks like another's
    #[arg(long)]
    new: bool,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    if !is_account(&args.user) {
        return Err(RegistryFailure::Account(args.user.clone()).into());
    }
    let scopes: Result<Vec<Scope>, _> = args.scope.iter().map(|each| each.parse()).collect();
    let scopes = scopes.map_err(RegistryFailure::from)?;
    let now = context.now();
    let expires = now
        .checked_add(SignedDuration::from_hours(24 * i64::from(args.days)))
        .map_err(RegistryFailure::from)?;
    let token = NewToken::draw().map_err(RegistryFailure::from)?;
    let recorder = context.ready_to_record()?;
    let database = args.storage.database(context, Need::Made).await?;
    if !args.new {
        let other = tokens::lookalike(&database, &args.user).await;
        if let Some(other) = other.map_err(RegistryFailure::from)? {
            database.close().await;
            return Err(RegistryFailure::AccountAlike {
                account: args.user.clone(),
                other,
            }
            .into());
        }
    }
    let terms = Terms {
        account: &args.user,
        scopes: &scopes,
        expires: Some(expires),
        label: args.label.as_deref(),
        parent: None,
    };
    tokens::add(&database, &token, terms, now)
        .await
        .map_err(RegistryFailure::from)?;
    database.close().await;
    let event = Event::new(EventKind::RegistryTokenChanged)
        .detail("account", &args.user)
        .detail("change", "created by the operator")
        .detail("scopes", args.scope.join(" "))
        .detail("token", &token.id);
    recorder.record(&event)?;
    let (secret, expires) = (token.secret.expose_secret(), expires.to_string());
    let made = Made {
        secret,
        id: &token.id,
        user: &args.user,
        scopes: &args.scope,
        expires: Some(&expires),
    };
    let then = format!(
        "it ends in {}. Use it with `skillyard login --token -`",
        counted(args.days as usize, "day")
    );
    show_made(context, &made, &then)
}
