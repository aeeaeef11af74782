//! `skillyard token`: one file a verb.

use clap::Subcommand;
use secrecy::ExposeSecret as _;
use skillyard_install::fetch::registry::TokenRequest;

use serde_json::json;

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{ExitStatus, Outcome};
use crate::install::remote::RegistryArg;
use crate::text::counted;
use crate::text::sanitize::visible;

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
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    verb: TokenCommand,
    #[command(flatten)]
    registry: RegistryArg,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    Create(TokenCreateArgs),
    List(TokenListArgs),
    Revoke(TokenRevokeArgs),
}

pub(crate) fn run(context: &Context, args: &TokenArgs) -> Outcome {
    let choice = &args.registry;
    match &args.verb {
        TokenCommand::Create(args) => run_create(context, choice, args),
        TokenCommand::List(_) => run_list(context, choice),
        TokenCommand::Revoke(args) => run_revoke(context, choice, args),
    }
}

/// A token that was just made; the secret is shown this once.
pub(super) struct CreatedToken<'a> {
    pub(super) secret: &'a str,
    pub(super) id: &'a str,
    pub(super) user: &'a str,
    pub(super) scopes: &'a [String],
    pub(super) expires: Option<&'a str>,
}

/// Shows a new token, and says when it ends and what to do with it.
pub(super) fn show_made(context: &Context, made: &CreatedToken<'_>, then: &str) -> Outcome {
    if context.printer.is_json() {
        context.printer.json(&json!({
            "token": made.secret,
            "id": made.id,
            "user": made.user,
            "scopes": made.scopes,
            "expires": made.expires,
        }))?;
        return Ok(ExitStatus::Success);
    }
    let secret = visible(made.secret);
    context.printer.data(&format!("{secret}\n"))?;
    let note = format!("A token for `{}`, shown only now; {then}", made.user);
    context.printer.note(&visible(&note));
    Ok(ExitStatus::Success)
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
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
}

/// End one of your tokens now, and all that were made with it
///
/// Examples:
///   skillyard token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct TokenRevokeArgs {
    /// Its name, as `token list` shows it
    id: String,
}

fn run_revoke(context: &Context, choice: &RegistryArg, args: &TokenRevokeArgs) -> Outcome {
    let remote = choice.open(context)?;
    let also = remote.registry.revoke_token(&remote.http, &args.id);
    show_revoked(context, &args.id, &also.map_err(InstallFailure::from)?)
}

/// List your tokens, without what they are
///
/// Examples:
///   skillyard token list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct TokenListArgs {}

fn run_list(context: &Context, choice: &RegistryArg) -> Outcome {
    let remote = choice.open(context)?;
    let tokens = remote.registry.tokens(&remote.http);
    let tokens = tokens.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "tokens": tokens }))?;
        return Ok(ExitStatus::Success);
    }
    for each in &tokens {
        let state = state(each.revoked.as_deref(), each.expires.as_deref());
        let mark = if each.current { "*" } else { " " };
        let line = format!(
            "{mark} {}  {}…  {}  {state}  {}",
            each.id,
            each.prefix.as_deref().unwrap_or("sky_"),
            each.scopes.join(" "),
            each.label.as_deref().unwrap_or_default()
        );
        let line = visible(line.trim_end()).into_owned();
        context.printer.data(&format!("{line}\n"))?;
    }
    context
        .printer
        .note("* is the token you are logged in with");
    Ok(ExitStatus::Success)
}

/// Make a token and show it, once
///
/// A scope is `publish`, `yank` or `owners`, alone or with `:NAME` or `:PREFIX*`, or `read`.
///
/// Examples:
///   skillyard token create --scope 'publish:@acme/*' --days 30 --label ci
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct TokenCreateArgs {
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

fn run_create(context: &Context, choice: &RegistryArg, args: &TokenCreateArgs) -> Outcome {
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
    let made = CreatedToken {
        secret: made.secret.expose_secret(),
        id: &made.id,
        user: &made.user,
        scopes: &made.scopes,
        expires: made.expires.as_deref(),
    };
    show_made(context, &made, &then)
}
