//! Delimiters, the repair ladder, and what holds for every file whatever its bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::repair::{Repair, RepairKind};
use super::{Absent, Closer, Oddity, split};
use crate::document::{Document, Frontmatter};
use crate::fix::fix;
use crate::skill::Skill;

fn name_of(oddity: &Oddity) -> &'static str {
    match oddity {
        Oddity::ByteOrderMark(_) => "mark",
        Oddity::LeadingSpace(_) => "space",
        Oddity::Fenced { close: Some(_), .. } => "fence",
        Oddity::Fenced { close: None, .. } => "open fence",
        Oddity::Closer(_, Closer::Glued) => "glued",
        Oddity::Closer(_, Closer::Dots) => "dots",
        Oddity::Closer(_, Closer::Indented) => "indented",
        Oddity::Closer(_, Closer::Missing) => "missing",
    }
}

fn check(text: &str, yaml: &str, body: &str, oddities: &[&str]) {
    let split = split(text).expect("there is frontmatter");
    let found: Vec<_> = split.oddities.iter().map(name_of).collect();
    assert_eq!(
        (split.yaml.of(text), split.body.of(text), &found[..]),
        (yaml, body, oddities),
        "{text:?}"
    );
}

fn check_absent(text: &str, reason: Absent) {
    assert_eq!(split(text), Err(reason), "{text:?}");
}

#[test]
fn delimiters_as_they_should_be() {
    check("---\na: b\n---\nbody\n", "a: b\n", "body\n", &[]);
    check("---\na: b\n---", "a: b\n", "", &[]);
    check("---\n---\nbody", "", "body", &[]);
    check("--- \t\na: b\n---  \nbody", "a: b\n", "body", &[]);
}

#[test]
fn every_kind_of_line_break_is_one() {
    check(
        "---\r\na: b\r\n---\r\nbody\r\n",
        "a: b\r\n",
        "body\r\n",
        &[],
    );
    check("---\ra: b\r---\rbody\r", "a: b\r", "body\r", &[]);
}

#[test]
fn what_stands_before_the_opener() {
    check("\u{feff}---\na: b\n---\n", "a: b\n", "", &["mark"]);
    check("\n \n---\na: b\n---\n", "a: b\n", "", &["space"]);
    check(
        "\u{feff}\n---\na: b\n---\n",
        "a: b\n",
        "",
        &["mark", "space"],
    );
}

#[test]
fn a_fence_around_the_whole_file() {
    check(
        "```markdown\n---\na: b\n---\nbody\n```\n",
        "a: b\n",
        "body\n",
        &["fence"],
    );
    check(
        "```\n---\na: b\n---\n```sh\nls\n```\nend\n```\n",
        "a: b\n",
        "```sh\nls\n```\nend\n",
        &["fence"],
    );
    check(
        "```\n---\na: b\n---\nbody\n",
        "a: b\n",
        "body\n",
        &["open fence"],
    );
}

#[test]
fn a_fence_around_the_frontmatter_alone() {
    check(
        "```yaml\n---\na: b\n---\n```\nbody\n",
        "a: b\n",
        "body\n",
        &["fence"],
    );
    check(
        "```yaml\n---\na: b\n---\n```\n\n```sh\nls\n```\n",
        "a: b\n",
        "\n```sh\nls\n```\n",
        &["fence"],
    );
}

#[test]
fn closers_that_are_nearly_right() {
    check(
        "---\na: b\n---# Title\nbody",
        "a: b\n",
        "# Title\nbody",
        &["glued"],
    );
    check(
        "---\na: b\n---# Title\n---\nx",
        "a: b\n",
        "# Title\n---\nx",
        &["glued"],
    );
    check("---\na: b\n...\nbody", "a: b\n", "body", &["dots"]);
    check("---\na: b\n  ---\nbody", "a: b\n", "body", &["indented"]);
    check(
        "---\na: b\n  ---\nc: d\n---\nbody",
        "a: b\n  ---\nc: d\n",
        "body",
        &[],
    );
    check("---\na: b\n----\n---\nbody", "a: b\n----\n", "body", &[]);
}

