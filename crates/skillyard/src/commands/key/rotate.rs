//! `skillyard key rotate`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::signature::{Rotation, rotate};

use super::{Outcome, now};
use crate::commands::list::tilde;
use crate::config::private_file::write_private;
use crate::context::Context;
use crate::error::Status;
use crate::error::signing::SigningError;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::Given;
use crate::signing::policy::{self, Edit};

/// Replace a key by another, so that those who trust the old one follow
///
/// The old key signs a statement that names the new one, which is made if it is not there. Hand
/// the statement out: `skillyard key trust NEW.rotation.json` accepts it where the old key is
/// trusted. From then on the old key signs nothing new. Do not rotate a stolen key: revoke it.
///
/// Examples:
///   skillyard key rotate mine mine-2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The key that was used so far
    old: String,
    /// The key that is used from now on
    new: String,
    #[command(flatten)]
    passphrase: Given,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    if args.old == args.new {
        return Err(SigningError::SameKey(args.old.clone()).into());
    }
    let keyring = Keyring::new(context.environment.keys_folder());
    let mut passphrase = None;
    let (_, old) = keyring.signing_key(Some(&args.old), |name| {
        let given = args.passphrase.read(context, name)?;
        passphrase = Some(given.clone());
        Ok(given)
    })?;
    let file = context.environment.trust_file();
    let mut edit = Edit::open(&file)?;
    let policy = policy::in_force(&context.environment)?;
    let broken = |source| SigningError::Key {
        path: keyring.private_file(&args.old),
        source,
    };
    let from = old.public().map_err(broken)?.id();
    if policy.revocation(from).is_some() {
        return Err(SigningError::Revoked(from).into());
    }
    let is_new = !keyring.names()?.contains(&args.new);
    // Where the old key was not trusted there is nothing to hand over.
    let is_trusted = policy.key(from).is_some();
    if is_trusted && (is_new || !policy.has_followed(from, keyring.public(&args.new)?.id())) {
        policy::handed_over(&policy, from, now())?;
    }
    context.ready_to_record()?;
    if is_new {
        let algorithm = old.public().map_err(broken)?.algorithm();
        // Who guards the old key guards the new one with the same passphrase.
        keyring.generate(&args.new, algorithm, passphrase.as_ref())?;
        super::record_generated(context, &args.new, keyring.public(&args.new)?.id())?;
    }
    let new = keyring.public(&args.new)?;
    let statement = rotate(&old, &new, now().0).map_err(broken)?;
    let path = keyring.rotation_file(&args.new);
    write_private(&path, statement.as_bytes())?;
    let rotation = Rotation::parse(statement.as_bytes()).map_err(SigningError::from)?;
    if is_trusted && edit.rotate(&args.new, &rotation, &statement, &policy)? {
        edit.save()?;
        let event = Event::new(EventKind::KeyTrusted)
            .trigger("key rotate")
            .detail("name", &args.new)
            .detail("trusted", format!("{}, after {}", new.id(), from.short()));
        context.record(&event)?;
    }
    if context.printer.is_json() {
        context.printer.json(&json!({
            "from": from,
            "to": new.id(),
            "statement": path.to_string_lossy(),
        }))?;
        return Ok(Status::Yes);
    }
    context
        .printer
        .data(&format!(" ~ {} -> {}  {}\n", args.old, args.new, new.id()))?;
    context.printer.note(&format!(
        "Hand out `{}`: who trusts `{}` follows with `skillyard key trust`",
        tilde(&path, context.environment.home.as_deref()),
        args.old
    ));
    Ok(Status::Yes)
}
