//! Who may sign what, and what was seen before.

use jiff::Timestamp;
use skillyard_trust::signature::{
    Pin, Policy, SIGNATURE_FILE, SignedPolicyError, SigningKey, Verification, accept_policy,
    rotate, sign_policy,
};

use crate::{Files, SKILL, accepted, bundle_of, envelope, key, now, refused, trusting, unproven};

fn version(version: &str) -> Files {
    Files::new().with("SKILL.md", SKILL.replace("1.2.0", version))
}

/// The policy after a skill was accepted.
fn pinned(mut policy: Policy, verification: &Verification) -> Policy {
    policy.pins = vec![verification.pin(now()).unwrap()];
    policy
}

fn id(key: &SigningKey) -> String {
    key.public().unwrap().id().to_string()
}

#[test]
fn a_wrong_key_is_a_stranger_and_the_expected_one_is_named() {
    let (mine, other) = (key(1), key(2));
    let verification = Files::new().signed(&other).verify(&trusting(&[&mine], ""));
    unproven(&verification, "unknown-signer", "no trust policy");
    let Verification::Untrusted {
        signer, expected, ..
    } = verification
    else {
        unreachable!("it is untrusted")
    };
    assert!(signer.to_string().contains(&id(&other)));
    assert_eq!(expected, [format!("`mine` (key {})", &id(&mine)[..12])]);
}

#[test]
fn a_revoked_key_is_refused_whatever_it_signed_and_whenever() {
    let key = key(1);
    let files = Files::new().signed(&key);
    let policy = trusting(&[&key], "");
    let seen = files.verify(&policy);
    let revocation = format!(
        "[[revoked]]\nid = \"{}\"\ntime = \"2026-11-01\"\nreason = \"stolen\"\n",
        id(&key)
    );
    let policy = policy.and(Policy::parse(&revocation).unwrap());
    refused(
        &files.verify(&policy),
        "revoked",
        "was revoked at 2026-11-01T00:00:00Z (stolen)",
    );
    refused(&files.verify(&pinned(policy, &seen)), "revoked", "stolen");
}

#[test]
fn one_skill_can_be_revoked_by_its_content() {
    let key = key(1);
    let files = Files::new().signed(&key);
    let text = format!(
        "[[revoked]]\ndigest = \"{}\"\ntime = \"2026-11-01\"\n",
        files.tree().digest()
    );
    let policy = trusting(&[&key], "").and(Policy::parse(&text).unwrap());
    refused(
        &files.verify(&policy),
        "revoked-content",
        "this very content was revoked",
    );
    // Without its signature, or with one that is broken, it is the same content.
    let broken = files.clone().with(SIGNATURE_FILE, "{}");
    for same in [files.without(SIGNATURE_FILE), broken] {
        refused(
            &same.verify(&policy),
            "revoked-content",
            "this very content",
        );
    }
    let fixed = version("1.2.1").signed(&key);
    accepted(&fixed.verify(&policy));
}

#[test]
fn a_signer_of_before_is_trusted_as_long_as_the_policy_says() {
    let (mine, other) = (key(1), key(2));
    let signer = format!("key:{}", id(&mine));
    let still = |policy: &Policy| policy.still_trusts(&signer, "pdf", "github:acme/skills");
    assert!(still(&trusting(&[&mine], "")));
    // What was accepted in its time stays accepted.
    assert!(still(&trusting(&[&mine], "expires = \"2020-01-01\"")));
    assert!(still(&trusting(&[&mine], "sources = [\"github:acme/*\"]")));
    assert!(!still(&trusting(&[&mine], "scope = [\"csv-*\"]")));
    assert!(!still(&trusting(&[&mine], "sources = [\"github:else/*\"]")));
    assert!(!still(&trusting(&[&other], "")));
    assert!(!still(&Policy::default()));
    let text = format!(
        "[[revoked]]\nid = \"{}\"\ntime = \"2026-11-01\"\n",
        id(&mine)
    );
    let policy = trusting(&[&mine], "").and(Policy::parse(&text).unwrap());
    assert!(!still(&policy));
    let told = policy.revocation_of_signer(&signer).unwrap().to_string();
    assert!(told.contains("was revoked"), "{told}");
    assert!(policy.revocation_of_signer("key:00").is_none());
}

