//! Chains of certificates, good and bad.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use skillyard_trust::signature::{
    Algorithm, Certificate, Moment, Policy, SIGNATURE_FILE, Signer, SigningKey, Verification,
};

use crate::der::{Template, authority, extension, purpose, usage};
use crate::{Files, accepted, bundle, key_of, now, refused, statement, unproven};

struct Chain {
    root: SigningKey,
    between: SigningKey,
    leaf: SigningKey,
}

impl Chain {
    fn new() -> Self {
        let key = |seed| key_of(Algorithm::P384, seed);
        Self {
            root: key(1),
            between: key(2),
            leaf: key(3),
        }
    }

    /// A skill signed by the leaf, with these certificates.
    fn files(&self, chain: &[Vec<u8>]) -> Files {
        let payload = statement(&Files::new().signed(&self.leaf)).to_string();
        let mut bundle = bundle(&self.leaf, &payload);
        let chain: Vec<_> = chain
            .iter()
            .map(|der| json!({ "rawBytes": STANDARD.encode(der) }))
            .collect();
        bundle["verificationMaterial"] =
            json!({ "x509CertificateChain": { "certificates": chain }, "tlogEntries": [] });
        Files::new().with(SIGNATURE_FILE, bundle.to_string())
    }

    fn root(&self) -> Vec<u8> {
        Template::root().made(&self.root, &self.root)
    }

    fn policy(&self, lines: &str) -> Policy {
        let pem = Certificate::from_der(&self.root()).unwrap().to_pem();
        let text =
            format!("[[authority]]\nname = \"acme\"\ncertificate = \"\"\"\n{pem}\"\"\"\n{lines}\n");
        Policy::parse(&text).unwrap()
    }

    /// The verdict on a leaf that the root confirms.
    fn check(&self, leaf: &Template) -> Verification {
        let leaf = leaf.made(&self.leaf, &self.root);
        self.files(&[leaf, self.root()]).verify(&self.policy(""))
    }

    /// The verdict on a leaf below another authority.
    fn check_between(&self, between: &Template) -> Verification {
        let leaf = Template {
            issuer: "Between",
            ..Template::leaf()
        };
        let chain = [
            leaf.made(&self.leaf, &self.between),
            between.made(&self.between, &self.root),
        ];
        self.files(&chain).verify(&self.policy(""))
    }
}

fn between() -> Template {
    Template {
        subject: "Between",
        extensions: vec![authority(Some(0)), usage(0x04)],
        ..Template::leaf()
    }
}

#[test]
fn a_chain_to_a_trusted_authority() {
    let chain = Chain::new();
    accepted(&chain.check(&Template::leaf()));
    accepted(&chain.check_between(&between()));
    let code = Template {
        extensions: vec![usage(0x80), purpose("1.3.6.1.5.5.7.3.3")],
        ..Template::leaf()
    };
    accepted(&chain.check(&code));
}

#[test]
fn nobody_trusted_at_the_end() {
    let chain = Chain::new();
    let leaf = Template::leaf().made(&chain.leaf, &chain.root);
    let files = chain.files(&[leaf, chain.root()]);
    unproven(
        &files.verify(&Policy::default()),
        "unknown-authority",
        "path ends at `Root`",
    );
    // Another root of the same name.
    let evil = key_of(Algorithm::P384, 9);
    let leaf = Template::leaf().made(&chain.leaf, &evil);
    let files = chain.files(&[leaf, Template::root().made(&evil, &evil)]);
    unproven(
        &files.verify(&chain.policy("")),
        "unknown-authority",
        "path ends at `Root`",
    );
}

#[test]
fn the_files_count_before_the_signer() {
    let chain = Chain::new();
    let leaf = Template::leaf().made(&chain.leaf, &chain.root);
    let files = chain.files(&[leaf]).with("extra", "");
    refused(
        &files.verify(&Policy::default()),
        "changed",
        "`extra` was added",
    );
    refused(
        &files.verify(&chain.policy("")),
        "changed",
        "`extra` was added",
    );
}

