//! `.gitignore` and `.ignore` files inside a skills folder.
//!
//! Only files below a source's root count: whole repositories ignore `.claude/`, and
//! their users still want the skills in it.

mod lists;
mod pattern;

use std::io::{self, Read as _};
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
        Self(Patterns::of(folder, lists, Letters::Differ).all)
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

/// Whether small letters and capitals are the same in patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    Differ,
    AreAlike,
}

/// The patterns in files for a folder, the last of which has the last word.
#[derive(Debug, Clone)]
struct Patterns {
    all: Option<Gitignore>,
    /// Whether the files could be read to their ends.
    is_whole: bool,
}

impl Patterns {
    fn of<'n>(
        folder: &Path,
        files: impl Iterator<Item = (&'n Path, Exceptions)>,
        letters: Letters,
    ) -> Self {
        let (mut builder, mut is_whole) = (None, true);
        for (file, exceptions) in files {
            let builder = builder.get_or_insert_with(|| {
                let mut builder = GitignoreBuilder::new(folder);
                let _ = builder.case_insensitive(letters == Letters::AreAlike);
                builder
            });
            let (text, is_read) = text(&folder.join(file));
            is_whole &= is_read;
            for line in text.lines() {
                if exceptions == Exceptions::PassedOver && line.starts_with('!') {
                    continue;
                }
                // A pattern that cannot be read ignores nothing.
                let _ = builder.add_line(None, &pattern::translated(line));
            }
        }
        Self {
            all: builder.and_then(|builder| builder.build().ok()),
            is_whole,
        }
    }
}

/// The patterns in a file, and whether these are all; none where it is no file.
fn text(path: &Path) -> (String, bool) {
    let mut bytes = Vec::new();
    let is_whole = match open(path, Links::Followed) {
        Ok((file, _)) => {
            // What was read before it failed counts.
            let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
            read.is_ok() && bytes.len() as u64 <= LARGEST
        }
        Err(error) => error.kind() != io::ErrorKind::PermissionDenied,
    };
    // Some editors put a mark in front, which git passes over.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    (String::from_utf8_lossy(bytes).into_owned(), is_whole)
}
