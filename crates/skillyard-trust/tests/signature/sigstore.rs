//! A small Sigstore of our own: an authority, a certificate log and a transparency log, each of
//! which can be made to lie.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillyard_trust::signature::{
    Algorithm, Policy, SIGNATURE_FILE, SigningKey, TrustRoot, Verification,
};

use crate::der::{Template, authority, element, extension, purpose, sequence, usage};
use crate::{Files, accepted, bundle, key_of, refused, statement, unproven};

const ISSUER: &str = "https://issuer.example";
const IDENTITY: &str = "https://github.com/acme/skills/.github/workflows/release.yml@refs/tags/v1";
const TIME: i64 = 1_760_000_000;

/// A change of a part of a bundle.
type Change = fn(&mut Value);

/// What can be changed about an honest bundle.
struct Sigstore {
    root: SigningKey,
    between: SigningKey,
    certificate_log: SigningKey,
    log: SigningKey,
    leaf: SigningKey,
    /// The key that stamps certificates.
    stamps: SigningKey,
    /// The key that promises.
    promises: SigningKey,
    /// The key that signs checkpoints.
    checkpoints: SigningKey,
    time: i64,
    /// Changes the body of the log entry before it is logged.
    body: Change,
    /// Changes the bundle at the end.
    bundle: Change,
}

impl Sigstore {
    fn new() -> Self {
        let key = |seed| key_of(Algorithm::P256, seed);
        Self {
            root: key_of(Algorithm::P384, 1),
            between: key_of(Algorithm::P384, 2),
            certificate_log: key(3),
            log: key(4),
            leaf: key(5),
            stamps: key(3),
            promises: key(4),
            checkpoints: key(4),
            time: TIME,
            body: |_| {},
            bundle: |_| {},
        }
    }

    fn chain(&self) -> [Vec<u8>; 2] {
        let root = Template {
            from: "2021-01-01T00:00:00Z",
            ..Template::root()
        };
        let between = Template {
            subject: "Between",
            extensions: vec![
                authority(Some(0)),
                usage(0x04),
                purpose("1.3.6.1.5.5.7.3.3"),
            ],
            ..root.clone()
        };
        [
            between.made(&self.between, &self.root),
            root.made(&self.root, &self.root),
        ]
    }

    fn leaf(&self) -> Vec<u8> {
        let names = sequence(&[element(0x86, IDENTITY.as_bytes())]);
        let mut template = Template {
            subject: "",
            issuer: "Between",
            from: "2025-10-09T08:50:00Z",
            to: "2025-10-09T09:00:00Z",
            extensions: vec![
                usage(0x80),
                purpose("1.3.6.1.5.5.7.3.3"),
                extension("2.5.29.17", true, &names),
                extension(
                    "1.3.6.1.4.1.57264.1.8",
                    false,
                    &element(12, ISSUER.as_bytes()),
                ),
            ],
        };
        let before = template.unsigned(&self.leaf, &self.between);
        let stamp = self.stamp(&before);
        template
            .extensions
            .push(extension("1.3.6.1.4.1.11129.2.4.2", false, &stamp));
        template.made(&self.leaf, &self.between)
    }

    fn stamp(&self, before: &[u8]) -> Vec<u8> {
        let time = u64::try_from(TIME * 1000).unwrap().to_be_bytes();
        let mut message = vec![0, 0];
        message.extend(time);
        message.extend([0, 1]);
        message.extend(Sha256::digest(self.between.public().unwrap().spki()));
        message.extend(&u32::try_from(before.len()).unwrap().to_be_bytes()[1..]);
        message.extend(before);
        message.extend([0, 0]);
        let mut stamp = vec![0];
        stamp.extend(id(&self.certificate_log));
        stamp.extend(time);
        stamp.extend([0, 0, 4, 3]);
        stamp.extend(counted(&self.stamps.sign(&message)));
        element(4, &counted(&counted(&stamp)))
    }

    fn files(&self) -> Files {
        let payload = statement(&Files::new().signed(&self.leaf)).to_string();
        let mut bundle = bundle(&self.leaf, &payload);
        let leaf = self.leaf();
        let pem = pem(&leaf);
        let signature = bundle["dsseEnvelope"]["signatures"][0]["sig"].clone();
        let mut body = json!({
            "apiVersion": "0.0.1",
            "kind": "dsse",
            "spec": {
                "payloadHash": {
                    "algorithm": "sha256",
                    "value": hex::encode(Sha256::digest(&payload)),
                },
                "signatures": [{ "signature": signature, "verifier": STANDARD.encode(pem) }],
            },
        });
        (self.body)(&mut body);
        bundle["verificationMaterial"] = json!({
            "certificate": { "rawBytes": STANDARD.encode(leaf) },
            "tlogEntries": [self.entry(&body.to_string())],
        });
        (self.bundle)(&mut bundle);
        Files::new().with(SIGNATURE_FILE, bundle.to_string())
    }

