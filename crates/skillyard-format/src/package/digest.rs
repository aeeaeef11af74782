//! Digests: of one file, and of a whole skill.
//!
//! The tree digest is SHA-256 over one line per regular file, in byte order of the
//! paths: `<sha256 of the content in hex> <x or -> <path>\n`, where `x` says that
//! the owner may execute the file and the path is relative and separated by `/`.
//! A symbolic link has a line of its own, with `l` and the digest of where it leads.
//! The line of a path that is not UTF-8 or has control characters in it begins with `\`, as that of `sha256sum` does, and every
//! byte of the path that is none of printable ASCII, and `\` itself, is written `\xNN`: no name can forge the line of another.
//! Whatever is called `.git` is left out.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use ring::digest::{self, SHA256};
use serde::{Deserialize, Serialize};

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
        Self::taken(&digest::digest(&SHA256, content))
    }

    fn taken(digest: &digest::Digest) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest.as_ref());
        Self(bytes)
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
#[derive(Clone)]
pub struct ContentDigest(digest::Context);

impl Default for ContentDigest {
    fn default() -> Self {
        Self(digest::Context::new(&SHA256))
    }
}

impl fmt::Debug for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentDigest").finish_non_exhaustive()
    }
}

impl ContentDigest {
    /// Adds the next piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest of everything that was added.
    pub fn finish(self) -> Digest {
        Digest::taken(&self.0.finish())
    }
}

/// Gathers the files of a skill, in any order, into its tree digest.
#[derive(Debug, Clone, Default)]
pub struct TreeDigest {
    lines: Vec<(Vec<u8>, Mark, Digest)>,
}

/// What the line of a file says of it.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Plain,
    Executable,
    Link,
    Special,
}

impl TreeDigest {
    /// Adds a regular file; `path` is relative to the skill's root and separated by `/`.
    pub fn add(&mut self, path: impl AsRef<[u8]>, executable: bool, content: Digest) {
        let mark = if executable {
            Mark::Executable
        } else {
            Mark::Plain
        };
        self.line(path.as_ref(), mark, content);
    }

    /// Adds a symbolic link, with the digest of where it leads.
    pub fn add_link(&mut self, path: impl AsRef<[u8]>, leads: Digest) {
        self.line(path.as_ref(), Mark::Link, leads);
    }

    /// Adds a pipe, a socket or a device, of which nothing is read, with the digest of what it is.
    pub fn add_special(&mut self, path: impl AsRef<[u8]>, kind: Digest) {
        self.line(path.as_ref(), Mark::Special, kind);
    }

    fn line(&mut self, path: &[u8], mark: Mark, content: Digest) {
        if !path.split(|byte| *byte == b'/').any(|part| part == b".git") {
            self.lines.push((path.to_owned(), mark, content));
        }
    }

    /// The digest of everything that was added.
    pub fn finish(mut self) -> Digest {
        self.lines.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut gathered = ContentDigest::default();
        for (path, mark, digest) in &self.lines {
            let path = escaped(path);
            if let Cow::Owned(_) = path {
                gathered.add(b"\\");
            }
            gathered.add(&digest.digits());
            gathered.add(match mark {
                Mark::Plain => b" - ",
                Mark::Executable => b" x ",
                Mark::Link => b" l ",
                Mark::Special => b" s ",
            });
            gathered.add(&path);
            gathered.add(b"\n");
        }
        gathered.finish()
    }
}

/// A path as its line has it.
fn escaped(path: &[u8]) -> Cow<'_, [u8]> {
    let text = std::str::from_utf8(path);
    if text.is_ok_and(|text| !text.contains(char::is_control)) {
        return Cow::Borrowed(path);
    }
    let mut line = String::with_capacity(path.len() * 2);
    for byte in path {
        match byte {
            b'\\' => line.push_str("\\x5c"),
            b' '..=b'~' => line.push(char::from(*byte)),
            // A text takes whatever is written to it.
            _ => drop(write!(line, "\\x{byte:02x}")),
        }
    }
    Cow::Owned(line.into_bytes())
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
    fn no_name_forges_the_line_of_another() {
        let digest = |paths: &[&[u8]]| {
            let mut tree = TreeDigest::default();
            for path in paths {
                tree.add(path, false, Digest::of(b""));
            }
            tree.finish()
        };
        let empty = Digest::of(b"").to_hex();
        let lines = format!("\\{empty} - a\\x0d\\x5c\\xe9\n");
        assert_eq!(digest(&[b"a\r\\\xe9"]), Digest::of(lines.as_bytes()));
        let forged = format!("a\n{empty} - b");
        assert_ne!(digest(&[forged.as_bytes()]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"a\r"]), digest(&[b"a\\x0d"]));
        assert_ne!(digest(&[b"caf\xe9"]), digest(&["caf\u{fffd}".as_bytes()]));
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
