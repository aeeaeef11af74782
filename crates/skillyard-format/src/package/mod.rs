//! Skills as bytes to be moved: digests of files and of whole folders.

mod digest;

pub use digest::{ContentDigest, Digest, DigestError, TreeDigest};
