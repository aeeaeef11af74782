//! What such a bundle proves, and what it does not when one of them lies.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use skillyard_trust::signature::Algorithm;

use super::{Change, ChangeStamp, IDENTITY, ISSUER, Sigstore, TIME, pem};
use crate::der::Template;
use crate::{accepted, key_of, refused, unproven};

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
            "invalid",
            "neither the log nor a time stamp",
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
fn the_second_version_of_the_log_with_a_time_stamp() {
    accepted(&Sigstore::second(|_| {}).verify());
    accepted(&Sigstore::second(|stamp| stamp.time = "20251009085320.5Z").verify());
}

#[test]
fn a_time_stamp_that_proves_nothing() {
    let cases: [(ChangeStamp, &str); 8] = [
        (
            |stamp| stamp.by = key_of(Algorithm::P256, 9),
            "no time stamp authority",
        ),
        (
            |stamp| stamp.purpose = "1.3.6.1.5.5.7.3.3",
            "no time stamp authority",
        ),
        (
            |stamp| stamp.time = "20201009085320Z",
            "no time stamp authority",
        ),
        (|stamp| stamp.time = "20251009095320Z", "is valid from"),
        (|stamp| stamp.time = "2025100908532", "cannot be read"),
        (|stamp| stamp.time = "20259909085320Z", "cannot be read"),
        (
            |stamp| stamp.instead = Some(b"other"),
            "about another signature",
        ),
        (
            |stamp| stamp.attributes_of = Some(b"other"),
            "attributes are not about it",
        ),
    ];
    for (change, words) in cases {
        refused(&Sigstore::second(change).verify(), "invalid", words);
    }
}

#[test]
fn a_second_entry_about_something_else_and_stamps_that_are_gone() {
    let statement: Change = |body| {
        body["spec"]["hashedRekordV002"]["data"]["digest"] = "AAAA".into();
    };
    let certificate: Change = |body| {
        let verifier = &mut body["spec"]["hashedRekordV002"]["signature"]["verifier"];
        verifier["x509Certificate"]["rawBytes"] = "AAAA".into();
    };
    let kind: Change = |body| body["apiVersion"] = "0.0.1".into();
    for (body, words) in [
        (statement, "about another statement"),
        (certificate, "about another certificate"),
        (kind, "about another kind"),
    ] {
        let swapped = Sigstore {
            body,
            ..Sigstore::second(|_| {})
        };
        refused(&swapped.verify(), "invalid", words);
    }
    let none: Change = |bundle| {
        bundle["verificationMaterial"]["timestampVerificationData"] = json!({});
    };
    let many: Change = |bundle| {
        let stamps = vec![json!({ "signedTimestamp": "AAAA" }); 9];
        bundle["verificationMaterial"]["timestampVerificationData"] =
            json!({ "rfc3161Timestamps": stamps });
    };
    let garbage: Change = |bundle| {
        bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"][0] =
            json!({ "signedTimestamp": "MIAA" });
    };
    for (bundle, words) in [
        (none, "neither the log nor a time stamp"),
        (many, "has 9 time stamps"),
        (garbage, "it cannot be read"),
    ] {
        let changed = Sigstore {
            bundle,
            ..Sigstore::second(|_| {})
        };
        refused(&changed.verify(), "invalid", words);
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
