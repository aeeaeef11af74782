//! What can fail around keys and signatures.

use crate::text::shell::shell_word;
use std::path::PathBuf;

use skillyard_trust::signature::{
    CertificateError, KeyError, KeyId, PolicyError, Root, RotationError, SignError,
    SignedPolicyError, TrustRootError,
};

/// Why a command about keys or signatures failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SigningError {
    #[error("there is no key `{name}`")]
    NoSuchKey {
        name: String,
        nearest: Option<String>,
    },
    #[error("`{name}` names several keys: {}", ids.join(", "))]
    ManyKeys { name: String, ids: Vec<String> },
    #[error("there is no key to sign with")]
    NoKey,
    #[error("there are several keys to sign with: {}", .0.join(", "))]
    SeveralKeys(Vec<String>),
    #[error("`{0}` is not a name for a key: use letters, digits, `-`, `_` and `.`")]
    KeyName(String),
    #[error("there is a key `{0}` already")]
    KeyExists(String),
    #[error("the key `{0}` cannot follow itself")]
    SameKey(String),
    #[error("the passphrase does not open the key `{0}`")]
    Passphrase(String),
    #[error("the key `{0}` is under a passphrase, and nobody can be asked for it")]
    NoPassphrase(String),
    #[error("there is no new passphrase for the key `{key}`, and nobody can be asked for one")]
    NoNewPassphrase {
        key: String,
        /// The flag that takes it from a file.
        flag: &'static str,
    },
    #[error("the two passphrases are not the same")]
    PassphrasesDiffer,
    #[error("the passphrase is empty")]
    EmptyPassphrase,
    #[error("anybody may read `{}`, which holds a passphrase", .0.display())]
    ExposedPassphrase(PathBuf),
    #[error("`{0}` is revoked")]
    Revoked(KeyId),
    #[error("`{}` cannot be used as a key", path.display())]
    Key { path: PathBuf, source: KeyError },
    #[error("`{}` cannot be used as a certificate", path.display())]
    Certificate {
        path: PathBuf,
        source: CertificateError,
    },
    #[error("`{}` is nothing that can be trusted: a public key, a certificate, a rotation statement, a signed policy or a Sigstore trust root", .0.display())]
    NothingToTrust(PathBuf),
    #[error("anybody may read `{}`, which holds a private key", .0.display())]
    Exposed(PathBuf),
    #[error("cannot use `{}`", path.display())]
    Policy { path: PathBuf, source: PolicyError },
    #[error("cannot use `{}`", path.display())]
    TrustRoot {
        path: PathBuf,
        source: TrustRootError,
    },
    #[error(transparent)]
    Rotation(#[from] RotationError),
    #[error(transparent)]
    SignedPolicy(#[from] SignedPolicyError),
    #[error("cannot use `{}`", path.display())]
    StoredPolicy {
        path: PathBuf,
        source: SignedPolicyError,
        /// Who signs the next one, if that can be read.
        root: Option<Root>,
    },
    #[error("the key {0} that would be replaced is not trusted here")]
    NothingToReplace(KeyId),
    #[error("the time of the key {0} is over here, so it cannot hand over to another one")]
    Ended(KeyId),
    #[error("`{}` cannot be signed", folder.display())]
    Sign { folder: PathBuf, source: SignError },
    #[error("no random numbers can be had")]
    Random(#[from] getrandom::Error),
    #[error("`{0}` is an identity, and who confirms it is not said")]
    NoIssuer(String),
}

impl SigningError {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchKey {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NoSuchKey { nearest: None, .. } => {
                "List the keys with `skillyard key list`".into()
            }
            Self::ManyKeys { .. } => {
                "Name one of them by its id; `skillyard key list` shows which is which".into()
            }
            Self::SameKey(_) => {
                "Name another one that follows it; where there is none yet, it is made".into()
            }
            Self::NoKey => "Make one with `skillyard key generate NAME`".into(),
            Self::SeveralKeys(_) => "Choose one with `--key NAME`".into(),
            Self::KeyExists(_) => {
                "Choose another name, or replace it with `skillyard key rotate OLD NEW`".into()
            }
            Self::Exposed(path) => format!(
                "Close it with `chmod 600 {0}`, and replace the key if somebody else could read it",
                path.display()
            ),
            Self::NoNewPassphrase { flag, .. } => format!("Give it with `{flag} FILE`"),
            Self::NoPassphrase(_) => {
                "Give it with `--passphrase-file FILE`, or in SKILLYARD_KEY_PASSPHRASE".into()
            }
            Self::EmptyPassphrase => {
                "Leave it out to make a key without one; `skillyard key passphrase NAME --remove` takes it off".into()
            }
            Self::ExposedPassphrase(path) => {
                format!("Close it with `chmod 600 {}`", path.display())
            }
            Self::NothingToReplace(_) => {
                "Trust the old key first, if you do: `skillyard key trust OLD.pub`".into()
            }
            Self::Ended(_) => {
                "If you know whose the new key is, trust it for itself: `skillyard key trust NEW.pub`".into()
            }
            // Without it, what it revoked would be used again.
            Self::StoredPolicy {
                source: SignedPolicyError::Expired(_),
                root,
                ..
            } => {
                let signed = root.as_ref().map(signed_by).unwrap_or_default();
                format!("Ask whoever hands it out for a newer one{signed}, and accept that with `skillyard key trust POLICY.json`; until then, what it revoked stays revoked")
            }
            Self::StoredPolicy { path, .. } => format!(
                "Get it again from whoever hands it out; then remove `{}` and accept it with `skillyard key trust POLICY.json`. Between the two, what it revoked is not known here",
                path.display()
            ),
            Self::NoIssuer(_) => {
                "Add `--issuer URL`, such as https://token.actions.githubusercontent.com".into()
            }
            _ => return None,
        })
    }

    /// 1 when the answer is no, 2 when there is no answer.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::NoSuchKey { .. }
            | Self::ManyKeys { .. }
            | Self::Passphrase(_)
            | Self::Revoked(_)
            | Self::Rotation(_)
            | Self::SignedPolicy(_)
            | Self::NothingToReplace(_)
            | Self::Ended(_)
            | Self::Sign { .. } => 1,
            _ => 2,
        }
    }
}

/// By whom the next version of a policy has to be signed.
fn signed_by(root: &Root) -> String {
    let keys = root.keys.iter().map(|key| key.id().short());
    let keys: Vec<String> = keys.collect();
    match keys.as_slice() {
        [only] => format!(", signed by the key {only}"),
        keys => format!(
            ", signed by {} of the keys {}",
            root.threshold,
            keys.join(", ")
        ),
    }
}

/// What the user can do about a skill that is not signed as it was before.
pub(crate) fn anew(name: &str) -> String {
    let name = shell_word(name);
    format!("If you know why, start anew with `skillyard key forget {name}`")
}

/// The same where another key signed it: its author may have handed over to that one.
pub(crate) fn handed_over(name: &str) -> String {
    let name = shell_word(name);
    format!(
        "If its author changed keys, ask for the statement that the old key signed, and run `skillyard key trust NEW.rotation.json`; \
         else, if you know why, start anew with `skillyard key forget {name}`"
    )
}