#[test]
fn an_identity_of_before_is_trusted_whatever_it_ran_on() {
    let trusts = |pattern: &str, signer: &str| {
        let text = format!(
            "[[identity]]\nname = \"ci\"\nissuer = \"https://i\"\nidentity = \"{pattern}\"\n"
        );
        Policy::parse(&text)
            .unwrap()
            .still_trusts(signer, "pdf", "x")
    };
    let workflow = "sigstore:https://i https://h/acme/ci.yml";
    assert!(trusts("https://h/acme/ci.yml@refs/tags/*", workflow));
    assert!(trusts("https://h/acme/*", workflow));
    assert!(!trusts("https://h/else/*", workflow));
    assert!(!trusts(
        "https://h/acme/*",
        "sigstore:https://j https://h/acme/ci.yml"
    ));
    assert!(trusts(
        "ada@acme.example",
        "sigstore:https://i ada@acme.example"
    ));
    assert!(!trusts(
        "ada@acme.example",
        "sigstore:https://i eve@acme.example"
    ));
}

#[test]
fn a_key_has_its_time_its_names_and_its_sources() {
    let key = key(1);
    let files = Files::new().signed(&key);
    let check = |lines: &str| files.verify(&trusting(&[&key], lines));
    accepted(&check("expires = \"2026-11-15T12:00:01Z\""));
    refused(
        &check("expires = \"2026-11-15T12:00:00Z\""),
        "expired",
        "trusted until 2026-11-15",
    );
    refused(
        &check("not-before = \"2026-11-16\""),
        "not-yet-trusted",
        "from 2026-11-16",
    );
    accepted(&check("scope = [\"csv\", \"p*\"]"));
    refused(
        &check("scope = [\"csv\", \"pdf-*\"]"),
        "out-of-scope",
        "skills called `pdf`",
    );
    let policy = trusting(&[&key], "sources = [\"github:acme/*\"]");
    accepted(&files.verify_at(&policy, None, Some("github:acme/skills")));
    let elsewhere = files.verify_at(&policy, None, Some("github:acme-evil/skills"));
    refused(&elsewhere, "out-of-source", "from github:acme-evil/skills");
    let nowhere = files.verify_at(&policy, None, None);
    refused(&nowhere, "out-of-source", "from an unknown source");
}

#[test]
fn one_of_several_entries_is_enough() {
    let key = key(1);
    let files = Files::new().signed(&key);
    let csv = trusting(&[&key], "scope = [\"csv\"]");
    let pdf = trusting(&[&key], "scope = [\"pdf\"]");
    accepted(&files.verify(&csv.clone().and(pdf.clone())));
    accepted(&files.verify(&pdf.and(csv.clone())));
    let over = trusting(&[&key], "expires = \"2026-01-01\"");
    refused(
        &files.verify(&csv.and(over)),
        "out-of-scope",
        "skills called `pdf`",
    );
}

#[test]
fn what_was_accepted_in_time_stays_accepted() {
    let key = key(1);
    let files = Files::new().signed(&key);
    let mut policy = pinned(trusting(&[&key], ""), &files.verify(&trusting(&[&key], "")));
    policy.pins[0].seen = "2026-01-01".parse().unwrap();
    let until = "2026-02-01".parse().unwrap();
    policy.keys[0].scope.expires = Some(until);
    accepted(&files.verify(&policy));
    let newer = version("1.3.0").signed(&key);
    refused(&newer.verify(&policy), "expired", "trusted until");
}

#[test]
fn the_first_signer_of_a_name_is_pinned() {
    let (mine, other) = (key(1), key(2));
    let policy = trusting(&[&mine, &other], "");
    let first = Files::new().signed(&mine).verify(&policy);
    let policy = pinned(policy, &first);
    accepted(&version("1.3.0").signed(&mine).verify(&policy));
    let verification = version("1.3.0").signed(&other).verify(&policy);
    refused(
        &verification,
        "other-signer",
        &format!("signed by key:{} before", id(&mine)),
    );
}

