//! Statements that are signed by a trusted key and still say nothing.

use serde_json::{Value, json};

use crate::{Files, accepted, bundle, key, refused, statement, trusting};
use skillyard_trust::signature::SIGNATURE_FILE;

#[track_caller]
fn check(change: impl FnOnce(&mut Value), code: &str, words: &str) {
    let key = key(1);
    let files = Files::new().signed_otherwise(&key, change);
    refused(&files.verify(&trusting(&[&key], "")), code, words);
}

/// Puts resources in place and makes the subject's digest fit them.
fn set_resources(statement: &mut Value, resources: Vec<Value>) {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    for each in &resources {
        hasher.update(hex::decode(each["digest"].as_str().unwrap()).unwrap());
    }
    statement["subject"][0]["digest"]["sha256"] = hex::encode(hasher.finalize()).into();
    statement["predicate"]["resources"] = resources.into();
}

fn resources(statement: &Value) -> Vec<Value> {
    statement["predicate"]["resources"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn a_statement_as_others_make_it_is_enough() {
    let key = key(1);
    let plain = |statement: &mut Value| {
        statement["predicate"]
            .as_object_mut()
            .unwrap()
            .remove("skillyard");
    };
    let files = Files::new().signed_otherwise(&key, plain);
    accepted(&files.verify(&trusting(&[&key], "")));
}

#[test]
fn statements_of_another_kind() {
    check(
        |statement| statement["_type"] = "https://in-toto.io/Statement/v0.1".into(),
        "invalid",
        "Statement/v0.1",
    );
    check(
        |statement| statement["predicateType"] = "https://slsa.dev/provenance/v1".into(),
        "invalid",
        "slsa.dev",
    );
}

#[test]
fn not_exactly_one_subject() {
    check(
        |statement| statement["subject"] = json!([]),
        "invalid",
        "about 0 subjects",
    );
    let twice = |statement: &mut Value| {
        let subject = statement["subject"][0].clone();
        statement["subject"] = json!([subject, subject]);
    };
    check(twice, "invalid", "about 2 subjects");
}

#[test]
fn a_list_that_is_empty_or_has_a_file_twice() {
    check(
        |statement| set_resources(statement, vec![]),
        "invalid",
        "lists 0 files",
    );
    let twice = |statement: &mut Value| {
        let mut all = resources(statement);
        all.push(all[0].clone());
        set_resources(statement, all);
    };
    check(twice, "invalid", "lists `SKILL.md` twice");
}

#[test]
fn paths_with_tricks() {
    for path in [
        "../SKILL.md",
        "/etc/passwd",
        "a/../b",
        "./SKILL.md",
        "a//b",
        "a/",
        "",
        "a\\b",
        "a\nb",
        "C:\\x",
        "a\u{0}b",
        "\u{1b}[2J",
    ] {
        let name = |statement: &mut Value| {
            let mut all = resources(statement);
            all[0]["name"] = path.into();
            set_resources(statement, all);
        };
        check(name, "invalid", "is not a plain path");
    }
}

#[test]
fn a_subject_that_is_not_made_of_the_files() {
    let other = |statement: &mut Value| {
        statement["subject"][0]["digest"]["sha256"] = "00".repeat(32).into();
    };
    check(other, "invalid", "subject digest");
    let order = |statement: &mut Value| {
        let mut all = resources(statement);
        all.reverse();
        statement["predicate"]["resources"] = all.into();
    };
    check(order, "invalid", "subject digest");
}

#[test]
fn what_a_statement_asks_to_leave_out_is_not_left_out() {
    let key = key(1);
    let smuggle = |statement: &mut Value| {
        statement["predicate"]
            .as_object_mut()
            .unwrap()
            .remove("skillyard");
        let left_out = &mut statement["predicate"]["serialization"]["ignore_paths"];
        *left_out = json!(["scripts", "."]);
        let all = resources(statement);
        set_resources(statement, vec![all[0].clone()]);
    };
    let files = Files::new().signed_otherwise(&key, smuggle);
    refused(
        &files.verify(&trusting(&[&key], "")),
        "changed",
        "`scripts/run.sh` was added",
    );
}

#[test]
fn only_whole_files_with_sha256() {
    let set = |field: &'static str, value: &'static str| {
        move |statement: &mut Value| statement["predicate"]["serialization"][field] = value.into()
    };
    check(set("method", "shards"), "invalid", "uses `shards`");
    check(set("hash_type", "blake2b"), "invalid", "uses `blake2b`");
    let weak = |statement: &mut Value| {
        let mut all = resources(statement);
        all[0]["algorithm"] = "md5".into();
        set_resources(statement, all);
    };
    check(weak, "invalid", "uses `md5`");
}

#[test]
fn our_part_must_fit_the_skill() {
    let set = |field: &'static str, value: &'static str| {
        move |statement: &mut Value| statement["predicate"]["skillyard"][field] = value.into()
    };
    check(set("name", "csv"), "other-name", "made for the skill `csv`");
    check(set("version", "9.9.9"), "invalid", "another version");
    check(set("signed", "yesterday"), "invalid", "`signed`");
    check(set("treeDigest", "sha256:0"), "invalid", "`treeDigest`");
    check(set("publicKey", "none"), "invalid", "`publicKey`");
}

#[test]
fn a_key_that_stands_twice_in_the_payload() {
    let key = key(1);
    let statement = statement(&Files::new().signed(&key)).to_string();
    let twice = statement.replacen("\"predicate\":", "\"predicate\":{},\"predicate\":", 1);
    let files = Files::new().with(SIGNATURE_FILE, bundle(&key, &twice).to_string());
    refused(
        &files.verify(&trusting(&[&key], "")),
        "invalid",
        "the key `predicate` is repeated",
    );
}
