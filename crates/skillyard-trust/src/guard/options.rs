//! Options with which harmless programs start other programs or write files.
//!
//! A pattern such as `Bash(git:*)` is written for `git log`, not for
//! `git -c core.pager='sh -c …' log`. What the pattern itself names is the author's choice; what
//! follows is looked at here. It is a table of what is known, and no boundary around a program.

mod awk;
mod build_tools;
mod download;
mod files;
mod git;
mod interactive;
mod programs;
mod sed;
pub(super) mod socat;
mod tar;

use crate::guard::command::is_device;
use crate::guard::path::FilePath;
use crate::guard::pattern::{Cwd, base_name};
use crate::guard::request::GuardEnvironment;
use crate::guard::shell::Word;
use awk::awk;
use build_tools::{COMPILERS, compiler, compiler_name, go, latexmk, make};
use download::{curl, wget};
use git::git;
use programs::{DangerousOptions, PROGRAMS};
use sed::sed;
use socat::socat;
use tar::tar;

/// Why the arguments behind the first `named` words are dangerous, if they are.
pub(super) fn danger(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let name = base_name(words.first()?.literal()?);
    match name {
        "git" => git(words, named, ctx),
        "sed" | "gsed" => sed(words, named),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => awk(words, named),
        "tar" | "bsdtar" | "gtar" => {
            listed_danger(name, words, named).or_else(|| tar(words, named, ctx))
        }
        _ => listed_danger(name, words, named)
            .or_else(|| files::outside_workspace(name, words, named, ctx))
            .or_else(|| match name {
                "curl" => curl(words, named, ctx),
                "wget" => wget(words, named, ctx),
                "go" => go(words, named),
                "latexmk" => latexmk(words, named, ctx),
                "make" | "gmake" => make(words, named),
                "socat" => socat(words, named, ctx),
                _ => compiler_name(name).and_then(|name| compiler(name, words, named)),
            })
            .or_else(|| interactive::command_danger(name, words, named)),
    }
}

/// Where a command runs.
pub(super) struct CommandContext<'a> {
    pub(super) world: &'a dyn GuardEnvironment,
    /// Whether relative paths begin in the workspace.
    pub(super) cwd: Cwd,
}

impl CommandContext<'_> {
    /// Whether a path surely leads into the workspace.
    fn is_inside(&self, path: &str) -> bool {
        let is_known = self.cwd == Cwd::Workspace || path.starts_with('/');
        is_known && FilePath::of(path, self.world).is_some_and(|place| place.is_inside(self.world))
    }

    /// Whether a file may be written: it is in the workspace, and holds no settings.
    fn is_writable(&self, path: &str) -> bool {
        let place = FilePath::of(path, self.world).filter(|_| self.is_inside(path));
        place.is_some_and(|place| !place.is_hidden(self.world)) || is_device(path)
    }
}

/// Why an option that the table has is dangerous, if there is one.
fn listed_danger(name: &str, words: &[Word], named: usize) -> Option<String> {
    let program = program_of(words)?;
    let mut operands_only = false;
    for (at, word) in words.iter().enumerate().skip(named.max(1)) {
        if operands_only {
            break;
        }
        if word.may_hide_an_option() {
            return Some(unseen(name));
        }
        let text = match word {
            Word::Literal(text) => text.as_str(),
            Word::Open { prefix, .. } => prefix.as_str(),
        };
        let is_verb = program.verbs.contains(&text) && is_first(&words[1..at]);
        // `tar xIf` names its options without a hyphen.
        let is_bundle = at == 1 && program.names[0] == "tar" && has_letter(text, program.short);
        if is_verb || is_bundle || is_dangerous(program, text) {
            return Some(starts(name, text));
        }
        // `find` and `[` have no end of options.
        operands_only = text == "--" && program.whole.is_empty();
    }
    None
}

/// Whether words are options and their values, so that the first subcommand follows.
fn is_first(before: &[Word]) -> bool {
    let mut takes_value = false;
    before.iter().all(|word| {
        let text = word.literal().unwrap_or("-");
        let is_value = std::mem::take(&mut takes_value);
        takes_value = text.starts_with('-') && !text.contains('=');
        text.starts_with('-') || is_value
    })
}

/// Whether an option that is known, or one that cannot be seen, lets a program start others.
pub(super) fn may_start_something(words: &[Word]) -> bool {
    let mut told = words.iter().skip(1);
    has_starting_option(words) || program_of(words).is_some() && told.any(Word::may_hide_an_option)
}

/// Whether an option that is known lets a program start others.
pub(super) fn has_starting_option(words: &[Word]) -> bool {
    let Some(program) = program_of(words) else {
        return false;
    };
    let mut told = words.iter().skip(1).filter_map(Word::literal);
    told.any(|text| is_dangerous(program, text))
        || match program.names[0] {
            "go" => go(words, 1).is_some(),
            name if program.names == COMPILERS => compiler(name, words, 1).is_some(),
            _ => false,
        }
}

/// Whether a program builds others, with options that select the programs it runs.
pub(super) fn builds(program: &str) -> bool {
    program == "go" || compiler_name(program).is_some()
}

fn program_of(words: &[Word]) -> Option<&'static DangerousOptions> {
    let name = base_name(words.first()?.literal()?);
    let name = compiler_name(name).unwrap_or(name);
    PROGRAMS.iter().find(|each| each.names.contains(&name))
}

fn is_dangerous(program: &DangerousOptions, text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    program.whole.contains(&name)
        || text.starts_with(|c| program.leads.contains(c)) && !is_line_position(&text[1..])
        || is_long(text, program.long)
        || is_either(text, program.either)
        || letters(text, program.valued)
            .iter()
            .any(|(letter, _)| program.short.contains(*letter))
}

/// Whether `text` is one of the long options, which may stand behind one hyphen as well.
fn is_either(text: &str, options: &[&str]) -> bool {
    let doubled = format!("-{text}");
    is_long(text, options) || is_short(text) && text.len() > 2 && is_long(&doubled, options)
}

/// Whether what follows a `+` only says where to begin: a line, or the end.
fn is_line_position(text: &str) -> bool {
    text.is_empty() || matches!(text, "F" | "G") || text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `text` is one of the long options, perhaps shortened.
fn is_long(text: &str, options: &[&str]) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    name.len() > 2
        && name.starts_with("--")
        && options.iter().any(|option| option.starts_with(name))
}

fn is_short(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.len() > 1
}

fn has_letter(text: &str, letters: &str) -> bool {
    text.contains(|c| letters.contains(c))
}

/// The letters of short options in a word, with the value of the last one if it is in the same word.
pub(super) fn letters<'a>(text: &'a str, valued: &str) -> Vec<(char, Option<&'a str>)> {
    let mut found = Vec::new();
    let Some(letters) = text.strip_prefix('-').filter(|_| is_short(text)) else {
        return found;
    };
    for (at, letter) in letters.char_indices() {
        let rest = &letters[at + letter.len_utf8()..];
        if valued.contains(letter) {
            found.push((letter, Some(rest)));
            break;
        }
        found.push((letter, None));
    }
    found
}

fn outside(option: &str, path: &str) -> String {
    format!("`{option}` names `{path}`, which may lie outside the workspace or hold settings")
}

fn unseen(name: &str) -> String {
    format!(
        "a word that is only known when it runs could be an option of `{name}`; \
         put `--` before it, or a path such as `./`"
    )
}

fn starts(name: &str, text: &str) -> String {
    let text: String = text.chars().take(60).collect();
    format!("`{text}` lets `{name}` start other programs or write files")
}