#[test]
fn a_stranger_is_not_pinned() {
    let (mine, other) = (key(1), key(2));
    let strange = Files::new().signed(&other);
    assert_eq!(strange.verify(&Policy::default()).pin(now()), None);
    assert_eq!(strange.verify(&trusting(&[&mine], "")).pin(now()), None);
}

#[test]
fn a_signature_cannot_be_taken_away() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let policy = pinned(policy.clone(), &Files::new().signed(&key).verify(&policy));
    refused(
        &version("1.3.0").verify(&policy),
        "signature-removed",
        "it is not signed, and `pdf`",
    );
    unproven(
        &Files::new().verify(&Policy::default()),
        "unsigned",
        "not signed",
    );
}

#[test]
fn there_is_no_way_back_to_an_older_version() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let seen = Files::new().signed(&key).verify(&policy);
    let policy = pinned(policy, &seen);
    for (files, words) in [
        (
            version("1.1.9"),
            "it is version 1.1.9, and 1.2.0 was seen before",
        ),
        (version("1.2.0-rc.1"), "it is version 1.2.0-rc.1"),
        (version("new"), "cannot be told whether that is newer"),
        (
            Files::new().with("extra", ""),
            "version 1.2.0 again, with other content",
        ),
        (
            Files::new().with("SKILL.md", SKILL.replace("version: 1.2.0", "x: y")),
            "it has no version",
        ),
    ] {
        refused(&files.signed(&key).verify(&policy), "rollback", words);
    }
    accepted(&version("1.10").signed(&key).verify(&policy));
    accepted(&Files::new().signed(&key).verify(&policy));
}

#[test]
fn without_versions_the_time_of_signing_counts() {
    let key = key(1);
    let plain = || Files::new().with("SKILL.md", SKILL.replace("version: 1.2.0", "x: y"));
    let mut policy = trusting(&[&key], "");
    let seen = plain().signed(&key).verify(&policy);
    policy.pins = vec![Pin {
        signed: Some("2026-12-01".parse().unwrap()),
        ..seen.pin(now()).unwrap()
    }];
    let other = plain().with("extra", "").signed(&key);
    refused(
        &other.verify(&policy),
        "rollback",
        "it was signed at 2026-11-15T12:00:00Z",
    );
}

#[test]
fn a_rotation_must_come_from_the_old_key() {
    let (old, new, evil) = (key(1), key(2), key(3));
    let policy = trusting(&[&old, &new, &evil], "");
    let policy = pinned(policy.clone(), &Files::new().signed(&old).verify(&policy));
    let with = |statement: &str| {
        let mut policy = policy.clone();
        let quoted = serde_json::to_string(statement).unwrap();
        let text = format!("[[rotation]]\nstatement = {quoted}\n");
        policy.rotations = Policy::parse(&text).unwrap().rotations;
        version("1.3.0").signed(&new).verify(&policy)
    };
    accepted(&with(&rotate(&old, &new.public().unwrap(), now()).unwrap()));
    let by_others = rotate(&evil, &new.public().unwrap(), now()).unwrap();
    refused(&with(&by_others), "other-signer", "before");
    // The right words under the wrong signature.
    let kind = "application/vnd.skillyard.key-rotation+json";
    let words = serde_json::json!({
        "from": id(&old), "to": new.public().unwrap().to_pem(), "time": "2026-11-15",
    });
    let forged = envelope(&evil, kind, &words.to_string()).to_string();
    refused(&with(&forged), "other-signer", "before");
    let honest = envelope(&old, kind, &words.to_string()).to_string();
    accepted(&with(&honest));
    // A skill's signature is no rotation.
    let other = bundle_of(&Files::new().signed(&old))["dsseEnvelope"].to_string();
    refused(&with(&other), "other-signer", "before");
}

