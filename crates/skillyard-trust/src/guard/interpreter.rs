//! Programs that run text in a language of their own, in which they can start any program.

use super::pattern::base_name;
use super::version::unversioned;

/// They are told what to run by their words.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "awk", "gawk", "git", "gmake", "gsed", "ipython", "lua", "luajit", "make", "mawk", "nawk",
    "node", "npx", "perl", "php", "pypy", "python", "rsync", "ruby", "sed", "tar", "tclsh",
];

/// Programs for other things, among whose own commands is one that starts a program.
#[rustfmt::skip]
const TALKERS: &[&str] = &[
    "dc", "ed", "emacs", "ex", "expect", "less", "m4", "more", "most", "mysql", "nvim", "psql",
    "sqlite", "vi", "view", "vim",
];

/// Whether a program can start what its arguments say in its own language.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&unversioned(base_name(program)))
}

/// Whether a program can start what a command of its own names, such as `:!ls`; words that are only
/// known when it runs are data, as they mostly are.
pub(super) fn has_commands(program: &str) -> bool {
    TALKERS.contains(&unversioned(base_name(program)))
}
