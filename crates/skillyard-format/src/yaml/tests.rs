//! Hostile documents are refused, and no text makes the parser panic.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn no_frontmatter_makes_the_parser_panic(source in frontmatter()) {
        let _ = parse(&source, 7);
    }

    #[test]
    fn no_text_makes_the_parser_panic(source in "\\PC{0,200}|[-a: \\n\"'|>\\[\\]{},#&*!?%@`\\\\]{0,200}") {
        let _ = parse(&source, 7);
    }
}

/// Text made of the pieces that frontmatter is made of, in lines of every indentation.
fn frontmatter() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just(String::new()),
        Just("|".into()),
        Just(">".into()),
        Just("|-".into()),
        Just(">-".into()),
        "[a-z][a-z .,:#'-]{0,12}",
        "'[a-z :#'\n]{0,8}'",
        "\"[a-z :#\n]{0,8}(\\\\[nt\"])?[ \n]{0,3}[a-z]{0,2}\"",
        "\\[[a-z, '\"-]{0,10}\\]",
        "[é技🔭a-z ]{0,8}",
        "[-+.$/(~<=^_][a-z0-9 ]{0,5}",
    ];
    let key = prop_oneof![
        Just("- "),
        Just(""),
        Just("a: "),
        Just("b:"),
        Just("key-1: "),
        Just("n.x:  ")
    ];
    let line = (0_usize..5, key, value)
        .prop_map(|(indent, key, value)| format!("{}{key}{value}\n", " ".repeat(indent)));
    let blank = prop_oneof![Just("\n".to_owned()), Just("  \n".to_owned())];
    proptest::collection::vec(prop_oneof![8 => line, 1 => blank], 0..8)
        .prop_map(|lines| lines.concat())
}

#[test]
fn scalars_stay_as_written() {
    let tree = parse(
        "name: yes\nversion: 1.0\nday: 2024-01-01\nn: 007\nb: true\nz: ~\ni: 12\n",
        0,
    )
    .unwrap();
    let json = serde_json::Value::Object(tree.root.unwrap().as_mapping().unwrap().to_json());
    assert_eq!(
        json.to_string(),
        r#"{"name":"yes","version":"1.0","day":"2024-01-01","n":"007","b":true,"z":null,"i":12}"#
    );
}

#[test]
fn spans_count_bytes_of_the_file() {
    let source = "a: é ü\nb: {c: 技, d: x}\n";
    let tree = parse(source, 0).unwrap();
    let root = tree.root.unwrap();
    let flow = root.as_mapping().unwrap().get("b").unwrap();
    assert_eq!(flow.value.span.of(source), "{c: 技, d: x}");
    let inner = flow.value.as_mapping().unwrap().get("d").unwrap();
    assert_eq!(
        (inner.key_span.of(source), inner.value.span.of(source)),
        ("d", "x")
    );
}

fn problem(source: &str) -> YamlProblem {
    parse(source, 0).expect_err(source).problem
}

#[test]
fn bombs_are_refused() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let of = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(
            aliases,
            "a{level}: &a{level} [{}]",
            of.trim_end_matches(", ")
        );
    }
    assert_eq!(problem(&aliases), YamlProblem::TooManyNodes);
    assert_eq!(
        problem(&format!("a: {}", "[".repeat(10_000))),
        YamlProblem::TooDeep
    );
    let lines: Vec<String> = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let nested = lines.concat();
    assert_eq!(problem(&nested), YamlProblem::TooDeep);
    assert_eq!(problem(&"a".repeat(MAX_BYTES + 1)), YamlProblem::TooLarge);
    let text = "x".repeat(MAX_BYTES / 4);
    let few = |aliases: &str| format!("a: &a {text}\nb: [{aliases}]\n");
    assert!(parse(&few("*a, *a, *a, *a"), 0).is_ok());
    assert_eq!(problem(&few("*a, *a, *a, *a, *a")), YamlProblem::TooLarge);
    assert_eq!(problem("a: *b"), YamlProblem::UndefinedAlias);
    assert_eq!(problem("? [a]\n: b"), YamlProblem::ComplexKey);
    assert_eq!(problem("a: \u{1}"), YamlProblem::Character);
}

#[test]
fn the_end_of_the_source_is_no_place_to_panic() {
    for source in [
        "\"\\",
        "a: |\n  b",
        "a: >-\n  b",
        "'",
        "a: \"\\x4",
        "!",
        "%",
        "- ",
        "? ",
        "a: [!x, y]",
        "a: |",
    ] {
        let _ = parse(source, 0);
    }
}

#[test]
fn a_block_without_a_final_line_break_has_none() {
    let text = |source: &str| {
        let root = parse(source, 0).unwrap().root.unwrap();
        root.as_mapping().unwrap().entries[0]
            .value
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text("a: |\n  b"), "b");
    assert_eq!(text("a: |\n  b\n"), "b\n");
    assert_eq!(text("a: |+\n  b\n\n"), "b\n\n");
    assert_eq!(text("a: |\n  b\n\n "), "b\n");
}