#[test]
fn outside_its_time() {
    let chain = Chain::new();
    for (from, to) in [
        ("2025-01-01T00:00:00Z", "2026-11-15T11:59:59Z"),
        ("2026-11-15T12:00:01Z", "2027-01-01T00:00:00Z"),
    ] {
        let leaf = Template {
            from,
            to,
            ..Template::leaf()
        };
        refused(
            &chain.check(&leaf),
            "certificate-not-valid",
            "and not at 2026-11-15T12:00:00Z",
        );
        let between = Template {
            from,
            to,
            ..between()
        };
        refused(
            &chain.check_between(&between),
            "certificate-not-valid",
            "`Between` is valid",
        );
    }
}

#[test]
fn a_leaf_that_may_not_sign() {
    let chain = Chain::new();
    for extensions in [
        vec![],
        vec![usage(0x04)],
        vec![usage(0x80), purpose("1.3.6.1.5.5.7.3.1")],
        vec![usage(0x80), authority(None)],
    ] {
        let leaf = Template {
            extensions,
            ..Template::leaf()
        };
        refused(
            &chain.check(&leaf),
            "invalid",
            "`Signer` is not for signing",
        );
    }
}

#[test]
fn an_extension_that_is_not_understood() {
    let leaf = Template {
        extensions: vec![usage(0x80), extension("2.5.29.30", true, &[0x30, 0])],
        ..Template::leaf()
    };
    refused(
        &Chain::new().check(&leaf),
        "invalid",
        "critical extension 2.5.29.30",
    );
}

#[test]
fn somebody_between_who_is_no_authority() {
    let chain = Chain::new();
    for extensions in [
        vec![],
        vec![usage(0x80)],
        vec![usage(0x04)],
        vec![authority(None), usage(0x80)],
    ] {
        let between = Template {
            extensions,
            ..between()
        };
        refused(
            &chain.check_between(&between),
            "invalid",
            "`Between` is not that of an authority",
        );
    }
}

#[test]
fn more_authorities_than_one_allows() {
    let chain = Chain::new();
    let lower = key_of(Algorithm::P384, 8);
    let leaf = Template {
        issuer: "Lower",
        ..Template::leaf()
    };
    let below = Template {
        subject: "Lower",
        issuer: "Between",
        ..between()
    };
    let certificates = [
        leaf.made(&chain.leaf, &lower),
        below.made(&lower, &chain.between),
        between().made(&chain.between, &chain.root),
    ];
    let verification = chain.files(&certificates).verify(&chain.policy(""));
    refused(
        &verification,
        "invalid",
        "`Between` is not that of an authority",
    );
}

#[test]
fn a_signature_that_the_leaf_did_not_make() {
    let chain = Chain::new();
    // The certificate of somebody else, whom the root confirms as well.
    let other = Template::leaf().made(&chain.between, &chain.root);
    let verification = chain.files(&[other]).verify(&chain.policy(""));
    refused(&verification, "invalid", "was not made by `Signer`");
}

#[test]
fn an_authority_has_its_scope_and_its_signers() {
    let chain = Chain::new();
    let leaf = Template::leaf().made(&chain.leaf, &chain.root);
    let files = chain.files(&[leaf]);
    accepted(&files.verify(&chain.policy("subjects = [\"Sign*\"]\nscope = [\"pdf\"]")));
    let other = files.verify(&chain.policy("scope = [\"csv\"]"));
    refused(&other, "out-of-scope", "skills called `pdf`");
    let other = files.verify(&chain.policy("subjects = [\"Nobody\"]"));
    unproven(&other, "unknown-signer", "no trust policy names");
}

