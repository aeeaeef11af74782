//! Options of git, which has many commands and runs programs for most of them.

use crate::guard::options::files::last_step;
use crate::guard::options::{
    CommandContext, has_letter, is_long, is_short, letters, outside, starts, unseen,
};
use crate::guard::shell::{Splits, Word};

/// Commands of git that do what they say; others may be aliases or start programs.
#[rustfmt::skip]
const GIT_COMMANDS: &[&str] = &[
    "add", "am", "annotate", "apply", "archive", "blame", "branch", "cat-file", "check-attr",
    "check-ignore", "checkout", "cherry", "cherry-pick", "clean", "clone", "commit",
    "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "fetch",
    "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "init", "log", "ls-files",
    "ls-remote", "ls-tree", "merge", "merge-base", "merge-tree", "mv", "name-rev", "notes", "pull",
    "push", "range-diff", "rebase", "reflog", "remote", "reset", "restore", "rev-list", "rev-parse",
    "revert", "rm", "shortlog", "show", "show-branch", "show-ref", "sparse-checkout", "stash",
    "status", "switch", "symbolic-ref", "tag", "version", "whatchanged", "worktree",
];

/// Options before git's command that change nothing of note.
#[rustfmt::skip]
const GIT_GLOBAL: &[&str] = &[
    "--no-pager", "-P", "--no-optional-locks", "--version", "-v", "--help", "-h",
    "--no-replace-objects", "--literal-pathspecs", "--icase-pathspecs",
];

#[rustfmt::skip]
const GIT_LONG: &[&str] = &[
    "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--ext-diff",
    "--textconv", "--template", "--output", "--output-directory", "--config", "--extcmd",
    "--upload-archive", "--separate-git-dir", "--remote", "--unsafe-paths",
];

/// Commands that make a folder, and how many of their words before it are something else.
const GIT_FOLDERS: &[(&str, usize)] = &[("init", 0), ("worktree", 1)];

/// Letters of dangerous options for each command of git.
const GIT_SHORT: &[(&str, &str)] = &[
    ("archive", "o"),
    ("clone", "uc"),
    ("format-patch", "o"),
    ("grep", "O"),
    ("rebase", "x"),
];

pub(super) fn git(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let mut at = 1;
    // Options before the command.
    let command = loop {
        let Some(text) = words.get(at)?.literal() else {
            return Some(unseen("git"));
        };
        if !text.starts_with('-') {
            break text;
        }
        if text == "-C" {
            let folder = words.get(at + 1).and_then(Word::literal);
            if !folder.is_some_and(|folder| ctx.is_inside(folder)) && at >= named {
                return Some("`-C` leads outside the workspace".into());
            }
            at += 1;
        } else if at >= named && !GIT_GLOBAL.contains(&text) {
            return Some(starts("git", text));
        }
        at += 1;
    };
    if at >= named && !GIT_COMMANDS.contains(&command) && !is_config_read(command, &words[at..]) {
        return Some(starts("git", command));
    }
    let short = GIT_SHORT
        .iter()
        .find(|(each, _)| *each == command)
        .map_or("", |(_, letters)| *letters);
    let mut operands_only = false;
    for (place, word) in words.iter().enumerate().skip(named.max(at + 1)) {
        let is_message = || command == "commit" && is_message(&words[at + 1..place], word);
        if word.may_hide_an_option() && !operands_only && !is_message() {
            return Some(unseen("git"));
        }
        let text = match word {
            Word::Literal(text) => text.as_str(),
            Word::Open { prefix, .. } => prefix.as_str(),
        };
        let is_option = is_long(text, GIT_LONG) || (is_short(text) && has_letter(text, short));
        // A remote such as `ext::sh` is dangerous wherever it stands.
        let is_transport = !text.starts_with('-') && (text.contains("::") || text.contains("://-"));
        if is_transport || (is_option && !operands_only) {
            return Some(starts("git", text));
        }
        operands_only |= text == "--";
    }
    let rest = &words[at + 1..];
    let made = match command {
        "clone" => clone(rest, ctx),
        _ => folder(command, rest, ctx),
    };
    made.filter(|_| words.len() > named)
}

