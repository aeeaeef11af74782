//! Digests: of one file, and of a whole skill.
//!
//! The tree digest is SHA-256 over one line per regular file, in byte order of the
//! paths: `<sha256 of the content in hex> <x or -> <path>\n`, where `x` says that
//! the owner may execute the file and the path is relative and separated by `/`.
//! A symbolic link has a line of its own, with `l` and the digest of where it leads.
//! Whatever is called `.git` is left out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256, written `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a digest; one is `sha256:` and 64 lowercase hex digits")]
pub struct DigestError(String);

impl Digest {
    /// The digest of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest as 64 hex digits.
    pub fn to_hex(self) -> String {
        self.digits().to_vec().try_into().unwrap_or_default()
    }

    /// The 64 hex digits, which are written far more often than anything else of a digest.
    fn digits(self) -> [u8; 64] {
        let mut digits = [0; 64];
        // There is room for exactly so many.
        let _ = hex::encode_to_slice(self.0, &mut digits);
        digits
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let error = || DigestError(text.chars().take(100).collect());
        let digits = text.strip_prefix("sha256:").ok_or_else(error)?;
        if digits.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(error());
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| error())?;
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Gathers the content of one file, piece by piece, into its digest.
#[derive(Debug, Clone, Default)]
pub struct ContentDigest(Sha256);

impl ContentDigest {
    /// Adds the next piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest of everything that was added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Gathers the files of a skill, in any order, into its tree digest.
#[derive(Debug, Clone, Default)]
pub struct TreeDigest {
    lines: Vec<(String, Mark, Digest)>,
}

/// What the line of a file says of it.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Plain,
    Executable,
    Link,
}

impl TreeDigest {
    /// Adds a regular file; `path` is relative to the skill's root and separated by `/`.
    pub fn add(&mut self, path: &str, executable: bool, content: Digest) {
        let mark = if executable {
            Mark::Executable
        } else {
            Mark::Plain
        };
        self.line(path, mark, content);
    }

    /// Adds a symbolic link, with the digest of where it leads.
    pub fn add_link(&mut self, path: &str, leads: Digest) {
        self.line(path, Mark::Link, leads);
    }

    fn line(&mut self, path: &str, mark: Mark, content: Digest) {
        if !path.split('/').any(|part| part == ".git") {
            self.lines.push((path.to_owned(), mark, content));
        }
    }

    /// The digest of everything that was added.
    pub fn finish(mut self) -> Digest {
        self.lines
            .sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let mut hasher = Sha256::new();
        for (path, mark, content) in &self.lines {
            hasher.update(content.digits());
            hasher.update(match mark {
                Mark::Plain => b" - ",
                Mark::Executable => b" x ",
                Mark::Link => b" l ",
            });
            hasher.update(path);
            hasher.update(b"\n");
        }
        Digest(hasher.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_digest_is_the_digest_of_its_lines() {
        let mut tree = TreeDigest::default();
        tree.add("scripts/run.sh", true, Digest::of(b"b"));
        tree.add(".git/HEAD", false, Digest::of(b"x"));
        tree.add("SKILL.md", false, Digest::of(b"a"));
        tree.add_link("notes.md", Digest::of(b"../c"));
        let lines = format!(
            "{} - SKILL.md\n{} l notes.md\n{} x scripts/run.sh\n",
            Digest::of(b"a").to_hex(),
            Digest::of(b"../c").to_hex(),
            Digest::of(b"b").to_hex()
        );
        assert_eq!(tree.finish(), Digest::of(lines.as_bytes()));
    }

    #[test]
    fn content_in_pieces_has_the_digest_of_the_whole() {
        let mut content = ContentDigest::default();
        content.add(b"ab");
        content.add(b"");
        content.add(b"c");
        assert_eq!(content.finish(), Digest::of(b"abc"));
    }

    #[test]
    fn paths_sort_by_bytes() {
        let digest = |paths: [&str; 2]| {
            let mut tree = TreeDigest::default();
            for path in paths {
                tree.add(path, false, Digest::of(path.as_bytes()));
            }
            tree.finish()
        };
        assert_eq!(digest(["a/b", "a-b"]), digest(["a-b", "a/b"]));
    }

    #[test]
    fn digests_read_back_and_others_are_refused() {
        let digest = Digest::of(b"");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for bad in [
            "",
            "sha256:",
            "sha256:zz",
            "md5:00",
            &digest.to_string().to_uppercase(),
        ] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
