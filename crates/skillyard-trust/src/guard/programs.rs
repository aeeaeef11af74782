//! What is known about programs by their names: interpreters, harmless programs, versions.

use crate::guard::options;
use crate::guard::pattern::base_name;
use crate::guard::shell::Word;

/// Their words say what to run.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "awk", "gawk", "git", "gmake", "gsed", "ipython", "lua", "luajit", "make", "mawk", "nawk",
    "node", "npx", "perl", "php", "pypy", "python", "rsync", "ruby", "sed", "tar", "tclsh",
];

/// Programs for other things, among whose own commands is one that starts a program.
#[rustfmt::skip]
const INTERACTIVE_PROGRAMS: &[&str] = &[
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
    INTERACTIVE_PROGRAMS.contains(&unversioned(base_name(program)))
}

/// Programs and builtins of the shell that start nothing, whatever they are given.
#[rustfmt::skip]
const HARMLESS_PROGRAMS: &[&str] = &[
    ":", "[", "b2sum", "base64", "basename", "bg", "break", "cat",
    "cd", "chgrp", "chmod", "chown", "cksum", "clear", "cmp", "column", "comm", "continue", "cp",
    "cut", "date", "df", "diff", "dir", "dirname", "dirs", "disown", "dpkg-query", "du",
    "echo", "egrep", "exit", "expand", "expr", "false", "fg", "fgrep", "file", "fmt", "fold",
    "getent", "grep", "groups", "head", "hexdump", "hostname", "id", "jobs", "join",
    "jq", "kill", "killall", "link", "ln", "locate", "ls", "md5sum", "mkdir", "mktemp",
    "mv", "nl", "nm", "objdump", "od", "paste", "pgrep", "pidof", "pkill", "popd",
    "printenv", "printf", "ps", "pushd", "pwd", "readelf", "readlink", "realpath", "return",
    "rev", "rm", "rmdir", "seq", "sha1sum", "sha256sum", "sha512sum", "shasum", "shift", "sleep",
    "stat", "strings", "tac", "tail", "tee", "test", "touch", "tr", "tree", "true", "truncate",
    "type", "umask", "uname", "uniq", "unlink", "wait", "wc", "whatis", "whereis", "which",
    "xxd", "zcat", "zgrep",
];

/// Programs that start something only by an option that is known.
#[rustfmt::skip]
const HARMLESS_WITHOUT_OPTIONS: &[&str] = &[
    "apt", "apt-cache", "apt-get", "dnf", "man", "rg", "sort", "yum",
];

/// Whether a command takes all its words as data. Only a program of the system is known by its
/// name.
pub(super) fn takes_data(words: &[Word]) -> bool {
    let Some(program) = words.first().and_then(Word::literal) else {
        return false;
    };
    let name = base_name(program);
    let folder = program.strip_suffix(name).unwrap_or_default();
    matches!(folder, "" | "/bin/" | "/usr/bin/")
        && (HARMLESS_PROGRAMS.contains(&name)
            || HARMLESS_WITHOUT_OPTIONS.contains(&name) && !options::may_start_something(words))
}

/// Whether a known option lets the program start something.
pub(super) fn has_starting_option(words: &[Word]) -> bool {
    let program = words.first().and_then(Word::literal).map(base_name);
    let is_known = |name: &str| HARMLESS_WITHOUT_OPTIONS.contains(&name) || options::builds(name);
    program.is_some_and(is_known) && options::has_starting_option(words)
}

/// Most letters behind a version, which name a build: `python3.13t`.
const MAX_BUILD_LETTERS: usize = 2;
/// The shortest name before a version; in `w3m` and `7z` the number is part of the name.
const MIN_STEM: usize = 2;

/// The name of a program without its version.
pub(super) fn unversioned(name: &str) -> &str {
    split_version(name).0
}

/// Whether two names may be those of one program, because one says more of the version than the
/// other.
pub(super) fn may_be_same(one: &str, other: &str) -> bool {
    let ((one, version), (other, others)) = (split_version(one), split_version(other));
    // Some write the version of `python3.11` as `311`.
    let (version, others) = (version.replace('.', ""), others.replace('.', ""));
    one == other && (version.starts_with(&others) || others.starts_with(&version))
}

/// A name, and the numbers of its version.
fn split_version(name: &str) -> (&str, &str) {
    let whole = name.strip_suffix("-dbg").unwrap_or(name);
    let numbers = whole.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_build = whole.len() - numbers.len() <= MAX_BUILD_LETTERS;
    let numbers = if is_build { numbers } else { whole };
    let stem = numbers.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let version = &numbers[stem.len()..];
    let stem = stem.strip_suffix('-').unwrap_or(stem);
    if !version.starts_with(|c: char| c.is_ascii_digit()) || stem.len() < MIN_STEM {
        return (usual_name(whole), "");
    }
    (usual_name(stem), version)
}

/// The name that a program has elsewhere, too.
fn usual_name(stem: &str) -> &str {
    match stem {
        "nodejs" => "node",
        stem => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_names() {
        for (name, expected) in [
            ("python", ("python", "")),
            ("python3", ("python", "3")),
            ("python3.11", ("python", "3.11")),
            ("python3.13t", ("python", "3.13")),
            ("python3-dbg", ("python", "3")),
            ("gcc-12", ("gcc", "12")),
            ("nodejs", ("node", "")),
            ("node20", ("node", "20")),
            ("w3m", ("w3m", "")),
            ("7z", ("7z", "")),
            ("sha256sum", ("sha256sum", "")),
            ("rm", ("rm", "")),
            ("..", ("..", "")),
            ("", ("", "")),
        ] {
            assert_eq!(split_version(name), expected, "{name}");
        }
        assert!(may_be_same("python", "python3.11"));
        assert!(may_be_same("python3.11", "python3"));
        assert!(may_be_same("python3", "python311"));
        assert!(!may_be_same("python3", "python2"));
        assert!(!may_be_same("base64", "base32"));
        assert!(!may_be_same("rm", "rmdir"));
    }
}
