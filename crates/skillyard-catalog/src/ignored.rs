//! `.gitignore` and `.ignore` files inside a skills folder.
//!
//! Only files below a source's root count: whole repositories ignore `.claude/`, and
//! their users still want the skills in it. Patterns are those of the `ignore` crate.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use parking_lot::Mutex;

use crate::regular_file::{Links, open};

/// More bytes of patterns are not read: such files come with a checkout, and may lead to anything.
const MAX_BYTES: u64 = 1 << 20;

/// Whether a file of this name has patterns.
pub(crate) fn is_ignore_file(name: &str) -> bool {
    name == ".gitignore" || name == ".ignore"
}

/// The patterns beside the entries of `folder`.
pub(crate) fn patterns_in<'n>(folder: &Path, names: impl Iterator<Item = &'n str>) -> Gitignore {
    read(folder, names.filter(|name| is_ignore_file(name)))
}

/// The patterns for one folder; of two that match, the last one decides.
fn read<'n>(folder: &Path, files: impl Iterator<Item = &'n str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for file in files {
        let mut bytes = Vec::new();
        if let Ok((file, _)) = open(&folder.join(file), Links::Followed) {
            // What was read before it failed counts.
            let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
        }
        // Git skips the byte order mark that some editors write.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        for line in String::from_utf8_lossy(bytes).lines() {
            // An invalid pattern ignores nothing.
            let _ = builder.add_line(None, &as_glob(line));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Character classes that git knows by name, as ranges.
const CLASSES: [(&str, &str); 7] = [
    ("[:alnum:]", "0-9A-Za-z"),
    ("[:alpha:]", "A-Za-z"),
    ("[:digit:]", "0-9"),
    ("[:lower:]", "a-z"),
    ("[:space:]", " \t"),
    ("[:upper:]", "A-Z"),
    ("[:xdigit:]", "0-9A-Fa-f"),
];

/// A line of a file in the syntax of the library: git has no alternatives in braces, and names classes.
fn as_glob(line: &str) -> String {
    let mut glob = String::with_capacity(line.len());
    let mut is_escaped = false;
    for character in line.chars() {
        if matches!(character, '{' | '}') && !is_escaped {
            glob.push('\\');
        }
        is_escaped = character == '\\' && !is_escaped;
        glob.push(character);
    }
    let replace = |glob: String, (name, range): &(&str, &str)| glob.replace(name, range);
    CLASSES.iter().fold(glob, replace)
}

/// The ignore files of a tree of folders; the one in the nearest folder decides.
#[derive(Debug)]
pub struct IgnoreFiles {
    root: PathBuf,
    /// The names of the files, the strongest last.
    names: Vec<String>,
    /// The patterns of each folder that was looked at.
    known: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
}

impl IgnoreFiles {
    /// The files with these names, the strongest last; those above `root` do not count.
    pub fn below(root: &Path, names: &[&str]) -> Self {
        Self {
            root: root.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            known: Mutex::default(),
        }
    }

    /// Whether a path is ignored by itself; the folders above it are not examined.
    pub fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        let folders = path.ancestors().skip(1);
        let mut folders = folders.take_while(|each| each.starts_with(&self.root));
        let decided =
            folders.find_map(
                |folder| match self.patterns(folder).matched(path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                },
            );
        decided.unwrap_or(false)
    }

    fn patterns(&self, folder: &Path) -> Arc<Gitignore> {
        let mut known = self.known.lock();
        let names = || self.names.iter().map(String::as_str);
        let patterns = known
            .entry(folder.to_owned())
            .or_insert_with(|| Arc::new(read(folder, names())));
        Arc::clone(patterns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_decides() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(
            at(".gitignore"),
            "\u{feff}*.key\n[a-c].txt\nlogs/\n!keep.key\n",
        )
        .unwrap();
        std::fs::write(at("sub/.gitignore"), "!a.txt\n").unwrap();
        let files = IgnoreFiles::below(folder.path(), &[".gitignore"]);
        for (path, is_folder, expected) in [
            ("x.key", false, true),
            ("keep.key", false, false),
            ("sub/x.key", false, true),
            ("a.txt", false, true),
            ("sub/a.txt", false, false),
            ("sub/b.txt", false, true),
            ("logs", true, true),
            ("logs", false, false),
            ("X.KEY", false, false),
        ] {
            assert_eq!(files.is_ignored(&at(path), is_folder), expected, "{path}");
        }
        std::fs::write(at("sub/.gitignore"), "{a,b}.log\n[[:upper:]][0-9]\n").unwrap();
        let files = IgnoreFiles::below(&at("sub"), &[".gitignore"]);
        for (path, expected) in [
            ("{a,b}.log", true),
            ("a.log", false),
            ("X1", true),
            ("x1", false),
        ] {
            assert_eq!(
                files.is_ignored(&at("sub").join(path), false),
                expected,
                "{path}"
            );
        }
    }
}
