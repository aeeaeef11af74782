//! Reading a file of a skill, never one outside it.
//!
//! A path is checked twice. First as text (`path`): whatever could mean something else to another program, another
//! system or a later decoding is refused with its reason before the disk is touched. Then by the kernel (`open`): every
//! step is taken from a descriptor of the skill's folder and no symbolic link is followed, so a folder that is exchanged
//! for a link in the same moment gives an error, never a foreign byte. Only regular files are read, and opening cannot wait.
//!
//! | question | decision |
//! |---|---|
//! | `./a/b` | accepted as `a/b`; a dot anywhere else in the path is refused |
//! | `a//b`, `a/` | refused: one file has one name, in approvals and in the audit log; [`SkillRoot::list`] takes one `/` at the end |
//! | `.git` | neither listed, read nor hashed: it does not belong to the skill and may hold credentials |
//! | symbolic links | never followed, also not within the skill; listed as skipped, and hashed by where they lead |
//! | hard links | [`HardLinks::Refuse`] unless the caller says that only the user writes to the folder |
//! | text or binary | NUL bytes, invalid UTF-8 and PDF are binary; other signatures only name the type of what is binary, because two letters are a signature too (`BM25 …` is not a bitmap) |
//! | too long | cut after a whole character, with the offset to go on from |
//!
//! A [`SkillRoot`] stays on the folder it opened, even when another takes its place: open one per use.

mod digest;
mod error;
mod hashed;
mod list;
mod path;
mod read;
mod root;
mod walk;

pub use digest::{
    DigestLimits, FileDigest, FileDigests, SkillCopy, copy_hashed, digest, digest_within,
    file_digests, file_digests_without,
};
pub(crate) use digest::{Stamps, stamps};
pub use error::{FileKind, ResourceError};
pub use list::{FileListing, ResourceEntry, SeenFile, SeenKind, SkippedFile, probe, probe_seeing};
pub use read::{
    BinaryContent, HardLinks, PathRules, ReadLimits, ReadRange, Resource, ResourceContent,
};
#[doc(hidden)]
pub use root::Resolver;
pub use root::SkillRoot;
pub use walk::{MAX_DEPTH, MAX_FOLDERS};
