//! The profiles over one document.

use super::{BODY, found};
use crate::rules::Profile;

fn check_profiles(text: &str, spec: &[&str], strict: &[&str], load: &[&str]) {
    assert_eq!(found(text, "x", Profile::Spec), spec, "spec: {text:?}");
    assert_eq!(
        found(text, "x", Profile::Strict),
        strict,
        "strict: {text:?}"
    );
    assert_eq!(found(text, "x", Profile::Load), load, "load: {text:?}");
}

#[test]
fn a_valid_skill_is_valid_under_every_profile() {
    let text = format!("---\nname: x\ndescription: Use when testing.\n{BODY}");
    check_profiles(&text, &[], &[], &[]);
}

#[test]
fn format_is_an_error_to_check_and_a_warning_to_load() {
    let text = format!("---\nname: X\ndescription: Use when: testing.\n{BODY}");
    check_profiles(
        &text,
        &[
            "error name-characters",
            "error name-matches-directory",
            "error yaml-unquoted-text",
        ],
        &[
            "error name-characters",
            "error name-matches-directory",
            "error yaml-unquoted-text",
        ],
        &[
            "warning name-characters",
            "warning name-matches-directory",
            "warning yaml-unquoted-text",
        ],
    );
}

#[test]
fn an_extension_is_an_error_only_when_strict() {
    let text = format!("---\nname: x\ndescription: Use when testing.\nmodel: opus\n{BODY}");
    check_profiles(
        &text,
        &["warning field-unknown"],
        &["error field-unknown"],
        &["warning field-unknown"],
    );
}

#[test]
fn advice_is_not_given_when_loading() {
    let text = format!("---\nname: x\ndescription: A toolkit.\n{BODY}");
    check_profiles(
        &text,
        &["warning description-when"],
        &["error description-when"],
        &[],
    );
}

#[test]
fn what_cannot_be_loaded_is_an_error_everywhere() {
    let text = format!("---\nname: x\n{BODY}");
    let expected = &["error description-missing"];
    check_profiles(&text, expected, expected, expected);
}

#[test]
fn repeated_keys_are_an_error_to_check_and_a_warning_to_load() {
    let text = format!("---\nname: y\nname: x\ndescription: Use when testing.\n{BODY}");
    check_profiles(
        &text,
        &["error yaml-duplicate-key"],
        &["error yaml-duplicate-key"],
        &["warning yaml-duplicate-key"],
    );
}
