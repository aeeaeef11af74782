//! `skillyard key passphrase`.

use std::path::PathBuf;

use serde_json::json;

use super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::{Given, chosen};

/// Set, change or remove the passphrase of a key
///
/// The key stays the same, and so does what it signed. Copies of the file elsewhere keep the old
/// passphrase.
///
/// Examples:
///   skillyard key passphrase mine
///   skillyard key passphrase mine --remove
///   skillyard key passphrase mine --new-passphrase-file new.txt --passphrase-file old.txt
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The key
    name: String,
    /// Take it off: who can read the file can sign
    #[arg(long, conflicts_with = "new_passphrase_file")]
    remove: bool,
    /// A file with the new passphrase
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
    #[command(flatten)]
    passphrase: Given,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let keyring = Keyring::new(context.environment.keys_folder());
    let (name, key) =
        keyring.signing_key(Some(&args.name), |name| args.passphrase.read(context, name))?;
    let new = if args.remove {
        None
    } else {
        let file = args.new_passphrase_file.as_deref();
        Some(chosen(context, &name, file, "--new-passphrase-file")?)
    };
    keyring.keep(&name, &key, new.as_ref())?;
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "name": name, "passphrase": new.is_some() }))?;
        return Ok(Status::Yes);
    }
    context.printer.data(&format!(" ~ {name}\n"))?;
    context.printer.note(match new {
        Some(_) => "The key is under the new passphrase",
        None => "The key has no passphrase any more: who can read its file can sign",
    });
    Ok(Status::Yes)
}
