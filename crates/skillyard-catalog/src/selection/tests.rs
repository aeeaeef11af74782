use super::*;

fn patterns(texts: &[&str]) -> Vec<NamePattern> {
    texts
        .iter()
        .map(|text| NamePattern::new(text).unwrap())
        .collect()
}

#[test]
fn a_stronger_layer_enables_and_no_layer_undoes_a_denial() {
    let user = Layer {
        name: "user".into(),
        disabled: patterns(&["pdf-*"]),
        deny: patterns(&["evil"]),
        ..Layer::default()
    };
    let project = Layer {
        name: "project".into(),
        enabled: patterns(&["pdf-fill", "evil"]),
        ..Layer::default()
    };
    let selection = Selection {
        layers: vec![user, project],
    };
    let against = |name| selection.reason_against(name);
    assert_eq!(
        against("pdf-merge").as_deref(),
        Some("disabled by `pdf-*` (user)")
    );
    assert_eq!(against("pdf-fill"), None);
    assert_eq!(against("evil").as_deref(), Some("denied by `evil` (user)"));
}

#[test]
fn an_allow_list_leaves_out_the_rest() {
    let layer = Layer {
        name: "agent".into(),
        allow: patterns(&["csv-*", "json-*"]),
        ..Layer::default()
    };
    let selection = Selection {
        layers: vec![layer],
    };
    assert_eq!(selection.reason_against("csv-read"), None);
    assert!(selection.reason_against("pdf").is_some());
}

#[test]
fn a_server_cannot_name_its_skill_past_the_lists() {
    let layer = Layer {
        name: "org".into(),
        allow: patterns(&["approved-*", "docs:*"]),
        deny: patterns(&["evil", "docs:old"]),
        ..Layer::default()
    };
    let selection = Selection {
        layers: vec![layer],
    };
    let against = |name| selection.reason_against(name);
    assert_eq!(against("docs:pdf"), None);
    for denied in ["docs:evil", "docs:old", "other:evil"] {
        let reason = against(denied).unwrap();
        assert!(reason.starts_with("denied by"), "{denied}: {reason}");
    }
    assert_eq!(against("approved-pdf"), None);
    assert!(against("other:approved-pdf").is_some());
}

#[test]
fn a_bad_pattern_is_named() {
    assert_eq!(
        NamePattern::new("a[").unwrap_err().to_string(),
        "`a[` is not a pattern: unclosed character class; missing ']'; a skill of this very name is `a[[]`"
    );
}

#[test]
fn a_name_that_looks_like_a_pattern_means_its_own_skill() {
    for name in [
        "Deploy [beta]",
        "draft {x",
        "a*",
        "*",
        "what?",
        r"a\",
        r"a\[b",
        "]x[!",
    ] {
        let exact = NamePattern::new(&NamePattern::exactly(name)).unwrap();
        assert!(exact.matches(name), "{name}");
        assert!(!exact.matches("abc") && !exact.matches("Deploy b"));
    }
    assert_eq!(NamePattern::exactly("pdf-fill"), "pdf-fill");
    let here = ["a*", "abc", "b*", "c{"];
    let is_name = |text| NamePattern::is_name(text, here.into_iter());
    assert!(is_name("b*") && is_name("c{") && is_name("abc"));
    assert!(!is_name("a*") && !is_name("x"));
    let layer = Layer {
        name: "user".into(),
        deny: patterns(&["Deploy [beta]"]),
        disabled: patterns(&[&NamePattern::exactly("a*")]),
        ..Layer::default()
    };
    let selection = Selection {
        layers: vec![layer],
    };
    let against = |name| selection.reason_against(name);
    assert_eq!(
        against("Deploy [beta]").as_deref(),
        Some("denied by `Deploy [beta]` (user)")
    );
    assert_eq!(against("a*").as_deref(), Some("disabled by `a*` (user)"));
    assert_eq!(against("abc"), None);
}

#[test]
fn a_denial_goes_by_no_case_and_other_lists_do() {
    let selection = Selection {
        layers: vec![Layer {
            name: "user".into(),
            deny: patterns(&["evil*", "Bad-[A-C]", "[!A]x"]),
            disabled: patterns(&["draft"]),
            ..Layer::default()
        }],
    };
    let against = |name| selection.reason_against(name).is_some();
    for name in [
        "evil",
        "Evil",
        "EVIL-2",
        "bad-b",
        "BAD-C",
        "docs:Evil",
        "ax",
        "bX",
    ] {
        assert!(against(name), "{name}");
    }
    for name in ["evi", "bad-d", "Draft"] {
        assert!(!against(name), "{name}");
    }
}
