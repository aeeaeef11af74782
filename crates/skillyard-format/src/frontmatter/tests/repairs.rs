//! The repair ladder: what is mended, what it says then, and what it costs.

use crate::document::{Document, Frontmatter};
use crate::fix::fix;
use crate::frontmatter::repair::{Repair, RepairKind};
use crate::skill::Skill;

fn name_of_repair(repair: &Repair) -> &'static str {
    match repair.kind {
        RepairKind::Unquoted { .. } => "quotes",
        RepairKind::Separator { .. } => "separator",
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

#[test]
fn a_separator_that_only_looks_like_one_is_mended() {
    let check = |line: &str, repairs: &[&str], fixed: &str| {
        let yaml = |line: &str| format!("name: x\n{line}\nlicense: MIT\n");
        check_repair(&yaml(line), repairs, "Fills forms.", &yaml(fixed));
    };
    let plain = "description: Fills forms.";
    check("description:\u{a0}Fills forms.", &["separator"], plain);
    check("description:\u{3000}Fills forms.", &["separator"], plain);
    check("description：Fills forms.", &["separator"], plain);
    check("description：\u{3000}Fills forms.", &["separator"], plain);
    check("description:Fills forms.", &["separator"], plain);
    check_repair(
        "name：x\ndescription：Fills forms.\n",
        &["separator", "separator"],
        "Fills forms.",
        "name: x\ndescription: Fills forms.\n",
    );
    check_repair(
        "name:x\ndescription:Fills forms.\n",
        &["separator", "separator"],
        "Fills forms.",
        "name: x\ndescription: Fills forms.\n",
    );
    check_repair(
        "name: x\ndescription：@beta Fills.\n",
        &["separator", "quotes"],
        "@beta Fills.",
        "name: x\ndescription: '@beta Fills.'\n",
    );
    // What is more than text stays what it is.
    check_repair(
        "description: x\nmetadata：\n  a: b\nname:\u{a0}x\n",
        &["separator", "separator"],
        "x",
        "description: x\nmetadata:\n  a: b\nname: x\n",
    );
}

#[test]
fn a_field_without_a_colon_is_not_made_part_of_another() {
    let text = "---\nname: x\ndescription Fills forms.\n---\nBody.\n";
    let fixed = fix(text.as_bytes(), "SKILL.md", None).unwrap().text;
    assert_eq!(
        fixed,
        "---\nname: x\n# description Fills forms.\n---\nBody.\n"
    );
    // A field that is there already can be spoken of.
    check_repair(
        "name: x\ndescription: Fills in the\nname of a person.\n",
        &["quotes"],
        "Fills in the name of a person.",
        "name: x\ndescription: 'Fills in the name of a person.'\n",
    );
}
