//! A log of all that a registry published, which it can only add to.
//!
//! The log is a Merkle tree as RFC 9162 has it. A registry signs how long it is and what its root
//! is (a [`Checkpoint`]). A client asks for proof that what it is about to install is in there, and
//! that the log of today begins with the log of last time: a registry that shows one client
//! something else, or takes something back, is found out.

mod checkpoint;
mod proof;
mod tree;

use skillyard_format::Digest;

pub use checkpoint::{Checkpoint, CheckpointError, SignedCheckpoint};
pub use proof::{ProofError, check_consistency, check_inclusion};
pub use tree::MerkleTree;

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
