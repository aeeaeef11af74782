//! Making a signature.

use super::bundle;
use super::key::KeyError;
use super::signing_key::SigningKey;
use super::statement::{Details, StatementError};
use super::statement_text;
use super::tree::Tree;

/// Why a skill cannot be signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The skill.
    #[error(transparent)]
    Skill(#[from] StatementError),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// The content of `skill.oms.sig` for a skill in a folder of this name.
pub fn sign(
    tree: &Tree,
    folder: &str,
    details: &Details,
    key: &SigningKey,
) -> Result<String, SignError> {
    let public = key.public()?;
    let statement = statement_text::about(tree, folder, details, &public)?;
    Ok(bundle::signed(&statement, key, public.id()))
}
