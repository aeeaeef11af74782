//! `skillyard key trust`.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_format::text::BOM;
use skillyard_trust::signature::{
    Certificate, IdentityPattern, Moment, Policy, PublicKey, Rotation, SignerScope, TrustRoot,
    accept_policy,
};

use super::Outcome;
use crate::context::Context;
use crate::error::signing::SigningError;
use crate::error::{CommandError, ExitStatus};
use crate::files::private::write_private;
use crate::signing::keyring::Keyring;
use crate::signing::now;
use crate::signing::policy::{self, Edit};

/// Believe what a key, an authority or an identity signs
///
/// FILE can be a public key or a certificate in PEM form, a rotation statement (its new key takes
/// the place of the old one), a signed policy, or Sigstore's `trusted_root.json`. A name means one
/// of your own keys.
///
/// Examples:
///   skillyard key trust acme.pub --scope 'acme-*'
///   skillyard key trust nvidia-root.pem --name nvidia --source 'github:nvidia/*'
///   skillyard key trust acme-2.rotation.json
///   skillyard key trust 'releases@acme.example' --issuer URL   somebody who signs through Sigstore
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct KeyTrustArgs {
    /// A file, one of your keys, or with `--issuer` an identity
    #[arg(value_name = "FILE|KEY")]
    what: String,
    /// What to call it; the file's name otherwise
    #[arg(long)]
    name: Option<String>,
    /// Only for skills with such a name (may be repeated)
    #[arg(long, value_name = "GLOB")]
    scope: Vec<String>,
    /// Only for skills from there (may be repeated)
    #[arg(long, value_name = "GLOB")]
    source: Vec<String>,
    /// Only signers whose certificate has such a name (may be repeated)
    #[arg(long, value_name = "GLOB")]
    subject: Vec<String>,
    /// Until when, such as 2027-01-01
    #[arg(long, value_name = "DATE")]
    expires: Option<Moment>,
    /// Who confirms the identity
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
}

/// What is to be trusted.
enum Trusted {
    Key(PublicKey),
    Certificate(Box<Certificate>),
    Rotation(Rotation, String),
    TrustRoot(Vec<u8>),
    SignedPolicy(Vec<u8>),
    Identity(String),
}

pub(super) fn run(context: &Context, args: &KeyTrustArgs) -> Outcome {
    let (trusted, name) = recognise(context, args)?;
    let file = context.environment.trust_file();
    let patterns = |texts: &[String]| texts.iter().map(IdentityPattern::new).collect::<Vec<_>>();
    let scope = SignerScope {
        names: patterns(&args.scope),
        sources: patterns(&args.source),
        not_before: None,
        expires: args.expires,
        over: false,
    };
    context.ready_to_record()?;
    let mut edit = Edit::open(&file)?;
    let policy = policy::in_force(&context.environment)?;
    let mut changed = true;
    let id = match &trusted {
        Trusted::Key(key) => {
            if policy.revocation(key.id()).is_some() {
                return Err(SigningError::Revoked(key.id()).into());
            }
            edit.trust_key(&name, key, &scope)?;
            key.id().to_string()
        }
        Trusted::Certificate(certificate) => {
            edit.trust_authority(&name, certificate, &patterns(&args.subject), &scope)?;
            format!("authority {}", certificate.subject())
        }
        Trusted::Rotation(rotation, statement) => {
            changed = edit.rotate(&name, rotation, statement, &policy)?;
            format!("{}, after {}", rotation.to.id(), rotation.from.short())
        }
        Trusted::Identity(identity) => {
            let issuer = args.issuer.as_deref();
            let issuer = issuer.ok_or_else(|| SigningError::NoIssuer(identity.clone()))?;
            edit.trust_identity(&name, identity, issuer, &scope)?;
            format!("{identity} ({issuer})")
        }
        Trusted::TrustRoot(bytes) => {
            write_private(&context.environment.sigstore_file(), bytes)?;
            "Sigstore's trust root".to_owned()
        }
        Trusted::SignedPolicy(bytes) => {
            // An expired policy still says who may sign the next one.
            let current = stored(context)?;
            let accepted = accept_policy(bytes, current.as_ref(), now().0);
            let accepted = accepted.map_err(SigningError::from)?;
            write_private(&context.environment.signed_policy_file(), bytes)?;
            format!("signed policy, version {}", accepted.version)
        }
    };
    if changed {
        edit.save()?;
        record(context, args, &name, &id)?;
    }
    if context.printer.is_json() {
        let value = json!({ "name": name, "trusted": id, "changed": changed });
        context.printer.json(&value)?;
        return Ok(ExitStatus::Success);
    }
    if !changed {
        let note = "Nothing to do: it has taken the place of the old key already";
        context.printer.note(note);
        return Ok(ExitStatus::Success);
    }
    context.printer.data(&format!(" + {name}  {id}\n"))?;
    let takes_scope = matches!(
        trusted,
        Trusted::Key(_) | Trusted::Certificate(_) | Trusted::Identity(_)
    );
    if takes_scope && scope.names.is_empty() {
        context
            .printer
            .note("It may sign skills of every name; narrow that with `--scope GLOB`");
    }
    Ok(ExitStatus::Success)
}

