//! What a reference stands for once the aliases of the configuration are looked up.

use skillyard_install::reference::{Reference, ReferenceError};

/// Where the skills of a reference really are.
#[derive(Debug, Clone)]
pub(crate) struct Meaning {
    /// The reference without an alias, or a name in a registry.
    pub(crate) reference: Reference,
    /// The alias it was written with, whose login is used.
    pub(crate) alias: Option<String>,
}

impl Meaning {
    /// A reference that stands for itself.
    pub(crate) fn plain(reference: Reference) -> Self {
        Self {
            reference,
            alias: None,
        }
    }

    /// What is fetched for it, as a key: another login can see other things.
    pub(crate) fn source(&self) -> Result<String, ReferenceError> {
        let whole = self.reference.in_folder("")?;
        let alias = self.alias.as_deref().unwrap_or_default();
        Ok(format!("{alias} {whole}"))
    }
}
