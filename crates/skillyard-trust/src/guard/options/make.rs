//! Variables that `make` is given: it runs what their values say while it reads them, hands them to
//! shells and programs, and needs no line of a file for that.

use super::super::shell::Word;
use super::starts;

/// Variables by which `make` finds its shell, its options and further files.
#[rustfmt::skip]
const OBEYED: &[&str] = &[
    ".SHELLFLAGS", "GNUMAKEFLAGS", "MAKE", "MAKEFILES", "MAKEFLAGS", "MAKESHELL", "MFLAGS", "SHELL",
];
/// Variables that programs obey: what `make` is given, they are given.
#[rustfmt::skip]
const INHERITED: &[&str] = &[
    "BASH_ENV", "EDITOR", "ENV", "IFS", "NODE_OPTIONS", "PAGER", "PATH", "RUBYOPT", "VISUAL",
];
/// How the names of others begin that do the same.
const FAMILIES: &[&str] = &["DYLD_", "GIT_", "LD_", "PERL5", "PYTHON"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn make(words: &[Word], named: usize) -> Option<String> {
    let mut told = words.iter().skip(named.max(1));
    told.find_map(|word| {
        let Some(text) = word.literal() else {
            return Some("what `make` is told is only known when it runs".into());
        };
        is_dangerous(text).then(|| starts("make", text))
    })
}

/// Whether a word is a variable that is more than a plain value, as in `X!=ls`, `X=$(shell ls)` and
/// `SHELL := ./x`.
fn is_dangerous(text: &str) -> bool {
    let Some((name, value)) = text.split_once('=').filter(|_| !text.starts_with('-')) else {
        return false;
    };
    let name = name.trim_end_matches([':', '+', '?', ' ', '\t']);
    OBEYED.contains(&name)
        || INHERITED.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || name.contains(['!', '$'])
        || value.contains(|c| "$`;|&<>()\n".contains(c))
}
