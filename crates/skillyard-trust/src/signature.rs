//! Signatures: who made a skill, and whether it is still what they made.
//!
//! A skill is signed in the form of Model Signing: `skill.oms.sig`, a Sigstore bundle with
//! a DSSE envelope around an in-toto statement that lists every file with its SHA-256. Everything
//! is decided here from bytes: files, policy and the time are handed in, and no network is asked.
//!
//! [`verify_skill`] is the one call for installing or running a skill. [`sign()`] makes a
//! signature. A [`Policy`] says who may sign what; a [`Pin`] remembers what was seen before.

mod bundle;
mod certificate;
mod dsse;
mod judge;
mod key;
mod pin;
mod policy;
mod rotation;
mod signed_policy;
mod signer;
mod signing_key;
mod sigstore;
mod statement;
mod tree;
mod verdict;
mod verify;

pub use bundle::{BundleError, SignError, sign};
pub use certificate::{Certificate, CertificateError};
pub use dsse::{EnvelopeError, MAX_BYTES};
pub use key::{Algorithm, KeyError, KeyId, PublicKey};
pub use pin::{Pin, RequestedVersion, Rollback};
pub use policy::{
    Authority, IdentityPattern, IdentityRule, Moment, MomentError, Policy, PolicyError, Revocation,
    Root, RotationText, SignerScope, TrustedKey,
};
pub use rotation::{Rotation, RotationError, rotate};
pub use signed_policy::{SignedPolicyError, accept_policy, sign_policy};
pub use signer::Signer;
pub use signing_key::{Salt, SigningKey, is_locked};
pub use sigstore::{SigstoreError, TrustRoot, TrustRootError};
pub use statement::{ReleaseDetails, SignedFacts, StatementError};
pub use tree::{FileChange, SIGNATURE_FILE, Tree, TreeFile};
pub use verdict::{Distrust, InvalidSignature, PinStatus, SignatureStatus, Verification};
pub use verify::{SkillContext, verify, verify_skill};
