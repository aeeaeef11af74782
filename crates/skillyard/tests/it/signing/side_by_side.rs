//! Commands about keys that run at the same time: what each of them said stays.

use std::process::Stdio;

use super::{Signed, skill};

impl Signed {
    /// Runs commands at once; all must succeed.
    #[track_caller]
    fn at_once(&self, commands: &[Vec<String>]) {
        let start = |arguments: &Vec<String>| {
            let mut command = self.0.skillyard();
            command.args(arguments).stdout(Stdio::null());
            command.stderr(Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = commands.iter().map(start).collect();
        for (mut child, arguments) in children.into_iter().zip(commands) {
            assert!(child.wait().unwrap().success(), "{arguments:?}");
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn no_key_and_no_revocation_is_lost() {
    let signed = Signed::new();
    let names: Vec<String> = (0..8).map(|at| format!("key-{at}")).collect();
    for name in &names {
        signed.done(&["key", "generate", name]);
    }
    let (revoked, trusted) = names.split_at(4);
    let revoke = revoked.iter().map(|name| words(&["key", "revoke", name]));
    let trust = trusted.iter().map(|name| words(&["key", "trust", name]));
    signed.at_once(&revoke.chain(trust).collect::<Vec<_>>());
    let policy = signed.0.read("../home/.skillyard/trust.toml");
    assert_eq!(policy.matches("[[revoked]]").count(), 4, "{policy}");
    // The four, and the one that was there.
    assert_eq!(policy.matches("[[key]]").count(), 5, "{policy}");
}

#[test]
fn no_signer_that_was_seen_is_forgotten() {
    let signed = Signed::new();
    let names: Vec<String> = (0..8).map(|at| format!("skill-{at}")).collect();
    for name in &names {
        signed
            .0
            .write(&format!("{name}/SKILL.md"), skill(name, "1.0.0"));
        signed.done(&["sign", name]);
    }
    let verify = names.iter().map(|name| words(&["verify", name]));
    signed.at_once(&verify.collect::<Vec<_>>());
    let pins = signed.0.read("../home/.skillyard/pins.toml");
    assert_eq!(pins.matches("[[pin]]").count(), names.len(), "{pins}");
}
