//! Passphrases of keys: set, asked for, wrong, changed and taken off.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;

use insta::assert_snapshot;

use crate::{TestContext, output, text};

const PASSPHRASE: &str = "correct horse battery staple";

/// A user with a skill `pdf`, and files with passphrases that only they may read.
fn user() -> TestContext {
    let context = TestContext::new();
    context.write_skill("pdf");
    secret(&context, "old.txt", PASSPHRASE);
    secret(&context, "new.txt", "another one");
    context
}

fn secret(context: &TestContext, name: &str, passphrase: &str) {
    let mut options = fs::OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(context.root().join(name)).expect("a new file");
    writeln!(file, "{passphrase}").expect("it is written");
}

fn key_file(context: &TestContext) -> PathBuf {
    context.folder.path().join("home/.skillyard/keys/mine.key")
}

fn generate(context: &TestContext) {
    let arguments = ["key", "generate", "mine", "--passphrase-file", "old.txt"];
    assert_eq!(context.code(&arguments), Some(0));
}

/// The last lines of a command that fails, with the passphrase in the environment.
fn fails_with(context: &TestContext, passphrase: Option<&str>, arguments: &[&str]) -> String {
    let mut command = context.skillyard();
    command.args(arguments);
    if let Some(passphrase) = passphrase {
        command.env("SKILLYARD_KEY_PASSPHRASE", passphrase);
    }
    let output = output(&mut command);
    assert!(!output.status.success(), "{arguments:?}");
    format!("{:?}\n{}", output.status.code(), text(&output.stderr))
}

#[test]
fn a_key_is_encrypted_and_its_owner_signs() {
    let context = user();
    generate(&context);
    let file = key_file(&context);
    let pem = fs::read_to_string(&file).unwrap();
    assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let keys = context.json(&["key", "list", "--json"]);
    assert_eq!(keys["keys"][0]["passphrase"], true);
    assert!(
        context
            .run(&["key", "list"])
            .contains("can sign with its passphrase")
    );
    assert_eq!(
        context.code(&["sign", "pdf", "--passphrase-file", "old.txt"]),
        Some(0)
    );
    let mut command = context.skillyard();
    command
        .args(["sign", "pdf"])
        .env("SKILLYARD_KEY_PASSPHRASE", PASSPHRASE);
    let signed = output(&mut command);
    assert!(signed.status.success());
    let told = text(&signed.stdout) + &text(&signed.stderr);
    assert!(!told.contains("horse"), "{told}");
}

#[test]
fn a_wrong_or_missing_passphrase_says_so() {
    let context = user();
    generate(&context);
    assert_snapshot!(fails_with(&context, Some("wrong"), &["sign", "pdf"]), @r"
    Some(1)
    error: the passphrase does not open the key `mine`
    ");
    assert_snapshot!(fails_with(&context, None, &["sign", "pdf"]), @r"
    Some(2)
    error: the key `mine` is under a passphrase, and nobody can be asked for it

    hint: Give it with `--passphrase-file FILE`, or in SKILLYARD_KEY_PASSPHRASE
    ");
    let open = context.root().join("old.txt");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    let told = fails_with(
        &context,
        None,
        &["sign", "pdf", "--passphrase-file", "old.txt"],
    );
    assert!(told.contains("which holds a passphrase"), "{told}");
    assert!(!context.root().join("pdf/skill.oms.sig").exists());
}

#[test]
fn a_passphrase_is_changed_and_taken_off() {
    let context = user();
    generate(&context);
    let id = context.json(&["key", "list", "--json"])["keys"][0]["id"].clone();
    let change = [
        "key",
        "passphrase",
        "mine",
        "--passphrase-file",
        "old.txt",
        "--new-passphrase-file",
        "new.txt",
    ];
    assert_eq!(context.code(&change), Some(0));
    assert_eq!(context.code(&change), Some(1), "the old one opens nothing");
    assert_eq!(
        context.code(&["sign", "pdf", "--passphrase-file", "new.txt"]),
        Some(0)
    );
    let remove = [
        "key",
        "passphrase",
        "mine",
        "--remove",
        "--passphrase-file",
        "new.txt",
        "--json",
    ];
    assert_eq!(context.json(&remove)["passphrase"], false);
    assert_eq!(context.code(&["sign", "pdf"]), Some(0));
    let keys = context.json(&["key", "list", "--json"]);
    assert_eq!(keys["keys"][0]["id"], id, "it is the same key");
    assert_eq!(keys["keys"][0]["passphrase"], false);
    let change = ["key", "passphrase", "mine", "--passphrase-file", "new.txt"];
    let told = fails_with(&context, None, &change);
    assert!(told.contains("`--new-passphrase-file FILE`"), "{told}");
}

#[test]
fn a_new_key_is_guarded_like_the_old_one() {
    let context = user();
    generate(&context);
    let rotate = [
        "key",
        "rotate",
        "mine",
        "next",
        "--passphrase-file",
        "old.txt",
    ];
    assert_eq!(context.code(&rotate), Some(0));
    let sign = ["sign", "pdf", "--key", "next"];
    assert_eq!(context.code(&sign), Some(2));
    let sign = [&sign[..], &["--passphrase-file", "old.txt"]].concat();
    assert_eq!(context.code(&sign), Some(0));
}

#[test]
fn nothing_is_made_without_the_passphrase_that_was_asked_for() {
    let context = user();
    let told = fails_with(&context, None, &["key", "generate", "mine", "--passphrase"]);
    assert!(told.contains("nobody can be asked"), "{told}");
    secret(&context, "empty.txt", "");
    let arguments = ["key", "generate", "mine", "--passphrase-file", "empty.txt"];
    let told = fails_with(&context, None, &arguments);
    assert!(told.contains("the passphrase is empty"), "{told}");
    assert!(!key_file(&context).exists());
}
