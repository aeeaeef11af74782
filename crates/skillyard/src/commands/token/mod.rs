//! `skillyard token`: one file a verb.

mod create;
mod list;
mod revoke;

use clap::Subcommand;

use super::Outcome;
use crate::context::Context;

/// Make, list and revoke your own tokens for the registry
///
/// Your present token needs the scope `tokens`. What it makes allows no more than it does and
/// ends no later. Whoever runs the registry makes the first one with `skillyard registry token`.
///
/// Examples:
///   skillyard token create --scope 'publish:@acme/*' --days 30 --label ci
///   skillyard token list
///   skillyard token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
    /// A registry of your configuration, other than the default one
    #[arg(long, value_name = "ALIAS", global = true)]
    registry: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(create::Args),
    List(list::Args),
    Revoke(revoke::Args),
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let alias = args.registry.as_deref();
    match &args.verb {
        Verb::Create(args) => create::run(context, alias, args),
        Verb::List(_) => list::run(context, alias),
        Verb::Revoke(args) => revoke::run(context, alias, args),
    }
}
