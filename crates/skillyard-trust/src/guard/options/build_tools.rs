//! Options and variables with which `make`, compilers, `go` and `latexmk` start other programs.

use crate::guard::options::{CommandContext, danger, starts, unseen};
use crate::guard::programs::unversioned;
use crate::guard::shell::{self, Word};

/// Variables by which `make` finds its shell, its options and further files.
#[rustfmt::skip]
const COMMAND_VARIABLES: &[&str] = &[
    ".SHELLFLAGS", "GNUMAKEFLAGS", "MAKE", "MAKEFILES", "MAKEFLAGS", "MAKESHELL", "MFLAGS", "SHELL",
];
/// Variables that programs obey: what `make` is given, they are given.
#[rustfmt::skip]
const INHERITED_VARIABLES: &[&str] = &[
    "BASH_ENV", "EDITOR", "ENV", "IFS", "NODE_OPTIONS", "PAGER", "PATH", "RUBYOPT", "VISUAL",
];
/// How the names of others begin that do the same.
const VARIABLE_PREFIXES: &[&str] = &["DYLD_", "GIT_", "LD_", "PERL5", "PYTHON"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn make(words: &[Word], named: usize) -> Option<String> {
    let mut told = words.iter().skip(named.max(1));
    told.find_map(|word| {
        let Some(text) = word.literal() else {
            return Some("what `make` is told is only known when it runs".into());
        };
        is_assignment_dangerous(text).then(|| starts("make", text))
    })
}

/// Whether a word is a variable that is more than a plain value, as in `X!=ls`, `X=$(shell ls)` and
/// `SHELL := ./x`.
fn is_assignment_dangerous(text: &str) -> bool {
    let Some((name, value)) = text.split_once('=').filter(|_| !text.starts_with('-')) else {
        return false;
    };
    let name = name.trim_end_matches([':', '+', '?', ' ', '\t']);
    COMMAND_VARIABLES.contains(&name)
        || INHERITED_VARIABLES.contains(&name)
        || VARIABLE_PREFIXES
            .iter()
            .any(|family| name.starts_with(family))
        || name.contains(['!', '$'])
        || value.contains(|c| "$`;|&<>()\n".contains(c))
}

/// Compilers, by the names that they have without a machine and a version.
pub(super) const COMPILERS: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Options that are a program, code that is loaded, or a place where either is looked for.
#[rustfmt::skip]
pub(super) const COMPILER_OPTIONS: &[&str] = &[
    "-wrapper", "-fplugin", "-fpass-plugin", "-iplugindir", "-load", "-specs", "--specs", "-gcc-toolchain",
    "--gcc-toolchain", "--config", "--ld-path", "--prefix",
];

/// The name of a compiler without the machine for which it is, as in `aarch64-linux-gnu-gcc-12`.
pub(super) fn compiler_name(name: &str) -> Option<&str> {
    let name = unversioned(name);
    let name = name.rsplit('-').next().unwrap_or(name);
    COMPILERS.contains(&name).then_some(name)
}

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn compiler(name: &str, words: &[Word], named: usize) -> Option<String> {
    let mut told = words.iter().skip(named.max(1)).filter_map(Word::literal);
    told.find(|text| selects_program(text))
        .map(|text| starts(name, text))
}

/// Whether an option selects what a compiler starts or loads.
pub(super) fn selects_program(text: &str) -> bool {
    // `-fuse-ld=lld` is a name among those that it knows, and a path is any program.
    let value = text.strip_prefix("-fuse-ld=");
    if let Some(linker) = value.or_else(|| text.strip_prefix("-Wl,")) {
        return value.is_some() && linker.contains('/') || linker.split(',').any(is_plugin);
    }
    let name = text.split('=').next().unwrap_or(text);
    // Behind `-B` is where it looks for its programs first, and behind `@` a file with options.
    text.starts_with('@')
        || text.starts_with("-B")
        || COMPILER_OPTIONS.contains(&name)
        || is_plugin(text)
}

/// Whether it is the option of a linker that loads code; `-plugin-opt` is for what is loaded anyway.
fn is_plugin(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    matches!(name, "-plugin" | "--plugin")
}

/// Flags whose values are flags of the tools that it starts.
const TOOL_FLAGS: &[&str] = &["asmflags", "gcflags", "ldflags"];
/// Flags of those tools that are a program, or a file that they write.
#[rustfmt::skip]
const DANGEROUS_FLAGS: &[&str] = &[
    "asmhdr", "blockprofile", "cpuprofile", "extar", "extld", "linkobj", "memprofile", "mutexprofile", "o",
    "symabis", "traceprofile",
];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn go(words: &[Word], named: usize) -> Option<String> {
    let is_env = is_env(words);
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let was = at;
        at += 1;
        let Some(text) = word.literal() else { continue };
        let Some((name, value)) = flag(text) else {
            continue;
        };
        // It keeps what later commands start, out of the workspace.
        if is_env && name == "w" && was >= named {
            return Some(starts("go", text));
        }
        if !TOOL_FLAGS.contains(&name) {
            continue;
        }
        let value = if value.is_some() {
            value
        } else {
            at += 1;
            words.get(at - 1).and_then(Word::literal)
        };
        // What the list has as a whole is its author's choice.
        if at <= named {
            continue;
        }
        match value {
            None => return Some(unseen("go")),
            Some(value) if are_flags_dangerous(value) => return Some(starts("go", value)),
            Some(_) => {}
        }
    }
    None
}