#[test]
fn a_pin_is_of_one_signer_and_not_of_the_whole_authority() {
    let chain = Chain::new();
    let by = |subject: &'static str| {
        let leaf = Template {
            subject,
            ..Template::leaf()
        };
        chain.files(&[leaf.made(&chain.leaf, &chain.root)])
    };
    let mut policy = chain.policy("");
    let seen = by("alice").verify(&policy);
    accepted(&seen);
    policy.pins = vec![seen.pin(now()).unwrap()];
    accepted(&by("alice").verify(&policy));
    for other in ["mallory", "alice ", "ali", "x alice"] {
        refused(&by(other).verify(&policy), "other-signer", "alice before");
    }
    // Pins of before name the authority alone: whoever comes first is the signer from then on.
    let id = chain.root.public().unwrap().id();
    policy.pins[0].signer = format!("authority:{id}");
    let renewed = by("bob").verify(&policy);
    accepted(&renewed);
    policy.pins = vec![renewed.pin(now()).unwrap()];
    refused(&by("alice").verify(&policy), "other-signer", "bob before");
}

#[test]
fn a_signer_of_before_is_trusted_while_the_authority_is_believed_about_them() {
    let chain = Chain::new();
    let id = chain.root.public().unwrap().id();
    let still = |signer: &str, lines: &str| chain.policy(lines).still_trusts(signer, "pdf", "x");
    let alice = format!("authority:{id} alice");
    assert!(still(&alice, ""));
    assert!(still(&alice, "subjects = [\"bob\", \"al*\"]"));
    assert!(!still(&alice, "subjects = [\"bob\"]"));
    assert!(!still(&alice, "scope = [\"csv\"]"));
    // What was locked before does not say who it was.
    assert!(still(&format!("authority:{id}"), "subjects = [\"bob\"]"));
    // Who is believed about others does not sign.
    assert!(!still(&format!("key:{id}"), ""));
    let revoked = format!("[[revoked]]\nid = \"{id}\"\ntime = \"2026-11-01\"\n");
    let policy = chain.policy("").and(Policy::parse(&revoked).unwrap());
    assert!(policy.revocation_of_signer(&alice).is_some());
    assert!(!policy.still_trusts(&alice, "pdf", "x"));
}

#[test]
fn a_key_on_the_path_can_be_revoked() {
    let chain = Chain::new();
    for key in [&chain.leaf, &chain.between, &chain.root] {
        let id = key.public().unwrap().id();
        let text = format!("[[revoked]]\nid = \"{id}\"\ntime = \"2026-11-01\"\n");
        let policy = chain.policy("").and(Policy::parse(&text).unwrap());
        let leaf = Template {
            issuer: "Between",
            ..Template::leaf()
        };
        let certificates = [
            leaf.made(&chain.leaf, &chain.between),
            between().made(&chain.between, &chain.root),
        ];
        let files = chain.files(&certificates);
        refused(&files.verify(&policy), "revoked", "was revoked");
        // Also by a policy whose time is over, which alone knows the authority.
        let policy = Policy {
            expires: Some(Moment("2026-11-10T00:00:00Z".parse().unwrap())),
            ..policy
        };
        refused(&files.verify(&policy.past()), "revoked", "was revoked");
    }
}

#[test]
fn nobody_signs_by_a_policy_whose_time_is_over() {
    let chain = Chain::new();
    let leaf = Template::leaf().made(&chain.leaf, &chain.root);
    let files = chain.files(&[leaf, chain.root()]);
    let policy = Policy {
        expires: Some(Moment("2020-01-01T00:00:00Z".parse().unwrap())),
        ..chain.policy("")
    };
    let verification = files.verify(&policy);
    let signer = verification.signer().and_then(Signer::pin).unwrap();
    assert!(policy.still_trusts(&signer, "pdf", "x"));
    let past = policy.past();
    assert!(!past.still_trusts(&signer, "pdf", "x"));
    assert!(files.verify(&past).signer().is_none());
}

#[test]
fn bytes_that_are_no_certificate() {
    let chain = Chain::new();
    let good = Template::leaf().made(&chain.leaf, &chain.root);
    for der in [
        vec![],
        vec![0x30],
        good[..good.len() - 1].to_vec(),
        [good, vec![0]].concat(),
    ] {
        let verification = chain.files(&[der]).verify(&chain.policy(""));
        refused(&verification, "invalid", "certificate cannot be read");
    }
}