    /// The entry as the third of five in a log.
    fn entry(&self, body: &str) -> Value {
        let leaf = |content: &[u8]| hash(&[&[0], content]);
        let others: Vec<Vec<u8>> = [b"a", b"b", b"d", b"e"]
            .iter()
            .map(|each| leaf(*each))
            .collect();
        let left = hash(&[&[1], &others[0], &others[1]]);
        let pair = hash(&[&[1], &leaf(body.as_bytes()), &others[2]]);
        let four = hash(&[&[1], &left, &pair]);
        let root = STANDARD.encode(hash(&[&[1], &four, &others[3]]));
        let hashes: Vec<String> = [&others[2], &left, &others[3]]
            .iter()
            .map(|each| STANDARD.encode(each))
            .collect();
        let note = format!("log.example - 1\n5\n{root}\n");
        let mut signature = id(&self.log)[..4].to_vec();
        signature.extend(self.checkpoints.sign(note.as_bytes()));
        let promised = format!(
            r#"{{"body":"{}","integratedTime":{},"logID":"{}","logIndex":102}}"#,
            STANDARD.encode(body),
            self.time,
            hex::encode(id(&self.log))
        );
        json!({
            "logIndex": "102",
            "logId": { "keyId": STANDARD.encode(id(&self.log)) },
            "kindVersion": { "kind": "dsse", "version": "0.0.1" },
            "integratedTime": self.time.to_string(),
            "inclusionPromise": {
                "signedEntryTimestamp": STANDARD.encode(self.promises.sign(promised.as_bytes())),
            },
            "inclusionProof": {
                "logIndex": "2",
                "treeSize": "5",
                "rootHash": root,
                "hashes": hashes,
                "checkpoint": {
                    "envelope": format!("{note}\n\u{2014} log.example {}\n", STANDARD.encode(signature)),
                },
            },
            "canonicalizedBody": STANDARD.encode(body),
        })
    }

    fn trust_root(&self, log_ends: Option<&str>) -> TrustRoot {
        let log = |key: &SigningKey, end: Option<&str>| {
            let mut window = json!({ "start": "2021-01-01T00:00:00Z" });
            if let Some(end) = end {
                window["end"] = end.into();
            }
            json!({
                "publicKey": {
                    "rawBytes": STANDARD.encode(key.public().unwrap().spki()),
                    "validFor": window,
                },
                "logId": { "keyId": STANDARD.encode(id(key)) },
            })
        };
        let chain: Vec<Value> = self
            .chain()
            .iter()
            .map(|der| json!({ "rawBytes": STANDARD.encode(der) }))
            .collect();
        let text = json!({
            "certificateAuthorities": [{
                "certChain": { "certificates": chain },
                "validFor": { "start": "2021-01-01T00:00:00Z" },
            }],
            "tlogs": [log(&self.log, log_ends)],
            "ctlogs": [log(&self.certificate_log, None)],
        });
        TrustRoot::parse(text.to_string().as_bytes()).unwrap()
    }

    fn verify(&self) -> Verification {
        self.files().verify(&self.policy(IDENTITY, ISSUER))
    }

    fn policy(&self, identity: &str, issuer: &str) -> Policy {
        let text = format!(
            "[[identity]]\nname = \"acme\"\nidentity = \"{identity}\"\nissuer = \"{issuer}\"\n"
        );
        let mut policy = Policy::parse(&text).unwrap();
        policy.sigstore = Some(self.trust_root(None));
        policy
    }
}

fn id(key: &SigningKey) -> Vec<u8> {
    Sha256::digest(key.public().unwrap().spki()).to_vec()
}

fn hash(parts: &[&[u8]]) -> Vec<u8> {
    Sha256::digest(parts.concat()).to_vec()
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    let mut counted = u16::try_from(bytes.len()).unwrap().to_be_bytes().to_vec();
    counted.extend(bytes);
    counted
}

fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}

#[test]
fn an_honest_bundle_is_trusted_long_after_its_certificate() {
    let sigstore = Sigstore::new();
    accepted(&sigstore.verify());
    let some = sigstore.policy("https://github.com/acme/*", ISSUER);
    accepted(&sigstore.files().verify(&some));
}

#[test]
fn another_identity_or_issuer_is_a_stranger() {
    let sigstore = Sigstore::new();
    for (identity, issuer) in [
        ("https://github.com/acme-evil/*", ISSUER),
        (IDENTITY, "https://issuer.example.evil"),
    ] {
        let verification = sigstore.files().verify(&sigstore.policy(identity, issuer));
        unproven(&verification, "unknown-signer", "no trust policy names");
    }
}

#[test]
fn without_a_trust_root_nothing_passes() {
    let sigstore = Sigstore::new();
    let mut policy = sigstore.policy(IDENTITY, ISSUER);
    policy.sigstore = None;
    let verification = sigstore.files().verify(&policy);
    refused(
        &verification,
        "unverifiable-offline",
        "cannot be verified offline: no Sigstore trust root",
    );
}

#[test]
fn a_log_that_is_not_trusted_or_not_any_more() {
    let sigstore = Sigstore::new();
    let mut policy = sigstore.policy(IDENTITY, ISSUER);
    policy.sigstore = Some(sigstore.trust_root(Some("2025-01-01T00:00:00Z")));
    let verification = sigstore.files().verify(&policy);
    refused(
        &verification,
        "unverifiable-offline",
        "no key of the transparency log",
    );
}

