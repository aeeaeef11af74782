//! Signatures at the crate's boundary: what is signed verifies, and each attack has its own reason.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod bundles;
mod certificates;
mod der;
mod keys;
mod policies;
mod sigstore;
mod statements;
mod steps;
mod trees;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use skillyard_trust::signature::{
    Algorithm, Policy, ReleaseDetails, SIGNATURE_FILE, SignatureStatus, SigningKey, SkillContext,
    Tree, Verification, sign, verify_skill,
};

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms. Use for PDFs.\nmetadata:\n  version: 1.2.0\n---\n\nDo.\n";

/// The present of all tests.
fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// A key that is the same in every run.
fn key(seed: u8) -> SigningKey {
    key_of(Algorithm::Ed25519, seed)
}

fn key_of(algorithm: Algorithm, seed: u8) -> SigningKey {
    let fill = |bytes: &mut [u8]| {
        bytes.fill(seed);
        Ok::<_, ()>(())
    };
    SigningKey::generate(algorithm, fill).unwrap()
}

/// The files of a skill, to be changed before they become a tree.
#[derive(Clone)]
struct Files(Vec<(String, bool, Vec<u8>)>);

impl Files {
    fn new() -> Self {
        Self(vec![
            ("SKILL.md".into(), false, SKILL.into()),
            ("scripts/run.sh".into(), true, b"echo hi\n".to_vec()),
        ])
    }

    fn with(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.0.retain(|file| file.0 != path);
        self.0.push((path.into(), false, content.as_ref().to_vec()));
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.retain(|file| file.0 != path);
        self
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::default();
        for (path, executable, content) in &self.0 {
            tree.add(path, *executable, content);
        }
        tree
    }

    /// The files with a signature that was made for them.
    fn signed(self, key: &SigningKey) -> Self {
        let details = ReleaseDetails {
            signed: now(),
            ..ReleaseDetails::default()
        };
        let bundle = sign(&self.tree(), "pdf", &details, key).unwrap();
        self.with(SIGNATURE_FILE, bundle)
    }

    /// The files with a signature over a statement that was changed before it was signed.
    fn signed_otherwise(self, key: &SigningKey, change: impl FnOnce(&mut Value)) -> Self {
        let mut statement = statement(&self.clone().signed(key));
        change(&mut statement);
        let bundle = bundle(key, &statement.to_string());
        self.with(SIGNATURE_FILE, bundle.to_string())
    }

    /// The files with a bundle that was changed after it was made.
    fn with_bundle(self, key: &SigningKey, change: impl FnOnce(&mut Value)) -> Self {
        let signed = self.signed(key);
        let mut bundle = bundle_of(&signed);
        change(&mut bundle);
        signed.with(SIGNATURE_FILE, bundle.to_string())
    }

    fn verify(&self, policy: &Policy) -> Verification {
        self.verify_at(policy, Some("pdf"), None)
    }

    fn verify_at(
        &self,
        policy: &Policy,
        folder: Option<&str>,
        source: Option<&str>,
    ) -> Verification {
        let place = SkillContext {
            folder,
            source,
            ..SkillContext::default()
        };
        verify_skill(&self.tree(), &place, policy, now())
    }
}

fn bundle_of(files: &Files) -> Value {
    let file = files.0.iter().find(|file| file.0 == SIGNATURE_FILE);
    serde_json::from_slice(&file.unwrap().2).unwrap()
}

fn statement(files: &Files) -> Value {
    let payload = bundle_of(files)["dsseEnvelope"]["payload"].clone();
    serde_json::from_slice(&STANDARD.decode(payload.as_str().unwrap()).unwrap()).unwrap()
}

/// A bundle around any payload, put together here and not by the code under test.
fn bundle(key: &SigningKey, payload: &str) -> Value {
    json!({
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {
            "publicKey": { "hint": key.public().unwrap().id().to_string() },
            "tlogEntries": [],
        },
        "dsseEnvelope": envelope(key, "application/vnd.in-toto+json", payload),
    })
}

fn envelope(key: &SigningKey, kind: &str, payload: &str) -> Value {
    json!({
        "payload": STANDARD.encode(payload),
        "payloadType": kind,
        "signatures": [{ "sig": signature(key, kind, payload), "keyid": "" }],
    })
}

fn signature(key: &SigningKey, kind: &str, payload: &str) -> String {
    let message = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
    STANDARD.encode(key.sign(message.as_bytes()))
}

/// A policy that trusts keys under the name `mine`, with further lines for each.
fn trusting(keys: &[&SigningKey], lines: &str) -> Policy {
    let entry = |key: &&SigningKey| {
        let pem = key.public().unwrap().to_pem();
        format!("[[key]]\nname = \"mine\"\npublic-key = \"\"\"\n{pem}\"\"\"\n{lines}\n")
    };
    let text: Vec<String> = keys.iter().map(entry).collect();
    Policy::parse(&text.concat()).unwrap()
}

/// The verification must be trusted.
#[track_caller]
fn accepted(verification: &Verification) {
    assert_eq!(
        verification.status(),
        SignatureStatus::Trusted,
        "{verification:?}"
    );
}

/// The verification must be a refusal with this code and a reason that has these words.
#[track_caller]
fn refused(verification: &Verification, code: &str, words: &str) {
    assert_eq!(
        verification.status(),
        SignatureStatus::Refused,
        "{verification:?}"
    );
    told(verification, code, words);
}

/// The verification must be that of a stranger.
#[track_caller]
fn unproven(verification: &Verification, code: &str, words: &str) {
    assert_eq!(
        verification.status(),
        SignatureStatus::Unproven,
        "{verification:?}"
    );
    told(verification, code, words);
}

#[track_caller]
fn told(verification: &Verification, code: &str, words: &str) {
    let reason = verification.reason().unwrap();
    assert_eq!(verification.code(), code, "{reason}");
    assert!(reason.contains(words), "{reason}");
}
