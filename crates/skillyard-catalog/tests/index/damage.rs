//! An index that was damaged, or cannot be kept.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use crate::tree::Tree;
use crate::{old_tree, same};

#[test]
fn an_index_that_cannot_be_written_costs_no_answer() {
    let tree = old_tree();
    tree.write("index", "a file where the folder should be");
    for _ in 0..2 {
        assert!(same(&tree).walked > 0);
    }
    assert_eq!(
        fs::read_to_string(tree.path("index")).unwrap(),
        "a file where the folder should be"
    );
}

fn index_file(tree: &Tree) -> PathBuf {
    let mut files = fs::read_dir(tree.path("index")).unwrap();
    files.next().unwrap().unwrap().path()
}

/// Damages the index of an old tree and compares.
fn damaged(tree: &Tree, damage: impl FnOnce(&mut Vec<u8>)) {
    tree.load_indexed();
    let file = index_file(tree);
    let good = fs::read(&file).unwrap();
    let mut bytes = good.clone();
    damage(&mut bytes);
    fs::write(&file, &bytes).unwrap();
    let used = same(tree);
    if bytes != good {
        assert_eq!(used.fresh, 0);
    }
    // It was rebuilt without a word.
    assert_eq!(same(tree).walked, 0);
}

#[test]
fn damage_of_every_kind() {
    let tree = old_tree();
    damaged(&tree, Vec::clear);
    damaged(&tree, |bytes| bytes.truncate(11));
    damaged(&tree, |bytes| bytes[6..8].copy_from_slice(b"99"));
    damaged(&tree, |bytes| bytes.push(0));
    damaged(&tree, |bytes| bytes.extend_from_within(..));
    // A sound checksum over something else.
    damaged(&tree, |bytes| {
        bytes.truncate(8);
        let garbage = [0xff; 64];
        bytes.extend(crc32fast::hash(&garbage).to_le_bytes());
        bytes.extend(garbage);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// An index that is cut, changed or garbage is rebuilt.
    #[test]
    fn a_damaged_index_is_rebuilt(cut: prop::sample::Index, flip: prop::sample::Index, bit in 0_u8..8, garbage: Vec<u8>) {
        let tree = Tree::new();
        tree.skill("work/.skills/pdf", "x").write("home/.agents/skills/bad/SKILL.md", "bad").age();
        damaged(&tree, |bytes| bytes.truncate(cut.index(bytes.len())));
        damaged(&tree, |bytes| {
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
        });
        damaged(&tree, |bytes| *bytes = garbage);
    }
}
