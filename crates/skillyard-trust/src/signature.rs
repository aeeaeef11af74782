//! Signatures: who made a skill, and whether it is still what they made.
//!
//! A skill is signed in the form of Model Signing: `skill.oms.sig`, a Sigstore bundle with
//! a DSSE envelope around an in-toto statement that lists every file with its SHA-256. Everything
//! is decided here from bytes: files, policy and the time are handed in, and no network is asked.
//!
//! [`verify_skill`] is the one call for whoever installs or runs a skill. [`sign()`] makes a
//! signature. A [`Policy`] says who may sign what; a [`Pin`] remembers what was seen before.

mod bundle;
mod certificate;
mod certificate_path;
mod change;
mod distinguished;
mod distrust;
mod dsse;
mod json;
mod judge;
mod key;
mod locked_key;
mod moment;
mod pattern;
mod pin;
mod policy;
mod rotation;
mod sign;
mod signed_policy;
mod signer;
mod signing_key;
mod sigstore;
mod statement;
mod statement_text;
mod tree;
mod verdict;
mod verify;

pub use bundle::BundleError;
pub use certificate::{Certificate, CertificateError};
pub use change::Change;
pub use distrust::{Distrust, Invalid};
pub use dsse::{EnvelopeError, MAX_BYTES};
pub use key::{Algorithm, KeyError, KeyId, PublicKey};
pub use locked_key::{Salt, is_locked};
pub use moment::{Moment, MomentError};
pub use pattern::Pattern;
pub use pin::{Asked, Pin, Rollback};
pub use policy::{
    Authority, Identity, Policy, PolicyError, Revocation, Root, RotationText, Scope, TrustedKey,
};
pub use rotation::{Rotation, RotationError, rotate};
pub use sign::{SignError, sign};
pub use signed_policy::{SignedPolicyError, accept_policy, sign_policy};
pub use signer::Signer;
pub use signing_key::SigningKey;
pub use sigstore::{SigstoreError, TrustRoot, TrustRootError};
pub use statement::{Details, Facts, StatementError};
pub use tree::{SIGNATURE_FILE, Tree, TreeFile};
pub use verdict::{Pinned, Standing, Verification};
pub use verify::{Place, verify, verify_skill};