#[test]
fn without_a_closer_the_block_ends_with_its_keys() {
    check("---\na: b\n\nbody", "a: b\n", "\nbody", &["missing"]);
    check(
        "---\na: b\n# Title\nbody",
        "a: b\n",
        "# Title\nbody",
        &["missing"],
    );
    check(
        "---\na: |\n  x\n\n  y\n\nbody",
        "a: |\n  x\n\n  y\n",
        "\nbody",
        &["missing"],
    );
    check("---\na: b", "a: b", "", &["missing"]);
    check("---\n", "", "", &["missing"]);
}

#[test]
fn the_first_closing_line_counts() {
    check("---\na: b\n---\nx\n---\ny", "a: b\n", "x\n---\ny", &[]);
}

#[test]
fn files_without_frontmatter() {
    check_absent("", Absent::Empty);
    check_absent("\u{feff} \r\n\t", Absent::Empty);
    check_absent("# Title\n\n---\na: b\n---\n", Absent::NoFrontmatter);
    check_absent("----\na: b\n----\n", Absent::NoFrontmatter);
    check_absent("```\ncode\n```\n", Absent::NoFrontmatter);
    check_absent("../shared/SKILL.md\n", Absent::LinkAsText);
    check_absent("../skill.MD", Absent::LinkAsText);
    check_absent("see ../shared/SKILL.md", Absent::NoFrontmatter);
}

fn name_of_repair(repair: &Repair) -> &'static str {
    match repair.kind {
        RepairKind::Unquoted { .. } => "quotes",
        RepairKind::Indented { .. } => "indentation",
        RepairKind::Stray => "stray",
        RepairKind::Control => "control",
        RepairKind::Tab => "tab",
        RepairKind::Surrogates => "surrogates",
        RepairKind::LaterCloser => "closer",
    }
}

/// Checks what is mended in a block, the description it gives, and what `--fix` makes of it.
fn check_repair(yaml: &str, repairs: &[&str], description: &str, fixed: &str) {
    let text = format!("---\n{yaml}---\nBody.\n");
    let document = Document::parse(text.as_bytes());
    let Frontmatter::Read { repairs: found, .. } = &document.frontmatter else {
        panic!("{yaml:?} is not read: {:?}", document.frontmatter);
    };
    let found: Vec<_> = found.iter().map(name_of_repair).collect();
    assert_eq!(found, repairs, "{yaml:?}");
    let skill = Skill::from_document(&document, Some("x")).expect("a skill");
    assert_eq!(skill.description, description, "{yaml:?}");
    let mended = fix(text.as_bytes(), "SKILL.md", None).map_or(text, |fixed| fixed.text);
    assert_eq!(mended, format!("---\n{fixed}---\nBody.\n"), "{yaml:?}");
}

#[test]
fn valid_yaml_is_left_alone() {
    let yaml = "description: >-\n  Fills: forms,\n  \"all\" of them.\nx: [a, b] # c\n";
    check_repair(yaml, &[], "Fills: forms, \"all\" of them.", yaml);
}

#[test]
fn text_that_yaml_takes_for_something_else_is_quoted() {
    let check = |written: &str, meant: &str, fixed: &str| {
        let line = |value: &str| format!("description: {value}\nlicense: MIT\n");
        check_repair(&line(written), &["quotes"], meant, &line(fixed));
    };
    check("Usage: run it", "Usage: run it", "'Usage: run it'");
    check("it's: so", "it's: so", "\"it's: so\"");
    check("**Bold** text", "**Bold** text", "'**Bold** text'");
    check("> Fills forms", "Fills forms", "'Fills forms'");
    check("|- Fills forms", "Fills forms", "'Fills forms'");
    check("[beta] does it", "[beta] does it", "'[beta] does it'");
    check("{beta} does it", "{beta} does it", "'{beta} does it'");
    check("\"foo\" bar", "\"foo\" bar", "'\"foo\" bar'");
    check("'foo' bar", "'foo' bar", "\"'foo' bar\"");
    check("\"foo: bar", "foo: bar", "'foo: bar'");
    check("`foo` bar", "`foo` bar", "'`foo` bar'");
    check("@foo bar", "@foo bar", "'@foo bar'");
    check("%foo bar", "%foo bar", "'%foo bar'");
    check("\"C:\\path\"", "C:\\path", "'C:\\path'");
    check("&foo& bar", "&foo& bar", "'&foo& bar'");
}