#[test]
fn a_typo_in_a_policy_is_an_error_and_not_a_loophole() {
    let pem = key(1).public().unwrap().to_pem();
    let entry = format!("[[key]]\nname = \"a\"\npublic-key = \"\"\"\n{pem}\"\"\"\n");
    for line in [
        "scpoe = [\"a\"]",
        "expires = \"soon\"",
        "scope = \"a\"",
        "revoked = true",
    ] {
        assert!(
            Policy::parse(&format!("{entry}{line}\n")).is_err(),
            "{line}"
        );
    }
    assert!(Policy::parse(&entry).is_ok());
}

fn policy_text(version: u64, threshold: usize, keys: &[&SigningKey], lines: &str) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|key| key.public().unwrap().to_pem())
        .collect();
    format!(
        "version = {version}\n{lines}\n[root]\nthreshold = {threshold}\nkeys = {}\n",
        serde_json::to_string(&keys).unwrap()
    )
}

#[test]
fn a_signed_policy_needs_enough_of_the_old_and_the_new_root_keys() {
    let (a, b, c) = (key(1), key(2), key(3));
    let sealed = |text: &str, keys: &[&SigningKey]| sign_policy(text, keys).unwrap();
    let first = policy_text(1, 2, &[&a, &b], "");
    let accept = |text: &str, current| accept_policy(text.as_bytes(), current, now());
    let too_few = accept(&sealed(&first, &[&a, &a, &c]), None).unwrap_err();
    assert!(
        too_few
            .to_string()
            .contains("signed by 1 of its own root keys, and 2 are needed")
    );
    let current = accept(&sealed(&first, &[&a, &b]), None).unwrap();
    let next = policy_text(2, 1, &[&c], "");
    let alone = accept(&sealed(&next, &[&c]), Some(&current)).unwrap_err();
    assert!(
        alone.to_string().contains("0 of its previous root keys"),
        "{alone}"
    );
    let old_only = accept(&sealed(&next, &[&a, &b]), Some(&current)).unwrap_err();
    assert!(
        old_only.to_string().contains("0 of its own root keys"),
        "{old_only}"
    );
    let current = accept(&sealed(&next, &[&a, &b, &c]), Some(&current)).unwrap();
    let back = policy_text(2, 1, &[&c], "");
    assert_eq!(
        accept(&sealed(&back, &[&c]), Some(&current)).unwrap_err(),
        SignedPolicyError::Rollback {
            found: 2,
            current: 2
        }
    );
}

#[test]
fn a_signed_policy_expires_and_cannot_be_changed() {
    let a = key(1);
    let text = policy_text(1, 1, &[&a], "expires = \"2026-11-15\"");
    let sealed = sign_policy(&text, &[&a]).unwrap();
    let accept = |sealed: &str, at: Timestamp| accept_policy(sealed.as_bytes(), None, at);
    let error = accept(&sealed, now()).unwrap_err();
    assert!(matches!(error, SignedPolicyError::Expired(_)), "{error}");
    assert!(accept(&sealed, "2026-11-14T00:00:00Z".parse().unwrap()).is_ok());
    let mut value: serde_json::Value = serde_json::from_str(&sealed).unwrap();
    let more = envelope(&a, "x", &text.replace("2026-11-15", "2036-11-15"));
    value["payload"] = more["payload"].clone();
    let error = accept(&value.to_string(), now()).unwrap_err();
    assert!(
        matches!(error, SignedPolicyError::Signatures { .. }),
        "{error}"
    );
    for threshold in [0, 2] {
        let text = policy_text(1, threshold, &[&a], "");
        assert_eq!(
            sign_policy(&text, &[&a]).unwrap_err(),
            SignedPolicyError::Root
        );
    }
    let twice = policy_text(1, 2, &[&a, &a], "");
    assert_eq!(
        sign_policy(&twice, &[&a]).unwrap_err(),
        SignedPolicyError::Root
    );
}

#[test]
fn a_signature_over_a_policy_is_none_over_a_skill() {
    let a = key(1);
    let text = policy_text(1, 1, &[&a], "");
    let sealed = sign_policy(&text, &[&a]).unwrap();
    let files = Files::new().with(SIGNATURE_FILE, sealed);
    refused(
        &files.verify(&trusting(&[&a], "")),
        "invalid",
        "`mediaType`",
    );
}
