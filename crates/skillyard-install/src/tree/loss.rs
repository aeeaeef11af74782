//! What a power cut makes of files that were written shortly before it: they are there, and bytes
//! at their end are missing or null. An edit may leave the same; when the files were changed tells.

use super::{Tree, TreeFile};

impl Tree {
    /// Whether this may be what is left of a tree: no file has a byte or a mode that it did not have.
    pub(crate) fn is_left_of(&self, whole: &Self) -> bool {
        self.files.len() == whole.files.len()
            && self.files.iter().zip(&whole.files).all(|(left, file)| {
                left.path == file.path
                    && left.executable == file.executable
                    && is_left_of(&left.bytes, &file.bytes)
            })
    }

    /// Whether there is not a byte in it but nulls.
    pub(crate) fn is_hollow(&self) -> bool {
        let is_hollow = |file: &TreeFile| file.bytes.iter().all(|byte| *byte == 0);
        self.files.iter().all(is_hollow)
    }
}

fn is_left_of(left: &[u8], whole: &[u8]) -> bool {
    let kept = left
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |at| at + 1);
    left.len() <= whole.len() && whole.starts_with(&left[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &[u8])]) -> Tree {
        let files = files.iter().map(|(path, bytes)| TreeFile {
            path: (*path).to_owned(),
            executable: false,
            bytes: bytes.to_vec(),
        });
        Tree::new(files.collect()).unwrap()
    }

    #[test]
    fn files_without_their_end_are_left_of_a_skill_and_edited_ones_are_not() {
        let whole = tree(&[("SKILL.md", b"hello"), ("run.sh", b"echo")]);
        for (skill, script, expected) in [
            (&b""[..], &b"echo"[..], true),
            (b"he", b"", true),
            (b"he\0\0\0", b"echo", true),
            (b"\0\0\0\0\0", b"\0", true),
            (b"hi", b"echo", false),
            (b"", b"echo hi", false),
            (b"hello\0", b"echo", false),
            (b"\0\0\0\0o", b"echo", false),
        ] {
            let left = tree(&[("SKILL.md", skill), ("run.sh", script)]);
            assert_eq!(left.is_left_of(&whole), expected, "{skill:?} {script:?}");
        }
        assert!(!tree(&[("SKILL.md", b"")]).is_left_of(&whole));
        assert!(tree(&[("SKILL.md", b"\0\0"), ("a", b"")]).is_hollow());
        assert!(!tree(&[("SKILL.md", b""), ("a", b"a")]).is_hollow());
    }
}