#[test]
fn tabs_that_indent_become_spaces() {
    check_repair(
        "description: x\nmetadata:\n\ta: b\n\tc: d\n",
        &["tab", "tab"],
        "x",
        "description: x\nmetadata:\n  a: b\n  c: d\n",
    );
}

#[test]
fn control_characters_go() {
    check_repair(
        "description: a\u{7}b\u{1b}[31mc\n",
        &["control", "control"],
        "ab[31mc",
        "description: ab[31mc\n",
    );
    check_repair(
        "description: a\u{0}: b\n",
        &["quotes"],
        "a: b",
        "description: 'a: b'\n",
    );
}

#[test]
fn surrogate_pairs_become_the_character() {
    check_repair(
        "description: \"a \\uD83D\\uDD2D b\"\n",
        &["surrogates"],
        "a 🔭 b",
        "description: \"a 🔭 b\"\n",
    );
    check_repair(
        "description: \"a \\ud83d b\"\n",
        &["surrogates"],
        "a \u{fffd} b",
        "description: \"a \\uFFFD b\"\n",
    );
}

#[test]
fn an_indented_field_is_moved_to_the_margin() {
    check_repair(
        "name: x\n description: y\n",
        &["indentation"],
        "y",
        "name: x\ndescription: y\n",
    );
    check_repair(
        "name: x\n  description: a: b\n",
        &["indentation", "quotes"],
        "a: b",
        "name: x\ndescription: 'a: b'\n",
    );
}

#[test]
fn a_stray_line_becomes_a_comment() {
    check_repair(
        "Some words\ndescription: x\n",
        &["stray"],
        "x",
        "# Some words\ndescription: x\n",
    );
}

#[test]
fn lines_that_lost_their_indentation_are_folded() {
    check_repair(
        "description: Fills forms\nand merges them\n\nin one go\nlicense: MIT\n",
        &["quotes"],
        "Fills forms and merges them\nin one go",
        "description: \"Fills forms and merges them\\nin one go\"\nlicense: MIT\n",
    );
    check_repair(
        "description: |\nFills forms\nand merges them\nlicense: MIT\n",
        &["quotes"],
        "Fills forms\nand merges them",
        "description: \"Fills forms\\nand merges them\"\nlicense: MIT\n",
    );
}

#[test]
fn nested_fields_and_items_are_mended_by_themselves() {
    check_repair(
        "description: x\nmetadata:\n  a: b: c\n  d: e\n",
        &["quotes"],
        "x",
        "description: x\nmetadata:\n  a: 'b: c'\n  d: e\n",
    );
    check_repair(
        "description: x\npaths:\n  - '*.md' and\n  - b\n",
        &["quotes"],
        "x",
        "description: x\npaths:\n  - \"'*.md' and\"\n  - b\n",
    );
}

#[test]
fn a_line_of_dashes_inside_a_value_does_not_close_the_block() {
    let yaml = "name: x\ndescription: \"Fills forms\n---and merges them.\"\n";
    check_repair(yaml, &["closer"], "Fills forms ---and merges them.", yaml);
}

