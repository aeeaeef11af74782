//! Skills as bytes to be moved: digests, archives to be read and archives to be made.

pub mod archive;
mod digest;
pub mod pack;

pub use digest::{ContentDigest, Digest, DigestError, TreeDigest};
