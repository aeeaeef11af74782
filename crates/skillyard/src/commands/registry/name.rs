//! `skillyard registry name`: names that were held.

use clap::Subcommand;
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};
use skillyard_registry::store::held;

use super::{Need, Storage};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{ExitStatus, Outcome};
use crate::text::sanitize::visible;

/// See which new names are held, and let them pass
///
/// A name that is one letter from a popular one is not taken at once: it could be meant to be
/// mistaken for it.
///
/// Examples:
///   skillyard registry name list
///   skillyard registry name allow pdf-toolz --user ada
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct RegistryNameArgs {
    #[command(subcommand)]
    verb: RegistryNameCommand,
    #[command(flatten)]
    storage: Storage,
}

#[derive(Debug, Subcommand)]
enum RegistryNameCommand {
    /// List the names that were held
    ///
    /// Examples:
    ///   skillyard registry name list
    #[command(verbatim_doc_comment)]
    List,
    /// Let an account have a name
    ///
    /// Examples:
    ///   skillyard registry name allow pdf-toolz --user ada
    #[command(verbatim_doc_comment)]
    Allow {
        /// The name, or a namespace with its `@`
        name: String,
        /// The account
        #[arg(long, value_name = "ACCOUNT")]
        user: String,
    },
}

pub(super) async fn run(context: &Context, args: &RegistryNameArgs) -> Outcome {
    let database = args.storage.database(context, Need::Existing).await?;
    match &args.verb {
        RegistryNameCommand::List => {
            let names = held::list(&database).await.map_err(RegistryFailure::from)?;
            list(context, &names)?;
        }
        RegistryNameCommand::Allow { name, user } => {
            let recorder = context.ready_to_record()?;
            let done = held::allow(&database, name, user, context.now()).await;
            if !done.map_err(RegistryFailure::from)? {
                return Err(RegistryFailure::NotHeld {
                    name: name.clone(),
                    account: user.clone(),
                }
                .into());
            }
            let event = Event::new(EventKind::RegistryOwnersChanged)
                .skill(name)
                .detail("account", user)
                .detail("change", "allowed by the operator");
            recorder.record(&event)?;
            if context.printer.is_json() {
                let value = json!({ "name": name, "user": user, "allowed": true });
                context.printer.json(&value)?;
            } else {
                let note = format!("`{user}` may publish `{name}` now");
                context.printer.note(&visible(&note));
            }
        }
    }
    database.close().await;
    Ok(ExitStatus::Success)
}

fn list(context: &Context, names: &[held::HeldName]) -> Outcome {
    if context.printer.is_json() {
        let names: Vec<Value> = names
            .iter()
            .map(|each| {
                json!({
                    "name": each.name,
                    "user": each.account,
                    "reason": each.reason,
                    "asked": each.asked,
                    "allowed": each.allowed,
                })
            })
            .collect();
        context.printer.json(&json!({ "names": names }))?;
        return Ok(ExitStatus::Success);
    }
    for each in names {
        let state = match &each.allowed {
            Some(allowed) => format!("allowed {allowed}"),
            None => format!("held since {}", each.asked),
        };
        let line = format!(
            "{}  {}  {state}\n    {}",
            each.name, each.account, each.reason
        );
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    if names.is_empty() {
        context.printer.note("No names are held");
    }
    Ok(ExitStatus::Success)
}
