//! Programs that run text in a language of their own, in which they can start any program.

use super::pattern::base_name;
use super::shell::Word;
use super::version::unversioned;

/// They are told what to run by their words or, without any, by their input.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "bun", "deno", "ed", "expect", "groovy", "guile", "ipython", "irb", "jshell", "julia", "lua",
    "luajit", "mysql", "node", "osascript", "perl", "php", "psql", "pwsh", "pypy", "python", "r",
    "racket", "rscript", "ruby", "scala", "sqlite", "tclsh", "wish",
];

/// They are told what to run by their words, and take their input as data or as keys.
#[rustfmt::skip]
const BY_WORDS: &[&str] = &[
    "awk", "emacs", "ex", "gawk", "git", "make", "mawk", "nawk", "npx", "nvim", "rsync", "sed", "tar",
    "vi", "vim",
];

/// Whether a program can start what its arguments say in its own language.
pub(super) fn is_interpreter(program: &str) -> bool {
    let name = name(program);
    INTERPRETERS.contains(&&*name) || BY_WORDS.contains(&&*name)
}

/// Whether a program runs what it reads: nothing among its arguments says what else it should run.
pub(super) fn runs_input(program: &str, arguments: &[Word]) -> bool {
    let says_what = |word: &Word| {
        let Some(text) = word.literal() else {
            return false;
        };
        let is_told = |option: &&str| text.starts_with(option);
        match text {
            "-" => false,
            "-V" | "-v" | "-h" | "--version" | "--help" => true,
            _ if text.starts_with('-') => ["-c", "-e", "-E", "-m", "--eval"].iter().any(is_told),
            _ => !super::wrapper::is_input(text),
        }
    };
    INTERPRETERS.contains(&&*name(program)) && !arguments.iter().any(says_what)
}

fn name(program: &str) -> String {
    unversioned(base_name(program)).to_ascii_lowercase()
}
