//! The passphrase of a key: from a file, from the environment, or from the user at a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::signing::SigningError;
use crate::question::hidden;
use crate::redactor::secret::Secret;

/// Where the passphrase of a key comes from that has one.
#[derive(Debug, clap::Args)]
pub(crate) struct PassphraseSource {
    /// A file with the key's passphrase; without it `SKILLYARD_KEY_PASSPHRASE`, else you are asked
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseSource {
    /// The passphrase of the key `name`.
    pub(crate) fn read(&self, context: &Context, name: &str) -> Result<Secret, CommandError> {
        if let Some(file) = &self.passphrase_file {
            return from_file(file);
        }
        if let Some(secret) = &context.environment.key_passphrase {
            return Ok(secret.clone());
        }
        if !context.printer.can_ask() {
            return Err(SigningError::NoPassphrase(name.to_owned()).into());
        }
        hidden::ask(&context.printer, &format!("Passphrase of `{name}`: "))
            .map_err(CommandError::unanswered)
    }
}

/// Whether a new key gets a passphrase, and where from.
#[derive(Debug, clap::Args)]
pub(crate) struct NewPassphrase {
    /// Encrypt the key under a passphrase: `SKILLYARD_KEY_PASSPHRASE`, else you are asked twice
    #[arg(long)]
    passphrase: bool,
    /// Encrypt the key under the passphrase in a file
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase")]
    passphrase_file: Option<PathBuf>,
}

impl NewPassphrase {
    /// The passphrase for the new key `name`, if it is to have one.
    pub(crate) fn read(
        &self,
        context: &Context,
        name: &str,
    ) -> Result<Option<Secret>, CommandError> {
        match (&self.passphrase_file, self.passphrase) {
            (None, false) => Ok(None),
            (None, true) if let Some(secret) = &context.environment.key_passphrase => {
                filled(secret.clone()).map(Some)
            }
            (file, _) => chosen(context, name, file.as_deref(), "--passphrase-file").map(Some),
        }
    }
}

/// A new passphrase for the key `name`: from the file that `flag` names, or asked for twice.
///
/// The environment holds the passphrase that is, and never the one that shall be.
pub(crate) fn chosen(
    context: &Context,
    name: &str,
    file: Option<&Path>,
    flag: &'static str,
) -> Result<Secret, CommandError> {
    if let Some(file) = file {
        return from_file(file);
    }
    if !context.printer.can_ask() {
        let key = name.to_owned();
        return Err(SigningError::NoNewPassphrase { key, flag }.into());
    }
    let ask =
        |question: &str| hidden::ask(&context.printer, question).map_err(CommandError::unanswered);
    let first = ask(&format!("New passphrase for `{name}`: "))?;
    let again = ask("The same again: ")?;
    if first.expose() != again.expose() {
        return Err(SigningError::PassphrasesDiffer.into());
    }
    filled(first)
}

/// The first line of a file that nobody else may read.
fn from_file(path: &Path) -> Result<Secret, CommandError> {
    let failed = |source| CommandError::Read {
        path: path.to_owned(),
        source,
    };
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        return Err(SigningError::ExposedPassphrase(path.to_owned()).into());
    }
    let text = fs::read_to_string(path)
        .map(Zeroizing::new)
        .map_err(failed)?;
    filled(Secret::new(text.lines().next().unwrap_or_default()))
}

fn filled(secret: Secret) -> Result<Secret, CommandError> {
    if secret.expose().is_empty() {
        return Err(SigningError::EmptyPassphrase.into());
    }
    Ok(secret)
}
