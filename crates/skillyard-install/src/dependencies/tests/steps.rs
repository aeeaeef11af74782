//! Which of several answers is taken, and the reasons that are told.

use super::shelf::{Shelf, beside, locked, told};
use crate::candidate::Candidate;
use crate::dependencies::{KnownRequests, Needed, Supplier, resolve, resolve_each};
use crate::lockfile::Lockfile;

fn needed(shelf: &[(&str, &str)], roots: &[&str]) -> Vec<Needed> {
    let mut shelf = Shelf::new(shelf);
    let roots: Vec<_> = roots.iter().map(|root| shelf.root(root)).collect();
    let nothing = Lockfile::default();
    resolve(&roots, &KnownRequests::new(&nothing), &mut shelf).unwrap()
}

/// The names and versions, and what is held back and why.
fn versions(needed: &[Needed]) -> Vec<String> {
    let line = |each: &Needed| {
        let version = each.candidate.origin.version.as_deref().unwrap_or_default();
        let held_back = each.held_back.as_ref();
        let held_back = held_back.map(|it| format!(", not {}: {}", it.newest, it.reason));
        format!(
            "{} {version}{}",
            each.candidate.name,
            held_back.unwrap_or_default()
        )
    };
    needed.iter().map(line).collect()
}

/// What was taken does not change when it is asked for again, and is never refused.
fn stays(shelf: &[(&str, &str)], roots: &[&str]) {
    let before = told(&needed(shelf, roots));
    let lock = locked(shelf, roots);
    assert_eq!(beside(&lock, shelf, roots).unwrap(), before);
    let mut shelf = Shelf::new(shelf);
    let roots = roots.iter().map(|root| shelf.root(root)).collect();
    let resolved = resolve_each(roots, &KnownRequests::new(&lock), &mut shelf).unwrap();
    assert!(resolved.failed.is_empty(), "{:?}", resolved.failed);
    assert_eq!(told(&resolved.needed), before);
}

#[test]
fn who_needs_another_version_of_who_needs_it_is_taken_older() {
    let shelf = [
        ("b@1.0.0", "c@^1"),
        ("b@1.2.0", ""),
        ("b@2.1.0", "c@^2"),
        ("c@1.2.0", ""),
        ("c@2.0.0", ""),
        ("c@2.1.0", "b@^1"),
    ];
    assert_eq!(
        versions(&needed(&shelf, &["b"])),
        [
            "b 2.1.0",
            "c 2.0.0, not 2.1.0: `c` needs `b@^1`, and 2.1.0 is taken of `b`"
        ]
    );
    stays(&shelf, &["b"]);
}

#[test]
fn the_reason_is_true_of_what_is_taken() {
    let shelf = [
        ("aaa@1.2.0", "ddd@^2"),
        ("aaa@2.0.0", "ccc@^2"),
        ("aaa@2.1.0", "bbb ddd@^2"),
        ("bbb@1.0.0", "ccc@^2 eee@^2"),
        ("bbb@1.2.0", "ccc@~1.1 eee@^1"),
        ("bbb@2.1.0", "ccc@^1 ddd@<2 eee@^2"),
        ("ccc@1.0.0", "eee@~1.1"),
        ("ccc@1.1.0", "eee@^1.1"),
        ("ccc@2.0.0", ""),
        ("ddd@1.0.0", "eee@^1"),
        ("ddd@1.2.0", "eee@^2"),
        ("ddd@2.1.0", "eee@^2"),
        ("eee@1.0.0", ""),
        ("eee@1.1.0", ""),
        ("eee@2.1.0", ""),
    ];
    let roots = ["ddd", "bbb@>=1", "aaa@^2"];
    assert_eq!(
        versions(&needed(&shelf, &roots)),
        [
            "aaa 2.1.0",
            "bbb 1.0.0, not 2.1.0: `ddd` cannot be had in a version that fits all who want it: `aaa` needs `^2`, `bbb` needs `<2`",
            "ccc 2.0.0",
            "ddd 2.1.0",
            "eee 2.1.0"
        ]
    );
    stays(&shelf, &roots);
}

