//! `skillyard key`, `sign` and `verify`, and the attacks they are there for.

mod attacks;
mod delivered;
mod revoked;
mod revoked_here;
mod revoked_locked;
mod rotation;
mod side_by_side;
mod trust;
mod versions;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::Value;

use crate::TestContext;

/// A user with the trusted key `mine` and a skill `pdf` that it signed.
pub(crate) struct Signed(pub(crate) TestContext);

impl Signed {
    pub(crate) fn new() -> Self {
        let context = TestContext::new();
        context.write("pdf/SKILL.md", skill("pdf", "1.2.0"));
        context.write("pdf/scripts/run.sh", "echo hi\n");
        let signed = Self(context);
        signed.done(&["key", "generate", "mine"]);
        signed.done(&["key", "trust", "mine"]);
        signed.done(&["sign", "pdf"]);
        signed
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) {
        let told = self.0.tell(arguments);
        assert!(told.starts_with("exit status: 0"), "{arguments:?}: {told}");
    }

    /// What a command tells, with ids of keys as `[ID]` and times as `[TIME]`.
    fn tell(&self, arguments: &[&str]) -> String {
        masked(&self.0.tell(arguments))
    }

    /// The code and the reason of a verification that must fail.
    #[track_caller]
    fn refused(&self, folder: &str) -> String {
        assert_eq!(self.0.code(&["verify", folder]), Some(1));
        let answer = self.0.json(&["verify", folder, "--json"]);
        assert_eq!(answer["trusted"], false);
        let text = |field: &str| answer[field].as_str().unwrap().to_owned();
        masked(&format!("{}: {}", text("code"), text("reason")))
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.root().join(path)
    }
}

fn skill(name: &str, version: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Fills forms.\nmetadata:\n  version: {version}\n---\n\nDo.\n"
    )
}

