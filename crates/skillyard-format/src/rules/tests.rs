//! The edges of single rules; `profiles` has what each profile makes of one document.

mod profiles;

use super::{ALL, Class, Profile, Subject, check, find, similar_names};
use crate::diagnostic::Severity;
use crate::document::Document;
use crate::skill::Skill;

const BODY: &str = "---\n\n# Title\n\nText.\n";

/// The findings as `error code` and `warning code`, in order.
fn found(text: &str, directory: &str, profile: Profile) -> Vec<String> {
    let document = Document::parse(text.as_bytes());
    let found = check(&Subject::new(&document, Some(directory)), profile);
    found
        .iter()
        .map(|each| match each.severity {
            Severity::Error => format!("error {}", each.code),
            Severity::Warning => format!("warning {}", each.code),
        })
        .collect()
}

/// Checks the fields of a skill in the folder `x` under the default profile.
fn check_fields(fields: &str, expected: &[&str]) {
    let text = format!("---\n{fields}{BODY}");
    assert_eq!(found(&text, "x", Profile::Spec), expected, "{fields:?}");
}

#[test]
fn only_english_descriptions_are_asked_when() {
    for text in [
        "Verwende dies, wenn eine PDF gefragt ist.",
        "Gunakan saat pengguna minta ringkasan dokumen.",
        "Utilisez ceci quand il faut lire un fichier PDF.",
        "Usa esto cuando el usuario pide un resumen.",
        "Gebruik dit als er een formulier is of iets anders.",
        "Użyj tego, gdy to jest potrzebne w projekcie.",
    ] {
        check_fields(&format!("name: x\ndescription: {text}\n"), &[]);
    }
    for text in [
        "PDF toolkit.",
        "Reads and writes PDF documents.",
        "Brings a form to a printer",
    ] {
        let fields = format!("name: x\ndescription: {text}\n");
        check_fields(&fields, &["warning description-when"]);
    }
}

#[test]
fn texts_that_look_like_numbers_are_told() {
    check_fields(
        "name: x\ndescription: 12\n",
        &["warning description-when", "warning metadata-unquoted"],
    );
    check_fields(
        "name: x\ndescription: Use it.\nlicense: 2.0\n",
        &["warning metadata-unquoted"],
    );
}

#[test]
fn a_field_in_capitals_is_written_small_and_not_added() {
    for (text, mended) in [
        (
            "---\nName: x\ndescription: Use it.\n---\n\nDo.\n",
            "---\nname: x\ndescription: Use it.\n---\n\nDo.\n",
        ),
        (
            "---\nNAME: x\nDescription: Use it.\n---\n\nDo.\n",
            "---\nname: x\ndescription: Use it.\n---\n\nDo.\n",
        ),
        // Nobody knows which of two is meant.
        (
            "---\nName: y\nNAME: z\ndescription: Use it.\n---\n\nDo.\n",
            "---\nname: x\nName: y\nNAME: z\ndescription: Use it.\n---\n\nDo.\n",
        ),
    ] {
        let document = Document::parse(text.as_bytes());
        let found = check(&Subject::new(&document, Some("x")), Profile::Spec);
        let edits: Vec<_> = found.into_iter().flat_map(|each| each.fix).collect();
        assert_eq!(crate::edit::apply(text, &edits), mended);
    }
}

#[test]
fn frontmatter_in_toml_is_called_that() {
    let text = "+++\nname = \"x\"\ndescription = \"Use it.\"\n+++\n\nDo this.\n";
    let document = Document::parse(text.as_bytes());
    let found = check(&Subject::new(&document, Some("x")), Profile::Load);
    assert!(found[0].message.contains("is TOML"), "{found:?}");
    // What stands in it must not be lost for a paragraph of the text.
    assert!(found[0].fix.is_empty(), "{found:?}");
}

#[test]
fn a_word_behind_an_exclamation_mark_is_not_lost() {
    let text = "!important Fills forms. Use when there is one.";
    let fields = format!("name: x\ndescription: {text}\n");
    check_fields(&fields, &["error yaml-unquoted-text"]);
    let document = format!("---\n{fields}{BODY}");
    let document = Document::parse(document.as_bytes());
    let skill = Skill::from_document(&document, Some("x")).unwrap();
    assert_eq!(skill.description, text);
    // YAML's own types are no mistake.
    check_fields("name: x\ndescription: !!str Use when there is one.\n", &[]);
}

#[test]
fn findings_come_in_the_order_of_the_file() {
    check_fields(
        "license: [MIT]\nname: X_y\nhomepage: z\n",
        &[
            "error description-missing",
            "error field-type",
            "error name-characters",
            "error name-matches-directory",
            "warning field-unknown",
        ],
    );
}

#[test]
fn names_that_are_null_or_blank_are_missing() {
    for name in ["", " ~", " null", " \"\"", " '  '"] {
        let fields = format!("name:{name}\ndescription: Use when testing.\n");
        check_fields(&fields, &["error name-missing"]);
    }
    check_fields(
        "name: 'null'\ndescription: Use when.\n",
        &["error name-matches-directory"],
    );
}

