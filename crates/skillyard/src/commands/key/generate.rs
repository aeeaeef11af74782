//! `skillyard key generate`.

use clap::ValueEnum;
use serde_json::json;
use skillyard_trust::signature::Algorithm;

use super::Outcome;
use crate::commands::list::tilde;
use crate::context::Context;
use crate::error::Status;
use crate::error::signing::SigningError;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::Chosen;

/// Make a key to sign with
///
/// Its secret half stays in a file that only you can read; with `--passphrase` it is encrypted
/// too. The public half is for those who verify. Other tools for Model Signing know p256 and
/// p384, and not ed25519.
///
/// Examples:
///   skillyard key generate mine --passphrase         asks for it twice
///   skillyard key generate ci --passphrase-file p    from a file, as CI has it
///   skillyard key generate shared --algorithm p256   one that `model_signing` can verify too
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What to call it
    name: String,
    /// The kind of key
    #[arg(long, value_name = "KIND", default_value = "ed25519")]
    algorithm: Kind,
    #[command(flatten)]
    passphrase: Chosen,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Ed25519,
    P256,
    P384,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let keyring = Keyring::new(context.environment.keys_folder());
    let algorithm = match args.algorithm {
        Kind::Ed25519 => Algorithm::Ed25519,
        Kind::P256 => Algorithm::P256,
        Kind::P384 => Algorithm::P384,
    };
    keyring.check_new(&args.name)?;
    context.ready_to_record()?;
    let passphrase = args.passphrase.read(context, &args.name)?;
    let key = keyring.generate(&args.name, algorithm, passphrase.as_ref())?;
    let (private, public) = (
        keyring.private_file(&args.name),
        keyring.public_file(&args.name),
    );
    let id = key.public().map(|key| key.id());
    let id = id.map_err(|source| SigningError::Key {
        path: private.clone(),
        source,
    })?;
    super::record_generated(context, &args.name, id)?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": args.name,
            "id": id,
            "algorithm": algorithm,
            "passphrase": passphrase.is_some(),
            "privateKey": private.to_string_lossy(),
            "publicKey": public.to_string_lossy(),
        }))?;
        return Ok(Status::Yes);
    }
    context
        .printer
        .data(&format!(" + {}  {}  {id}\n", args.name, algorithm.as_str()))?;
    let home = context.environment.home.as_deref();
    context.printer.note(&format!(
        "Keep `{}` to yourself and hand out `{}`; trust it here with `skillyard key trust {}`",
        tilde(&private, home),
        tilde(&public, home),
        args.name
    ));
    Ok(Status::Yes)
}