fn record(
    context: &Context,
    args: &KeyTrustArgs,
    name: &str,
    trusted: &str,
) -> Result<(), CommandError> {
    let mut event = Event::new(EventKind::KeyTrusted)
        .trigger("key trust")
        .detail("name", name)
        .detail("trusted", trusted);
    for (limit, globs) in [("names", &args.scope), ("sources", &args.source)] {
        if !globs.is_empty() {
            event = event.detail(limit, globs.join(" "));
        }
    }
    context.record(&event)
}

/// The policy in use, also when its time is over.
fn stored(context: &Context) -> Result<Option<Policy>, CommandError> {
    let path = context.environment.signed_policy_file();
    if !path.exists() {
        return Ok(None);
    }
    let bytes = fs::read(&path).map_err(|source| CommandError::Read {
        path: path.clone(),
        source,
    })?;
    let policy = accept_policy(&bytes, None, Timestamp::MIN);
    let policy = policy.map_err(|source| SigningError::StoredPolicy {
        path,
        source,
        root: None,
    })?;
    Ok(Some(policy))
}

/// What the word on the command line means, and what to call it.
fn recognise(context: &Context, args: &KeyTrustArgs) -> Result<(Trusted, String), CommandError> {
    let called = |given: &str| args.name.clone().unwrap_or_else(|| given.to_owned());
    if args.issuer.is_some() {
        return Ok((Trusted::Identity(args.what.clone()), called(&args.what)));
    }
    let path = PathBuf::from(&args.what);
    if !path.is_file() {
        if args.what.contains(['/', '@']) {
            return Err(
                if path.extension().is_some() && !args.what.contains("://") {
                    CommandError::NoSuchPath(path)
                } else {
                    SigningError::NoIssuer(args.what.clone()).into()
                },
            );
        }
        let keyring = Keyring::new(context.environment.keys_folder());
        return match keyring.public(&args.what) {
            Ok(key) => Ok((Trusted::Key(key), called(&args.what))),
            // What has the ending of a file was meant as one.
            Err(CommandError::Signing(SigningError::NoSuchKey { nearest: None, .. }))
                if path.extension().is_some() =>
            {
                Err(CommandError::NoSuchPath(path))
            }
            Err(error) => Err(error),
        };
    }
    let bytes = fs::read(&path).map_err(|source| CommandError::Read {
        path: path.clone(),
        source,
    })?;
    let stem = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let name = called(stem.split('.').next().unwrap_or_default());
    Ok((by_content(&path, bytes)?, name))
}

fn by_content(path: &Path, bytes: Vec<u8>) -> Result<Trusted, CommandError> {
    let nothing = || SigningError::NothingToTrust(path.to_owned());
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(nothing().into());
    };
    // Some editors put a mark before it.
    let text = text.strip_prefix(BOM).unwrap_or(text);
    if text.contains("-----BEGIN CERTIFICATE") {
        let certificate = Certificate::from_pem(text);
        let certificate = certificate.map_err(|source| SigningError::Certificate {
            path: path.to_owned(),
            source,
        })?;
        return Ok(Trusted::Certificate(Box::new(certificate)));
    }
    if text.contains("-----BEGIN") {
        let key = PublicKey::from_pem(text);
        return Ok(Trusted::Key(key.map_err(|source| SigningError::Key {
            path: path.to_owned(),
            source,
        })?));
    }
    if text.contains("\"certificateAuthorities\"") {
        TrustRoot::parse(&bytes).map_err(|source| SigningError::TrustRoot {
            path: path.to_owned(),
            source,
        })?;
        return Ok(Trusted::TrustRoot(bytes));
    }
    if text.contains("trust-policy+toml") {
        return Ok(Trusted::SignedPolicy(bytes));
    }
    if text.contains("\"payloadType\"") {
        let rotation = Rotation::parse(&bytes).map_err(SigningError::from)?;
        return Ok(Trusted::Rotation(rotation, text.trim().to_owned()));
    }
    Err(nothing().into())
}
