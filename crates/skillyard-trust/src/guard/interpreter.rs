//! Programs that run text in a language of their own, in which they can start any program.

use super::pattern::base_name;
use super::version::unversioned;

/// They are told what to run by their words.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "awk", "gawk", "git", "ipython", "lua", "luajit", "make", "mawk", "nawk", "node", "npx", "perl",
    "php", "pypy", "python", "rsync", "ruby", "sed", "tar", "tclsh",
];

/// Whether a program can start what its arguments say in its own language.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&unversioned(base_name(program)))
}
