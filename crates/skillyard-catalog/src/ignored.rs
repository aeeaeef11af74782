//! `.gitignore` and `.ignore` files inside a skills folder.
//!
//! Only files below a source's root count: whole repositories ignore `.claude/`, and
//! their users still want the skills in it.

mod lists;

use std::io::Read as _;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

pub use self::lists::Lists;
use crate::regular_file::{Links, open};

/// Most bytes of patterns that are read. Such files come with a checkout, and may lead to anything.
const LARGEST: u64 = 1 << 20;

/// The patterns of one folder.
pub(crate) struct Ignored(Option<Gitignore>);

impl Ignored {
    /// Whether a file of this name holds patterns.
    pub(crate) fn is_list(name: &str) -> bool {
        name == ".gitignore" || name == ".ignore"
    }

    /// No patterns.
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    /// Reads the patterns beside the entries of `folder`, if there are any.
    pub(crate) fn of<'n>(folder: &Path, names: impl Iterator<Item = &'n str>) -> Self {
        let lists = names.filter(|name| Self::is_list(name));
        let lists = lists.map(|list| (Path::new(list), Exceptions::Heeded));
        Self(patterns(folder, lists))
    }

    /// Whether the folder `name` is ignored.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|patterns| patterns.matched(name, true).is_ignore())
    }
}

/// Whether a list may take back what another one names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exceptions {
    Heeded,
    /// It is a guess whether the list counts at all.
    PassedOver,
}

/// The patterns in files for a folder, the last of which has the last word.
fn patterns<'n>(
    folder: &Path,
    files: impl Iterator<Item = (&'n Path, Exceptions)>,
) -> Option<Gitignore> {
    let mut builder = None;
    for (file, exceptions) in files {
        let builder = builder.get_or_insert_with(|| GitignoreBuilder::new(folder));
        for line in text(&folder.join(file)).lines() {
            if exceptions == Exceptions::PassedOver && line.starts_with('!') {
                continue;
            }
            // A pattern that cannot be read ignores nothing.
            let _ = builder.add_line(None, line);
        }
    }
    builder.and_then(|builder| builder.build().ok())
}

/// The patterns in a file; none where it is no file, and not all where they do not end.
fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok((file, _)) = open(path, Links::Followed) {
        // What was read before it failed counts.
        let _ = file.take(LARGEST).read_to_end(&mut bytes);
    }
    // Some editors put a mark in front, which git passes over.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    String::from_utf8_lossy(bytes).into_owned()
}
