//! `skillyard registry token`: one file a verb.

use clap::Subcommand;
use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};
use skillyard_registry::store::tokens;
use skillyard_registry::store::tokens::Terms;
use skillyard_registry::token::{NewToken, Scope, is_account};

use crate::commands::registry::{Need, Storage};
use crate::commands::token::{CreatedToken, show_made, show_revoked, state};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{ExitStatus, Outcome};
use crate::text::counted;
use crate::text::sanitize::visible;

/// Make, list and revoke tokens of this registry
///
/// Examples:
///   skillyard registry token create --user ada --scope publish --scope yank --scope owners
///   skillyard registry token list
///   skillyard registry token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct RegistryTokenArgs {
    #[command(subcommand)]
    verb: RegistryTokenCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryTokenCommand {
    Create(RegistryTokenCreateArgs),
    List(RegistryTokenListArgs),
    Revoke(RegistryTokenRevokeArgs),
}

pub(super) async fn run(context: &Context, args: RegistryTokenArgs) -> Outcome {
    match args.verb {
        RegistryTokenCommand::Create(args) => run_create(context, &args).await,
        RegistryTokenCommand::List(args) => run_list(context, &args).await,
        RegistryTokenCommand::Revoke(args) => run_revoke(context, &args).await,
    }
}

/// End a token now, and all that were made with it
///
/// Examples:
///   skillyard registry token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct RegistryTokenRevokeArgs {
    /// Its name, as `token list` shows it
    id: String,
    #[command(flatten)]
    storage: Storage,
}

async fn run_revoke(context: &Context, args: &RegistryTokenRevokeArgs) -> Outcome {
    let recorder = context.ready_to_record()?;
    let database = args.storage.database(context, Need::Existing).await?;
    let ended = tokens::revoke(&database, &args.id, None, context.now()).await;
    let ended = ended.map_err(RegistryFailure::from)?;
    database.close().await;
    let Some((id, also)) = ended.split_first() else {
        return Err(RegistryFailure::NoToken(args.id.clone()).into());
    };
    let event = Event::new(EventKind::RegistryTokenChanged)
        .detail("change", "revoked by the operator")
        .detail("token", id)
        .detail("also", also.join(" "));
    recorder.record(&event)?;
    show_revoked(context, id, also)
}

/// List all tokens, without what they are
///
/// Examples:
///   skillyard registry token list
///   skillyard registry token list --database sqlite:registry.db
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct RegistryTokenListArgs {
    #[command(flatten)]
    storage: Storage,
}

async fn run_list(context: &Context, args: &RegistryTokenListArgs) -> Outcome {
    let database = args.storage.database(context, Need::Existing).await?;
    let tokens = tokens::list(&database, None)
        .await
        .map_err(RegistryFailure::from)?;
    database.close().await;
    if context.printer.is_json() {
        let tokens: Vec<Value> = tokens
            .iter()
            .map(|each| {
                json!({
                    "id": each.id,
                    "user": each.account,
                    "scopes": each.scopes,
                    "created": each.created,
                    "expires": each.expires,
                    "revoked": each.revoked,
                })
            })
            .collect();
        context.printer.json(&json!({ "tokens": tokens }))?;
        return Ok(ExitStatus::Success);
    }
    for each in &tokens {
        let state = state(each.revoked.as_deref(), each.expires.as_deref());
        let scopes = each.scopes.join(" ");
        let line = format!("{}  {}  {scopes}  {state}", each.id, each.account);
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    if tokens.is_empty() {
        context
            .printer
            .note("There are no tokens; make one with `skillyard registry token create`");
    }
    Ok(ExitStatus::Success)
}

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
struct RegistryTokenCreateArgs {
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

async fn run_create(context: &Context, args: &RegistryTokenCreateArgs) -> Outcome {
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
    let made = CreatedToken {
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
