//! `.gitignore` and `.ignore` files inside a skills folder.
//!
//! Only files below a source's root count: whole repositories ignore `.claude/`, and
//! their users still want the skills in it.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

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
        let mut builder = None;
        for name in names {
            if Self::is_list(name) {
                let builder = builder.get_or_insert_with(|| GitignoreBuilder::new(folder));
                // A pattern that cannot be read ignores nothing.
                let _ = builder.add(folder.join(name));
            }
        }
        Self(builder.and_then(|builder| builder.build().ok()))
    }

    /// Whether the folder `name` is ignored.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|patterns| patterns.matched(name, true).is_ignore())
    }
}
