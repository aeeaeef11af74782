//! `skillyard key`, `sign` and `verify`, and the attacks they are there for.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use insta::assert_snapshot;
use serde_json::Value;

use crate::TestContext;

/// A user with the trusted key `mine` and a skill `pdf` that it signed.
struct Signed(TestContext);

impl Signed {
    fn new() -> Self {
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
      signed by  the unknown key [ID]
      expected   nobody is trusted to sign this yet

    hint: If you know whose it is, get their public key and run `skillyard key trust FILE`
    ");
    assert_snapshot!(tell(&["key", "trust", "mine"]), @"
    exit status: 0
    ----- stdout -----
     + mine  [ID]
    ----- stderr -----
    It may sign skills of every name; narrow that with `--scope GLOB`
    ");
    assert_snapshot!(tell(&["verify", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf 1.2.0: signed by `mine` (key [ID])
    ----- stderr -----
    1 file is as signed at [TIME]; this signer is remembered for this name
    ");
    assert_snapshot!(tell(&["verify", "./pdf/"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf 1.2.0: signed by `mine` (key [ID])
    ----- stderr -----
    1 file is as signed at [TIME]
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
}

#[test]
fn the_repository_and_the_installers_note_do_not_matter() {
    let signed = Signed::new();
    signed
        .0
        .write("pdf/.git/config", "x")
        .write("pdf/.skillyard.json", "{}");
    signed.done(&["verify", "pdf"]);
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
      signed by  `other` (key [ID])
      expected   `mine` (key [ID])

    hint: If you know why, start anew with `skillyard key forget pdf`
    ");
    fs::remove_file(signed.path("pdf/skill.oms.sig")).unwrap();
    assert_snapshot!(signed.refused("pdf"), @"signature-removed: it is not signed, and `pdf` was signed by key:[ID] before");
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
      signed by  the unknown key [ID]
      expected   `mine` (key [ID])

    hint: If you know whose it is, get their public key and run `skillyard key trust FILE`
    ");
}

#[test]
fn a_revoked_key() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf"]);
    assert_snapshot!(signed.tell(&["key", "revoke", "mine", "--reason", "stolen"]), @"
    exit status: 0
    ----- stdout -----
     - [ID]
    ----- stderr -----
    Nothing it signed is believed any more
    ");
    assert_snapshot!(signed.refused("pdf"), @"revoked: key [ID] was revoked at [TIME] (stolen)");
    let listed = signed.tell(&["key", "list"]);
    assert!(listed.contains("revoked, can sign, stolen"), "{listed}");
    for arguments in [
        ["key", "trust", "mine"].as_slice(),
        &["key", "rotate", "mine", "new"],
        &["sign", "pdf"],
    ] {
        let told = signed.tell(arguments);
        assert!(told.starts_with("exit status: 1"), "{told}");
        assert!(told.contains("error: `[ID]` is revoked"), "{told}");
    }
    assert_snapshot!(signed.tell(&["key", "revoke", "mine"]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: it is revoked already
    ");
}

#[test]
fn a_skill_is_revoked_by_its_digest() {
    let signed = Signed::new();
    let digest = signed.0.json(&["verify", "pdf", "--json"])["digest"].clone();
    signed.done(&["key", "revoke", digest.as_str().unwrap()]);
    assert_snapshot!(signed.refused("pdf"), @"revoked-content: this very content was revoked at [TIME]");
}

#[test]
fn an_expired_key_and_one_out_of_scope() {
    let signed = Signed::new();
    signed.done(&["key", "trust", "mine", "--expires", "2020-01-01"]);
    assert_snapshot!(signed.refused("pdf"), @"expired: this signer was trusted until [TIME]");
    signed.done(&["key", "trust", "mine", "--scope", "csv-*"]);
    assert_snapshot!(signed.refused("pdf"), @"out-of-scope: this signer is not trusted to sign skills called `pdf`");
    signed.done(&["key", "trust", "mine", "--source", "github:acme/*"]);
    assert_snapshot!(signed.refused("pdf"), @"out-of-source: this signer is not trusted to sign skills from an unknown source");
    signed.done(&["verify", "pdf", "--source", "github:acme/skills"]);
}

#[test]
fn a_signer_can_be_asked_for() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf", "--require=mine"]);
    signed.done(&["verify", "--require", "pdf"]);
    let told = signed.tell(&["verify", "pdf", "--require=acme"]);
    assert!(
        told.contains("✗ pdf: it is not signed by `acme`, who was asked for"),
        "{told}"
    );
    assert!(told.starts_with("exit status: 1"), "{told}");
}

#[test]
fn a_rotated_key_is_followed_and_the_old_one_signs_nothing_new() {
    let signed = Signed::new();
    signed.done(&["verify", "pdf"]);
    assert_snapshot!(signed.tell(&["key", "rotate", "mine", "mine-2"]), @"
    exit status: 0
    ----- stdout -----
     ~ mine -> mine-2  [ID]
    ----- stderr -----
    Hand out `~/.skillyard/keys/mine-2.rotation.json`: who trusts `mine` follows with `skillyard key trust`
    ");
    // What was accepted before stays accepted.
    signed.done(&["verify", "pdf"]);
    signed.0.write("pdf/SKILL.md", skill("pdf", "1.3.0"));
    signed.done(&["sign", "pdf", "--key", "mine"]);
    assert_snapshot!(signed.refused("pdf"), @"expired: this signer was trusted until [TIME]");
    signed.done(&["sign", "pdf", "--key", "mine-2"]);
    signed.done(&["verify", "pdf"]);
}

#[test]
fn a_rotation_is_accepted_only_where_the_old_key_is_trusted() {
    let signed = Signed::new();
    signed.done(&["key", "rotate", "mine", "mine-2"]);
    let keys = signed.0.home().join(".skillyard/keys");
    let statement = keys.join("mine-2.rotation.json");
    let statement = statement.to_str().unwrap();
    let old = keys.join("mine.pub");
    let other = TestContext::new();
    let told = masked(&other.tell(&["key", "trust", statement]));
    assert!(
        told.contains("that would be replaced is not trusted here"),
        "{told}"
    );
    assert_eq!(
        other.code(&["key", "trust", old.to_str().unwrap(), "--scope", "pdf"]),
        Some(0)
    );
    assert_eq!(other.code(&["key", "trust", statement]), Some(0));
    let listed = other.json(&["key", "list", "--json"]);
    let status: Vec<&Value> = (0..2).map(|at| &listed["keys"][at]["status"]).collect();
    assert_eq!(status, ["expired", "trusted"]);
    assert_eq!(listed["keys"][1]["scope"][0], "pdf");
    // A statement with another signature.
    let forged = signed
        .0
        .read("../home/.skillyard/keys/mine-2.rotation.json");
    let forged = forged.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1);
    other.write("forged.json", forged);
    let told = masked(&other.tell(&["key", "trust", "forged.json"]));
    assert!(
        told.contains("is not signed by the key [ID] that it replaces"),
        "{told}"
    );
}

#[test]
fn a_policy_that_is_handed_out() {
    let signed = Signed::new();
    let pem = signed.0.read("../home/.skillyard/keys/mine.pub");
    let policy = |version: u32| {
        format!(
            "version = {version}\n[root]\nthreshold = 1\nkeys = [\"\"\"\n{pem}\"\"\"]\n\
             [[key]]\nname = \"acme\"\npublic-key = \"\"\"\n{pem}\"\"\"\nscope = [\"pdf\"]\n"
        )
    };
    for version in [1, 2] {
        signed
            .0
            .write(&format!("acme-{version}.toml"), policy(version));
        signed.done(&[
            "key",
            "policy",
            &format!("acme-{version}.toml"),
            "--key",
            "mine",
        ]);
    }
    let user = TestContext::new();
    let file = |name: &str| signed.path(name).to_str().unwrap().to_owned();
    assert_eq!(user.code(&["verify", &file("pdf")]), Some(1));
    let told = user.tell(&["key", "trust", &file("acme-2.json")]);
    assert!(told.contains("signed policy, version 2"), "{told}");
    assert_eq!(user.code(&["verify", &file("pdf")]), Some(0));
    let told = user.tell(&["key", "trust", &file("acme-1.json")]);
    assert!(
        told.contains("the policy is version 1, and version 2 is in use"),
        "{told}"
    );
    assert!(told.starts_with("exit status: 1"), "{told}");
    // A changed policy is not used at all.
    let stored = user.read("../home/.skillyard/policy.json");
    user.write(
        "../home/.skillyard/policy.json",
        stored.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1),
    );
    assert_eq!(user.code(&["verify", &file("pdf")]), Some(2));
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
fn an_identity_and_the_trust_root_it_needs() {
    let signed = Signed::new();
    let identity = [
        "key",
        "trust",
        "dev@acme.example",
        "--issuer",
        "https://issuer.example",
    ];
    signed.done(&identity);
    let listed = signed.tell(&["key", "list"]);
    let expected = "identity   dev@acme.example (https://issuer.example)  trusted";
    assert!(listed.contains(expected), "{listed}");
    signed
        .0
        .write("root.json", "{\"certificateAuthorities\": []}");
    let told = signed.tell(&["key", "trust", "root.json"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(
        told.contains("the Sigstore trust root cannot be read: `tlogs` is missing"),
        "{told}"
    );
    signed.done(&["verify", "pdf"]);
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
