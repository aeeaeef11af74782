//! How far is looked, and in which order things are told.

use std::fs;

use proptest::prelude::*;
use skillyard_catalog::walk::{Extent, Links, SkillWalk, WalkLimits, WalkScope};
use skillyard_catalog::{Catalog, CatalogSettings};

use crate::tree;
use crate::tree::{Tree, skill};

#[test]
fn more_folders_than_are_looked_into() {
    let tree = tree();
    for number in 0..25 {
        tree.mkdir(&format!("s/many/f{number:02}"));
    }
    // A skill costs nothing, however many folders there are.
    tree.skill("s/many/f24/late", "too late")
        .skill("s/many/zz", "beside them");
    let walk = SkillWalk {
        limits: WalkLimits {
            folders: 20,
            ..WalkLimits::default()
        },
        links: Links::Skip,
        extent: Extent::Head,
        scope: WalkScope::Usual,
    };
    let walked = walk.run(&tree.path("s"), |found| found.folder.to_owned());
    assert_eq!(walked.skills, [tree.path("s/good"), tree.path("s/many/zz")]);
    // The source and `many` are two of the twenty.
    assert_eq!(walked.listed.len(), 20);
    let skipped: Vec<_> = walked.skipped.iter().map(|each| &each.path).collect();
    let expected: Vec<_> = (18..25)
        .map(|number| tree.path(&format!("s/many/f{number}")))
        .collect();
    assert_eq!(skipped, expected.iter().collect::<Vec<_>>());
    assert_eq!(
        walked.skipped[0].reason,
        "more than 20 folders without a SKILL.md were found before it"
    );
}

#[test]
fn the_limits_are_settings() {
    let tree = Tree::new();
    tree.skill("work/.skills/a/b/c", "x")
        .skill("work/.skills/d", "x");
    let load = |limits| {
        Catalog::load(&CatalogSettings {
            limits,
            ..tree.settings()
        })
    };
    let shallow = load(WalkLimits {
        depth: 2,
        ..WalkLimits::default()
    });
    assert_eq!(tree.found(&shallow), ["work/.skills/d: d"]);
    assert_eq!(
        tree.skipped(&shallow),
        ["work/.skills/a/b/c: it is deeper than 2 folders"]
    );
    let few = load(WalkLimits {
        folders: 1,
        ..WalkLimits::default()
    });
    assert_eq!(tree.found(&few), ["work/.skills/d: d"]);
    assert_eq!(
        tree.skipped(&few),
        ["work/.skills/a: more than 1 folders without a SKILL.md were found before it"]
    );
}

#[derive(Debug, Clone)]
enum Thing {
    Skill,
    Lower,
    Folder,
    File,
    Broken,
    Link,
}

fn thing() -> impl Strategy<Value = (String, Thing)> {
    let thing = prop_oneof![
        4 => Just(Thing::Skill),
        1 => Just(Thing::Lower),
        3 => Just(Thing::Folder),
        1 => Just(Thing::File),
        1 => Just(Thing::Broken),
        1 => Just(Thing::Link),
    ];
    ("[ab]{1,2}(/[abc]{1,2}){0,4}", thing)
}

fn make(tree: &Tree, path: &str, thing: &Thing) {
    let path = format!("s/{path}");
    if fs::create_dir_all(tree.path(&path)).is_err() {
        return;
    }
    match thing {
        Thing::Skill => drop(fs::write(
            tree.path(&path).join("SKILL.md"),
            skill("x", "y"),
        )),
        Thing::Lower => drop(fs::write(
            tree.path(&path).join("skill.md"),
            skill("x", "y"),
        )),
        Thing::Folder => {}
        Thing::File => drop(fs::write(tree.path(&path).join("z.md"), "z")),
        Thing::Broken => drop(fs::create_dir(tree.path(&path).join("SKILL.md"))),
        Thing::Link => drop(std::os::unix::fs::symlink(
            "..",
            tree.path(&path).join("up"),
        )),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same things made in another order, in another folder, give the same answer.
    #[test]
    fn the_order_of_making_does_not_matter(
        (things, shuffled) in proptest::collection::vec(thing(), 1..20)
            .prop_map(|things| things.into_iter().collect::<std::collections::BTreeMap<_, _>>().into_iter().map(|(path, thing)| (path, format!("{thing:?}"), thing)).collect::<Vec<_>>())
            .prop_flat_map(|things| {
                let plain: Vec<(String, Thing)> = things.into_iter().map(|(path, _, thing)| (path, thing)).collect();
                (Just(plain.clone()), Just(plain).prop_shuffle())
            })
    ) {
        let told = |things: &[(String, Thing)]| {
            let tree = Tree::new();
            tree.mkdir("s");
            for (path, thing) in things {
                make(&tree, path, thing);
            }
            tree.walk("s", Links::Within(vec![tree.path("s")]))
        };
        let first = told(&things);
        prop_assert_eq!(&first, &told(&shuffled));
        // No skill lies in another.
        for skill in &first.0 {
            let folder = skill.rsplit_once('/').unwrap().0;
            let inner = first.0.iter().filter(|other| other.starts_with(&format!("{folder}/"))).count();
            prop_assert_eq!(inner, 1, "{}", skill);
        }
    }
}

#[test]
fn many_skills_are_visited_in_parallel_and_told_in_order() {
    let tree = Tree::new();
    for number in (0..600).rev() {
        tree.skill(&format!("s/k{number:03}"), "x");
    }
    let walk = SkillWalk {
        limits: WalkLimits::default(),
        links: Links::Skip,
        extent: Extent::Head,
        scope: WalkScope::Usual,
    };
    for _ in 0..5 {
        let walked = walk.run(&tree.path("s"), |found| found.folder.to_owned());
        assert_eq!(walked.skills.len(), 600);
        assert!(walked.skills.is_sorted());
        assert_eq!(walked.listed.len(), 1);
    }
}