#[test]
fn what_cannot_be_mended_says_why() {
    let document = Document::parse(b"---\n[a\n---\n");
    assert!(matches!(
        document.frontmatter,
        Frontmatter::Unreadable { .. }
    ));
    let document = Document::parse(b"---\n- a\n---\n");
    assert!(matches!(
        document.frontmatter,
        Frontmatter::NotMapping { .. }
    ));
}

#[test]
fn bytes_that_cannot_be_read_are_never_written_back() {
    assert_eq!(
        fix(b"---\ndescription: caf\xe9: x\n---\n", "SKILL.md", None),
        None
    );
}

#[test]
fn a_fix_that_would_change_what_another_field_says_is_not_made() {
    let text = "---\nname: x\nallowed-tools: &a Read, Write\nlicense: *a\n---\n";
    assert_eq!(fix(text.as_bytes(), "SKILL.md", Some("x")), None);
    let text = "---\n{name: x, description: y, allowed-tools: \"Bash(a, b), c\"}\n---\n";
    assert_eq!(fix(text.as_bytes(), "SKILL.md", Some("x")), None);
}

#[test]
fn features_of_a_mended_block_are_places_in_the_file() {
    let text = "---\ndescription: a\0b\npaths: [c]\n---\n";
    let document = Document::parse(text.as_bytes());
    let Frontmatter::Read { features, .. } = &document.frontmatter else {
        panic!("{:?}", document.frontmatter);
    };
    let flow = features.flow.expect("a list in brackets").span;
    assert_eq!(flow.start, text.find('[').unwrap());
}

/// Files that cost minutes where something looks at the rest of the file for each byte.
#[test]
fn hostile_files_cost_no_more_than_others() {
    let check = |yaml: String, fields: usize| {
        let text = format!("---\n{yaml}");
        let document = Document::parse(text.as_bytes());
        let found = document
            .mapping()
            .map_or(0, |mapping| mapping.entries.len());
        assert_eq!(found, fields);
        let _ = Skill::from_document(&document, Some("x")).and_then(|skill| skill.allowed_tools());
    };
    let fields = |count: usize, field: &str| field.repeat(count);
    check(fields(100_000, "\n") + "a: b\n", 1);
    check(fields(3_000, "a: b: c\n") + "---\n", 3_000);
    check(fields(3_000, "a: b\0\0\0\0\0\0\0\0\n") + "---\n", 3_000);
    check(
        format!(
            "a: {}\n{}---\n",
            "\0".repeat(100_000),
            fields(3_000, "b: c: d\n")
        ),
        3_001,
    );
    check(
        format!(
            "description: x\nallowed-tools: \"a{}\"\n---\n",
            "\\t".repeat(200_000)
        ),
        2,
    );
    check(format!("description: \"x\n{}", "---x\n".repeat(100_000)), 1);
}

/// Pieces of real files and the characters that break them.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "---\n",
        "---\n",
        "name: pdf-tools\n",
        "description: Fills forms.\n",
        "description:",
        "name: ",
        "metadata:\n",
        "  version: 1.0\n",
        "allowed-tools: Read, Write\n",
        "allowed-tools:\n  - Read\n  - Bash(git:*)\n",
        "license: MIT\n",
        "allowed-tools: &a Read, Write\n",
        "license: *a\n",
        "{allowed-tools: \"Bash(a, b), c\", license: x}",
        "name: PDF Tools\n",
        "description: |\n",
        "description: >-\n",
        "  indented text\n",
        " description: x\n",
        "...\n",
        "```yaml\n",
        "```\n",
        "# Title\n",
        "text: more: text\n",
        "---# Title\n",
        "\u{feff}",
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        ": ",
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        "*",
        "&a ",
        "!",
        "|",
        ">",
        "#",
        " #",
        ",",
        "- ",
        "?",
        "%",
        "@",
        "`",
        "\\",
        "\\uD83D",
        "\\uDD2D",
        "é",
        "🔭",
        "\u{85}",
        "\u{2028}",
        "\u{0}",
        "\u{1b}",
        "~",
        "null",
        "plain words",
        "key: value\n",
    ];
    prop_oneof![
        9 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ]
}

