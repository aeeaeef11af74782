//! Messages for inputs, as the reference validator gives them.
//!
//! `tests/skills_ref` compares many more, but needs the reference; these need nothing.

use super::*;

/// Checks the one message for a file with these lines, its places shortened to `@line:column`.
#[track_caller]
fn check(yaml: &str, expected: &str) {
    let messages = validate(&format!("---\n{yaml}\n---\n"), "x");
    assert_eq!(messages.len(), 1, "{yaml}: {messages:?}");
    let mut brief = Vec::new();
    let mut lines = messages[0].lines();
    while let Some(line) = lines.next() {
        match line.strip_prefix("  in \"<unicode string>\", line ") {
            None => brief.push(line.to_owned()),
            Some(place) => {
                let place = place.trim_end_matches(':').replace(", column ", ":");
                brief.push(format!("@{place}"));
                // The line of the file and the caret under it.
                lines.next();
                lines.next();
            }
        }
    }
    let brief = brief.join(" ");
    let brief = brief.strip_prefix("Invalid YAML in frontmatter: ");
    assert_eq!(brief.unwrap_or(&messages[0]), expected, "{yaml}");
}

/// Checks that a file with these lines and the required ones is valid.
#[track_caller]
fn check_valid(yaml: &str) {
    let content = format!("---\nname: x\ndescription: d\n{yaml}\n---\n");
    assert_eq!(validate(&content, "x"), Vec::<String>::new(), "{yaml}");
}

#[test]
fn a_mark_shows_its_line_and_cuts_it() {
    let long = "word ".repeat(20);
    assert_eq!(
        validate(&format!("---\na: {long}b: {long}\n---\n"), "x"),
        [format!(
            "Invalid YAML in frontmatter: mapping values are not allowed here\n  \
             in \"<unicode string>\", line 2, column 105:\n     \
             ...  word word word word word word b: word word word word word word  ... \n\
             {:41}^ (line: 2)",
            ""
        )]
    );
}

#[test]
fn brackets_anchors_and_tags_are_refused() {
    let flow = "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)";
    check("a: {{x}}", &format!("While scanning @2:4 {flow} @2:5"));
    check("[a]: b", &format!("While scanning @2:1 {flow} @2:2"));
    check("a: [b, @c]", &format!("While scanning @2:4 {flow} @2:5"));
    check(
        "a: &b c",
        "While scanning @2:4 Found confusing disallowed anchor token \
         (surround with ' and ' to make text appear literally) @2:6",
    );
    check(
        "a: !b c",
        "While scanning @2:6 Found disallowed tag tokens (do not specify types in markup) @2:4",
    );
    check(
        "a: !<b c",
        "while parsing a tag @2:4 expected '>', but found ' ' @2:7",
    );
    check(
        "a: !重 c",
        "while parsing a tag @2:4 expected URI, but found '重' @2:5",
    );
}

#[test]
fn the_token_behind_a_refused_one_comes_first() {
    let bad = |at| {
        format!(
            "while scanning for the next token found character '@' that cannot start any token @{at}"
        )
    };
    check("a: [@b]", &bad("2:5"));
    check("a:\n  - [b, @c]", &bad("3:9"));
    check("a: *b\n@c: d", &bad("3:1"));
    check("a: *b\n\n@c: d", "found undefined alias 'b' @2:4");
    check("a: \"b\" @c", &bad("2:8"));
    check(
        "a: [\"b, c",
        "while scanning a quoted scalar @2:5 found unexpected end of stream @3:1",
    );
    check("a: \"b\" c: d", "mapping values are not allowed here @2:9");
}

#[test]
fn an_alias_is_any_word() {
    check("a: **b** c", "found undefined alias '*b**' @2:4");
    check("a: **it's**", "found undefined alias \"*it's**\" @2:4");
    check(
        "a: * b",
        "while scanning an alias @2:4 expected alphabetic or numeric character, but found ' ' @2:5",
    );
    check(
        "a: *b\nc d\ne: f",
        "while scanning a simple key @3:1 could not find expected ':' @4:1",
    );
    check("a: *b\n**c**\ne: f", "found undefined alias 'b' @2:4");
}