#[test]
fn names_are_compared_after_normalisation() {
    let text = format!("---\nname: ﬁle\ndescription: Use when testing.\n{BODY}");
    assert_eq!(found(&text, "file", Profile::Strict), [""; 0]);
    assert_eq!(found(&text, "ﬁle", Profile::Strict), [""; 0]);
}

#[test]
fn lengths_are_counted_in_characters_after_trimming() {
    let description = |count: usize| {
        format!(
            "name: x\ndescription: \"  when {}  \"\n",
            "é".repeat(count - 5)
        )
    };
    check_fields(&description(1024), &[]);
    check_fields(&description(1025), &["error description-length"]);
    let compatibility = |count: usize| {
        format!(
            "name: x\ndescription: when\ncompatibility: {}\n",
            "é".repeat(count)
        )
    };
    check_fields(&compatibility(500), &[]);
    check_fields(&compatibility(501), &["error compatibility-length"]);
    check_fields(
        "name: x\ndescription: when\ncompatibility:\n",
        &["error compatibility-length"],
    );
}

#[test]
fn descriptions_in_other_scripts_are_not_judged() {
    check_fields("name: x\ndescription: 填写表格\n", &[]);
    check_fields(
        "name: x\ndescription: Tools.\n",
        &["warning description-when"],
    );
}

#[test]
fn blank_descriptions_are_missing() {
    for description in ["", " ~", " \"\"", " \" \"", " |\n\n"] {
        let fields = format!("name: x\ndescription:{description}\n");
        check_fields(&fields, &["error description-missing"]);
    }
}

#[test]
fn metadata_is_text_to_text() {
    let metadata = |text: &str| format!("name: x\ndescription: when\nmetadata:{text}\n");
    check_fields(&metadata("\n  a: b"), &[]);
    check_fields(&metadata(""), &[]);
    check_fields(&metadata(" words"), &["error metadata-nested"]);
    check_fields(&metadata("\n  a: {b: c}"), &["error metadata-nested"]);
    check_fields(&metadata("\n  a: \"1.0\""), &[]);
    for value in [
        "1",
        "-1.5e3",
        "1_000",
        "true",
        "No",
        "2026-01-31",
        "~",
        ".inf",
    ] {
        check_fields(
            &metadata(&format!("\n  a: {value}")),
            &["warning metadata-unquoted"],
        );
    }
    for value in ["v1", "1.0.0", "1-2", "truely", "-"] {
        check_fields(&metadata(&format!("\n  a: {value}x")), &[]);
    }
}

#[test]
fn tools_are_text_separated_by_spaces() {
    let tools = |text: &str| format!("name: x\ndescription: when\nallowed-tools: {text}\n");
    check_fields(&tools("Bash(git log:*) Read"), &[]);
    check_fields(&tools("Read, Write"), &["warning allowed-tools-separator"]);
    check_fields(&tools("[Read, Write]"), &["error allowed-tools-type"]);
    check_fields(&tools("{Read: yes}"), &["error allowed-tools-type"]);
    check_fields(&tools("Bash(git"), &["warning allowed-tools-parentheses"]);
}

#[test]
fn limits_are_refused_not_read() {
    let deep = format!("metadata: {}{}\n", "[".repeat(100), "]".repeat(100));
    check_fields(&deep, &["error yaml-limits"]);
    let many = format!("metadata: [{}]\n", "a, ".repeat(20_001));
    check_fields(&many, &["error yaml-limits"]);
}

#[test]
fn names_one_letter_apart_are_similar_and_series_are_not() {
    assert_eq!(
        similar_names(&["pdf-form", "pdf-forms"]),
        [("pdf-form", "pdf-forms")]
    );
    assert_eq!(
        similar_names(&["from-pdf", "form-pdf"]),
        [("form-pdf", "from-pdf")]
    );
    assert_eq!(similar_names(&["step-1", "step-2", "step-12"]), []);
    assert_eq!(similar_names(&["abc", "abd", "same", "same"]), []);
    let long = "a".repeat(300_000);
    assert_eq!(similar_names(&[&long, &long[1..]]), []);
}

#[test]
fn every_rule_explains_itself() {
    for rule in ALL {
        let explanation = rule.explanation.trim();
        assert!(explanation.contains('.'), "`{}` has no sentence", rule.code);
        assert!(
            rule.code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{}",
            rule.code
        );
        assert_eq!(find(rule.code).map(|found| found.code), Some(rule.code));
    }
    assert!(find("no-such-rule").is_none());
    assert!(ALL.iter().any(|rule| rule.class == Class::Extension));
}

#[test]
fn many_repeated_keys_are_mended_at_once() {
    let text = format!(
        "---\nname: skill\n{}description: Use when x.\n---\nbody\n",
        "r: x\n".repeat(40)
    );
    let fixed = crate::fix::fix(text.as_bytes(), "SKILL.md", Some("skill")).unwrap();
    assert_eq!(fixed.text.matches("r: x").count(), 1);
    assert_eq!(
        crate::fix::fix(fixed.text.as_bytes(), "SKILL.md", Some("skill")),
        None
    );
}
