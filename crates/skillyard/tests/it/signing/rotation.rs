//! Keys that hand over to others: once, and not for longer than they were trusted.

use jiff::Timestamp;
use serde_json::Value;
use skillyard_trust::signature::{PublicKey, ReleaseDetails, SigningKey, Tree, rotate, sign};

use super::{Signed, skill};

impl Signed {
    /// The state of a key in `key list`.
    fn state(&self, name: &str) -> String {
        let listed = self.0.json(&["key", "list", "--json"]);
        let keys = listed["keys"].as_array().unwrap();
        let key = keys.iter().find(|key| key["name"] == name).unwrap();
        key["status"].as_str().unwrap().to_owned()
    }

    /// Signs a skill that has nothing but instructions with `mine`, as if it were then.
    fn sign_at(&self, version: &str, time: &str) {
        let text = skill("old", version);
        let key = self.0.read("../home/.skillyard/keys/mine.key");
        let key = SigningKey::from_pem(&key).unwrap();
        let mut tree = Tree::default();
        tree.add("SKILL.md", false, text.as_bytes());
        let details = ReleaseDetails {
            signed: time.parse().unwrap(),
            ..ReleaseDetails::default()
        };
        let bundle = sign(&tree, "old", &details, &key).unwrap();
        self.0.write("old/SKILL.md", text);
        self.0.write("old/skill.oms.sig", bundle);
    }

    /// A statement of `mine` that names another key, made at any time.
    fn statement(&self, to: &str, time: &str) {
        let read = |name: &str| self.0.read(&format!("../home/.skillyard/keys/{name}"));
        let old = SigningKey::from_pem(&read("mine.key")).unwrap();
        let new = PublicKey::from_pem(&read(&format!("{to}.pub"))).unwrap();
        let time: Timestamp = time.parse().unwrap();
        self.0
            .write("made.rotation.json", rotate(&old, &new, time).unwrap());
    }
}

#[test]
fn a_statement_that_was_followed_changes_nothing_more() {
    let signed = Signed::new();
    signed.done(&["key", "rotate", "mine", "next"]);
    let statement = "../home/.skillyard/keys/next.rotation.json";
    let told = signed.tell(&["key", "trust", statement]);
    assert!(told.starts_with("exit status: 0"), "{told}");
    assert!(told.contains("Nothing to do"), "{told}");
    assert_eq!(signed.state("next"), "trusted");
    // A statement that was lost can be made again.
    signed.done(&["key", "rotate", "mine", "next"]);
    let told: Value = signed.0.json(&["key", "trust", statement, "--json"]);
    assert_eq!(told["changed"], false);
    assert_eq!(signed.state("next"), "trusted");
    assert_eq!(signed.state("mine"), "expired");
    signed.done(&["sign", "pdf", "--key", "next"]);
    signed.done(&["verify", "pdf"]);
}

#[test]
fn a_key_whose_time_is_over_hands_nothing_over() {
    let signed = Signed::new();
    signed.done(&["key", "rotate", "mine", "next"]);
    signed.done(&["key", "generate", "stranger"]);
    signed.statement("stranger", "2099-01-01T00:00:00Z");
    for arguments in [
        ["key", "trust", "made.rotation.json"].as_slice(),
        &["key", "rotate", "mine", "third"],
    ] {
        let told = signed.tell(arguments);
        assert!(told.starts_with("exit status: 1"), "{told}");
        assert!(told.contains("so it cannot hand over"), "{told}");
    }
    assert_eq!(signed.state("mine"), "expired");
    assert_eq!(signed.state("stranger"), "untrusted");
}

#[test]
fn a_statement_of_the_future_does_not_lengthen_the_time_of_its_key() {
    let signed = Signed::new();
    signed.done(&["key", "trust", "mine", "--expires", "2098-01-01"]);
    signed.done(&["key", "generate", "next"]);
    signed.statement("next", "2099-01-01T00:00:00Z");
    signed.done(&["key", "trust", "made.rotation.json", "--name", "next"]);
    assert_eq!(signed.state("mine"), "expired");
    assert_eq!(signed.state("next"), "trusted");
}

#[test]
fn what_a_key_signed_before_it_handed_over_stays_good() {
    let signed = Signed::new();
    signed.sign_at("1.0.0", "2024-01-01T00:00:00Z");
    signed.done(&["key", "rotate", "mine", "next"]);
    signed.done(&["install", "./old", "--yes"]);
    let lock = signed.0.read("../home/.skillyard/lock.toml");
    assert!(lock.contains("signer = \"key:"), "{lock}");
    // Where nobody has a part in what was signed since, the old key is of no use.
    signed.0.write("new/SKILL.md", skill("new", "1.0.0"));
    signed.done(&["sign", "new", "--key", "mine"]);
    let told = signed.0.refused(&["install", "./new", "--yes"]);
    assert!(told.contains("this signer was trusted until"), "{told}");
    assert!(!told.contains("--except"), "{told}");
    // Nor where the one that came after it is not believed any more.
    signed.done(&["key", "forget", "old"]);
    signed.done(&["key", "revoke", "next"]);
    assert!(signed.refused("./old").starts_with("expired"));
}

#[test]
fn a_time_that_is_over_for_another_reason_is_over_for_all() {
    let signed = Signed::new();
    signed.sign_at("1.0.0", "2020-01-01T00:00:00Z");
    signed.done(&["key", "trust", "mine", "--expires", "2021-01-01"]);
    assert!(signed.refused("./old").starts_with("expired"));
}

#[test]
fn no_key_follows_itself() {
    let signed = Signed::new();
    let told = signed.tell(&["key", "rotate", "mine", "mine"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(
        told.contains("the key `mine` cannot follow itself"),
        "{told}"
    );
}
