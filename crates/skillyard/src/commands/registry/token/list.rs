//! `skillyard registry token list`.

use serde_json::{Value, json};
use skillyard_registry::store::tokens;

use super::super::super::Outcome;
use super::super::super::token::state;
use super::super::{Need, Storage};
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;
use crate::sanitize::visible;

/// List all tokens, without what they are
///
/// Examples:
///   skillyard registry token list
///   skillyard registry token list --database sqlite:registry.db
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
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
        return Ok(Status::Yes);
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
    Ok(Status::Yes)
}
