//! `skillyard key list`.

use std::fmt::Write as _;

use serde::Serialize;
use skillyard_trust::signature::{KeyId, Moment, Policy, SignerScope};

use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus};
use crate::signing::keyring::Keyring;
use crate::signing::{now, policy};
use crate::text::sanitize::visible;

/// List your keys, and whose signatures are trusted
///
/// Examples:
///   skillyard key list
///   skillyard key list --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct KeyListArgs {}

/// One row.
#[derive(Debug, Serialize)]
struct KeyRow {
    name: String,
    /// `key`, `authority`, `identity` or `revoked`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<KeyId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<String>,
    /// Whether the secret half is here.
    own: bool,
    /// Whether the secret half is under a passphrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    passphrase: Option<bool>,
    /// `trusted`, `untrusted`, `expired` or `revoked`.
    status: &'static str,
    scope: Vec<String>,
    sources: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A key whose secret half is here.
struct Own {
    name: String,
    id: KeyId,
    algorithm: &'static str,
    passphrase: Option<bool>,
}

pub(super) fn run(context: &Context, _: &KeyListArgs) -> Outcome {
    let rows = rows(context)?;
    if context.printer.is_json() {
        context.printer.json(&serde_json::json!({ "keys": rows }))?;
        return Ok(ExitStatus::Success);
    }
    if rows.is_empty() {
        context
            .printer
            .note("There are no keys; make one with `skillyard key generate NAME`");
        return Ok(ExitStatus::Success);
    }
    let width = rows.iter().map(|row| row.name.chars().count()).max();
    let width = width.unwrap_or_default().min(30);
    let mut text = String::new();
    for row in &rows {
        let _ = writeln!(text, "{}", line(row, width));
    }
    context.printer.data(&text)?;
    Ok(ExitStatus::Success)
}

fn line(row: &KeyRow, width: usize) -> String {
    let mark = match row.status {
        "trusted" => '✓',
        "untrusted" => '○',
        _ => '✗',
    };
    let id = match (&row.id, &row.identity) {
        (Some(id), _) => id.short(),
        (None, Some(identity)) => visible(identity).into_owned(),
        (None, None) => String::new(),
    };
    let kind = row.algorithm.unwrap_or(row.kind);
    let mut notes = vec![row.status.to_owned()];
    if row.own {
        notes.push(match row.passphrase {
            Some(true) => "can sign with its passphrase".into(),
            _ => "can sign".into(),
        });
    }
    for (word, patterns) in [("for", &row.scope), ("from", &row.sources)] {
        if !patterns.is_empty() {
            notes.push(format!("{word} {}", visible(&patterns.join(" "))));
        }
    }
    if let Some(expires) = row.expires {
        notes.push(format!("until {expires}"));
    }
    if let Some(reason) = &row.reason {
        notes.push(visible(reason).into_owned());
    }
    let name = visible(&row.name);
    format!(
        "{mark} {name:<width$}  {kind:<9}  {id}  {}",
        notes.join(", ")
    )
}

fn rows(context: &Context) -> Result<Vec<KeyRow>, CommandError> {
    let keyring = Keyring::new(context.environment.keys_folder());
    let policy = policy::load(&context.environment)?;
    let own: Vec<Own> = keyring
        .names()?
        .into_iter()
        .map(|name| {
            let key = keyring.public(&name)?;
            Ok(Own {
                id: key.id(),
                algorithm: key.algorithm().as_str(),
                // A file that others may read is told about when somebody signs.
                passphrase: keyring.is_locked(&name).ok(),
                name,
            })
        })
        .collect::<Result<_, CommandError>>()?;
    let mut rows = Vec::new();
    for key in &policy.keys {
        let id = key.public_key.id();
        let mine = own.iter().find(|each| each.id == id);
        rows.push(KeyRow {
            id: Some(id),
            algorithm: Some(key.public_key.algorithm().as_str()),
            own: mine.is_some(),
            passphrase: mine.and_then(|mine| mine.passphrase),
            ..row(&key.name, "key", Some(id), &key.scope, &policy)
        });
    }
    for mine in own {
        if policy.key(mine.id).is_none() {
            let untrusted = KeyRow {
                algorithm: Some(mine.algorithm),
                own: true,
                passphrase: mine.passphrase,
                ..row(
                    &mine.name,
                    "key",
                    Some(mine.id),
                    &SignerScope::default(),
                    &policy,
                )
            };
            let status = match untrusted.status {
                "revoked" => "revoked",
                _ => "untrusted",
            };
            rows.push(KeyRow {
                status,
                ..untrusted
            });
        }
    }
    for authority in &policy.authorities {
        let id = Some(authority.certificate.key().id());
        rows.push(row(
            &authority.name,
            "authority",
            id,
            &authority.scope,
            &policy,
        ));
    }
    for identity in &policy.identities {
        rows.push(KeyRow {
            identity: Some(format!(
                "{} ({})",
                identity.identity.as_str(),
                identity.issuer
            )),
            ..row(&identity.name, "identity", None, &identity.scope, &policy)
        });
    }
    for revoked in &policy.revoked {
        let listed = |id: &KeyId| rows.iter().any(|row| row.id == Some(*id));
        if revoked.id.is_none_or(|id| !listed(&id)) {
            let name = revoked
                .digest
                .map_or("-".into(), |digest| digest.to_string());
            rows.push(KeyRow {
                status: "revoked",
                reason: revoked.reason.clone(),
                ..row(
                    &name,
                    "revoked",
                    revoked.id,
                    &SignerScope::default(),
                    &policy,
                )
            });
        }
    }
    Ok(rows)
}

fn row(
    name: &str,
    kind: &'static str,
    id: Option<KeyId>,
    scope: &SignerScope,
    policy: &Policy,
) -> KeyRow {
    let revocation = id.and_then(|id| policy.revocation(id));
    let over = scope.expires.is_some_and(|expires| expires <= now());
    let texts = |patterns: &[skillyard_trust::signature::IdentityPattern]| {
        patterns
            .iter()
            .map(|each| each.as_str().to_owned())
            .collect()
    };
    KeyRow {
        name: name.to_owned(),
        kind,
        id,
        algorithm: None,
        identity: None,
        own: false,
        passphrase: None,
        status: match revocation {
            Some(_) => "revoked",
            None if over => "expired",
            None => "trusted",
        },
        scope: texts(&scope.names),
        sources: texts(&scope.sources),
        expires: scope.expires,
        reason: revocation.and_then(|revocation| revocation.reason.clone()),
    }
}
