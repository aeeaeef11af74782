//! Skills that are not what was installed.

use std::fmt;
use std::path::Path;

use skillyard_format::package::Digest;
use skillyard_install::scope::ScopeKind;

use crate::shell::shell_word;

/// The files of a skill are not those that were installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Altered {
    /// What they are.
    pub(crate) now: Digest,
    /// What the lock says that it is.
    pub(crate) installed: Digest,
}

impl Altered {
    /// What the user can do about it, where the lock is of this scope.
    pub(crate) fn hint(name: &str, scope: Option<ScopeKind>) -> String {
        // In a project, `sync` means the project's skills.
        Self::hint_with(
            name,
            match scope {
                Some(ScopeKind::User) => "`skillyard sync --scope user`",
                _ => "`skillyard sync`",
            },
        )
    }

    /// The same, where the lock is of a project that `sync` does not mean here.
    pub(super) fn hint_in(name: &str, root: &Path) -> String {
        Self::hint_with(name, &format!("`skillyard sync` in `{}`", root.display()))
    }

    fn hint_with(name: &str, sync: &str) -> String {
        let name = shell_word(name);
        format!(
            "Put it right with {sync} (`--force` gives up what was changed here), or look at the changes and approve them with `skillyard trust {name} --scripts`"
        )
    }
}

impl fmt::Display for Altered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { now, installed } = self;
        write!(formatter, "its files are {now}, and {installed} is locked")
    }
}
