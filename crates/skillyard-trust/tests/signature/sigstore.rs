//! A small Sigstore of our own: an authority, a certificate log and a transparency log, each of
//! which can be made to lie.

mod attacks;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillyard_trust::signature::{
    Algorithm, Policy, SIGNATURE_FILE, SigningKey, TrustRoot, Verification,
};

use crate::der::{Template, authority, element, extension, oid, purpose, sequence, usage};
use crate::{Files, bundle, key_of, statement};

const ISSUER: &str = "https://issuer.example";
const IDENTITY: &str = "https://github.com/acme/skills/.github/workflows/release.yml@refs/tags/v1";
const TIME: i64 = 1_760_000_000;

/// A change of a time stamp.
type ChangeStamp = fn(&mut StampOptions);

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
    version: Version,
    /// The authority for time stamps.
    stamper: SigningKey,
    stamp: StampOptions,
}

/// Which version of the log is used.
#[derive(PartialEq)]
enum Version {
    First,
    Second,
}

/// What can be changed about a time stamp.
struct StampOptions {
    by: SigningKey,
    purpose: &'static str,
    time: &'static str,
    /// What is stamped in place of the signature.
    instead: Option<&'static [u8]>,
    /// What the signed attributes are about in place of the stamp.
    attributes_of: Option<&'static [u8]>,
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
            version: Version::First,
            stamper: key(6),
            stamp: StampOptions {
                by: key(6),
                purpose: "1.3.6.1.5.5.7.3.8",
                time: "20251009085320Z",
                instead: None,
                attributes_of: None,
            },
        }
    }

    /// The same with the second version of the log, and a stamp of this kind.
    fn second(change: ChangeStamp) -> Self {
        let mut sigstore = Self {
            version: Version::Second,
            ..Self::new()
        };
        change(&mut sigstore.stamp);
        sigstore
    }

    fn stampers(&self) -> [Vec<u8>; 2] {
        let root = Template {
            from: "2021-01-01T00:00:00Z",
            ..Template::root()
        };
        let leaf = Template {
            subject: "Stamper",
            extensions: vec![usage(0x80), purpose(self.stamp.purpose)],
            ..root.clone()
        };
        [
            leaf.made(&self.stamper, &self.root),
            root.made(&self.root, &self.root),
        ]
    }

    /// A time stamp over a signature, as RFC 3161 has it.
    fn time_stamp(&self, signature: &[u8]) -> Vec<u8> {
        let sha256 = || sequence(&[oid("2.16.840.1.101.3.4.2.1")]);
        let kind = || oid("1.2.840.113549.1.9.16.1.4");
        let number = |number: u8| element(2, &[number]);
        let stamped = self.stamp.instead.unwrap_or(signature);
        let content = sequence(&[
            number(1),
            oid("1.3.6.1.4.1.57264.2"),
            sequence(&[sha256(), element(4, &Sha256::digest(stamped))]),
            number(9),
            element(0x18, self.stamp.time.as_bytes()),
        ]);
        let digest = Sha256::digest(self.stamp.attributes_of.unwrap_or(&content));
        let attribute = |id: &str, value: Vec<u8>| sequence(&[oid(id), element(0x31, &value)]);
        let attributes = [
            attribute("1.2.840.113549.1.9.3", kind()),
            attribute("1.2.840.113549.1.9.4", element(4, &digest)),
        ]
        .concat();
        let signature = self.stamp.by.sign(&element(0x31, &attributes));
        let signer = sequence(&[
            number(1),
            sequence(&[]),
            sha256(),
            element(0xa0, &attributes),
            sequence(&[oid("1.2.840.10045.4.3.2")]),
            element(4, &signature),
        ]);
        let data = sequence(&[
            number(3),
            element(0x31, &sha256()),
            sequence(&[kind(), element(0xa0, &element(4, &content))]),
            element(0x31, &signer),
        ]);
        let token = sequence(&[oid("1.2.840.113549.1.7.2"), element(0xa0, &data)]);
        sequence(&[sequence(&[number(0)]), token])
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
        if self.version == Version::Second {
            body = second_body(&payload, &signature, &leaf);
        }
        (self.body)(&mut body);
        bundle["verificationMaterial"] = json!({
            "certificate": { "rawBytes": STANDARD.encode(leaf) },
            "tlogEntries": [self.entry(&body.to_string())],
        });
        if self.version == Version::Second {
            let material = &mut bundle["verificationMaterial"];
            let entry = material["tlogEntries"][0].as_object_mut().unwrap();
            entry.remove("inclusionPromise");
            entry.remove("integratedTime");
            entry["kindVersion"] = json!({ "kind": "hashedrekord", "version": "0.0.2" });
            let signature = STANDARD.decode(signature.as_str().unwrap()).unwrap();
            let stamp = STANDARD.encode(self.time_stamp(&signature));
            material["timestampVerificationData"] =
                json!({ "rfc3161Timestamps": [{ "signedTimestamp": stamp }] });
        }
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
        let authority = |chain: [Vec<u8>; 2]| {
            let chain = chain.map(|der| json!({ "rawBytes": STANDARD.encode(der) }));
            json!({
                "certChain": { "certificates": chain },
                "validFor": { "start": "2021-01-01T00:00:00Z" },
            })
        };
        let text = json!({
            "certificateAuthorities": [authority(self.chain())],
            "timestampAuthorities": [authority(self.stampers())],
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

/// What the second version of the log keeps.
fn second_body(payload: &str, signature: &Value, leaf: &[u8]) -> Value {
    let kind = "application/vnd.in-toto+json";
    let message = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
    json!({
        "apiVersion": "0.0.2",
        "kind": "hashedrekord",
        "spec": { "hashedRekordV002": {
            "data": {
                "algorithm": "SHA2_256",
                "digest": STANDARD.encode(Sha256::digest(message)),
            },
            "signature": {
                "content": signature,
                "verifier": { "x509Certificate": { "rawBytes": STANDARD.encode(leaf) } },
            },
        } },
    })
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
