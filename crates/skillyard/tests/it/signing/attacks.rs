//! What a signature is there for: changed, swapped and older skills.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use serde_json::Value;
use skillyard_trust::signature::SigningKey;

use super::{Signed, skill};
use crate::TestContext;

#[test]
fn a_changed_tree() {
    let check = |change: &dyn Fn(&Signed)| {
        let signed = Signed::new();
        change(&signed);
        signed.refused("pdf")
    };
    let write = |path: &'static str, text: &'static str| {
        move |signed: &Signed| {
            signed.0.write(path, text);
        }
    };
    assert_snapshot!(check(&write("pdf/scripts/run.sh", "evil\n")), @"changed: the files are not those that were signed: `scripts/run.sh` was changed");
    assert_snapshot!(check(&write("pdf/scripts/more.sh", "evil\n")), @"changed: the files are not those that were signed: `scripts/more.sh` was added");
    let remove = |signed: &Signed| fs::remove_file(signed.path("pdf/scripts/run.sh")).unwrap();
    assert_snapshot!(check(&remove), @"changed: the files are not those that were signed: `scripts/run.sh` is missing");
    let rename = |signed: &Signed| {
        fs::rename(signed.path("pdf/scripts"), signed.path("pdf/tools")).unwrap();
    };
    assert_snapshot!(check(&rename), @"changed: the files are not those that were signed: `scripts/run.sh` is now `tools/run.sh`");
    let executable = |signed: &Signed| {
        let path = signed.path("pdf/scripts/run.sh");
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    };
    assert_snapshot!(check(&executable), @"invalid: an executable bit or one of git's files is not as it was signed");
    let link = |signed: &Signed| symlink("/etc/passwd", signed.path("pdf/scripts/link")).unwrap();
    assert_snapshot!(check(&link), @"invalid: `scripts/link` is not a regular file, and no signature can cover it");
    let nameless = |signed: &Signed| {
        let name = OsStr::from_bytes(b"x\xff");
        fs::write(signed.path("pdf/scripts").join(name), "evil\n").unwrap();
    };
    assert_snapshot!(check(&nameless), @"invalid: the name of `scripts/x\u{fffd}` is not plain text, and no signature can cover it");
}

#[test]
fn files_that_pass_for_litter_are_found() {
    let added = [
        (
            "scripts/__pycache__/run.cpython-312.pyc",
            "scripts/__pycache__/",
        ),
        ("scripts/evil.pyc", "scripts/evil.pyc"),
        ("__MACOSX/run.sh", "__MACOSX/"),
        ("node_modules/index.js", "node_modules/"),
        ("Thumbs.db", "Thumbs.db"),
        ("._run.sh", "._run.sh"),
    ];
    for (file, path) in added {
        let signed = Signed::new();
        signed.0.write(&format!("pdf/{file}"), "evil\n");
        let told = signed.refused("pdf");
        assert_eq!(
            told,
            format!("changed: the files are not those that were signed: `{path}` was added")
        );
        let answer = signed.0.json(&["verify", "pdf", "--json"]);
        assert_eq!(answer["litter"], serde_json::json!([path]));
        let told = signed.tell(&["verify", "pdf"]);
        assert!(told.contains("remove them and verify again"), "{told}");
        // Who signs is told that it is not signed.
        let told = signed.tell(&["sign", "pdf"]);
        let warning = format!("warning: `{path}` cannot be signed");
        assert!(told.contains(&warning), "{told}");
        let answer = signed.0.json(&["sign", "pdf", "--json"]);
        assert_eq!(answer["left_out"], serde_json::json!([path]));
        assert_eq!(signed.0.code(&["verify", "pdf"]), Some(1));
        fs::remove_file(signed.path(&format!("pdf/{file}"))).unwrap();
        signed.done(&["verify", "pdf"]);
    }
}

#[test]
fn a_word_that_is_two_skills_is_no_question() {
    let signed = Signed::new();
    signed.done(&["install", "./pdf", "--yes"]);
    for command in ["verify", "scan"] {
        let told = signed.tell(&[command, "pdf"]);
        assert!(told.starts_with("exit status: 2"), "{told}");
        let error = "`pdf` is both a folder here and a skill";
        assert!(told.contains(error), "{told}");
        assert!(
            told.contains("Write `./pdf` for the folder, or `"),
            "{told}"
        );
    }
    let answer = signed.0.json(&["verify", "./pdf", "--json"]);
    assert_eq!(answer["folder"], "./pdf");
    signed.done(&["scan", "./pdf"]);
    // Without the folder it is the skill, and which one is said.
    fs::rename(signed.path("pdf"), signed.path("other")).unwrap();
    let answer = signed.0.json(&["verify", "pdf", "--json"]);
    let folder = answer["folder"].as_str().unwrap();
    assert!(folder.ends_with("skills/pdf"), "{folder}");
    let told = signed.tell(&["scan", "pdf"]);
    assert!(told.contains("/skills/pdf`\nScanned 1 skill"), "{told}");
}

