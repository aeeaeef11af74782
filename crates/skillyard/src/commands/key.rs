//! `skillyard key`: one file for each thing that can be done with keys.

mod list;
mod revoke;
mod trust;

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::signature::{
    Algorithm, KeyId, Rotation, SignedPolicyError, SigningKey, rotate, sign_policy,
};

use crate::context::Context;
use crate::error::signing::SigningError;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files::private::{read_text, write_private};
use crate::signing;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::{NewPassphrase, PassphraseSource, chosen};
use crate::signing::policy::Edit;
use crate::signing::{now, policy};
use crate::text::sanitize::visible;
use crate::text::tilde;

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
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    action: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    Generate(KeyGenerateArgs),
    List(list::KeyListArgs),
    Trust(trust::KeyTrustArgs),
    Revoke(revoke::KeyRevokeArgs),
    Rotate(KeyRotateArgs),
    Passphrase(KeyPassphraseArgs),
    Forget(KeyForgetArgs),
    Policy(KeyPolicyArgs),
}

pub(crate) fn run(context: &Context, args: KeyArgs) -> Outcome {
    match args.action {
        KeyCommand::Generate(args) => run_generate(context, &args),
        KeyCommand::List(args) => list::run(context, &args),
        KeyCommand::Trust(args) => trust::run(context, &args),
        KeyCommand::Revoke(args) => revoke::run(context, &args),
        KeyCommand::Rotate(args) => run_rotate(context, &args),
        KeyCommand::Passphrase(args) => run_passphrase(context, &args),
        KeyCommand::Forget(args) => run_forget(context, &args),
        KeyCommand::Policy(args) => run_policy(context, &args),
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

/// Forget who signed a skill before
///
/// The next trusted signature is then the first one, whoever made it and however old it is.
///
/// Examples:
///   skillyard key forget pdf-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct KeyForgetArgs {
    /// The skill's name
    skill: String,
}

fn run_forget(context: &Context, args: &KeyForgetArgs) -> Outcome {
    context.ready_to_record()?;
    let changed = signing::forget(&context.environment.pins_file(), &args.skill)?;
    if changed {
        let event = Event::new(EventKind::KeyForgotten).skill(&args.skill);
        context.record(&event.trigger("key forget"))?;
    }
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "skill": args.skill, "changed": changed }))?;
    } else if changed {
        context.printer.data(&format!(" - {}\n", args.skill))?;
    } else {
        context.printer.note(&format!(
            "Nothing to do: nothing is remembered of `{}`",
            args.skill
        ));
    }
    Ok(ExitStatus::Success)
}

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
struct KeyPassphraseArgs {
    /// The key
    name: String,
    /// Take it off: who can read the file can sign
    #[arg(long, conflicts_with = "new_passphrase_file")]
    remove: bool,
    /// A file with the new passphrase
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

fn run_passphrase(context: &Context, args: &KeyPassphraseArgs) -> Outcome {
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
        return Ok(ExitStatus::Success);
    }
    context.printer.data(&format!(" ~ {name}\n"))?;
    context.printer.note(match new {
        Some(_) => "The key is under the new passphrase",
        None => "The key has no passphrase any more: who can read its file can sign",
    });
    Ok(ExitStatus::Success)
}

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
struct KeyPolicyArgs {
    /// The policy
    file: PathBuf,
    /// Which of your keys signs (may be repeated)
    #[arg(long, value_name = "NAME")]
    key: Vec<String>,
    /// Where to write it; beside the policy as `.json` otherwise
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

fn run_policy(context: &Context, args: &KeyPolicyArgs) -> Outcome {
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
        return Ok(ExitStatus::Success);
    }
    let shown = output.to_string_lossy();
    context.printer.data(&format!(" + {}\n", visible(&shown)))?;
    Ok(ExitStatus::Success)
}

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
struct KeyGenerateArgs {
    /// What to call it
    name: String,
    /// The kind of key
    #[arg(long, value_name = "KIND", default_value = "ed25519")]
    algorithm: KeyKind,
    #[command(flatten)]
    passphrase: NewPassphrase,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeyKind {
    Ed25519,
    P256,
    P384,
}

fn run_generate(context: &Context, args: &KeyGenerateArgs) -> Outcome {
    let keyring = Keyring::new(context.environment.keys_folder());
    let algorithm = match args.algorithm {
        KeyKind::Ed25519 => Algorithm::Ed25519,
        KeyKind::P256 => Algorithm::P256,
        KeyKind::P384 => Algorithm::P384,
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
    record_generated(context, &args.name, id)?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": args.name,
            "id": id,
            "algorithm": algorithm,
            "passphrase": passphrase.is_some(),
            "privateKey": private.to_string_lossy(),
            "publicKey": public.to_string_lossy(),
        }))?;
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
}

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
struct KeyRotateArgs {
    /// The key that was used so far
    old: String,
    /// The key that is used from now on
    new: String,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

fn run_rotate(context: &Context, args: &KeyRotateArgs) -> Outcome {
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
        record_generated(context, &args.new, keyring.public(&args.new)?.id())?;
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
        return Ok(ExitStatus::Success);
    }
    context
        .printer
        .data(&format!(" ~ {} -> {}  {}\n", args.old, args.new, new.id()))?;
    context.printer.note(&format!(
        "Hand out `{}`: who trusts `{}` follows with `skillyard key trust`",
        tilde(&path, context.environment.home.as_deref()),
        args.old
    ));
    Ok(ExitStatus::Success)
}
