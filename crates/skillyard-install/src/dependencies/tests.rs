mod endless;
mod shelf;
mod steps;
mod whole;

use shelf::{Shelf, beside, locked, resolved, told};

use super::*;
use crate::lockfile::Lockfile;

#[test]
fn needs_of_needs_are_found_once() {
    let shelf = [("a", "b c"), ("b", "d"), ("c", "d"), ("d", "")];
    assert_eq!(
        resolved(&shelf).unwrap(),
        [
            "a 1.0.0 b c",
            "b 1.0.0 for others d",
            "c 1.0.0 for others d",
            "d 1.0.0 for others"
        ]
    );
}

#[test]
fn what_does_not_go_together_is_explained() {
    for (shelf, reason) in [
        (vec![("a", "b"), ("b", "a")], "`a` → `b` → `a`"),
        (vec![("a", "a")], "`a` → `a`"),
        (
            vec![
                ("a", "b c@1"),
                ("b", "c@2"),
                ("c@1.0.0", ""),
                ("c@2.0.0", ""),
            ],
            "`c` cannot be had in a version that fits all who want it: `a` needs `1`, `b` needs `2`",
        ),
        (vec![("a", "b")], "`a` needs `b`, which cannot be had"),
        (vec![("a", "/etc/x")], "may not name `/etc/x`"),
        (vec![("a", "file:///etc/x")], "may not name"),
    ] {
        let error = resolved(&shelf).unwrap_err();
        assert!(error.contains(reason), "{error} does not say {reason}");
    }
}

const SHELF: [(&str, &str); 7] = [
    ("loose", "lib@>=1"),
    ("tool", "lib@^1"),
    ("apps", "lib@^2"),
    ("lib@1.0.0", ""),
    ("lib@1.5.0", "more@^1"),
    ("lib@2.0.0", "ghost"),
    ("more@1.0.0", ""),
];

#[test]
fn the_highest_version_that_fits_all_is_taken_in_any_order() {
    let expected = [
        "lib 1.5.0 for others more@^1",
        "loose 1.0.0 lib@>=1",
        "more 1.0.0 for others",
        "tool 1.0.0 lib@^1",
    ];
    let nothing = Lockfile::default();
    // What only the version needs that is not taken does not have to be there.
    for roots in [["loose", "tool"], ["tool", "loose"]] {
        assert_eq!(beside(&nothing, &SHELF, &roots).unwrap(), expected);
    }
    let expected = [
        "lib 1.5.0 more@^1",
        "more 1.0.0 for others",
        "tool 1.0.0 lib@^1",
    ];
    for roots in [["lib", "tool"], ["tool", "lib"]] {
        assert_eq!(beside(&nothing, &SHELF, &roots).unwrap(), expected);
    }
}

#[test]
fn what_is_installed_goes_on_getting_what_it_needs() {
    let lock = locked(&SHELF, &["tool"]);
    let taken = beside(&lock, &SHELF, &["loose"]).unwrap();
    assert!(taken.contains(&"lib 1.5.0 for others more@^1".to_owned()));
    let taken = beside(&lock, &SHELF, &["lib"]).unwrap();
    assert!(taken.contains(&"lib 1.5.0 more@^1".to_owned()));
    for (roots, reason) in [
        (["apps"], "`apps` needs `^2`, `tool` needs `^1`"),
        (["lib@2"], "`tool` needs `^1`, you ask for `2`"),
    ] {
        let error = beside(&lock, &SHELF, &roots).unwrap_err();
        assert!(error.contains(reason), "{error} does not say {reason}");
    }
    // What comes anew may need something else.
    let mut shelf = SHELF.to_vec();
    shelf[1] = ("tool", "lib@~1.0");
    let taken = beside(&lock, &shelf, &["tool"]).unwrap();
    assert_eq!(taken, ["lib 1.0.0 for others", "tool 1.0.0 lib@~1.0"]);
}

