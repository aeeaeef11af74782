//! Options of git, which has many commands and runs programs for most of them.

use super::super::path::Place;
use super::super::request::Surroundings;
use super::super::shell::Word;
use super::{has_letter, is_long, is_short, starts, unseen};

/// Commands of git that do what they say; others may be aliases or start programs.
const GIT_COMMANDS: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archive",
    "blame",
    "branch",
    "cat-file",
    "check-attr",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "merge-tree",
    "mv",
    "name-rev",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "switch",
    "symbolic-ref",
    "tag",
    "version",
    "whatchanged",
    "worktree",
];

/// Options before git's command that change nothing of note.
const GIT_GLOBAL: &[&str] = &[
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--version",
    "-v",
    "--help",
    "-h",
    "--no-replace-objects",
    "--literal-pathspecs",
    "--icase-pathspecs",
];

const GIT_LONG: &[&str] = &[
    "--upload-pack",
    "--receive-pack",
    "--exec",
    "--open-files-in-pager",
    "--ext-diff",
    "--textconv",
    "--template",
    "--output",
    "--output-directory",
    "--config",
    "--extcmd",
    "--upload-archive",
    "--separate-git-dir",
    "--remote",
];

/// Letters of dangerous options for each command of git.
const GIT_SHORT: &[(&str, &str)] = &[
    ("archive", "o"),
    ("clone", "uc"),
    ("format-patch", "o"),
    ("grep", "O"),
    ("rebase", "x"),
];

pub(super) fn git(words: &[Word], named: usize, world: &dyn Surroundings) -> Option<String> {
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
            let place = folder.and_then(|folder| Place::of(folder, world));
            if !place.is_some_and(|place| place.is_inside(world)) && at >= named {
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
    for word in words.iter().skip(named.max(at + 1)) {
        if word.may_hide_an_option() && !operands_only {
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
    None
}

fn is_config_read(command: &str, words: &[Word]) -> bool {
    let reads = ["--get", "--get-all", "--list", "-l", "get", "list"];
    command == "config"
        && words
            .get(1)
            .and_then(Word::literal)
            .is_some_and(|word| reads.contains(&word))
}
