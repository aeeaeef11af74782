//! Options of `tar`, which writes an archive or what is in it.

use crate::guard::options::{CommandContext, letters, outside, starts};
use crate::guard::shell::Word;

/// Letters of options with a value.
const VALUED: &str = "bCfFgHIKLNTVX";
/// Letters that read files and write an archive.
const PACKING: &str = "cruA";

/// Why an option behind the first `named` words writes outside the workspace, if one does.
pub(super) fn tar(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let mut given = TarArguments::default();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let is_judged = at >= named;
        at += 1;
        let text = match word {
            Word::Literal(text) if text == "--" => break,
            Word::Literal(text) => text,
            Word::Open { .. } => continue,
        };
        if text.starts_with("--") {
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (&**text, None),
            };
            given.long(option);
            let is_named = |long: &str| option.len() > 3 && long.starts_with(option);
            let is_kept = ["--listed-incremental", "--index-file", "--volno-file"];
            let letter = match option {
                _ if is_named("--file") => 'f',
                _ if is_named("--directory") => 'C',
                _ if option == "--one-top-level" && value.is_some() => 'C',
                // `--list` is an option of its own.
                _ if option != "--list" && is_kept.into_iter().any(is_named) => 'g',
                _ => continue,
            };
            let value = value.or_else(|| next(words, &mut at));
            given.values.push((letter, value, is_judged));
            continue;
        }
        // The first word names options also without a hyphen, and their values follow in order.
        let is_old = at == 2 && !text.starts_with('-');
        let found: Vec<(char, Option<&str>)> = if is_old {
            let of = |c: char| (c, VALUED.contains(c).then_some(""));
            text.chars().map(of).collect()
        } else {
            letters(text, VALUED)
        };
        for (letter, value) in found {
            given.packs |= PACKING.contains(letter);
            given.unpacks |= letter == 'x';
            if let Some(value) = value {
                let value = Some(value).filter(|value| !value.is_empty());
                let value = value.or_else(|| next(words, &mut at));
                given.values.push((letter, value, is_judged));
            }
        }
    }
    given.danger(ctx)
}

fn next<'a>(words: &'a [Word], at: &mut usize) -> Option<&'a str> {
    *at += 1;
    words.get(*at - 1).and_then(Word::literal)
}

/// What a command of `tar` says.
#[derive(Default)]
struct TarArguments<'a> {
    packs: bool,
    unpacks: bool,
    is_local: bool,
    /// Letters with their values, if they can be seen, and whether they are judged.
    values: Vec<(char, Option<&'a str>, bool)>,
}

impl TarArguments<'_> {
    fn long(&mut self, option: &str) {
        let is = |long: &[&str]| long.iter().any(|long| long.starts_with(option));
        self.is_local |= option == "--force-local";
        self.unpacks |= is(&["--extract", "--get"]);
        self.packs |= is(&[
            "--append",
            "--catenate",
            "--concatenate",
            "--create",
            "--delete",
            "--update",
        ]);
    }

    fn danger(&self, ctx: &CommandContext<'_>) -> Option<String> {
        let mut values = self.values.iter().filter(|(.., is_judged)| *is_judged);
        values.find_map(|(letter, value, _)| {
            let value = value.unwrap_or("…");
            let is_known = value != "…";
            match letter {
                // An archive on another machine is reached by a program.
                'f' if is_remote(value) && !self.is_local => Some(starts("tar", value)),
                'f' if self.packs && value != "-" && !(is_known && ctx.is_writable(value)) => {
                    Some(outside("-f", value))
                }
                'C' if self.unpacks && !(is_known && ctx.is_writable(value)) => {
                    Some(outside("-C", value))
                }
                // What it keeps about the files, beside the archive.
                'g' if !(is_known && ctx.is_writable(value)) => Some(outside("-g", value)),
                _ => None,
            }
        })
    }
}

fn is_remote(archive: &str) -> bool {
    let host = archive.split('/').next().unwrap_or_default();
    host.contains(':')
}
