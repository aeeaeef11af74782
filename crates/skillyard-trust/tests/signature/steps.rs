//! Steps back from what was seen, and who may take them.

use skillyard_trust::signature::{
    Policy, RequestedVersion, SkillContext, Verification, rotate, verify_skill,
};

use crate::{Files, SKILL, accepted, key, now, refused, trusting};

fn version(version: &str) -> Files {
    Files::new().with("SKILL.md", SKILL.replace("1.2.0", version))
}

fn verify(
    files: &Files,
    policy: &Policy,
    publisher: &str,
    asked: RequestedVersion<'_>,
) -> Verification {
    let place = SkillContext {
        folder: Some("pdf"),
        publisher: Some(publisher),
        asked,
        ..SkillContext::default()
    };
    verify_skill(&files.tree(), &place, policy, now())
}

/// The policy after a skill of a publisher was accepted.
fn after(mut policy: Policy, files: &Files, publisher: &str) -> Policy {
    let verification = verify(files, &policy, publisher, RequestedVersion::Newest);
    verification.pin(now()).unwrap().put_into(&mut policy.pins);
    policy
}

#[test]
fn an_older_state_comes_only_where_it_is_named_and_is_not_remembered() {
    let key = key(1);
    let policy = after(trusting(&[&key], ""), &version("2.0.0").signed(&key), "a");
    let old = version("1.0.0").signed(&key);
    for publisher in ["a", "b"] {
        let check = |asked| verify(&old, &policy, publisher, asked);
        refused(
            &check(RequestedVersion::Newest),
            "rollback",
            "2.0.0 was seen before",
        );
        refused(&check(RequestedVersion::Version("1")), "rollback", "2.0.0");
        refused(
            &check(RequestedVersion::Version("1.0.1")),
            "rollback",
            "2.0.0",
        );
        for asked in [RequestedVersion::Version("1.0.0"), RequestedVersion::Bytes] {
            let verification = check(asked);
            accepted(&verification);
            assert!(verification.step_back().is_some());
            assert_eq!(verification.pin(now()), None);
        }
        assert!(check(RequestedVersion::Older).pin(now()).is_some());
    }
    // Other bytes under a version are not that version.
    let other = version("2.0.0").with("extra", "").signed(&key);
    let check = |asked| verify(&other, &policy, "a", asked);
    refused(
        &check(RequestedVersion::Version("2.0.0")),
        "rollback",
        "again",
    );
    accepted(&check(RequestedVersion::Bytes));
}

#[test]
fn no_lock_brings_another_signer_or_none() {
    let (mine, other) = (key(1), key(2));
    let policy = trusting(&[&mine, &other], "");
    let policy = after(policy, &version("2.0.0").signed(&mine), "a");
    let check = |files: &Files| verify(files, &policy, "a", RequestedVersion::Bytes);
    refused(
        &check(&version("1.0.0").signed(&other)),
        "other-signer",
        "before",
    );
    refused(&check(&version("1.0.0")), "signature-removed", "not signed");
    // A name that is somebody's elsewhere is no stranger's here.
    let stranger = version("3.0.0").signed(&key(3));
    let elsewhere = |files: &Files| verify(files, &policy, "b", RequestedVersion::Newest);
    refused(&elsewhere(&stranger), "other-signer", "before");
    refused(
        &elsewhere(&version("3.0.0")),
        "signature-removed",
        "not signed",
    );
    accepted(&elsewhere(&version("1.0.0").signed(&other)));
}

#[test]
fn what_the_key_before_signed_is_older_and_nothing_else() {
    let (old, new) = (key(1), key(2));
    let mut policy = trusting(&[&old, &new], "");
    let statement = rotate(&old, &new.public().unwrap(), now()).unwrap();
    let quoted = serde_json::to_string(&statement).unwrap();
    let text = format!("[[rotation]]\nstatement = {quoted}\n");
    policy.rotations = Policy::parse(&text).unwrap().rotations;
    let policy = after(policy, &version("2.0.0").signed(&new), "a");
    let files = |version: &str| self::version(version).signed(&old);
    // Another place to have it from makes it no newer.
    for publisher in ["a", "b"] {
        let check = |version: &str, asked| verify(&files(version), &policy, publisher, asked);
        accepted(&check("1.0.0", RequestedVersion::Bytes));
        refused(
            &check("1.0.0", RequestedVersion::Newest),
            "rollback",
            "2.0.0",
        );
        refused(
            &check("3.0.0", RequestedVersion::Bytes),
            "other-signer",
            "before",
        );
        refused(
            &check("3.0.0", RequestedVersion::Newest),
            "other-signer",
            "before",
        );
        // Signed at the same time as the other, it would take its place.
        refused(
            &check("2.0.0", RequestedVersion::Newest),
            "other-signer",
            "before",
        );
    }
}
