//! Line ends: git can write CRLF into a checkout where a skill has LF, and changes nothing else.

use super::{Tree, TreeFile};

/// How far git looks for what no text has.
const LOOKED_AT: usize = 8000;

/// What lines end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// All of them with LF.
    Lf,
    /// Some of them with CRLF.
    Crlf,
}

impl Tree {
    /// What the lines of its files end with.
    pub(crate) fn line_ends(&self) -> LineEnds {
        if self.with_plain_line_ends().digest == self.digest {
            LineEnds::Lf
        } else {
            LineEnds::Crlf
        }
    }

    /// The same with LF for CRLF in what git takes for text.
    #[must_use]
    pub fn with_plain_line_ends(&self) -> Self {
        let mut files = self.files.clone();
        files.iter_mut().for_each(plain);
        let digest = super::digest(&files);
        Self {
            files,
            digest,
            left_out: Vec::new(),
            ignored: Vec::new(),
            unasked: None,
            holds_repository: false,
        }
    }

    /// Whether nothing but line ends differs, also where a file had CRLF before.
    pub(crate) fn differs_in_line_ends(&self, other: &Self) -> bool {
        self.digest != other.digest
            && self.with_plain_line_ends().digest == other.with_plain_line_ends().digest
    }
}

fn plain(file: &mut TreeFile) {
    let bytes = &file.bytes;
    if bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
        return;
    }
    let is_return = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    if (0..bytes.len()).any(is_return) {
        let kept = (0..bytes.len()).filter(|at| !is_return(*at));
        file.bytes = kept.map(|at| bytes[at]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(bytes: &[u8]) -> Tree {
        let file = |path: &str, bytes: &[u8]| TreeFile {
            path: path.to_owned(),
            executable: false,
            bytes: bytes.to_vec(),
        };
        Tree::new(vec![file("SKILL.md", b"a\nb\n"), file("x", bytes)]).unwrap()
    }

    #[test]
    fn only_the_ends_of_lines_of_text_are_passed_over() {
        let plain = tree(b"one\ntwo\n");
        for other in [&b"one\r\ntwo\r\n"[..], b"one\r\ntwo\n"] {
            assert!(tree(other).differs_in_line_ends(&plain));
            assert_eq!(tree(other).with_plain_line_ends(), plain);
        }
        for other in [
            &b"one\rtwo\n"[..],
            b"one\n\ntwo\n",
            b"one\r\ntwo",
            b"one\ntwo\n",
        ] {
            assert!(!tree(other).differs_in_line_ends(&plain));
        }
        assert!(!tree(b"\0\r\n").differs_in_line_ends(&tree(b"\0\n")));
    }
}
