//! Proofs, as whoever does not trust the registry checks them.

use skillyard_format::Digest;

use super::node;

/// Why a proof proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// It does not lead to the root.
    #[error("the proof does not lead to the root of the log")]
    Root,
    /// The log of today does not begin with the log of last time.
    #[error("the log does not begin with the log that was seen before")]
    Rewritten,
    /// The log has become shorter.
    #[error("the log is shorter than the log that was seen before")]
    Shorter,
}

/// Checks that a leaf is in the log.
pub fn check_inclusion(
    leaf: Digest,
    index: u64,
    size: u64,
    proof: &[Digest],
    root: Digest,
) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::Root);
    }
    let (mut at, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in proof {
        if last == 0 {
            return Err(ProofError::Root);
        }
        if at & 1 == 1 || at == last {
            hash = node(*sibling, hash);
            (at, last) = skip(at, last);
        } else {
            hash = node(hash, *sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    if last == 0 && hash == root {
        Ok(())
    } else {
        Err(ProofError::Root)
    }
}

/// Checks that the log of `to` leaves begins with the log of `from` leaves.
pub fn check_consistency(
    from: (u64, Digest),
    to: (u64, Digest),
    proof: &[Digest],
) -> Result<(), ProofError> {
    let ((from, from_root), (to, to_root)) = (from, to);
    if from > to {
        return Err(ProofError::Shorter);
    }
    let holds = if from == to {
        from_root == to_root && proof.is_empty()
    } else if from == 0 {
        proof.is_empty()
    } else {
        is_consistent((from, from_root), (to, to_root), proof)
    };
    if holds {
        Ok(())
    } else {
        Err(ProofError::Rewritten)
    }
}

fn is_consistent(from: (u64, Digest), to: (u64, Digest), proof: &[Digest]) -> bool {
    let (mut at, mut last) = (from.0 - 1, to.0 - 1);
    while at & 1 == 1 {
        (at, last) = (at >> 1, last >> 1);
    }
    // A full part is its own proof.
    let (first, rest) = if from.0.is_power_of_two() {
        (from.1, proof)
    } else {
        match proof.split_first() {
            Some((first, rest)) => (*first, rest),
            None => return false,
        }
    };
    if rest.is_empty() {
        return false;
    }
    let (mut before, mut after) = (first, first);
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            before = node(*sibling, before);
            after = node(*sibling, after);
            (at, last) = skip(at, last);
        } else {
            after = node(after, *sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && before == from.1 && after == to.1
}

/// Up to where there is something on the left again.
fn skip(mut at: u64, mut last: u64) -> (u64, u64) {
    while at & 1 == 0 && at != 0 {
        (at, last) = (at >> 1, last >> 1);
    }
    (at, last)
}

#[cfg(test)]
mod tests {
    use super::super::{MerkleTree, leaf};
    use super::*;

    fn leaves(count: usize) -> Vec<Digest> {
        let leaf = |number| leaf("forms", &format!("1.0.{number}"), Digest::of(b"x"), None);
        (0..count).map(leaf).collect()
    }

    /// The root by its definition.
    fn root(leaves: &[Digest]) -> Digest {
        match leaves {
            [] => Digest::of(b""),
            [only] => *only,
            many => {
                let (left, right) = many.split_at(many.len().next_power_of_two() / 2);
                node(root(left), root(right))
            }
        }
    }

    #[test]
    fn every_proof_of_every_tree_holds_and_no_other() {
        let leaves = leaves(33);
        let mut tree = MerkleTree::default();
        for each in &leaves {
            tree.push(*each);
        }
        for size in 0..=leaves.len() {
            let whole = tree.root(size).unwrap();
            assert_eq!(whole, root(&leaves[..size]));
            for (index, own) in leaves.iter().enumerate().take(size) {
                let proof = tree.inclusion(index, size).unwrap();
                let check = |leaf, index: usize, proof: &[Digest]| {
                    check_inclusion(leaf, index as u64, size as u64, proof, whole).is_ok()
                };
                assert!(check(*own, index, &proof));
                assert!(!check(Digest::of(b"other"), index, &proof));
                assert!(!check(*own, index + 1, &proof));
                let mut longer = proof.clone();
                longer.push(whole);
                assert!(!check(*own, index, &longer));
                if !proof.is_empty() {
                    assert!(!check(*own, index, &proof[1..]));
                }
            }
            for from in 0..=size {
                let before = tree.root(from).unwrap();
                let proof = tree.consistency(from, size).unwrap();
                let check = |before, after, proof: &[Digest]| {
                    check_consistency((from as u64, before), (size as u64, after), proof)
                };
                assert_eq!(check(before, whole, &proof), Ok(()), "{from} {size}");
                let other = Digest::of(b"other");
                if from > 0 {
                    assert_eq!(check(other, whole, &proof), Err(ProofError::Rewritten));
                    assert_eq!(check(before, other, &proof), Err(ProofError::Rewritten));
                }
            }
        }
        let shorter = check_consistency((2, leaves[0]), (1, leaves[0]), &[]);
        assert_eq!(shorter, Err(ProofError::Shorter));
        assert_eq!(tree.inclusion(33, 33), None);
        assert_eq!(tree.consistency(1, 34), None);
    }
}