#[test]
fn who_would_go_is_no_reason() {
    let shelf = [
        ("axe@1.0.0", "bit"),
        ("axe@2.0.0", "zoo@^2 quay"),
        ("bit@1.0.0", "zoo@^1"),
        ("quay@1.0.0", "core@^1"),
        ("tool@1.0.0", "core@^2"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
        ("zoo@1.0.0", ""),
        ("zoo@2.0.0", ""),
    ];
    let needed = needed(&shelf, &["axe", "tool"]);
    assert_eq!(
        versions(&needed)[0],
        "axe 1.0.0, not 2.0.0: `core` cannot be had in a version that fits all who want it: `quay` needs `^1`, `tool` needs `^2`"
    );
}

#[test]
fn what_is_older_only_on_the_way_is_told_too() {
    let shelf = [
        ("app@1.0.0", "dep@>=1"),
        ("app@2.0.0", "core@^1"),
        ("dep@1.0.0", ""),
        ("dep@1.1.0", "core@^1"),
        ("tool@1.0.0", "core@^2"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ];
    let reason = |by: &str| {
        format!(
            "`core` cannot be had in a version that fits all who want it: `{by}` needs `^1`, `tool` needs `^2`"
        )
    };
    assert_eq!(
        versions(&needed(&shelf, &["app", "tool"])),
        [
            format!("app 1.0.0, not 2.0.0: {}", reason("app")),
            "core 2.0.0".to_owned(),
            format!("dep 1.0.0, not 1.1.0: {}", reason("dep")),
            "tool 1.0.0".to_owned()
        ]
    );
    stays(&shelf, &["app", "tool"]);
}

#[test]
fn who_steps_back_frees_what_only_the_newer_version_limits() {
    let shelf = [
        ("app@1.0.0", "lib@>=1"),
        ("app@2.0.0", "lib@~1.0"),
        ("lib@1.0.0", "core@^2"),
        ("lib@1.1.0", "core@^1"),
        ("tool@1.0.0", "core@^1"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ];
    assert_eq!(
        versions(&needed(&shelf, &["app", "tool"])),
        [
            "app 1.0.0, not 2.0.0: `core` cannot be had in a version that fits all who want it: `lib` needs `^2`, `tool` needs `^1`",
            "core 1.0.0",
            "lib 1.1.0",
            "tool 1.0.0"
        ]
    );
    stays(&shelf, &["app", "tool"]);
}

#[test]
fn what_was_found_once_is_never_refused() {
    let shelf = [
        ("aaa@1.0.0", "bbb@<2 ddd eee@>=1 fff ggg@^1.1"),
        ("aaa@1.2.0", "bbb@^1 ddd eee@>=1"),
        ("bbb@1.0.0", "ccc@<2 eee@^2 fff@>=2"),
        ("bbb@1.1.0", ""),
        ("bbb@1.2.0", "ccc@^1 eee@^2 fff@>=2"),
        ("bbb@2.0.0", "ccc ddd eee@^2 fff ggg@^1"),
        ("bbb@2.1.0", "ddd eee@^2 ggg@^1"),
        ("ccc@1.0.0", "ddd@^1 eee@^2 ggg@^1"),
        ("ccc@1.2.0", "fff ggg@<2"),
        ("ccc@2.1.0", "ddd@^2 fff@^2 ggg@>=2"),
        ("ddd@1.0.0", "eee@>=1 fff"),
        ("ddd@1.2.0", "eee@^2 fff ggg@>=1"),
        ("ddd@2.1.0", "eee@^1.1"),
        ("eee@1.0.0", "ggg@^1"),
        ("eee@1.2.0", "ggg@^2"),
        ("eee@2.0.0", "fff ggg@^2"),
        ("eee@2.1.0", "fff ggg@^2"),
        ("fff@2.0.0", "ggg@^1"),
        ("fff@2.1.0", "ggg@<2"),
        ("ggg@1.0.0", ""),
        ("ggg@1.1.0", ""),
        ("ggg@1.2.0", ""),
        ("ggg@2.0.0", ""),
        ("ggg@2.1.0", ""),
    ];
    let roots = ["bbb", "eee", "ggg@^2"];
    let taken: Vec<String> = told(&needed(&shelf, &roots));
    assert_eq!(taken, ["bbb 1.1.0", "eee 1.2.0 ggg@^2", "ggg 2.1.0"]);
    stays(&shelf, &roots);
}

#[test]
fn far_older_versions_are_found() {
    let mut shelf = vec![("lib@5.0.0".to_owned(), String::new())];
    for name in ["a", "b", "c", "d"] {
        for major in 1..=20 {
            let lib = if major < 6 { 5 } else { major };
            shelf.push((format!("{name}@{major}.0.0"), format!("lib@={lib}.0.0")));
        }
    }
    for major in 6..=20 {
        shelf.push((format!("lib@{major}.0.0"), String::new()));
    }
    let shelf: Vec<(&str, &str)> = shelf
        .iter()
        .map(|(id, needs)| (&id[..], &needs[..]))
        .collect();
    let taken = told(&needed(&shelf, &["a", "b", "c", "d", "lib@5.0.0"]));
    let expected = ["a", "b", "c", "d"].map(|name| format!("{name} 5.0.0 lib@=5.0.0"));
    assert_eq!(taken[..4], expected);
}

#[test]
fn a_search_among_endless_versions_ends() {
    let mut shelf = vec![("core@1.0.0".to_owned(), String::new())];
    for name in ["a", "b", "c"] {
        for major in 1..=300 {
            shelf.push((format!("{name}@{major}.0.0"), format!("core@={major}.0.0")));
        }
    }
    for major in 2..=300 {
        shelf.push((format!("core@{major}.0.0"), format!("a@<{major}")));
    }
    let shelf: Vec<(&str, &str)> = shelf
        .iter()
        .map(|(id, needs)| (&id[..], &needs[..]))
        .collect();
    let error = beside(&Lockfile::default(), &shelf, &["a@>1", "b@>1", "c"]).unwrap_err();
    assert!(error.contains("too many to try all: `"), "{error}");
}

#[test]
fn only_those_are_left_out_that_cannot_step_back() {
    let shelf = [
        // These two agree in older versions, and it shows first that the newest do not.
        ("axe@1.0.0", "bit@^1"),
        ("axe@2.0.0", "bit@^2"),
        ("ball@1.0.0", "bit@^1"),
        ("bit@1.0.0", ""),
        ("bit@2.0.0", ""),
        // These never do.
        ("yak@1.0.0", "zoo@^1"),
        ("yarn@1.0.0", "zoo@^2"),
        ("zoo@1.0.0", ""),
        ("zoo@2.0.0", ""),
    ];
    let mut shelf = Shelf::new(&shelf);
    let roots = ["axe", "ball", "yak", "yarn"].map(|root| shelf.root(root));
    let nothing = Lockfile::default();
    let known = KnownRequests::new(&nothing);
    let error = resolve(&roots, &known, &mut shelf).unwrap_err();
    assert!(
        error.to_string().starts_with("`zoo` cannot be had"),
        "{error}"
    );
    let resolved = resolve_each(roots.into(), &known, &mut shelf).unwrap();
    assert_eq!(
        told(&resolved.needed),
        [
            "axe 1.0.0 bit@^1",
            "ball 1.0.0 bit@^1",
            "bit 1.0.0 for others"
        ]
    );
    let [failed] = &resolved.failed[..] else {
        panic!("{:?}", resolved.failed);
    };
    assert_eq!(failed.roots, ["yak", "yarn"]);
}

/// A shelf that keeps what it was asked for.
struct Counting(Shelf, Vec<String>);

impl Supplier for Counting {
    type Error = std::io::Error;

    fn supply(&mut self, reference: &str, by: &Candidate) -> Result<Candidate, Self::Error> {
        self.0.supply(reference, by)
    }

    fn at(&mut self, candidate: &Candidate, requested: &str) -> Result<Candidate, Self::Error> {
        self.1.push(format!("{}@{requested}", candidate.name));
        self.0.at(candidate, requested)
    }
}

#[test]
fn sources_are_asked_only_about_who_disagrees() {
    let shelf = Shelf::new(&[
        ("axe@1.0.0", "bit"),
        ("axe@2.0.0", "bit"),
        ("bit@1.0.0", ""),
        ("bit@2.0.0", ""),
        ("kit@1.0.0", "lib@^1"),
        ("tool@1.0.0", "lib@^1"),
        ("tool@1.1.0", "lib@^1"),
        ("tool@1.2.0", "lib@^2"),
        ("lib@1.0.0", ""),
        ("lib@2.0.0", ""),
    ]);
    let roots = ["axe", "kit", "tool"].map(|root| shelf.root(root));
    let nothing = Lockfile::default();
    let mut supplier = Counting(shelf, Vec::new());
    resolve(&roots[..2], &KnownRequests::new(&nothing), &mut supplier).unwrap();
    assert_eq!(supplier.1, [""; 0]);
    resolve(&roots, &KnownRequests::new(&nothing), &mut supplier).unwrap();
    supplier.1.sort_unstable();
    // One step back of each of the two, and what each of them leaves.
    assert_eq!(
        supplier.1,
        ["kit@<1.0.0", "lib@^1", "lib@^1,^2", "lib@^2", "tool@<1.2.0"]
    );
}

#[test]
fn what_comes_anew_steps_back_for_what_is_installed() {
    let shelf = [
        ("tool@1.0.0", "core@^2"),
        ("plug@1.0.0", ""),
        ("plug@2.0.0", "hub"),
        ("hub@1.0.0", "core@^1"),
        ("core@1.0.0", ""),
        ("core@2.0.0", ""),
    ];
    let lock = locked(&shelf, &["tool"]);
    assert_eq!(beside(&lock, &shelf, &["plug"]).unwrap(), ["plug 1.0.0"]);
    let error = beside(&lock, &shelf, &["plug@^2"]).unwrap_err();
    let reason = "`hub` needs `^1`, `tool` needs `^2`";
    assert!(error.contains(reason), "{error}");
}
