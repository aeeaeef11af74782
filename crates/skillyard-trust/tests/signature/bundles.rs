//! Bundles and envelopes that are not what they should be.

use serde_json::{Value, json};

use crate::{
    Files, accepted, bundle, bundle_of, envelope, key, key_of, refused, signature, statement,
    trusting, unproven,
};
use skillyard_trust::signature::{Algorithm, SIGNATURE_FILE, SignatureStatus};

#[track_caller]
fn check(change: impl FnOnce(&mut Value), words: &str) {
    let key = key(1);
    let files = Files::new().with_bundle(&key, change);
    refused(&files.verify(&trusting(&[&key], "")), "invalid", words);
}

#[track_caller]
fn check_text(text: impl AsRef<[u8]>, words: &str) {
    let files = Files::new().with(SIGNATURE_FILE, text);
    refused(&files.verify(&trusting(&[&key(1)], "")), "invalid", words);
}

#[test]
fn texts_that_are_no_bundle() {
    check_text("", "is not proper JSON");
    check_text("null", "`mediaType` is missing");
    check_text(b"\xff\xfe", "is not proper JSON");
    check_text("[".repeat(1 << 20), "is not proper JSON");
    check_text(" ".repeat((4 << 20) + 1), "bytes, and at most");
}

#[test]
fn another_media_type() {
    check(
        |bundle| bundle["mediaType"] = "application/json".into(),
        "it is a `application/json`",
    );
}

#[test]
fn another_payload_type_under_the_same_bytes() {
    check(
        |bundle| bundle["dsseEnvelope"]["payloadType"] = "text/plain".into(),
        "of type `text/plain`",
    );
    // Also where the other type was really signed.
    let key = key(1);
    let text = statement(&Files::new().signed(&key)).to_string();
    check(
        |bundle| bundle["dsseEnvelope"] = envelope(&key, "text/plain", &text),
        "of type `text/plain`",
    );
}

#[test]
fn a_signature_over_another_type_does_not_count_for_this_one() {
    let key = key(1);
    let text = statement(&Files::new().signed(&key)).to_string();
    check(
        |bundle| {
            let other = signature(&key, "text/plain", &text);
            bundle["dsseEnvelope"]["signatures"][0]["sig"] = other.into();
        },
        "was not made by `mine`",
    );
}

#[test]
fn no_signature_and_two() {
    check(
        |bundle| bundle["dsseEnvelope"]["signatures"] = json!([]),
        "has 0 signatures",
    );
    check(
        |bundle| {
            let good = bundle["dsseEnvelope"]["signatures"][0].clone();
            let bad = json!({ "sig": "AAAA" });
            bundle["dsseEnvelope"]["signatures"] = json!([good, bad]);
        },
        "has 2 signatures",
    );
}

#[test]
fn a_key_that_stands_twice() {
    let key = key(1);
    let text = bundle_of(&Files::new().signed(&key)).to_string();
    for name in ["dsseEnvelope", "payload", "hint"] {
        let twice = text.replacen(
            &format!("\"{name}\":"),
            &format!("\"{name}\":0,\"{name}\":"),
            1,
        );
        check_text(twice, &format!("the key `{name}` is repeated"));
    }
}

#[test]
fn more_than_one_way_to_check_it() {
    check(
        |bundle| {
            bundle["verificationMaterial"]["x509CertificateChain"] = json!({ "certificates": [] });
        },
        "names 2 ways",
    );
    check(
        |bundle| bundle["verificationMaterial"] = json!({}),
        "names 0 ways",
    );
    check(
        |bundle| bundle["messageSignature"] = json!({}),
        "`dsseEnvelope`",
    );
}

#[test]
fn bytes_that_were_changed() {
    check(
        |bundle| {
            let other = signature(&key(1), "application/vnd.in-toto+json", "{}");
            bundle["dsseEnvelope"]["signatures"][0]["sig"] = other.into();
        },
        "was not made by `mine`",
    );
    check(
        |bundle| bundle["dsseEnvelope"]["signatures"][0]["sig"] = "%%%".into(),
        "`sig` is not base64",
    );
    check(
        |bundle| bundle["verificationMaterial"]["publicKey"]["hint"] = "ABC".into(),
        "`hint`",
    );
}

#[test]
fn no_bit_of_what_counts_can_be_flipped() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let signed = Files::new().signed(&key);
    let text = bundle_of(&signed).to_string().into_bytes();
    let counts = |bytes: &[u8]| {
        let bundle: Value = serde_json::from_slice(bytes).unwrap();
        let envelope = &bundle["dsseEnvelope"];
        (
            envelope["payload"].clone(),
            envelope["signatures"][0]["sig"].clone(),
        )
    };
    let mut harmless = 0;
    for at in 0..text.len() {
        let mut flipped = text.clone();
        flipped[at] ^= 1;
        let verification = signed
            .clone()
            .with(SIGNATURE_FILE, &flipped)
            .verify(&policy);
        if verification.status() == SignatureStatus::Trusted {
            assert_eq!(counts(&flipped), counts(&text), "byte {at}");
            harmless += 1;
        }
    }
    // Names of fields that nobody reads, such as `keyid`.
    assert!(harmless < 40, "{harmless}");
}

#[test]
fn a_signature_by_another_key_under_the_name_of_a_trusted_one() {
    let (good, evil) = (key(1), key(2));
    let files = Files::new().signed(&evil);
    let mut forged = bundle_of(&files);
    let id = good.public().unwrap().id().to_string();
    forged["verificationMaterial"]["publicKey"]["hint"] = id.into();
    let files = files.with(SIGNATURE_FILE, forged.to_string());
    refused(
        &files.verify(&trusting(&[&good], "")),
        "invalid",
        "was not made by `mine`",
    );
}

#[test]
fn a_stranger_is_told_from_a_broken_signature() {
    let (good, stranger) = (key(1), key(2));
    let policy = trusting(&[&good], "");
    let files = Files::new().signed(&stranger);
    unproven(
        &files.verify(&policy),
        "unknown-signer",
        "no trust policy names",
    );
    let mut broken = bundle_of(&files);
    let other = signature(&good, "application/vnd.in-toto+json", "{}");
    broken["dsseEnvelope"]["signatures"][0]["sig"] = other.into();
    let files = files.with(SIGNATURE_FILE, broken.to_string());
    refused(
        &files.verify(&policy),
        "invalid",
        "was not made by the unknown key",
    );
}

#[test]
fn a_stranger_whose_key_is_nowhere_is_said_to_be_unchecked() {
    let key = key(2);
    let files = Files::new().signed_otherwise(&key, |statement| {
        statement["predicate"]["skillyard"]
            .as_object_mut()
            .unwrap()
            .remove("publicKey");
    });
    let verification = files.verify(&trusting(&[], ""));
    unproven(&verification, "unknown-key", "could not be checked");
    assert_eq!(verification.pin(crate::now()), None);
}

#[test]
fn a_bundle_without_the_id_of_its_key_is_checked_with_all_of_them() {
    let (first, second) = (key(1), key_of(Algorithm::P256, 2));
    let payload = statement(&Files::new().signed(&second)).to_string();
    let mut old = bundle(&second, &payload);
    old["verificationMaterial"]["publicKey"] = json!({});
    let files = Files::new().with(SIGNATURE_FILE, old.to_string());
    accepted(&files.verify(&trusting(&[&first, &second], "")));
}
