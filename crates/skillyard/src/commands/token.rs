//! `skillyard token`: one file a verb.

mod create;
mod list;
mod revoke;

use clap::Subcommand;

use serde_json::json;

use super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::remote::Choice;
use crate::report::counted;
use crate::sanitize::visible;

/// Make, list and revoke your own tokens for the registry
///
/// Your present token needs the scope `tokens`. What it makes allows no more than it does, ends no
/// later and is revoked with it. Whoever runs the registry makes the first one with
/// `skillyard registry token`.
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
    #[command(flatten)]
    registry: Choice,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(create::Args),
    List(list::Args),
    Revoke(revoke::Args),
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let choice = &args.registry;
    match &args.verb {
        Verb::Create(args) => create::run(context, choice, args),
        Verb::List(_) => list::run(context, choice),
        Verb::Revoke(args) => revoke::run(context, choice, args),
    }
}

/// A token that was just made; the secret is shown this once.
pub(super) struct Made<'a> {
    pub(super) secret: &'a str,
    pub(super) id: &'a str,
    pub(super) user: &'a str,
    pub(super) scopes: &'a [String],
    pub(super) expires: Option<&'a str>,
}

/// Shows a new token, and says when it ends and what to do with it.
pub(super) fn show_made(context: &Context, made: &Made<'_>, then: &str) -> Outcome {
    if context.printer.is_json() {
        context.printer.json(&json!({
            "token": made.secret,
            "id": made.id,
            "user": made.user,
            "scopes": made.scopes,
            "expires": made.expires,
        }))?;
        return Ok(Status::Yes);
    }
    let secret = visible(made.secret);
    context.printer.data(&format!("{secret}\n"))?;
    let note = format!("A token for `{}`, shown only now; {then}", made.user);
    context.printer.note(&visible(&note));
    Ok(Status::Yes)
}

/// Until when a token is good.
pub(super) fn state(revoked: Option<&str>, expires: Option<&str>) -> String {
    match (revoked, expires) {
        (Some(revoked), _) => format!("revoked {revoked}"),
        (None, Some(expires)) => format!("until {expires}"),
        (None, None) => "without end".to_owned(),
    }
}

/// Says that a token is good no more, nor what was made with it.
pub(super) fn show_revoked(context: &Context, id: &str, also: &[String]) -> Outcome {
    if context.printer.is_json() {
        let value = json!({ "id": id, "revoked": true, "also": also });
        context.printer.json(&value)?;
        return Ok(Status::Yes);
    }
    for each in std::iter::once(id).chain(also.iter().map(String::as_str)) {
        context.printer.data(&format!(" - {}\n", visible(each)))?;
    }
    let note = match also.len() {
        0 => "It is refused from now on".to_owned(),
        count => {
            let made = counted(count, "token");
            format!("It is refused from now on, with {made} that it had made")
        }
    };
    context.printer.note(&note);
    Ok(Status::Yes)
}
