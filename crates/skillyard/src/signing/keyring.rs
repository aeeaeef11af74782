//! The user's own keys: `keys/NAME.key` for its owner alone, and `keys/NAME.pub` to hand out.
//!
//! Private keys are PKCS#8, under a passphrase where the user chose one. Without it whoever can
//! read the file can sign, so a file that others may read is refused either way.

use std::path::{Path, PathBuf};
use std::{fs, io};

use skillyard_format::text::nearest;
use skillyard_trust::signature::{Algorithm, KeyError, PublicKey, Salt, SigningKey, is_locked};
use zeroize::Zeroizing;

use crate::error::CommandError;
use crate::error::signing::SigningError;
use crate::files::private::write_private;
use crate::redactor::secret::Secret;

/// The folder of the user's keys.
#[derive(Debug)]
pub(crate) struct Keyring {
    folder: PathBuf,
}

impl Keyring {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The names of all keys that can sign, in order.
    pub(crate) fn names(&self) -> Result<Vec<String>, CommandError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(CommandError::Read {
                    path: self.folder.clone(),
                    source,
                });
            }
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".key").map(str::to_owned))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Refuses a name that is none, or that is taken.
    pub(crate) fn check_new(&self, name: &str) -> Result<(), CommandError> {
        check_name(name)?;
        if self.private_file(name).exists() {
            return Err(SigningError::KeyExists(name.to_owned()).into());
        }
        Ok(())
    }

    /// Makes a key, under a passphrase where there is one.
    pub(crate) fn generate(
        &self,
        name: &str,
        algorithm: Algorithm,
        passphrase: Option<&Secret>,
    ) -> Result<SigningKey, CommandError> {
        self.check_new(name)?;
        let path = self.private_file(name);
        let key = SigningKey::generate(algorithm, getrandom::fill).map_err(SigningError::from)?;
        let broken = |source| SigningError::Key {
            path: path.clone(),
            source,
        };
        let public = key.public().map_err(broken)?;
        write_private(&self.public_file(name), public.to_pem().as_bytes())?;
        self.keep(name, &key, passphrase)?;
        Ok(key)
    }

    /// Writes the private half of a key.
    pub(crate) fn keep(
        &self,
        name: &str,
        key: &SigningKey,
        passphrase: Option<&Secret>,
    ) -> Result<(), CommandError> {
        let path = self.private_file(name);
        let text = match passphrase {
            None => key.to_pem(),
            Some(passphrase) => {
                let mut salt = Salt([0; 32]);
                getrandom::fill(&mut salt.0).map_err(SigningError::from)?;
                key.to_locked_pem(passphrase.expose(), &salt)
            }
        };
        let text = text.map_err(|source| SigningError::Key {
            path: path.clone(),
            source,
        })?;
        write_private(&path, text.as_bytes())
    }

    /// Whether a key is under a passphrase.
    pub(crate) fn is_locked(&self, name: &str) -> Result<bool, CommandError> {
        Ok(is_locked(&self.read_private(name)?))
    }

    /// A key to sign with, the only one when none is named; `ask` gives the passphrase of a key
    /// that has one.
    pub(crate) fn signing_key(
        &self,
        name: Option<&str>,
        ask: impl FnOnce(&str) -> Result<Secret, CommandError>,
    ) -> Result<(String, SigningKey), CommandError> {
        let mut names = self.names()?;
        let name = match name {
            Some(name) => name.to_owned(),
            None if names.len() > 1 => return Err(SigningError::SeveralKeys(names).into()),
            None => names.pop().ok_or(SigningError::NoKey)?,
        };
        if !self.names()?.contains(&name) {
            return Err(self.no_such_key(&name)?.into());
        }
        let text = self.read_private(&name)?;
        let key = if is_locked(&text) {
            SigningKey::from_locked_pem(&text, ask(&name)?.expose())
        } else {
            SigningKey::from_pem(&text)
        };
        let path = self.private_file(&name);
        let key = key.map_err(|source| match source {
            KeyError::Passphrase => SigningError::Passphrase(name.clone()),
            source => SigningError::Key { path, source },
        })?;
        Ok((name, key))
    }

    /// The text of a private key that nobody else may read.
    fn read_private(&self, name: &str) -> Result<Zeroizing<String>, CommandError> {
        let path = self.private_file(name);
        refuse_exposed(&path)?;
        let text = fs::read_to_string(&path).map(Zeroizing::new);
        text.map_err(|source| CommandError::Read { path, source })
    }

    /// The public half of a key.
    pub(crate) fn public(&self, name: &str) -> Result<PublicKey, CommandError> {
        if check_name(name).is_err() || !self.public_file(name).exists() {
            return Err(self.no_such_key(name)?.into());
        }
        let path = self.public_file(name);
        let text = fs::read_to_string(&path).map_err(|source| CommandError::Read {
            path: path.clone(),
            source,
        })?;
        let key = PublicKey::from_pem(&text);
        Ok(key.map_err(|source| SigningError::Key { path, source })?)
    }

    /// Where the public half of a key is.
    pub(crate) fn public_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.pub"))
    }

    /// Where the private half of a key is.
    pub(crate) fn private_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.key"))
    }

    /// Where the statement is with which a key took over.
    pub(crate) fn rotation_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.rotation.json"))
    }

    fn no_such_key(&self, name: &str) -> Result<SigningError, CommandError> {
        let names = self.names()?;
        Ok(SigningError::NoSuchKey {
            name: name.to_owned(),
            nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_owned),
        })
    }
}

/// A name becomes a file's, so it must be a plain one.
fn check_name(name: &str) -> Result<(), SigningError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if (1..=64).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-']) {
        Ok(())
    } else {
        Err(SigningError::KeyName(name.to_owned()))
    }
}

#[cfg(unix)]
fn refuse_exposed(path: &Path) -> Result<(), CommandError> {
    use std::os::unix::fs::PermissionsExt as _;
    match fs::metadata(path) {
        Ok(metadata) if metadata.permissions().mode() & 0o077 != 0 => {
            Err(SigningError::Exposed(path.to_owned()).into())
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn refuse_exposed(_: &Path) -> Result<(), CommandError> {
    Ok(())
}