#[test]
fn what_is_needed_by_a_name_may_be_in_a_range_that_others_need() {
    let shelf = [
        ("early", "lib@beta"),
        ("tool", "lib@^1"),
        ("apps", "lib@^1.5"),
        ("lib@1.0.0", ""),
        ("lib@1.2.0 beta", ""),
        ("lib@1.5.0", ""),
    ];
    let nothing = Lockfile::default();
    let lib = "lib 1.2.0 for others".to_owned();
    for roots in [["early", "tool"], ["tool", "early"]] {
        assert!(beside(&nothing, &shelf, &roots).unwrap().contains(&lib));
        let lock = locked(&shelf, &roots[..1]);
        let taken = beside(&lock, &shelf, &roots[1..]).unwrap();
        assert!(taken.contains(&lib), "{taken:?}");
    }
    for roots in [["early", "apps"], ["apps", "early"]] {
        let lock = locked(&shelf, &roots[..1]);
        let error = beside(&lock, &shelf, &roots[1..]).unwrap_err();
        let reason = "`apps` needs `^1.5`, `early` needs `beta`";
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn older_versions_are_taken_where_the_newest_do_not_go_together() {
    let shelf = [
        ("app", "tool@^1 kit"),
        ("tool@1.0.0", "lib@^1"),
        ("tool@1.1.0", "lib@^1"),
        ("tool@1.2.0", "lib@^2"),
        ("kit@1.0.0", "lib@^1"),
        ("kit@2.0.0", "lib@^1"),
        ("lib@1.0.0", ""),
        ("lib@2.0.0", ""),
    ];
    let mut supplier = Shelf::new(&shelf);
    let root = supplier.root("app");
    let nothing = Lockfile::default();
    let needed = resolve(&[root], &KnownRequests::new(&nothing), &mut supplier).unwrap();
    assert_eq!(
        told(&needed),
        [
            "app 1.0.0 tool@^1 kit",
            "kit 2.0.0 for others lib@^1",
            "lib 1.0.0 for others",
            "tool 1.1.0 for others lib@^1"
        ]
    );
    let tool = &needed[3];
    assert_eq!(tool.candidate.requested.as_deref(), Some("^1"));
    let held_back = tool.held_back.as_ref().unwrap();
    assert_eq!(held_back.newest, "1.2.0");
    let reason = "`kit` needs `^1`, `tool` needs `^2`";
    assert!(held_back.reason.contains(reason), "{}", held_back.reason);
    assert!(needed[..3].iter().all(|each| each.held_back.is_none()));
    let expected = [
        "kit 2.0.0 lib@^1",
        "lib 1.0.0 for others",
        "tool 1.1.0 lib@^1",
    ];
    for roots in [["kit", "tool@^1"], ["tool", "kit"], ["tool@latest", "kit"]] {
        assert_eq!(beside(&nothing, &shelf, &roots).unwrap(), expected);
    }
}

#[test]
fn several_may_have_to_be_older() {
    let shelf = [
        ("app", "a b"),
        ("a@1.0.0", "c@=1.0.0"),
        ("a@1.1.0", "c@=1.1.0"),
        ("a@1.2.0", "c@=1.2.0"),
        ("b@1.0.0", "c@=1.0.0"),
        ("b@1.1.0", "c@=1.3.0"),
        ("c@1.0.0", ""),
        ("c@1.1.0", ""),
        ("c@1.2.0", ""),
        ("c@1.3.0", ""),
    ];
    assert_eq!(
        resolved(&shelf).unwrap(),
        [
            "a 1.0.0 for others c@=1.0.0",
            "app 1.0.0 a b",
            "b 1.0.0 for others c@=1.0.0",
            "c 1.0.0 for others"
        ]
    );
}

#[test]
fn nobody_gets_older_than_asked_for_or_installed() {
    let before = [
        ("tool@1.1.0", "lib@^1"),
        ("kit@1.0.0", "lib@^1"),
        ("lib@1.0.0", ""),
    ];
    let mut shelf = before.to_vec();
    shelf.extend([
        ("tool@1.0.0", "lib@^1"),
        ("tool@1.2.0", "lib@^2"),
        ("kit@1.1.0", "lib@^1"),
        ("lib@2.0.0", ""),
    ]);
    let reason = "`tool` needs `^2`";
    let error = beside(&Lockfile::default(), &shelf, &["tool@1.2.0", "kit"]).unwrap_err();
    assert!(error.contains(reason), "{error}");
    // What is installed stays as it is rather than become older.
    let lock = locked(&before, &["tool@^1", "kit@^1"]);
    let taken = beside(&lock, &shelf, &["tool@^1"]).unwrap();
    assert_eq!(taken, ["lib 1.0.0 for others", "tool 1.1.0 lib@^1"]);
    shelf[0] = ("tool@1.1.0", "lib@^2");
    let error = beside(&lock, &shelf, &["tool@^1"]).unwrap_err();
    assert!(error.contains(reason), "{error}");
}

#[test]
fn who_needs_something_in_any_version_may_do_without_it() {
    let shelf = [
        ("app@1.0.0", ""),
        ("app@2.0.0", "lib"),
        ("lib@1.0.0", "core@^2"),
        ("tool@1.0.0", "core@^1"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ];
    let taken = beside(&Lockfile::default(), &shelf, &["app", "tool"]).unwrap();
    let expected = ["app 1.0.0", "core 1.0.0 for others", "tool 1.0.0 core@^1"];
    assert_eq!(taken, expected);
}

#[test]
fn what_does_not_go_together_is_left_out_with_its_reason() {
    let mut shelf = Shelf::new(&SHELF);
    let roots = ["apps", "loose", "more"].map(|root| shelf.root(root));
    let lock = locked(&SHELF, &["tool"]);
    let resolved = resolve_each(roots.into(), &KnownRequests::new(&lock), &mut shelf).unwrap();
    assert_eq!(
        told(&resolved.needed),
        [
            "lib 1.5.0 for others more@^1",
            "loose 1.0.0 lib@>=1",
            "more 1.0.0"
        ]
    );
    let [failed] = &resolved.failed[..] else {
        panic!("{:?}", resolved.failed);
    };
    assert_eq!(failed.roots, ["apps"]);
    assert!(failed.error.to_string().contains("`tool` needs `^1`"));
}

#[test]
fn nobody_gets_an_older_version_than_they_ask_for() {
    let shelf = [
        ("ka@1.0.0", ""),
        ("ka@2.0.0", "kc@~1.1"),
        ("kc@1.1.0", "kb@^2"),
        ("kb@1.0.0", ""),
        ("kb@2.0.0", ""),
    ];
    let nothing = Lockfile::default();
    for roots in [["ka@2.0.0", "kb@1.0.0"], ["ka@^2", "kb@^1"]] {
        let error = beside(&nothing, &shelf, &roots).unwrap_err();
        assert!(error.contains("`kc` needs `^2`, you ask for `"), "{error}");
    }
    // Who asks for any version gets one that goes together with the rest.
    let taken = beside(&nothing, &shelf, &["ka", "kb@1.0.0"]).unwrap();
    assert_eq!(taken, ["ka 1.0.0", "kb 1.0.0"]);
    let circle = [
        ("bgg@1.2.0", ""),
        ("bgg@2.0.0", "baa@~1.1"),
        ("baa@1.1.0", "bgg@^1"),
    ];
    let error = beside(&nothing, &circle, &["bgg@2.0.0"]).unwrap_err();
    assert!(error.contains("you ask for `2.0.0`"), "{error}");
}

#[test]
fn all_parties_of_a_dispute_may_have_to_step_back() {
    let shelf = [
        ("aa@1.0.0", ""),
        ("aa@2.0.0", "bb@^2 cc@^2"),
        ("aa@2.1.0", "bb@^1 cc@<2 dd@^2 ee@^1"),
        ("bb@1.0.0", "dd@^2"),
        ("bb@1.1.0", "dd@~1.1 ee@>=1"),
        ("cc@1.0.0", "dd@^2 ee"),
        ("cc@1.1.0", "dd@<2"),
        ("cc@2.0.0", ""),
        ("dd@1.1.0", ""),
        ("dd@2.0.0", ""),
        ("ee@1.1.0", ""),
        ("ee@2.0.0", ""),
        ("ee@2.1.0", ""),
    ];
    let nothing = Lockfile::default();
    let taken = beside(&nothing, &shelf, &["bb@^1", "aa@^2"]).unwrap();
    let versions: Vec<&str> = taken.iter().map(|each| &each[..8]).collect();
    assert_eq!(
        versions,
        ["aa 2.1.0", "bb 1.0.0", "cc 1.0.0", "dd 2.0.0", "ee 1.1.0"]
    );
    // What is older on the way needs something that nobody has.
    let taken = beside(&nothing, &shelf, &["aa", "dd@^1"]).unwrap();
    assert_eq!(taken, ["aa 1.0.0", "dd 1.1.0"]);
    // All are told who disagree.
    let error = beside(&nothing, &shelf, &["bb@1.1.0", "aa@^2"]).unwrap_err();
    for wanted in ["`aa` needs `^2`", "`bb` needs `~1.1`", "`cc` needs `<2`"] {
        assert!(error.contains(wanted), "{error}");
    }
}
