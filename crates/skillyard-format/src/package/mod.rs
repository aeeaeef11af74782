//! Skills as bytes to be moved: digests of files and of whole folders.

mod digest;

pub use digest::{Digest, DigestError, TreeDigest};
