//! Compilers for C, and their options that say where the programs are which they start: a linker, an
//! assembler, or what stands between.

use super::super::shell::Word;
use super::super::version::unversioned;
use super::starts;

/// Compilers, by the names that they have without a machine and a version.
pub(super) const NAMES: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Options that are a program, code that is loaded, or a place where either is looked for.
#[rustfmt::skip]
pub(super) const OPTIONS: &[&str] = &[
    "-wrapper", "-fplugin", "-fpass-plugin", "-iplugindir", "-load", "-specs", "--specs", "-gcc-toolchain",
    "--gcc-toolchain", "--config", "--ld-path", "--prefix",
];

/// The name of a compiler without the machine for which it is, as in `aarch64-linux-gnu-gcc-12`.
pub(super) fn usual(name: &str) -> Option<&str> {
    let name = unversioned(name);
    let name = name.rsplit('-').next().unwrap_or(name);
    NAMES.contains(&name).then_some(name)
}

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn compiler(name: &str, words: &[Word], named: usize) -> Option<String> {
    let mut told = words.iter().skip(named.max(1)).filter_map(Word::literal);
    told.find(|text| chooses(text))
        .map(|text| starts(name, text))
}

/// Whether an option chooses what a compiler starts or loads.
pub(super) fn chooses(text: &str) -> bool {
    // `-fuse-ld=lld` is a name among those that it knows, and a path is any program.
    let value = text.strip_prefix("-fuse-ld=");
    if let Some(linker) = value.or_else(|| text.strip_prefix("-Wl,")) {
        return value.is_some() && linker.contains('/') || linker.split(',').any(is_plugin);
    }
    let name = text.split('=').next().unwrap_or(text);
    // Behind `-B` is where it looks for its programs first, and behind `@` a file with options.
    text.starts_with('@') || text.starts_with("-B") || OPTIONS.contains(&name) || is_plugin(text)
}

/// Whether it is the option of a linker that loads code; `-plugin-opt` is for what is loaded anyway.
fn is_plugin(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    matches!(name, "-plugin" | "--plugin")
}
