//! Programs for which words are data: the name of a program in them starts nothing.

use super::options;
use super::pattern::base_name;
use super::shell::Word;

/// Programs and builtins of the shell that start nothing, whatever they are given.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
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
const BUT_FOR_OPTIONS: &[&str] = &[
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
        && (HARMLESS.contains(&name)
            || BUT_FOR_OPTIONS.contains(&name) && !options::start_something(words))
}

/// Whether a program is told by an option to start something, in whatever way the option has that.
pub(super) fn is_told_to_start(words: &[Word]) -> bool {
    let program = words.first().and_then(Word::literal).map(base_name);
    let is_known = |name: &str| BUT_FOR_OPTIONS.contains(&name) || options::builds(name);
    program.is_some_and(is_known) && options::told_to_start(words)
}