#[test]
fn a_second_document_is_refused() {
    let second = |first, second| {
        format!(
            "expected a single document in the stream @{first} but found another document @{second}"
        )
    };
    check("  a: b\nc: d", &second("2:3", "3:1"));
    check("a: b\n...\n...", &second("2:1", "4:1"));
    check(
        "%a b\nc",
        "expected '<document start>', but found '<scalar>' @3:1",
    );
}

#[test]
fn what_ends_a_block_is_named() {
    let end = |start, found, at| {
        format!(
            "while parsing a block mapping @{start} expected <block end>, but found '{found}' @{at}"
        )
    };
    check("a: \"b\" c", &end("2:1", "<scalar>", "2:8"));
    check("a: \"b\",", &end("2:1", ",", "2:7"));
    check("a: b\n- c", &end("2:1", "-", "3:1"));
    check(
        "a:\n  b: c\n - d",
        &end("2:1", "<block sequence start>", "4:2"),
    );
    check(
        "a:\n    b: c\n  d: e",
        &end("2:1", "<block mapping start>", "4:3"),
    );
    check(
        "- a\nb: c",
        "while parsing a block collection @2:1 expected <block end>, but found '?' @3:1",
    );
    check(
        "a: ]",
        "while parsing a block node expected the node content, but found ']' @2:4",
    );
}

#[test]
fn tabs_are_refused_outside_quotes_blocks_and_comments() {
    let tab = |at| {
        format!(
            "while scanning for the next token found character '\\t' that cannot start any token @{at}"
        )
    };
    check("a:\tb", &tab("2:3"));
    check("a: b\tc", &tab("2:5"));
    check("a: b\n\t", &tab("3:1"));
    check(
        "a: |\t\n  b",
        "while scanning a block scalar @2:4 expected chomping or indentation indicators, but found '\\t' @2:5",
    );
    check_valid("license: \"a\tb\" #\tc\ncompatibility: |\n  a\tb");
}

#[test]
fn quotes_and_block_headers() {
    let quoted = "while scanning a double-quoted scalar @2:4";
    check(
        "a: \"\\q\"",
        &format!("{quoted} found unknown escape character 'q' @2:6"),
    );
    check(
        "a: \"\\u12\"",
        &format!("{quoted} expected escape sequence of 4 hexdecimal numbers, but found '\"' @2:7"),
    );
    check(
        "a: 'b\n...\n'",
        "while scanning a quoted scalar @2:4 found unexpected document separator @3:1",
    );
    let block = "while scanning a block scalar @2:4 expected";
    check(
        "a: >#b",
        &format!("{block} chomping or indentation indicators, but found '#' @2:5"),
    );
    check(
        "a: > b",
        &format!("{block} a comment or a line break, but found 'b' @2:6"),
    );
    check(
        "a: |0",
        &format!("{block} indentation indicator in the range 1-9, but found 0 @2:5"),
    );
}

#[test]
fn repeated_keys_uneven_mappings_and_merges_come_last() {
    check(
        "a: b\n\"a\": c",
        "While parsing @3:1 Duplicate key 'a' found @3:4",
    );
    check(
        "a: b\na: c\nd: e: f",
        "mapping values are not allowed here @4:5",
    );
    check(
        "a:\n  b: c\nd:\n    e: f\n# note\ng: h",
        "While parsing @5:5 Found mapping with indentation inconsistent with previous mapping @7:1",
    );
    let constructing = "while constructing a mapping @2:1";
    check(
        "a: b\n? c: d\n: e",
        &format!("{constructing} found unhashable key @3:3"),
    );
    check(
        "a: b\n<<: c",
        &format!(
            "{constructing} expected a mapping or list of mappings for merging, but found scalar @3:5"
        ),
    );
}

#[test]
fn unusual_line_ends_go_on_with_the_text() {
    check_valid("license: a\u{85}b\ncompatibility: a\u{2028}b");
    check(
        "a: b\u{2028}c: d",
        "mapping values are not allowed here @2:7",
    );
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
    check_valid(&lists(246));
    check(&lists(247), "nested deeper than 247 levels @3:495");
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
