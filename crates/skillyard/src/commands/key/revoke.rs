//! `skillyard key revoke`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::Status as SkillStatus;
use skillyard_format::Digest;
use skillyard_format::text::nearest;
use skillyard_trust::signature::{KeyId, Policy};

use super::Outcome;
use crate::context::Context;
use crate::error::signing::SigningError;
use crate::error::{CommandError, ExitStatus};
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::signing::keyring::Keyring;
use crate::signing::now;
use crate::signing::policy::{self, Edit};
use crate::text::sanitize::visible;

/// Believe a key no longer, whatever it signed
///
/// A key is named by its id, the first 8 or more digits of it, or its name here. An unknown key is
/// revoked by its whole id, so that it can never become trusted; a skill by its tree digest, as
/// `skillyard verify --json` gives it. What is revoked and installed already is not used any more.
///
/// Examples:
///   skillyard key revoke acme --reason "the laptop was stolen"
///   skillyard key revoke 9b1c02aa45d1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct KeyRevokeArgs {
    /// The key, or `sha256:…` for a skill
    id: String,
    /// Why, for those who meet it later
    #[arg(long)]
    reason: Option<String>,
}

pub(super) fn run(context: &Context, args: &KeyRevokeArgs) -> Outcome {
    let file = context.environment.trust_file();
    let mut edit = Edit::open(&file)?;
    let policy = policy::in_force(&context.environment)?;
    let (field, id) = match args.id.parse::<Digest>() {
        Ok(digest) => ("digest", digest.to_string()),
        Err(_) => ("id", key(context, &policy, &args.id)?.to_string()),
    };
    let known = |each: &&skillyard_trust::signature::Revocation| {
        each.id.map(|id| id.to_string()).as_ref() == Some(&id)
            || each.digest.map(|digest| digest.to_string()).as_ref() == Some(&id)
    };
    let changed = !policy.revoked.iter().any(|each| known(&each));
    // What something else had revoked before is not hit by this.
    let before = withheld(context)?;
    if changed {
        edit.revoke((field, &id), now(), args.reason.as_deref())?;
        edit.save()?;
        let event = Event::new(EventKind::KeyRevoked)
            .trigger("key revoke")
            .detail(field, &id);
        context.record(&match &args.reason {
            Some(reason) => event.reason(reason),
            None => event,
        })?;
    }
    let mut affected = withheld(context)?;
    affected.retain(|name| !before.contains(name));
    if context.printer.is_json() {
        let value = json!({ "revoked": id, "changed": changed, "affected": affected });
        context.printer.json(&value)?;
    } else if changed {
        context.printer.data(&format!(" - {id}\n"))?;
        context.printer.note(match field {
            "digest" => "It is neither installed nor used any more",
            _ => "Nothing it signed is believed any more",
        });
        for name in affected {
            let line = format!("`{}` is here and not used any more", visible(&name));
            context.printer.note(&line);
        }
    } else {
        context.printer.note("Nothing to do: it is revoked already");
    }
    Ok(ExitStatus::Success)
}

/// The skills that are here and revoked, by whatever it was.
fn withheld(context: &Context) -> Result<Vec<String>, CommandError> {
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let skills = catalog.skills.iter();
    let revoked = skills.filter(|skill| matches!(skill.status, SkillStatus::Revoked { .. }));
    Ok(revoked.map(|skill| skill.record.name.clone()).collect())
}

/// The key that is meant.
fn key(context: &Context, policy: &Policy, word: &str) -> Result<KeyId, CommandError> {
    let keyring = Keyring::new(context.environment.keys_folder());
    let mut known: Vec<(String, KeyId)> = Vec::new();
    for key in &policy.keys {
        known.push((key.name.clone(), key.public_key.id()));
    }
    for authority in &policy.authorities {
        known.push((authority.name.clone(), authority.certificate.key().id()));
    }
    for name in keyring.names()? {
        let id = keyring.public(&name)?.id();
        known.push((name, id));
    }
    let is_digits = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fits = |(name, id): &&(String, KeyId)| {
        name == word || (is_digits && id.to_string().starts_with(word))
    };
    let mut found: Vec<KeyId> = known.iter().filter(fits).map(|(_, id)| *id).collect();
    found.sort_unstable();
    found.dedup();
    match (found.as_slice(), word.parse()) {
        ([id], _) => Ok(*id),
        ([], Ok(id)) => Ok(id),
        ([_, _, ..], _) => Err(SigningError::ManyKeys {
            name: word.to_owned(),
            ids: found.iter().map(KeyId::short).collect(),
        }
        .into()),
        _ => Err(SigningError::NoSuchKey {
            name: word.to_owned(),
            nearest: nearest(word, known.iter().map(|(name, _)| name.as_str())).map(str::to_owned),
        }
        .into()),
    }
}
