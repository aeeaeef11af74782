//! `skillyard registry token`: one file a verb.

mod create;
mod list;
mod revoke;

use clap::Subcommand;

use super::super::Outcome;
use crate::context::Context;

/// Make, list and revoke tokens of this registry
///
/// Examples:
///   skillyard registry token create --user ada --scope publish --scope yank --scope owners
///   skillyard registry token list
///   skillyard registry token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(create::Args),
    List(list::Args),
    Revoke(revoke::Args),
}

pub(super) async fn run(context: &Context, args: Args) -> Outcome {
    match args.verb {
        Verb::Create(args) => create::run(context, &args).await,
        Verb::List(args) => list::run(context, &args).await,
        Verb::Revoke(args) => revoke::run(context, &args).await,
    }
}
