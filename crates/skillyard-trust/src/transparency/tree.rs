//! The tree itself, with all its full parts kept, so that every proof is short work.

use skillyard_format::Digest;

use super::node;

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
            self.subproof(from, 0, to, Known::Yes, &mut proof);
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
        known: Known,
        proof: &mut Vec<Digest>,
    ) {
        if from == end {
            if known == Known::No {
                proof.push(self.hash(start, end));
            }
            return;
        }
        let middle = start + split(end - start);
        if from <= middle {
            self.subproof(from, start, middle, known, proof);
            proof.push(self.hash(middle, end));
        } else {
            self.subproof(from, middle, end, Known::No, proof);
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
enum Known {
    Yes,
    No,
}

/// The largest power of two below `size`, which is at least 2.
fn split(size: usize) -> usize {
    size.next_power_of_two() / 2
}
