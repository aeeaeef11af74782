//! Verdicts for inputs at the edges of the reference validator's YAML.
//!
//! `tests/skills_ref` compares many more, but needs the reference; these need nothing.

use super::*;

/// Checks that the frontmatter `yaml` is refused for its YAML, at `line:column`.
#[track_caller]
fn refused(yaml: &str) {
    let messages = validate(&format!("---\nname: x\ndescription: d\n{yaml}\n---\n"), "x");
    let is_yaml = |message: &String| message.starts_with("Invalid YAML in frontmatter: ");
    assert!(
        messages.len() == 1 && messages.iter().all(is_yaml),
        "{yaml:?}: {messages:?}"
    );
}

/// Checks that the frontmatter `yaml` is valid.
#[track_caller]
fn valid(yaml: &str) {
    let content = format!("---\nname: x\ndescription: d\n{yaml}\n---\n");
    assert_eq!(validate(&content, "x"), Vec::<String>::new(), "{yaml:?}");
}

#[test]
fn a_message_names_the_problem_and_its_place() {
    let check = |yaml: &str, expected: &str| {
        let messages = validate(&format!("---\n{yaml}\n---\n"), "x");
        assert_eq!(
            messages,
            [format!("Invalid YAML in frontmatter: {expected}")]
        );
    };
    check(
        "a: b: c",
        "mapping values are not allowed in this context (line 2, column 5)",
    );
    check(
        "a: {{x}}",
        "a flow collection (`[…]` or `{…}`) is not allowed (line 2, column 4)",
    );
    check("é: b\né: c", "duplicate key 'é' (line 3, column 1)");
}

#[test]
fn brackets_anchors_tags_and_further_documents_are_refused() {
    for yaml in [
        "license: {{x}}",
        "[a]: b",
        "license: [b, @c]",
        "license: &b c",
        "license: !b c",
        "license: !<b c",
        "license: !重 c",
        "license: *b",
        "license: **b** c",
        "license: * b",
        "license: \"b\" c: d",
        "license: ]",
        "  license: b\nc: d",
        "...\n...",
        "%a b\nc",
    ] {
        refused(yaml);
    }
    valid("...");
}

#[test]
fn what_ends_a_block_too_early_is_refused() {
    for yaml in [
        "license: \"b\" c",
        "license: \"b\",",
        "license: b\n- c",
        "metadata:\n  b: c\n - d",
        "metadata:\n    b: c\n  d: e",
        "this line is bare",
        "license: b\nbare\ncompatibility: c",
    ] {
        refused(yaml);
    }
}

#[test]
fn tabs_are_refused_outside_quotes_blocks_and_comments() {
    for yaml in [
        "license:\tb",
        "license: b\tc",
        "license: b\n\t",
        "license: b\t",
        "license: |\t\n  b",
    ] {
        refused(yaml);
    }
    valid("license: \"a\tb\" #\tc\ncompatibility: |\n  a\tb");
}

#[test]
fn quotes_and_block_headers() {
    for yaml in [
        "license: \"\\q\"",
        "license: \"\\'\"",
        "license: \"\\u12\"",
        "license: 'b\n...\n'",
        "license: >#b",
        "license: > b",
        "license: |0",
    ] {
        refused(yaml);
    }
    valid("license: \"\\\\'\"\ncompatibility: > # folded\n  b");
}

#[test]
fn repeated_keys_uneven_mappings_and_wrong_merges_are_refused() {
    for yaml in [
        "license: b\n\"license\": c",
        "metadata:\n  a: 1\n  a: 2",
        "metadata:\n  b: c\nhooks:\n    e: f",
        "? c: d\n: e",
        "<<: c",
        "<<:\n  - c",
    ] {
        refused(yaml);
    }
    valid("<<:\n  unknown: x");
}

#[test]
fn line_separators_of_yaml_1_1_are_text() {
    valid("license: a\u{85}b\ncompatibility: a\u{2028}b");
    refused("license: b\u{2028}c: d");
}

#[test]
fn values_are_what_the_reference_reads() {
    let content = "---\nname: \"\\x1fx\"\ndescription: >\n  one\n  two\n\n  three\n\
                   license: \"\\ud83d\\ude00\"\nmetadata:\n  <<:\n    a: b\n    c: d\n  a: e\n---\n";
    let properties = read_properties(content).map(|properties| properties.to_json());
    let expected = "{\n  \"name\": \"x\",\n  \"description\": \"one two\\nthree\",\n  \
                    \"license\": \"\\ud83d\\ude00\",\n  \"metadata\": {\n    \"a\": \"e\",\n    \"c\": \"d\"\n  }\n}";
    assert_eq!(properties.as_deref(), Ok(expected));
}

#[test]
fn depth_has_a_limit() {
    let lists = |depth| format!("metadata:\n  {}x", "- ".repeat(depth));
    valid(&lists(246));
    refused(&lists(247));
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "a", ": ", ":", "- ", "? ", "[", "]", "{", "}", ",", "*", "&", "!", "!<", "|", ">", "2",
        "+", "'", "\"", "\\u", "\\ud83d", "%", "@", "#", "\t", "\n", "\n\n", "  ", "...", "<<",
        "é", "😀", "\u{85}", "\u{2028}", "\u{feff}", "\u{7}",
    ];
    // A fixed sequence of numbers that looks random.
    let mut state: u32 = 1;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    for _ in 0..20_000 {
        let yaml: String = (0..next(24)).map(|_| pieces[next(pieces.len())]).collect();
        let _ = read_properties(&format!("---{yaml}---"));
    }
}
