//! Commands that `latexmk` is told to start in the place of TeX, which it hands to a shell.

use super::super::shell::{self, Word};
use super::{Here, danger, starts};

/// Programs of TeX, which start nothing unless an option says so.
pub(super) const TEX: &[&str] = &[
    "etex", "latex", "lualatex", "luatex", "pdflatex", "pdftex", "tex", "xelatex", "xetex",
];
/// Options that only end as those for commands do.
const PLAIN: &[&str] = &["pretex", "usepretex"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn latexmk(words: &[Word], named: usize, here: &Here<'_>) -> Option<String> {
    let mut told = words.iter().skip(named.max(1)).filter_map(Word::literal);
    told.find_map(|text| {
        let (name, value) = text.strip_prefix('-')?.split_once('=')?;
        let name = name.strip_prefix('-').unwrap_or(name);
        let is_harmless = if PLAIN.contains(&name) {
            !value.contains(|c| "'\"`$;|&<>\n".contains(c))
        } else if name.ends_with("option") {
            is_tex(&format!("tex {value}"), here)
        } else if name.ends_with("tex") {
            is_tex(value, here)
        } else {
            true
        };
        (!is_harmless).then(|| starts("latexmk", text))
    })
}

/// Whether a text is one command of TeX that starts no other.
fn is_tex(text: &str, here: &Here<'_>) -> bool {
    let commands = shell::read(text).unwrap_or_default();
    let [command] = &*commands else {
        return false;
    };
    command.assignments.is_empty()
        && command.redirections.is_empty()
        && command.program().is_some_and(|name| TEX.contains(&name))
        && danger(&command.words, 1, here).is_none()
}
