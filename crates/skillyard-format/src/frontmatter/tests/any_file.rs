//! What holds for every file, whatever its bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::document::Document;
use crate::fix::fix;

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

    /// Names, tools and metadata are what `--fix` rewrites, and a text that ended at a `#` without a
    /// space gets its rest back; every other text stays what it was.
    #[test]
    fn a_fix_does_not_change_what_the_file_says(text in skill_file()) {
        let texts = |text: &str| -> BTreeMap<String, String> {
            let document = Document::parse(text.as_bytes());
            let entries = document.mapping().map_or(&[][..], |mapping| &mapping.entries);
            entries
                .iter()
                .filter(|entry| !["name", "allowed-tools", "metadata"].contains(&&*entry.key))
                // Of two entries with one key the last counts, even when it is no text.
                .map(|entry| (entry.key.clone(), entry.value.as_str().map(str::to_owned)))
                .collect::<BTreeMap<_, _>>()
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect()
        };
        if let Some(fixed) = fix(text.as_bytes(), "SKILL.md", Some("pdf-tools")) {
            let after = texts(&fixed.text);
            for (key, value) in texts(&text) {
                let after = after.get(&key);
                let rest = after.and_then(|after| after.strip_prefix(&*value));
                let is_rest = |rest: &str| rest.is_empty() || rest.trim_start().starts_with('#');
                prop_assert!(rest.is_some_and(is_rest), "{key} of {value:?} in {:?}", fixed.text);
            }
        }
    }
}
