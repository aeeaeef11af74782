//! A log of all that a registry published, which it can only add to.
//!
//! The log is a Merkle tree as RFC 9162 has it. A registry signs how long it is and what its root
//! is (a [`Checkpoint`]). A client asks for proof that what it is about to install is in there, and
//! that the log of today begins with the log of last time: a registry that shows one client
//! something else, or takes something back, is found out.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::signature::{KeyError, PublicKey, SigningKey};

/// The leaf for a published version.
pub fn leaf(name: &str, version: &str, archive: Digest, signer: Option<&str>) -> Digest {
    let signer = signer.unwrap_or("-");
    // None of the parts has a line break, so no two entries are written alike.
    let text = format!("\0{name}\n{version}\n{archive}\n{signer}\n");
    Digest::of(text.as_bytes())
}

/// The parent of two nodes.
fn node(left: Digest, right: Digest) -> Digest {
    let mut bytes = [1; 65];
    bytes[1..33].copy_from_slice(left.as_bytes());
    bytes[33..].copy_from_slice(right.as_bytes());
    Digest::of(&bytes)
}

/// A log at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How many entries it has.
    pub size: u64,
    /// The root over them.
    pub root: Digest,
    /// When that was said, as RFC 3339 writes it.
    pub time: String,
}

/// A checkpoint as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedCheckpoint {
    /// What is said.
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    /// The registry's public key, in PEM form.
    pub key: String,
    /// The signature, in hex.
    pub signature: String,
}

/// Why a checkpoint is rejected.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The key.
    #[error("the key of the log cannot be used")]
    Key(#[from] KeyError),
    /// The signature.
    #[error("the checkpoint of the log was not signed by its key")]
    Signature,
    /// Another key than before.
    #[error("the log is signed by another key than before: {found} instead of {known}")]
    OtherKey {
        /// The key that was seen before.
        known: String,
        /// The key now.
        found: String,
    },
}

impl Checkpoint {
    /// The words that are signed.
    fn message(&self) -> String {
        let Self { size, root, time } = self;
        format!("skillyard registry log v1\n{size}\n{root}\n{time}\n")
    }

    /// Signs it.
    pub fn sign(self, key: &SigningKey) -> Result<SignedCheckpoint, KeyError> {
        let signature = hex::encode(key.sign(self.message().as_bytes()));
        Ok(SignedCheckpoint {
            key: key.public()?.to_pem(),
            checkpoint: self,
            signature,
        })
    }
}

impl SignedCheckpoint {
    /// Checks the signature, and that the key is the `known` one; returns the key's id.
    pub fn check(&self, known: Option<&str>) -> Result<String, CheckpointError> {
        let key = PublicKey::from_pem(&self.key)?;
        let found = key.id().to_string();
        if let Some(known) = known.filter(|known| *known != found) {
            return Err(CheckpointError::OtherKey {
                known: known.to_owned(),
                found,
            });
        }
        let signature = hex::decode(&self.signature).unwrap_or_default();
        if key.has_signed(self.checkpoint.message().as_bytes(), &signature) {
            Ok(found)
        } else {
            Err(CheckpointError::Signature)
        }
    }
}

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

/// A tree that grows at its right end.
#[derive(Debug, Clone, Default)]
pub struct MerkleTree {
    /// For each height the roots of all full parts, from the left.
    levels: Vec<Vec<Digest>>,
}

impl MerkleTree {
    /// How many leaves there are.
    pub fn size(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Digest) {
        let mut new = leaf;
        for height in 0.. {
            if self.levels.len() == height {
                self.levels.push(Vec::new());
            }
            let level = &mut self.levels[height];
            level.push(new);
            // A pair is full, and so is what stands above it.
            let [.., left, right] = level.as_slice() else {
                return;
            };
            if level.len() % 2 == 1 {
                return;
            }
            new = node(*left, *right);
        }
    }

    /// The root over the first `size` leaves; none for more than there are.
    pub fn root(&self, size: usize) -> Option<Digest> {
        match size {
            0 => Some(Digest::of(b"")),
            size if size <= self.size() => Some(self.hash(0, size)),
            _ => None,
        }
    }

    /// The proof that a leaf is among the first `size`.
    pub fn inclusion(&self, index: usize, size: usize) -> Option<Vec<Digest>> {
        if index >= size || size > self.size() {
            return None;
        }
        let mut proof = Vec::new();
        self.path(index, 0, size, &mut proof);
        Some(proof)
    }

    /// The proof that the first `to` leaves begin with the first `from`.
    pub fn consistency(&self, from: usize, to: usize) -> Option<Vec<Digest>> {
        if from > to || to > self.size() {
            return None;
        }
        let mut proof = Vec::new();
        if from > 0 && from < to {
            self.subproof(from, 0, to, KnownRoot::Yes, &mut proof);
        }
        Some(proof)
    }

    fn path(&self, index: usize, start: usize, end: usize, proof: &mut Vec<Digest>) {
        if end - start == 1 {
            return;
        }
        let middle = start + split(end - start);
        if index < middle {
            self.path(index, start, middle, proof);
            proof.push(self.hash(middle, end));
        } else {
            self.path(index, middle, end, proof);
            proof.push(self.hash(start, middle));
        }
    }

    fn subproof(
        &self,
        from: usize,
        start: usize,
        end: usize,
        known: KnownRoot,
        proof: &mut Vec<Digest>,
    ) {
        if from == end {
            if known == KnownRoot::No {
                proof.push(self.hash(start, end));
            }
            return;
        }
        let middle = start + split(end - start);
        if from <= middle {
            self.subproof(from, start, middle, known, proof);
            proof.push(self.hash(middle, end));
        } else {
            self.subproof(from, middle, end, KnownRoot::No, proof);
            proof.push(self.hash(start, middle));
        }
    }

    /// The root over some leaves that stand under one node.
    fn hash(&self, start: usize, end: usize) -> Digest {
        let size = end - start;
        if size.is_power_of_two() && start.is_multiple_of(size) {
            return self.levels[size.trailing_zeros() as usize][start / size];
        }
        let middle = start + split(size);
        node(self.hash(start, middle), self.hash(middle, end))
    }
}

/// Whether the client has the root of a part already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KnownRoot {
    Yes,
    No,
}

/// The largest power of two below `size`, which is at least 2.
fn split(size: usize) -> usize {
    size.next_power_of_two() / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Algorithm;

    fn key(seed: u8) -> SigningKey {
        let fill = |bytes: &mut [u8]| -> Result<(), std::convert::Infallible> {
            bytes.fill(seed);
            Ok(())
        };
        SigningKey::generate(Algorithm::Ed25519, fill).unwrap()
    }

    #[test]
    fn a_changed_checkpoint_and_another_key_are_found_out() {
        let checkpoint = Checkpoint {
            size: 3,
            root: Digest::of(b"x"),
            time: "2026-11-15T08:00:00Z".into(),
        };
        let signed = checkpoint.clone().sign(&key(1)).unwrap();
        let id = signed.check(None).unwrap();
        assert_eq!(signed.check(Some(&id)).unwrap(), id);
        let mut longer = signed.clone();
        longer.checkpoint.size = 4;
        assert!(matches!(
            longer.check(None),
            Err(CheckpointError::Signature)
        ));
        let other = checkpoint.sign(&key(2)).unwrap();
        assert!(matches!(
            other.check(Some(&id)),
            Err(CheckpointError::OtherKey { .. })
        ));
    }

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
