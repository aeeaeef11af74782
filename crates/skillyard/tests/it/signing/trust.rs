//! Whom to believe: revoked, expired and rotated keys, and policies.

use insta::assert_snapshot;
use serde_json::Value;

use super::{Signed, masked, skill};
use crate::TestContext;
use crate::project::project;

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
fn a_name_of_several_keys_is_not_said_to_be_none() {
    let signed = Signed::new();
    signed.done(&["key", "generate", "other"]);
    signed.done(&["key", "trust", "mine", "--name", "acme"]);
    signed.done(&["key", "trust", "other", "--name", "acme"]);
    let told = signed.tell(&["key", "revoke", "acme"]);
    assert!(told.starts_with("exit status: 1"), "{told}");
    assert!(
        told.contains("error: `acme` names several keys: [ID], [ID]"),
        "{told}"
    );
    let listed = signed.0.json(&["key", "list", "--json"]);
    let id = listed["keys"][0]["id"].as_str().unwrap();
    signed.done(&["key", "revoke", &id[..12]]);
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
    let told = signed.tell(&["sign", "pdf", "--key", "mine"]);
    let warning = "warning: this key is not believed: this signer was trusted until [TIME]";
    assert!(told.contains(warning), "{told}");
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
fn a_key_behind_a_mark_of_an_editor_is_a_key() {
    let signed = Signed::new();
    let pem = signed.0.read("../home/.skillyard/keys/mine.pub");
    let user = TestContext::new();
    user.write("acme.pub", format!("\u{feff}{pem}"));
    assert_eq!(user.code(&["key", "trust", "acme.pub"]), Some(0));
    let file = signed.path("pdf").to_str().unwrap().to_owned();
    assert_eq!(user.code(&["verify", &file]), Some(0));
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
fn a_policy_whose_time_is_over_gives_way_to_the_next_one() {
    let signed = Signed::new();
    let pem = signed.0.read("../home/.skillyard/keys/mine.pub");
    for (version, expires) in [(1, "2020-01-01"), (2, "2098-01-01")] {
        let text = format!(
            "version = {version}\nexpires = \"{expires}\"\n[root]\nthreshold = 1\n\
             keys = [\"\"\"\n{pem}\"\"\"]\n"
        );
        let file = format!("acme-{version}.toml");
        signed.0.write(&file, text);
        signed.done(&["key", "policy", &file, "--key", "mine"]);
    }
    // As if it had been accepted in its time.
    let first = signed.0.read("acme-1.json");
    signed.0.write("../home/.skillyard/policy.json", first);
    let told = signed.tell(&["verify", "pdf"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    // What it revoked stays revoked only as long as it is there.
    assert!(
        told.contains("hint: Ask whoever hands it out for a newer one"),
        "{told}"
    );
    assert!(!told.contains("remove"), "{told}");
    signed.done(&["key", "generate", "stolen"]);
    signed.done(&["key", "revoke", "stolen"]);
    let told = signed.tell(&["key", "trust", "acme-2.json"]);
    assert!(told.contains("signed policy, version 2"), "{told}");
    signed.done(&["verify", "pdf"]);
    let told = signed.tell(&["key", "trust", "acme-1.json"]);
    assert!(told.starts_with("exit status: 1"), "{told}");
}

#[test]
fn a_policy_that_is_over_or_damaged_is_not_absent() {
    let signed = Signed::new();
    let context = &signed.0;
    let pem = context.read("../home/.skillyard/keys/mine.pub");
    let pdf = signed.path("pdf");
    context.write_skill("../home/.agents/skills/other");
    std::fs::rename(pdf, signed.path("../home/.agents/skills/pdf")).unwrap();
    let verified = context.json(&["verify", "../home/.agents/skills/pdf", "--json"]);
    let digest = verified["digest"].as_str().unwrap();
    let text = format!(
        "version = 1\nexpires = \"2020-01-01\"\n[root]\nthreshold = 1\n\
         keys = [\"\"\"\n{pem}\"\"\"]\n[[revoked]]\ndigest = \"{digest}\"\ntime = \"2019-01-01\"\n"
    );
    // What cannot be used is told once, with the file.
    context.write("bad.toml", text.replace("\ntime = ", "\ntimes = "));
    let told = context.tell(&["key", "policy", "bad.toml", "--key", "mine"]);
    assert!(told.contains("cannot use `bad.toml`"), "{told}");
    assert_eq!(told.matches("unknown field").count(), 1, "{told}");
    let told = context.tell(&["key", "trust", "nosuch.json"]);
    assert!(told.contains("`nosuch.json` does not exist"), "{told}");
    context.write("acme.toml", text);
    signed.done(&["key", "policy", "acme.toml", "--key", "mine"]);
    assert_eq!(context.in_prompt(&[]), "other, pdf");
    let policy = context.read("acme.json");
    context.write("../home/.skillyard/policy.json", policy);
    assert_eq!(context.in_prompt(&[]), "other");
    let told = context.tell(&["doctor"]);
    assert!(
        told.contains("for a newer one, signed by the key "),
        "{told}"
    );
    assert!(told.contains("what it revoked stays revoked"), "{told}");
    // What nobody can read could revoke anything.
    context.write("../home/.skillyard/policy.json", "junk");
    assert_eq!(context.in_prompt(&[]), "");
    let told = context.tell(&["list"]);
    assert!(told.contains("○ other  (disabled) held back"), "{told}");
    let told = context.tell(&["read", "other"]);
    assert!(
        told.contains("nobody knows whether the skill is revoked"),
        "{told}"
    );
}

#[test]
fn what_is_installed_is_listed_shown_and_removed_under_a_damaged_policy() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    context.write("../home/.skillyard/policy.json", "junk");
    context.done(&["list"]);
    let told = context.run(&["list"]);
    assert!(told.contains("○ pdf  (disabled) held back"), "{told}");
    let unknown = "nobody knows what is revoked: ";
    for command in [&["list", "--installed"][..], &["show", "pdf"]] {
        context.done(command);
        let told = context.run(command);
        assert!(told.contains(unknown), "{command:?}: {told}");
        context.json(&[command, &["--json"]].concat());
    }
    assert!(!context.run(&["show", "pdf"]).contains("skillyard remove"));
    context.refused(&["run", "pdf", "scripts/x.sh", "--yes"]);
    assert_eq!(context.in_prompt(&[]), "");
    // A chat goes on with the skills that nobody can revoke.
    let told = context.done(&["chat", "-p", "/skill-review"]);
    assert!(told.contains("+ skill skill-review"), "{told}");
    assert_eq!(told.matches(unknown).count(), 1, "{told}");
    assert_eq!(told.matches("cannot be read").count(), 1, "{told}");
    let told = context.refused(&["chat", "-p", "/pdf"]);
    assert!(told.contains("`pdf` cannot be used: held back"), "{told}");
    assert!(!told.contains("--allow"), "{told}");
    let told = context.done(&["remove", "pdf", "--scope", "user"]);
    assert!(told.contains(unknown), "{told}");
    assert!(!context.in_home(".agents/skills/pdf").exists());
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
