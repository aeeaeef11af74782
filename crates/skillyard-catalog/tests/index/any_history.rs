//! What holds for every history of a tree.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;

use crate::tree::{Tree, skill, told};

#[derive(Debug, Clone)]
enum Step {
    Write(String, String),
    Remove(String),
    Rename(String, String),
    Link(String, String),
    Ignore(String),
    Age,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || "[abc](/[abc]){0,2}";
    prop_oneof![
        4 => (place(), "[xyz]{1,3}").prop_map(|(place, text)| Step::Write(place, text)),
        2 => place().prop_map(Step::Remove),
        1 => (place(), place()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (place(), place()).prop_map(|(target, link)| Step::Link(target, link)),
        1 => "[abc]".prop_map(Step::Ignore),
        3 => Just(Step::Age),
    ]
}

/// Does what can be done; what cannot, such as moving a folder into itself, is left.
fn take(tree: &Tree, step: &Step) {
    let skills = tree.path("work/.skills");
    let at = |place: &str| skills.join(place);
    match step {
        Step::Write(place, text) => {
            let _ = fs::create_dir_all(at(place));
            let _ = fs::write(at(place).join("SKILL.md"), skill("s", text));
        }
        Step::Remove(place) if at(place).is_symlink() => fs::remove_file(at(place)).unwrap(),
        Step::Remove(place) => drop(fs::remove_dir_all(at(place))),
        Step::Rename(from, to) => drop(fs::rename(at(from), at(to))),
        Step::Link(target, link) => drop(symlink(at(target), at(link))),
        Step::Ignore(name) => fs::write(at(".gitignore"), name).unwrap(),
        Step::Age => drop(tree.age()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// After any history of changes a warm start tells what a cold one does.
    #[test]
    fn warm_is_cold(steps in proptest::collection::vec(step(), 1..24)) {
        let tree = Tree::new();
        tree.mkdir("work/.skills");
        for step in &steps {
            take(&tree, step);
            let (warm, cold) = (tree.load_indexed(), tree.load());
            prop_assert_eq!(told(&warm), told(&cold), "after {:?}", step);
        }
    }
}