/// Whether its command is `env`, before which only a folder may stand.
fn is_env(words: &[Word]) -> bool {
    let mut told = words.iter().skip(1).map(Word::literal);
    let command = loop {
        match told.next().flatten() {
            Some("-C" | "--C") => _ = told.next(),
            Some(text) if text.starts_with('-') => {}
            other => break other,
        }
    };
    command == Some("env")
}

/// The name and the value of a flag, which begins with one hyphen or two.
fn flag(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.strip_prefix('-')?;
    let text = text.strip_prefix('-').unwrap_or(text);
    Some(match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    })
}

/// Whether flags for the tools choose a program, or a file; `all=` may stand before them.
fn are_flags_dangerous(flags: &str) -> bool {
    let is_for_compiler = flags.contains("extldflags");
    let bare = flags.replace(['"', '\''], " ");
    let mut words = bare.split_whitespace();
    words.any(|word| {
        let at = word.find("=-").map_or(0, |at| at + 1);
        [word, &word[at..]].into_iter().any(|word| {
            let name = flag(word).map(|(name, _)| name);
            name.is_some_and(|name| DANGEROUS_FLAGS.contains(&name))
                || is_for_compiler && selects_program(word)
        })
    })
}

/// Programs of TeX, which start nothing unless an option says so.
pub(super) const TEX_PROGRAMS: &[&str] = &[
    "etex", "latex", "lualatex", "luatex", "pdflatex", "pdftex", "tex", "xelatex", "xetex",
];
/// Options that only end as those for commands do.
const TEXT_VARIABLES: &[&str] = &["pretex", "usepretex"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn latexmk(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let mut told = words.iter().skip(named.max(1)).filter_map(Word::literal);
    told.find_map(|text| {
        let (name, value) = text.strip_prefix('-')?.split_once('=')?;
        let name = name.strip_prefix('-').unwrap_or(name);
        let is_harmless = if TEXT_VARIABLES.contains(&name) {
            !value.contains(|c| "'\"`$;|&<>\n".contains(c))
        } else if name.ends_with("option") {
            is_tex(&format!("tex {value}"), ctx)
        } else if name.ends_with("tex") {
            is_tex(value, ctx)
        } else {
            true
        };
        (!is_harmless).then(|| starts("latexmk", text))
    })
}

/// Whether a text is one command of TeX that starts no other.
fn is_tex(text: &str, ctx: &CommandContext<'_>) -> bool {
    let commands = shell::read(text).unwrap_or_default();
    let [command] = &*commands else {
        return false;
    };
    command.assignments.is_empty()
        && command.redirections.is_empty()
        && command
            .program()
            .is_some_and(|name| TEX_PROGRAMS.contains(&name))
        && danger(&command.words, 1, ctx).is_none()
}
