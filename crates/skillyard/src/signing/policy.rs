//! `trust.toml` on disk, read as a whole with all that belongs to it; `edit` changes it.

mod edit;

use std::path::Path;
use std::{fs, io};

use jiff::Timestamp;
use skillyard_trust::signature::{KeyId, Moment, Policy, SignerScope, TrustRoot, accept_policy};

pub(crate) use edit::Edit;

use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::signing::SigningError;
use crate::files;
use crate::files::private::refuse_dangling;
use crate::files::read_owned_text;
use crate::signing;

/// The policy with everything that belongs to it.
pub(crate) fn load(environment: &Environment) -> Result<Policy, CommandError> {
    let policy = joined(environment, signed(environment)?)?;
    remembering(environment, policy)
}

/// What holds for skills that are here already.
///
/// By an organisation's policy that has expired nobody is trusted any more; what it revoked stays revoked.
pub(crate) fn in_force(environment: &Environment) -> Result<Policy, CommandError> {
    let now = Moment(Timestamp::now());
    // Before everything there was, nothing has expired.
    let handed_out = stored(environment, Timestamp::MIN)?;
    let handed_out = handed_out.map(|policy| match policy.expires {
        Some(expires) if expires <= now => policy.past(),
        _ => policy,
    });
    let policy = joined(environment, handed_out)?;
    // Signatures are looked at again only to see whose they are.
    match policy.revoked.as_slice() {
        [] => Ok(policy),
        _ => remembering(environment, policy),
    }
}

/// The organisation's policy, if one was accepted; its signatures are checked anew.
pub(crate) fn signed(environment: &Environment) -> Result<Option<Policy>, CommandError> {
    stored(environment, Timestamp::now())
}

fn stored(environment: &Environment, at: Timestamp) -> Result<Option<Policy>, CommandError> {
    let path = environment.signed_policy_file();
    files::check_ownership(&path)?;
    match fs::read(&path) {
        Ok(bytes) => match accept_policy(&bytes, None, at) {
            Ok(policy) => Ok(Some(policy)),
            Err(source) => {
                // Before everything there was, nothing has expired.
                let expired = accept_policy(&bytes, None, Timestamp::MIN).ok();
                let root = expired.and_then(|policy| policy.root);
                Err(SigningError::StoredPolicy { path, source, root }.into())
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refuse_dangling(&path)?;
            Ok(None)
        }
        Err(source) => Err(CommandError::Read { path, source }),
    }
}

/// What the organisation says, and what the user adds to it.
fn joined(environment: &Environment, handed_out: Option<Policy>) -> Result<Policy, CommandError> {
    let own = read(&environment.trust_file())?;
    Ok(match handed_out {
        Some(handed_out) => handed_out.and(own),
        None => own,
    })
}

/// The policy with what was seen before, and with Sigstore's own keys.
fn remembering(environment: &Environment, mut policy: Policy) -> Result<Policy, CommandError> {
    policy.pins = signing::read_pins(&environment.pins_file())?;
    let path = environment.sigstore_file();
    files::check_ownership(&path)?;
    policy.sigstore = match fs::read(&path) {
        Ok(bytes) => Some(
            TrustRoot::parse(&bytes).map_err(|source| SigningError::TrustRoot { path, source })?,
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refuse_dangling(&path)?;
            None
        }
        Err(source) => return Err(CommandError::Read { path, source }),
    };
    Ok(policy)
}

/// The policy alone.
pub(crate) fn read(file: &Path) -> Result<Policy, CommandError> {
    let policy = Policy::parse(&read_owned_text(file)?);
    Ok(policy.map_err(|source| SigningError::Policy {
        path: file.to_owned(),
        source,
    })?)
}

/// What a key may sign and can hand over: one whose time is over has nothing to give.
pub(crate) fn handed_over(
    policy: &Policy,
    key: KeyId,
    now: Moment,
) -> Result<&SignerScope, SigningError> {
    let entries = policy.keys.iter();
    let entries = entries.filter(|each| each.public_key.id() == key);
    let mut scopes = entries.map(|each| &each.scope);
    let lasts = |scope: &&SignerScope| scope.expires.is_none_or(|expires| expires > now);
    scopes.find(lasts).ok_or(SigningError::Ended(key))
}