/// Options of `git commit` that take no value.
#[rustfmt::skip]
const COMMIT_FLAGS: &[&str] = &[
    "-a", "--all", "--allow-empty", "--amend", "-n", "--no-verify", "-q", "--quiet", "-s",
    "--signoff", "-v", "--verbose",
];

/// Whether a word is surely the message of a commit, whatever it begins with: nothing in front of it
/// could have taken its `-m` for a value.
fn is_message(before: &[Word], word: &Word) -> bool {
    let is_one = |word: &Word| match word {
        Word::Literal(_) => true,
        Word::Open { splits, .. } => *splits == Splits::Never,
    };
    let mut before = before.iter();
    while let Some(text) = before.next().and_then(Word::literal) {
        if matches!(text, "-m" | "-am" | "--message") {
            match before.next() {
                None => return is_one(word),
                Some(value) if is_one(value) => {}
                Some(_) => return false,
            }
        } else if !COMMIT_FLAGS.contains(&text) {
            return false;
        }
    }
    false
}

/// Options of `git clone` whose value may be the next word.
#[rustfmt::skip]
const CLONE_VALUES: &[&str] = &[
    "--branch", "--bundle-uri", "--depth", "--filter", "--jobs", "--origin", "--ref-format",
    "--reference", "--reference-if-able", "--revision", "--server-option", "--shallow-exclude",
    "--shallow-since",
];

/// Why the folder of a clone is not for it to make, if it is not: others choose what is in it, and
/// without a name of its own it has that of the address.
fn clone(words: &[Word], ctx: &CommandContext<'_>) -> Option<String> {
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.literal().unwrap_or_default();
        if text == "--" {
            operands.extend(words);
            break;
        }
        let takes_next = match text.strip_prefix("--") {
            // These may be shortened.
            Some(_) if text.contains('=') => false,
            Some(_) => is_long(text, CLONE_VALUES),
            None => matches!(letters(text, "bjo").last(), Some((_, Some("")))),
        };
        if takes_next {
            words.next();
        } else if !text.starts_with('-') {
            operands.push(word);
        }
    }
    let [address, folders @ ..] = &*operands else {
        return None;
    };
    let Some(folder) = folders.last() else {
        let address = address.literal()?.trim_end_matches('/');
        let name = last_step(address.strip_suffix("/.git").unwrap_or(address));
        return name.starts_with('.').then(|| outside(address, name));
    };
    let folder = folder.literal();
    let is_for_it = folder.is_some_and(|folder| ctx.is_writable(folder));
    (!is_for_it).then(|| outside("clone", folder.unwrap_or("…")))
}

/// Why a folder that a command makes is not for it to make, if it is not.
fn folder(command: &str, words: &[Word], ctx: &CommandContext<'_>) -> Option<String> {
    let (_, others) = GIT_FOLDERS.iter().find(|(each, _)| *each == command)?;
    let is_operand = |word: &&Word| word.literal().is_none_or(|text| !text.starts_with('-'));
    let mut folders = words.iter().filter(is_operand).skip(*others);
    let away = folders.find(|word| {
        let is_address = |text: &str| text.contains("://") && !text.contains("..");
        let text = word.literal();
        !text.is_some_and(|text| is_address(text) || ctx.is_inside(text))
    })?;
    Some(outside(command, away.literal().unwrap_or("…")))
}

fn is_config_read(command: &str, words: &[Word]) -> bool {
    let reads = ["--get", "--get-all", "--list", "-l", "get", "list"];
    command == "config"
        && words
            .get(1)
            .and_then(Word::literal)
            .is_some_and(|word| reads.contains(&word))
}
