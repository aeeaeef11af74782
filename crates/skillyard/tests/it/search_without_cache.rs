//! A registry that answers where nothing can be written down, and one that does not answer.

use std::fs;

use serde_json::{Value, json};

use super::{TestContext, output, text};

/// A file stands where what registries said is kept.
fn closed(context: &TestContext) {
    let kept = context.in_home(".skillyard/registries");
    let _ = fs::remove_dir_all(&kept);
    fs::write(kept, "").unwrap();
}

#[test]
fn what_was_found_is_shown_where_it_cannot_be_kept() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--yes"]);
    closed(&context);
    let found = context.json(&["search", "pdf", "--registry", "--json"]);
    assert_eq!(found["results"][0]["name"], "pdf");
    let told = output(context.skillyard().args(["search", "pdf"]));
    assert!(told.status.success());
    let told = text(&told.stderr);
    assert!(told.contains("is not kept for `--offline`"), "{told}");
}

#[test]
fn nobody_who_answers_is_told_apart_from_nothing_found() {
    let context = TestContext::new();
    let mut server = context.with_registry();
    assert_eq!(context.code(&["search", "zzzz"]), Some(1));
    server.stop();
    let output = output(context.skillyard().args(["search", "zzzz", "--json"]));
    assert_eq!(output.status.code(), Some(2));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["results"], json!([]));
    assert!(answer["failed"][0].is_string(), "{answer}");
}

#[test]
fn what_cannot_be_kept_is_no_answer_of_the_source() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--yes"]);
    context.good(&["install", "pdf", "--yes", "--scope", "user"]);
    closed(&context);
    assert_eq!(context.code(&["outdated", "--scope", "user"]), Some(2));
}