/// `text` with every long or short id of a key as `[ID]`, and every time as `[TIME]`.
fn masked(text: &str) -> String {
    let is_id = |word: &str| {
        matches!(word.len(), 12 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_time = |word: &str| {
        (20..=24).contains(&word.len()) && word.starts_with("20") && word.ends_with('Z')
    };
    let mut masked = String::new();
    for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        masked += &if is_id(word) {
            piece.replace(word, "[ID]")
        } else {
            piece.to_owned()
        };
    }
    let words = masked
        .split_inclusive([' ', '\n', ',', ';', '"'])
        .map(|word| {
            let time = word.trim_end_matches([' ', '\n', ',', ';', '"']);
            if is_time(time) {
                word.replace(time, "[TIME]")
            } else {
                word.to_owned()
            }
        });
    words.collect()
}

#[test]
fn from_the_first_key_to_a_trusted_skill() {
    let context = TestContext::new();
    context.write("pdf/SKILL.md", skill("pdf", "1.2.0"));
    let tell = |arguments: &[&str]| masked(&context.tell(arguments));
    assert_snapshot!(tell(&["verify", "pdf"]), @"
    exit status: 1
    ----- stdout -----
    ✗ pdf: it is not signed
    ----- stderr -----
      folder     pdf

    hint: If it is yours, sign it with `skillyard sign DIR`
    ");
    assert_snapshot!(tell(&["sign", "pdf"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no key to sign with

    hint: Make one with `skillyard key generate NAME`
    ");
    assert_snapshot!(tell(&["key", "generate", "mine"]), @"
    exit status: 0
    ----- stdout -----
     + mine  ed25519  [ID]
    ----- stderr -----
    Keep `~/.skillyard/keys/mine.key` to yourself and hand out `~/.skillyard/keys/mine.pub`; trust it here with `skillyard key trust mine`
    ");
    assert_snapshot!(tell(&["sign", "pdf"]), @"
    exit status: 0
    ----- stdout -----
     + pdf/skill.oms.sig
    ----- stderr -----
    Signed `pdf` 1.2.0 (1 file) with `mine` (key [ID])
    ");
    assert_snapshot!(tell(&["verify", "pdf"]), @"
    exit status: 1
    ----- stdout -----
    ✗ pdf: no trust policy names this signer
    ----- stderr -----
      folder     pdf
      signed by  `mine`, a key of your own
      expected   nobody is trusted to sign this yet

    hint: Trust what you sign with `skillyard key trust mine`
    ");
    assert_snapshot!(tell(&["key", "trust", "mine"]), @"
    exit status: 0
    ----- stdout -----
     + mine  [ID]
    ----- stderr -----
    It may sign skills of every name; narrow that with `--scope GLOB`
    ");
    assert_snapshot!(tell(&["verify", "pdf", "--no-pin"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf 1.2.0: signed by `mine` (key [ID])
    ----- stderr -----
    1 file in `pdf` is as signed at [TIME]
    ");
    assert_snapshot!(tell(&["verify", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf 1.2.0: signed by `mine` (key [ID])
    ----- stderr -----
    1 file in `pdf` is as signed at [TIME]; this signer is remembered for this name
    ");
    assert_snapshot!(tell(&["verify", "./pdf/"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf 1.2.0: signed by `mine` (key [ID])
    ----- stderr -----
    1 file in `./pdf/` is as signed at [TIME]
    ");
    assert_snapshot!(tell(&["key", "list"]), @"
    exit status: 0
    ----- stdout -----
    ✓ mine  ed25519    [ID]  trusted, can sign
    ----- stderr -----
    ");
}

#[test]
fn the_answer_in_json() {
    let signed = Signed::new();
    let answer = signed.0.json(&["verify", "pdf", "--json"]);
    assert_eq!(answer["verdict"], "trusted");
    assert_eq!(answer["name"], "pdf");
    assert_eq!(answer["version"], "1.2.0");
    assert_eq!(answer["signer"]["kind"], "key");
    assert_eq!(answer["signer"]["name"], "mine");
    let listed = signed.0.json(&["key", "list", "--json"]);
    assert_eq!(listed["keys"][0]["id"], answer["signer"]["id"]);
    assert_eq!(listed["keys"][0]["own"], true);
    assert_eq!(listed["keys"][0]["status"], "trusted");
}

#[test]
fn where_it_came_from_is_signed_along() {
    let signed = Signed::new();
    signed.done(&[
        "sign",
        "pdf",
        "--source",
        "https://acme.example/skills",
        "--revision",
        "1f9c",
    ]);
    let answer = signed.0.json(&["verify", "pdf", "--json"]);
    assert_eq!(answer["source"], "https://acme.example/skills");
    assert_eq!(answer["revision"], "1f9c");
}

#[test]
fn a_private_key_is_for_its_owner_alone_and_never_printed() {
    let signed = Signed::new();
    let path = signed.0.home().join(".skillyard/keys/mine.key");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let secret = fs::read_to_string(&path).unwrap();
    let secret = secret.lines().nth(1).unwrap().to_owned();
    for arguments in [
        vec!["key", "list", "--json"],
        vec!["key", "generate", "mine"],
        vec!["sign", "pdf", "--json", "-v"],
        vec!["key", "trust", path.to_str().unwrap()],
    ] {
        let told = signed.0.tell(&arguments);
        assert!(!told.contains(&secret), "{arguments:?}");
    }
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let told = signed.tell(&["sign", "pdf"]);
    assert!(
        told.contains("anybody may read") && told.contains("chmod 600"),
        "{told}"
    );
}

#[test]
fn a_private_key_is_not_to_be_trusted() {
    let signed = Signed::new();
    let path = signed.0.home().join(".skillyard/keys/mine.key");
    assert_snapshot!(signed.tell(&["key", "trust", path.to_str().unwrap()]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `[HOME]/.skillyard/keys/mine.key` cannot be used as a key
      Caused by: it is a private key, and a public key is expected
    ");
}

#[test]
fn an_installed_skill_is_verified_by_its_name() {
    let signed = Signed::new();
    let home = signed.0.home().join(".agents/skills");
    fs::create_dir_all(&home).unwrap();
    fs::rename(signed.path("pdf"), home.join("pdf")).unwrap();
    signed.done(&["verify", "pdf"]);
    assert_snapshot!(signed.tell(&["verify", "pfd"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `pfd`

    hint: Did you mean `pdf`?
    ");
}

#[test]
fn a_skill_inside_the_binary_needs_no_signature() {
    let context = TestContext::new();
    let skills = context.json(&["list", "--json"])["skills"].clone();
    let builtin = |skill: &&Value| skill["source"] == "builtin";
    let skill = skills.as_array().unwrap().iter().find(builtin).unwrap();
    let name = skill["name"].as_str().unwrap();
    let told = context.tell(&["verify", name]);
    assert!(
        told.contains(&format!("✓ {name}: part of skillyard itself")),
        "{told}"
    );
    assert_eq!(context.json(&["verify", name, "--json"])["trusted"], true);
}

#[test]
fn wrong_usage() {
    let signed = Signed::new();
    for (arguments, words) in [
        (
            ["key", "generate", "../x"].as_slice(),
            "is not a name for a key",
        ),
        (
            &["key", "generate", "mine"],
            "there is a key `mine` already",
        ),
        (&["key", "trust", "mone"], "hint: Did you mean `mine`?"),
        (
            &["key", "trust", "nowhere/x.pub"],
            "`nowhere/x.pub` does not exist",
        ),
        (
            &["key", "trust", "pdf/SKILL.md"],
            "is nothing that can be trusted",
        ),
        (
            &["key", "trust", "https://github.com/acme/*"],
            "hint: Add `--issuer URL`",
        ),
        (
            &["key", "trust", "mine", "--expires", "soon"],
            "is not a time",
        ),
        (&["key", "revoke", "min"], "there is no key `min`"),
        (&["key", "revoke", "abcd"], "there is no key `abcd`"),
        (&["sign", "nowhere"], "`nowhere` does not exist"),
        (
            &["sign", "pdf", "--key", "mien"],
            "hint: Did you mean `mine`?",
        ),
    ] {
        let told = signed.tell(arguments);
        assert!(told.contains(words), "{arguments:?}: {told}");
        assert!(!told.starts_with("exit status: 0"), "{arguments:?}: {told}");
    }
    signed.done(&["key", "generate", "other"]);
    let told = signed.tell(&["sign", "pdf"]);
    assert!(
        told.contains("there are several keys to sign with: mine, other"),
        "{told}"
    );
}

#[test]
fn keys_and_signatures_are_written_down() {
    let signed = Signed::new();
    assert_eq!(signed.0.code(&["verify", "pdf"]), Some(0));
    signed.0.write("pdf/scripts/run.sh", "echo other\n");
    assert_eq!(signed.0.code(&["verify", "pdf"]), Some(1));
    signed.done(&["key", "forget", "pdf"]);
    signed.done(&["key", "rotate", "mine", "next"]);
    signed.done(&["key", "revoke", "mine", "--reason", "it was stolen"]);
    let log = fs::read_to_string(signed.path("../home/.skillyard/logs/audit.jsonl")).unwrap();
    let told: Vec<String> = log
        .lines()
        .map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            let word = |field: &str| event[field].as_str().unwrap_or("-").to_owned();
            let (kind, outcome) = (word("event"), word("outcome"));
            format!("{kind} {outcome} {}", word("skill"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "key.generated ok -",
            "key.trusted ok -",
            "skill.signed ok pdf",
            "signature.verified ok pdf",
            "signature.failed denied pdf",
            "key.forgotten ok pdf",
            "key.generated ok -",
            "key.trusted ok -",
            "key.revoked ok -",
        ]
    );
    assert!(log.contains("it was stolen"), "{log}");
}

#[test]
fn an_installation_does_not_call_a_trusted_signer_unverified() {
    let signed = Signed::new();
    signed.done(&["config", "set", "trust.local.ask", "install"]);
    let told = signed.tell(&["install", "./pdf"]);
    let says = "Somebody you trust signed this skill. It may still contain:";
    assert!(told.contains(says), "{told}");
    assert!(!told.contains("unverified source"), "{told}");
}