#[test]
fn a_signed_skill_has_no_other_name() {
    let signed = Signed::new();
    let told = signed.tell(&["install", "./pdf", "--name", "forms", "--yes"]);
    assert_snapshot!(told, @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: cannot install `pdf`
      Caused by: it is signed under its own name, so it cannot have another one here

    hint: Install it as `pdf`; in skills.toml that is its key
    ");
    assert!(!signed.path(".agents/skills/forms").exists());
}

#[test]
fn the_repository_does_not_matter_and_a_note_does() {
    let signed = Signed::new();
    signed.0.git(&["init", "--quiet", "pdf"]);
    signed.done(&["verify", "pdf"]);
    // Whoever hands it on can add one, and have it run.
    signed
        .0
        .write("pdf/.skillyard.json", "#!/bin/sh\necho evil\n");
    assert_snapshot!(signed.refused("pdf"), @"changed: the files are not those that were signed: `.skillyard.json` was added");
    let told = signed.tell(&["install", "./pdf", "--yes"]);
    assert!(told.starts_with("exit status: 1"), "{told}");
    assert!(told.contains("`.skillyard.json` was added"), "{told}");
    assert!(!signed.path(".agents/skills/pdf").exists());
    // Who signs it signs that, too.
    signed.done(&["sign", "pdf"]);
    signed.done(&["verify", "pdf"]);
    signed.0.write("pdf/.skillyard.json", "{}");
    assert_snapshot!(signed.refused("pdf"), @"changed: the files are not those that were signed: `.skillyard.json` was changed");
}

/// Signs anew as other tools do, which know nothing of what only ours carry.
fn sign_as_others_do(signed: &Signed) {
    let bundle = signed.path("pdf/skill.oms.sig");
    let mut value: Value = serde_json::from_slice(&fs::read(&bundle).unwrap()).unwrap();
    let envelope = &mut value["dsseEnvelope"];
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap());
    let mut statement: Value = serde_json::from_slice(&payload.unwrap()).unwrap();
    let predicate = statement["predicate"].as_object_mut();
    predicate.unwrap().remove("skillyard");
    let payload = statement.to_string();
    let kind = envelope["payloadType"].as_str().unwrap();
    let message = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
    let key = signed.0.read("../home/.skillyard/keys/mine.key");
    let key = SigningKey::from_pem(&key).unwrap();
    let signature = STANDARD.encode(key.sign(message.as_bytes()));
    envelope["payload"] = STANDARD.encode(payload).into();
    envelope["signatures"][0]["sig"] = signature.into();
    fs::write(bundle, value.to_string()).unwrap();
}

#[test]
fn what_a_signature_leaves_out_does_not_have_the_standing_of_its_signer() {
    let signed = Signed::new();
    sign_as_others_do(&signed);
    signed.done(&["verify", "pdf", "--no-pin"]);
    let plan = |signed: &Signed| {
        signed
            .0
            .json(&["install", "./pdf", "--dry-run", "--yes", "--json"])
    };
    assert!(plan(&signed)["checked"][0]["signer"].is_string());
    signed.0.write("pdf/.github/x.py", "print('evil')\n");
    signed.0.write("pdf/.gitignore", "#!/bin/sh\necho evil\n");
    assert_snapshot!(signed.refused("pdf"), @"uncovered: nobody signed `.github/x.py`, `.gitignore`");
    let answer = signed.0.json(&["verify", "pdf", "--json"]);
    let uncovered = serde_json::json!([".github/x.py", ".gitignore"]);
    assert_eq!(answer["uncovered"], uncovered);
    let plan = plan(&signed);
    assert!(plan["checked"][0]["signer"].is_null(), "{plan}");
    assert_ne!(plan["checked"][0]["tier"], "high", "{plan}");
    signed.done(&["install", "./pdf", "--yes"]);
    let lock = signed.0.read("../home/.skillyard/lock.toml");
    assert!(!lock.contains("signer"), "{lock}");
}

