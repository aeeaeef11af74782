//! Files that are not those that were signed.

use crate::{Files, SKILL, accepted, key, key_of, refused, trusting};
use skillyard_trust::signature::{Algorithm, SignatureStatus, Verification};

#[test]
fn what_is_signed_is_trusted_with_every_kind_of_key() {
    for algorithm in [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384] {
        let key = key_of(algorithm, 1);
        let verification = Files::new().signed(&key).verify(&trusting(&[&key], ""));
        accepted(&verification);
        let Verification::Trusted { facts, .. } = verification else {
            unreachable!("it is trusted")
        };
        assert_eq!(facts.name, "pdf");
        assert_eq!(facts.version.as_deref(), Some("1.2.0"));
    }
}

#[test]
fn nothing_may_be_changed_added_removed_or_renamed() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let signed = || Files::new().signed(&key);
    for (files, words) in [
        (
            signed().with("SKILL.md", SKILL.replace("Do.", "Do!")),
            "`SKILL.md` was changed",
        ),
        (
            signed().with("SKILL.md", SKILL.replace('\n', "\r\n")),
            "`SKILL.md` was changed",
        ),
        (signed().with("evil.sh", "rm"), "`evil.sh` was added"),
        (
            signed().with("scripts/.hidden", ""),
            "`scripts/.hidden` was added",
        ),
        (
            signed().with("skill.oms.sig.bak", ""),
            "`skill.oms.sig.bak` was added",
        ),
        (
            signed().with("sub/skill.oms.sig", ""),
            "`sub/skill.oms.sig` was added",
        ),
        (
            signed().without("scripts/run.sh"),
            "`scripts/run.sh` is missing",
        ),
        (
            signed()
                .without("scripts/run.sh")
                .with("scripts/go.sh", "echo hi\n"),
            "`scripts/run.sh` is now `scripts/go.sh`",
        ),
    ] {
        refused(&files.verify(&policy), "changed", words);
    }
}

#[test]
fn executable_bits_and_files_of_git_are_covered_by_the_tree_digest() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let mut files = Files::new().with(".gitignore", "x").signed(&key);
    accepted(&files.verify(&policy));
    let changed = files.clone().with(".gitignore", "y");
    refused(
        &changed.verify(&policy),
        "invalid",
        "executable bit or one of git's files",
    );
    let added = files.clone().with(".github/run.sh", "y");
    refused(
        &added.verify(&policy),
        "invalid",
        "executable bit or one of git's files",
    );
    files.0[0].1 = true;
    refused(
        &files.verify(&policy),
        "invalid",
        "executable bit or one of git's files",
    );
}

#[test]
fn the_repository_is_no_part_of_it_and_a_note_is_a_file_like_any_other() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let files = Files::new().signed(&key).with(".git/config", "x");
    accepted(&files.verify(&policy));
    let noted = files.with(".skillyard.json", "{}");
    let words = "`.skillyard.json` was added";
    refused(&noted.verify(&policy), "changed", words);
}

#[test]
fn what_a_signature_of_other_tools_leaves_out_was_signed_by_nobody() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let of_others = |statement: &mut serde_json::Value| {
        let predicate = statement["predicate"].as_object_mut();
        predicate.unwrap().remove("skillyard");
    };
    let files = Files::new().signed_otherwise(&key, of_others);
    accepted(&files.verify(&policy));
    let files = files.with(".github/run.py", "#!/usr/bin/env python3\n");
    let verification = files.verify(&policy);
    assert_eq!(verification.status(), SignatureStatus::Unproven);
    assert_eq!(verification.code(), "uncovered");
    assert_eq!(verification.pin(crate::now()), None);
    let reason = verification.reason().unwrap();
    assert_eq!(reason, "nobody signed `.github/run.py`");
}

#[test]
fn a_link_is_refused_even_where_all_files_are_right() {
    let key = key(1);
    let mut tree = Files::new().signed(&key).tree();
    tree.add_irregular("scripts/link");
    let verification = skillyard_trust::signature::verify_skill(
        &tree,
        &skillyard_trust::signature::SkillContext::default(),
        &trusting(&[&key], ""),
        crate::now(),
    );
    refused(
        &verification,
        "invalid",
        "`scripts/link` is not a regular file",
    );
}

#[test]
fn a_signature_of_another_skill_is_of_no_use() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let other = SKILL.replace("name: pdf", "name: csv");
    let moved = Files::new().signed(&key).with("SKILL.md", other);
    refused(&moved.verify(&policy), "changed", "`SKILL.md` was changed");
}

#[test]
fn a_second_skill_md_does_not_say_who_the_skill_is() {
    let key = key(1);
    let policy = trusting(&[&key], "scope = [\"pdf\"]");
    for (first, second) in [("SKILL.md", "skill.md"), ("SKILL.md", "Skill.md")] {
        let files = Files::new().with(first, SKILL.replace("name: pdf", "name: csv"));
        let files = files.with(second, SKILL).signed(&key);
        let verification = files.verify_at(&policy, None, None);
        refused(&verification, "out-of-scope", "skills called `csv`");
    }
}

#[test]
fn a_skill_keeps_the_name_it_was_signed_with() {
    let key = key(1);
    let policy = trusting(&[&key], "");
    let files = Files::new().signed(&key);
    let renamed = files.verify_at(&policy, Some("csv"), None);
    refused(
        &renamed,
        "other-name",
        "made for the skill `pdf`, and this one is called `csv`",
    );
}