/// Text that looks like a `SKILL.md`, more or less.
fn skill_file() -> impl Strategy<Value = String> {
    let pieces = || prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![
        1 => pieces(),
        3 => (pieces(), pieces()).prop_map(|(yaml, body)| format!("---\n{yaml}\n---\n{body}")),
        3 => (pieces(), pieces()).prop_map(|(value, rest)| {
            format!("---\nname: pdf-tools\ndescription: {value}\n{rest}\n---\nBody.\n")
        }),
    ]
}

fn directory() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![
        None,
        Some("pdf-tools"),
        Some("PDF Tools"),
        Some("null"),
        Some("-"),
    ])
}

proptest! {
    #[test]
    fn any_bytes_can_be_parsed(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let document = Document::parse(&bytes);
        prop_assert!(document.body().len() <= document.text.len());
    }

    #[test]
    fn any_text_can_be_parsed_and_every_place_is_in_it(text in skill_file()) {
        let document = Document::parse(text.as_bytes());
        let subject = crate::Subject::new(&document, Some("pdf-tools"));
        for diagnostic in crate::rules::check(&subject, crate::Profile::Spec) {
            for span in diagnostic.span.iter().chain(diagnostic.fix.iter().map(|edit| &edit.span)) {
                prop_assert!(text.get(span.start..span.end).is_some(), "{:?} in {:?}", diagnostic, text);
            }
        }
    }

    #[test]
    fn what_is_fixed_can_be_read_and_needs_no_further_fix(
        text in skill_file(),
        directory in directory(),
    ) {
        if let Some(fixed) = fix(text.as_bytes(), "SKILL.md", directory) {
            prop_assert!(Document::parse(fixed.text.as_bytes()).mapping().is_some(), "{:?}", fixed.text);
            prop_assert_eq!(fix(fixed.text.as_bytes(), "SKILL.md", directory), None, "{:?}", fixed.text);
        }
    }

    /// Names, tools and metadata are what `--fix` rewrites; every other text stays what it was.
    #[test]
    fn a_fix_does_not_change_what_the_file_says(text in skill_file()) {
        let texts = |text: &str| -> BTreeMap<String, String> {
            let document = Document::parse(text.as_bytes());
            let entries = document.mapping().map_or(&[][..], |mapping| &mapping.entries);
            entries
                .iter()
                .filter(|entry| !["name", "allowed-tools", "metadata"].contains(&&*entry.key))
                // Of two entries with one key the last counts, even when it is no text.
                .map(|entry| (entry.key.to_string(), entry.value.as_str().map(str::to_owned)))
                .collect::<BTreeMap<_, _>>()
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect()
        };
        if let Some(fixed) = fix(text.as_bytes(), "SKILL.md", Some("pdf-tools")) {
            let after = texts(&fixed.text);
            for (key, value) in texts(&text) {
                prop_assert_eq!(Some(&value), after.get(&key), "{} in {:?}", key, fixed.text);
            }
        }
    }
}

#[test]
fn text_behind_dots_is_the_body() {
    let text = "---\nname: x\ndescription: Use when x.\n...\n\nSome text.\n\n---\nmore\n";
    let document = crate::Document::parse(text.as_bytes());
    assert_eq!(document.body().trim(), "Some text.\n\n---\nmore");
    assert_eq!(document.mapping().unwrap().entries.len(), 2);
}

#[test]
fn a_delimiter_inside_quotes_is_text() {
    let text = "---\nname: x\ndescription: \"Fills\n---\nforms\"\n---\nbody\n";
    let document = crate::Document::parse(text.as_bytes());
    let description = &document
        .mapping()
        .unwrap()
        .get("description")
        .unwrap()
        .value;
    assert_eq!(description.as_str(), Some("Fills --- forms"));
    assert_eq!(document.body(), "body\n");
}
