//! A signature covers what a skill is delivered with: no more, and no less.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::Signed;

/// A signed skill in the folder its author works in.
fn worked_on() -> Signed {
    let signed = Signed::new();
    let context = &signed.0;
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", ".env\n");
    context
        .write("pdf/.env", "TOKEN=secret\n")
        .write("pdf/node_modules/a/index.js", "a\n")
        .write("pdf/scripts/__pycache__/run.pyc", "b\n")
        .write("pdf/skills.toml", "")
        .write_skill("pdf/.agents/skills/inner");
    // As npm makes them.
    let link = signed.path("pdf/node_modules/link");
    symlink("a/index.js", link).unwrap();
    signed
}

#[test]
fn what_is_signed_is_what_is_installed() {
    let signed = worked_on();
    let left_out = json!([
        ".agents/skills/",
        ".env",
        "node_modules/",
        "scripts/__pycache__/",
        "skills.toml",
    ]);
    let answer = signed.0.json(&["sign", "pdf", "--json"]);
    assert_eq!(answer["left_out"], left_out, "{answer}");
    assert_eq!(answer["files"], 2);
    let plan = signed.0.json(&["publish", "pdf", "--dry-run", "--json"]);
    assert_eq!(plan["left_out"], left_out, "{plan}");
    assert_ne!(plan["signer"], json!(null));
    signed.done(&["install", "./pdf", "--yes"]);
    fs::rename(signed.path("pdf"), signed.path("source")).unwrap();
    signed.done(&["verify", "pdf"]);
    let installed = signed.0.json(&["verify", "pdf", "--json"]);
    assert_eq!(installed["digest"], answer["digest"], "{installed}");
}

#[test]
fn what_nobody_signed_is_found_whatever_it_is_called() {
    let signed = worked_on();
    signed.done(&["sign", "pdf"]);
    let answer = signed.0.json(&["verify", "pdf", "--json"]);
    assert_eq!(answer["trusted"], false);
    assert_eq!(answer["litter"].as_array().map(Vec::len), Some(5));
    let told = signed.tell(&["verify", "pdf"]);
    assert!(told.contains("`node_modules/` was added"), "{told}");
    assert!(told.contains("remove them and verify again"), "{told}");
}