#[test]
fn a_signature_of_another_skill() {
    let signed = Signed::new();
    signed.0.write("csv/SKILL.md", skill("csv", "1.2.0"));
    fs::copy(
        signed.path("pdf/skill.oms.sig"),
        signed.path("csv/skill.oms.sig"),
    )
    .unwrap();
    assert_snapshot!(signed.refused("csv"), @"changed: the files are not those that were signed: `SKILL.md` was changed, `scripts/run.sh` is missing");
}

#[test]
fn a_renamed_skill() {
    let signed = Signed::new();
    fs::rename(signed.path("pdf"), signed.path("csv")).unwrap();
    assert_snapshot!(signed.refused("csv"), @"other-name: it was made for the skill `pdf`, and this one is called `csv`");
}

#[test]
fn an_older_version() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf"]);
    signed.0.write("pdf/SKILL.md", skill("pdf", "1.1.0"));
    assert_snapshot!(signed.tell(&["sign", "pdf"]), @"
    exit status: 0
    ----- stdout -----
     + pdf/skill.oms.sig
    ----- stderr -----
    Signed `pdf` 1.1.0 (2 files) with `mine` (key [ID])
    warning: it is version 1.1.0, and 1.2.0 was seen before
    ");
    assert_snapshot!(signed.tell(&["verify", "pdf"]), @"
    exit status: 1
    ----- stdout -----
    ✗ pdf: it is version 1.1.0, and 1.2.0 was seen before
    ----- stderr -----
      folder     pdf
      signed by  `mine` (key [ID])
      expected   `mine` (key [ID])

    hint: If you know why, start anew with `skillyard key forget pdf`
    ");
    signed.done(&["key", "forget", "pdf"]);
    signed.done(&["verify", "pdf"]);
}

#[test]
fn an_author_may_sign_the_same_version_again() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf"]);
    signed.0.write("pdf/scripts/run.sh", "echo better\n");
    signed.done(&["sign", "pdf"]);
    signed.done(&["verify", "pdf"]);
}

#[test]
fn another_signer_than_before() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf"]);
    signed.done(&["key", "generate", "other"]);
    signed.done(&["key", "trust", "other"]);
    signed.done(&["sign", "pdf", "--key", "other"]);
    assert_snapshot!(signed.tell(&["verify", "pdf"]), @"
    exit status: 1
    ----- stdout -----
    ✗ pdf: `pdf` was signed by key:[ID] before
    ----- stderr -----
      folder     pdf
      signed by  `other` (key [ID])
      expected   `mine` (key [ID])

    hint: If its author changed keys, ask for the statement that the old key signed, and run `skillyard key trust NEW.rotation.json`; else, if you know why, start anew with `skillyard key forget pdf`
    ");
    fs::remove_file(signed.path("pdf/skill.oms.sig")).unwrap();
    assert_snapshot!(signed.refused("pdf"), @"signature-removed: it is not signed, and `pdf` was signed by key:[ID] before");
}

