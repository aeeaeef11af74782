//! `skillyard key policy`.

use std::path::PathBuf;

use serde_json::json;
use skillyard_trust::signature::{SignedPolicyError, SigningKey, sign_policy};

use super::Outcome;
use crate::config::private_file::{read_text, write_private};
use crate::context::Context;
use crate::error::signing::SigningError;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::Given;

/// Sign a trust policy, to be handed out in an organisation
///
/// FILE has the form of `trust.toml` with `version`, `expires` and `[root]` (`threshold`, `keys`).
/// Others accept it with `skillyard key trust POLICY.json`; from then on only a higher version that
/// enough of its root keys signed can take its place.
///
/// Examples:
///   skillyard key policy acme.toml --key root-1 --key root-2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The policy
    file: PathBuf,
    /// Which of your keys signs (may be repeated)
    #[arg(long, value_name = "NAME")]
    key: Vec<String>,
    /// Where to write it; beside the policy as `.json` otherwise
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passphrase: Given,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    if !args.file.is_file() {
        return Err(CommandError::NoSuchPath(args.file.clone()));
    }
    let text = read_text(&args.file)?;
    let keyring = Keyring::new(context.environment.keys_folder());
    let named: Vec<Option<&str>> = if args.key.is_empty() {
        vec![None]
    } else {
        args.key.iter().map(|name| Some(name.as_str())).collect()
    };
    let keys: Vec<SigningKey> = named
        .into_iter()
        .map(|name| {
            let ask = |name: &str| args.passphrase.read(context, name);
            Ok(keyring.signing_key(name, ask)?.1)
        })
        .collect::<Result<_, CommandError>>()?;
    let keys: Vec<&SigningKey> = keys.iter().collect();
    let sealed = sign_policy(&text, &keys).map_err(|error| match error {
        SignedPolicyError::Policy(source) => SigningError::Policy {
            path: args.file.clone(),
            source,
        },
        error => error.into(),
    })?;
    let output = args.output.clone();
    let output = output.unwrap_or_else(|| args.file.with_extension("json"));
    write_private(&output, sealed.as_bytes())?;
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "policy": output.to_string_lossy(), "signatures": keys.len() }))?;
        return Ok(Status::Yes);
    }
    let shown = output.to_string_lossy();
    context.printer.data(&format!(" + {}\n", visible(&shown)))?;
    Ok(Status::Yes)
}
