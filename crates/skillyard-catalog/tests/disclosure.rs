//! Progressive disclosure, by counting: a start reads the first block of each file, and no body leaves it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/tree.rs"]
mod tree;

use std::fs;

use proptest::prelude::*;
use skillyard_catalog::Catalog;
use skillyard_catalog::budget::{Budget, BudgetEntry, fit};
use skillyard_catalog::walk::{Extent, Links, SkillWalk, WalkLimits, WalkScope};
use skillyard_format::tokens::estimate;
use tree::Tree;

const BLOCK: usize = 1536;
const MARKER: &str = "BODY_MARKER";

/// A skill whose frontmatter ends before the first block does, and whose marker stands behind it.
fn long_skill(number: usize) -> String {
    let mut text = format!("---\nname: s{number}\ndescription: Number {number}.\n---\n");
    text.push_str(&"filler ".repeat(BLOCK / 7 + 1));
    text.push_str(MARKER);
    text
}

#[test]
fn a_start_reads_the_first_block_of_each_file() {
    let tree = Tree::new();
    for number in 0..1_000 {
        tree.write(
            &format!("work/.skills/s{number}/SKILL.md"),
            long_skill(number),
        );
    }
    let walk = SkillWalk {
        limits: WalkLimits::default(),
        links: Links::Skip,
        extent: Extent::Head,
        scope: WalkScope::Usual,
    };
    let walked = walk.run(&tree.path("work/.skills"), |found| {
        (found.bytes.len(), found.complete, found.stamp.size)
    });
    assert_eq!(walked.skills.len(), 1_000);
    for (read, complete, size) in walked.skills {
        assert_eq!((read, complete), (BLOCK, false));
        assert!(size > BLOCK as u64);
    }
    // Nothing a catalog keeps, on disk or in memory, has a word of a body.
    let catalog = tree.load_indexed();
    assert_eq!(catalog.skills.len(), 1_004);
    assert!(!format!("{catalog:?}").contains(MARKER));
    assert!(!format!("{catalog:?}").contains("filler"));
    for entry in fs::read_dir(tree.path("index")).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"filler"));
    }
}

/// The description that the catalog reads from a file.
fn description(text: &str) -> Option<String> {
    let tree = Tree::new();
    tree.write("work/.skills/long/SKILL.md", text);
    let catalog: Catalog = tree.load();
    let skill = catalog.find("long")?;
    Some(skill.record.description.clone())
}

#[test]
fn frontmatter_longer_than_the_first_block() {
    let list: Vec<String> = (0..2_000)
        .map(|number| format!("  key{number}: v"))
        .collect();
    let list = list.join("\n");
    let text = format!(
        "---\nname: long\nmetadata:\n{list}\ndescription: At the very end.\n---\n\nBody.\n"
    );
    assert!(text.len() > 4 * BLOCK);
    assert_eq!(description(&text).as_deref(), Some("At the very end."));
}

#[test]
fn broken_frontmatter_across_the_first_block_is_repaired_as_a_whole() {
    let filler = "# comment\n".repeat(BLOCK / 10);
    let text =
        format!("---\nname: long\n{filler}description: Usage: when it is long\n---\nBody.\n");
    assert_eq!(
        description(&text).as_deref(),
        Some("Usage: when it is long")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Wherever the frontmatter ends around the edge of the block, and whatever stands there.
    #[test]
    fn frontmatter_that_ends_at_the_edge_of_the_block(
        over in -12_isize..12,
        character in prop::sample::select(vec!['x', 'é', '€', '🦀']),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        body in prop::sample::select(vec!["", "Body.\n", "---\nnot frontmatter\n"]),
    ) {
        let start = format!("---{newline}name: long{newline}description: ");
        let end = format!("{newline}---{newline}");
        let room = BLOCK.checked_add_signed(over).unwrap() - start.len() - end.len();
        let mut wanted = character.to_string().repeat(room / character.len_utf8());
        wanted.push_str(&"y".repeat(room % character.len_utf8()));
        prop_assert_eq!(description(&format!("{start}{wanted}{end}{body}")), Some(wanted));
    }
}

fn entries() -> impl Strategy<Value = Vec<BudgetEntry>> {
    let description = "([a-z]{1,9}[ ,.]{1,2}){0,120}|[a-z]{300,600}|[一-鿿🦀é]{0,200}";
    let entry = ("[a-z]{1,12}", description).prop_map(|(name, description)| BudgetEntry {
        name,
        description,
        frame: 25,
    });
    proptest::collection::vec(entry, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Descriptions become shorter before entries go, the ones that matter stay, and all that went is named.
    #[test]
    fn a_catalog_fits_its_budget(entries in entries(), tokens in 0_usize..4_000, most in 0_usize..40, ranked in proptest::collection::vec(0_usize..40, 0..8)) {
        let fitting = fit(&entries, Budget { tokens, entries: most }, Some(&ranked));
        prop_assert!(fitting.tokens_after <= tokens);
        prop_assert!(fitting.kept.len() <= most);
        prop_assert_eq!(fitting.kept.len() + fitting.omitted.len(), entries.len());
        prop_assert!(fitting.kept.is_sorted_by(|a, b| a.0 < b.0));
        for (at, kept) in &fitting.kept {
            let whole = &entries[*at].description;
            if kept != whole {
                let start = kept.strip_suffix(" …").unwrap();
                prop_assert!(whole.starts_with(start));
                let told = fitting.shortened.iter().any(|(name, before, _)| {
                    *name == entries[*at].name && *before == estimate(whole)
                });
                prop_assert!(told);
            }
        }
        // The most relevant that is there stays as long as anything does.
        if let (Some(first), false) = (ranked.iter().find(|at| **at < entries.len()), fitting.kept.is_empty()) {
            prop_assert!(fitting.kept.iter().any(|(at, _)| at == first));
        }
        // The same again gives the same.
        prop_assert_eq!(&fitting, &fit(&entries, Budget { tokens, entries: most }, Some(&ranked)));
    }
}