#[test]
fn a_stranger_who_comes_first_takes_no_name() {
    let signed = Signed(TestContext::new());
    signed.0.write("pdf/SKILL.md", skill("pdf", "1.2.0"));
    signed.done(&["key", "generate", "stranger"]);
    signed.done(&["sign", "pdf"]);
    let install = ["install", "./pdf", "--yes", "--scope", "user"];
    signed.done(&install);
    signed.done(&["key", "generate", "mine"]);
    signed.done(&["key", "trust", "mine"]);
    signed.done(&["sign", "pdf", "--key", "mine"]);
    signed.done(&["verify", "./pdf", "--no-pin"]);
    fs::remove_file(signed.path("pdf/skill.oms.sig")).unwrap();
    signed.done(&install);
    signed.done(&["sign", "pdf", "--key", "mine"]);
    signed.done(&["update", "pdf", "--yes", "--scope", "user"]);
    // From then on it is the name of this one.
    signed.done(&["sign", "pdf", "--key", "stranger"]);
    assert_snapshot!(signed.tell(&install), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: `pdf` was not installed: its signature is refused
      Caused by: `pdf` was signed by key:[ID] before

    hint: If its author changed keys, ask for the statement that the old key signed, and run `skillyard key trust NEW.rotation.json`; else, if you know why, start anew with `skillyard key forget pdf`
    ");
}

#[test]
fn an_update_that_is_refused_ends_with_that() {
    let signed = Signed::new();
    signed.0.write("csv/SKILL.md", skill("csv", "1.0.0"));
    let user = ["--yes", "--scope", "user"];
    signed.done(&[&["install", "./pdf", "./csv"], &user[..]].concat());
    signed.0.write("pdf/SKILL.md", skill("pdf", "1.3.0"));
    let update = [&["update"], &user[..]].concat();
    let told = signed.tell(&update);
    let (told, time) = told.rsplit_once(" in ").unwrap();
    assert!(time.trim_end().ends_with('s'), "{time}");
    // The lines of a difference begin with blanks, also where they are empty.
    let trimmed = |told: &str| {
        told.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_snapshot!(trimmed(told), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
     ~ pdf
       SKILL.md
         @@ -3,5 +3,5 @@
          description: Fills forms.
          metadata:
         -  version: 1.2.0
         +  version: 1.3.0
          ---

     ! pdf: `pdf` was not updated: its signature is refused: the files are not those that were signed: `SKILL.md` was changed (Ask its author; what is installed stays as it is)
    Not updated: 1 skill; up to date: 1 (user scope)
    ");
    // What goes on is told with it.
    signed.0.write("csv/SKILL.md", skill("csv", "1.1.0"));
    let told = signed.tell(&update);
    assert!(told.starts_with("exit status: 1"), "{told}");
    assert!(
        told.contains("Updated 1 skill; not updated: 1 (user scope)"),
        "{told}"
    );
    assert_snapshot!(trimmed(&signed.tell(&[&["update", "pdf"], &user[..]].concat())), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
     ~ pdf
       SKILL.md
         @@ -3,5 +3,5 @@
          description: Fills forms.
          metadata:
         -  version: 1.2.0
         +  version: 1.3.0
          ---

    error: `pdf` was not updated: its signature is refused
      Caused by: the files are not those that were signed: `SKILL.md` was changed

    hint: Ask its author; what is installed stays as it is
    ");
    assert_eq!(signed.0.code(&[&update[..], &["--json"]].concat()), Some(1));
    let answer = signed.0.json(&[&update[..], &["--json"]].concat());
    assert_eq!(answer["unchanged"], serde_json::json!(["csv"]), "{answer}");
    assert_eq!(answer["failed"][0]["name"], "pdf", "{answer}");
    let reason = answer["failed"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("`pdf` was not updated: its signature is refused"),
        "{reason}"
    );
}

#[test]
fn a_wrong_key() {
    let signed = Signed::new();
    signed.done(&["key", "generate", "other"]);
    signed.done(&["sign", "pdf", "--key", "other"]);
    assert_snapshot!(signed.tell(&["verify", "pdf"]), @"
    exit status: 1
    ----- stdout -----
    ✗ pdf: no trust policy names this signer
    ----- stderr -----
      folder     pdf
      signed by  `other`, a key of your own
      expected   `mine` (key [ID])

    hint: Trust what you sign with `skillyard key trust other`
    ");
    // Where its secret half is not here, it is a stranger's.
    fs::remove_file(signed.path("../home/.skillyard/keys/other.key")).unwrap();
    let told = signed.tell(&["verify", "pdf"]);
    for words in [
        "signed by  the unknown key [ID]",
        "`skillyard key trust FILE`",
    ] {
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn broken_files_are_refused_with_their_reason() {
    let signed = Signed::new();
    let bundle = signed.0.read("pdf/skill.oms.sig");
    signed
        .0
        .write("pdf/skill.oms.sig", " ".repeat((4 << 20) + 1));
    let told = signed.refused("pdf");
    assert!(told.contains("and at most 4194304 are read"), "{told}");
    signed.0.write(
        "pdf/skill.oms.sig",
        bundle.replacen("\"payload\":", "\"payload\":1,\"payload\":", 1),
    );
    let told = signed.refused("pdf");
    assert!(told.contains("the key `payload` is repeated"), "{told}");
    signed.0.write(
        "pdf/skill.oms.sig",
        bundle.replacen("vnd.in-toto+json", "text", 1),
    );
    let told = signed.refused("pdf");
    assert!(
        told.contains("its payload is of type `application/text`"),
        "{told}"
    );
    signed
        .0
        .write("../home/.skillyard/trust.toml", "[[key]]\nnmae = 1\n");
    assert_eq!(signed.0.code(&["verify", "pdf"]), Some(2));
}