#[test]
fn signatures_of_the_logs_by_somebody_else() {
    let evil = || key_of(Algorithm::P256, 9);
    let promise = Sigstore {
        promises: evil(),
        ..Sigstore::new()
    };
    refused(&promise.verify(), "invalid", "promise is not signed");
    let checkpoint = Sigstore {
        checkpoints: evil(),
        ..Sigstore::new()
    };
    refused(&checkpoint.verify(), "invalid", "checkpoint is not signed");
    let stamp = Sigstore {
        stamps: evil(),
        ..Sigstore::new()
    };
    refused(&stamp.verify(), "invalid", "not in a certificate log");
}

#[test]
fn an_authority_of_the_same_name() {
    let honest = Sigstore::new();
    let evil = Sigstore {
        between: key_of(Algorithm::P384, 9),
        ..Sigstore::new()
    };
    let verification = evil.files().verify(&honest.policy(IDENTITY, ISSUER));
    refused(
        &verification,
        "unverifiable-offline",
        "no trusted authority",
    );
}

#[test]
fn a_certificate_used_after_its_ten_minutes() {
    let late = Sigstore {
        time: TIME + 3600,
        ..Sigstore::new()
    };
    refused(&late.verify(), "invalid", "is valid from");
}

#[test]
fn an_entry_about_something_else() {
    let statement: Change = |body| {
        body["spec"]["payloadHash"]["value"] = "00".repeat(32).into();
    };
    let signature: Change = |body| {
        body["spec"]["signatures"][0]["signature"] = "AAAA".into();
    };
    let certificate: Change = |body| {
        let other =
            pem(&Template::root().made(&key_of(Algorithm::P256, 9), &key_of(Algorithm::P256, 9)));
        body["spec"]["signatures"][0]["verifier"] = STANDARD.encode(other).into();
    };
    let kind: Change = |body| body["kind"] = "rekord".into();
    for (body, words) in [
        (statement, "about another statement"),
        (signature, "about another signature"),
        (certificate, "about another certificate"),
        (kind, "about another kind"),
    ] {
        let swapped = Sigstore {
            body,
            ..Sigstore::new()
        };
        refused(&swapped.verify(), "invalid", words);
    }
}

#[test]
fn evidence_that_was_changed_or_taken_away() {
    fn entry(bundle: &mut Value) -> &mut Value {
        &mut bundle["verificationMaterial"]["tlogEntries"][0]
    }
    let cases: [(Change, &str, &str); 9] = [
        (
            |b| entry(b)["inclusionProof"]["hashes"][0] = "AAAA".into(),
            "invalid",
            "inclusion proof",
        ),
        (
            |b| entry(b)["inclusionProof"]["logIndex"] = "3".into(),
            "invalid",
            "inclusion proof",
        ),
        (
            |b| entry(b)["inclusionProof"]["logIndex"] = "9".into(),
            "invalid",
            "inclusion proof",
        ),
        (
            |b| entry(b)["inclusionProof"]["hashes"] = json!(vec!["AAAA"; 65]),
            "invalid",
            "inclusion proof",
        ),
        (
            |b| entry(b)["integratedTime"] = "1760000001".into(),
            "invalid",
            "promise",
        ),
        (
            |b| entry(b)["canonicalizedBody"] = "e30=".into(),
            "invalid",
            "promise",
        ),
        (
            |b| entry(b)["kindVersion"]["version"] = "0.0.2".into(),
            "unverifiable-offline",
            "dsse 0.0.2",
        ),
        (
            |b| {
                entry(b).as_object_mut().unwrap().remove("inclusionPromise");
            },
            "unverifiable-offline",
            "RFC 3161",
        ),
        (
            |b| {
                let twice = entry(b).clone();
                b["verificationMaterial"]["tlogEntries"] = json!([twice, twice]);
            },
            "invalid",
            "2 log entries",
        ),
    ];
    for (bundle, code, words) in cases {
        refused(
            &Sigstore {
                bundle,
                ..Sigstore::new()
            }
            .verify(),
            code,
            words,
        );
    }
}

#[test]
fn without_the_log_it_is_only_an_old_certificate() {
    let bundle: Change = |bundle| {
        bundle["verificationMaterial"]["tlogEntries"] = json!([]);
    };
    let stripped = Sigstore {
        bundle,
        ..Sigstore::new()
    };
    refused(
        &stripped.verify(),
        "certificate-not-valid",
        "and not at 2026",
    );
}

#[test]
fn the_files_must_fit_too() {
    let sigstore = Sigstore::new();
    let files = sigstore.files().with("extra", "");
    refused(
        &files.verify(&sigstore.policy(IDENTITY, ISSUER)),
        "changed",
        "`extra` was added",
    );
}

#[test]
fn the_identity_is_pinned_without_the_tag_it_ran_on() {
    let verification = Sigstore::new().verify();
    let pin = verification.pin(Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(
        pin.signer,
        format!("sigstore:{ISSUER} https://github.com/acme/skills/.github/workflows/release.yml")
    );
}
