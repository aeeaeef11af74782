//! `skillyard key`: one file for each thing that can be done with keys.

mod forget;
mod generate;
mod list;
mod passphrase;
mod policy;
mod revoke;
mod rotate;
mod trust;

use clap::Subcommand;
use jiff::Timestamp;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::signature::{KeyId, Moment};

use super::Outcome;
use crate::context::Context;
use crate::error::CommandError;

/// Make keys, and say whose signatures are trusted
///
/// Examples:
///   skillyard key generate mine                        make a key to sign with
///   skillyard key trust acme.pub --scope 'acme-*'      believe what this key signs
///   skillyard key list                                 all keys
///   skillyard key passphrase mine                      change, set or remove its passphrase
///   skillyard key revoke acme --reason "stolen"        believe it no longer
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Generate(generate::Args),
    List(list::Args),
    Trust(trust::Args),
    Revoke(revoke::Args),
    Rotate(rotate::Args),
    Passphrase(passphrase::Args),
    Forget(forget::Args),
    Policy(policy::Args),
}

pub(crate) fn run(context: &Context, args: Args) -> Outcome {
    match args.action {
        Action::Generate(args) => generate::run(context, &args),
        Action::List(args) => list::run(context, &args),
        Action::Trust(args) => trust::run(context, &args),
        Action::Revoke(args) => revoke::run(context, &args),
        Action::Rotate(args) => rotate::run(context, &args),
        Action::Passphrase(args) => passphrase::run(context, &args),
        Action::Forget(args) => forget::run(context, &args),
        Action::Policy(args) => policy::run(context, &args),
    }
}

/// Writes down that there is a new key to sign with.
fn record_generated(context: &Context, name: &str, id: KeyId) -> Result<(), CommandError> {
    let event = Event::new(EventKind::KeyGenerated)
        .trigger("key")
        .detail("name", name)
        .detail("id", id.to_string());
    context.record(&event)
}

/// The present, as fine as two commands in a row need it to tell which came first.
pub(crate) fn now() -> Moment {
    let now = Timestamp::now();
    Moment(Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now))
}
