//! Options with which harmless programs start other programs or write files.
//!
//! A pattern such as `Bash(git:*)` is written for `git log`, not for
//! `git -c core.pager='sh -c …' log`. What the pattern itself names is the author's choice; what
//! follows is looked at here. It is a table of what is known, and no boundary around a program.

use super::path::Place;
use super::pattern::base_name;
use super::request::Surroundings;
use super::shell::Word;

/// A program and the options that start others or write files.
struct Program {
    names: &'static [&'static str],
    /// Long options, also shortened.
    long: &'static [&'static str],
    /// Letters of short options.
    short: &'static str,
    /// Words that are options as a whole, such as `-exec`.
    whole: &'static [&'static str],
    /// First words that are commands of their own.
    verbs: &'static [&'static str],
}

const NONE: Program = Program {
    names: &[],
    long: &[],
    short: "",
    whole: &[],
    verbs: &[],
};

const PROGRAMS: &[Program] = &[
    Program {
        names: &["find"],
        whole: &[
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-delete",
            "-fprint",
            "-fprint0",
            "-fprintf",
            "-fls",
            "-files0-from",
        ],
        ..NONE
    },
    Program {
        names: &["tar", "bsdtar", "gtar"],
        long: &[
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "--new-volume-script",
            "--absolute-names",
        ],
        short: "IFP",
        ..NONE
    },
    Program {
        names: &["rsync"],
        long: &["--rsh", "--rsync-path", "--daemon", "--config"],
        short: "e",
        ..NONE
    },
    Program {
        names: &["fd", "fdfind"],
        long: &["--exec", "--exec-batch"],
        short: "xX",
        ..NONE
    },
    Program {
        names: &["rg"],
        long: &["--pre", "--hostname-bin"],
        ..NONE
    },
    Program {
        names: &["sort"],
        long: &["--compress-program", "--output"],
        short: "o",
        ..NONE
    },
    Program {
        names: &["man"],
        long: &["--pager", "--html", "--config-file", "--preprocessor"],
        short: "PHC",
        ..NONE
    },
    Program {
        names: &["zip"],
        long: &["--unzip-command", "--test"],
        short: "T",
        ..NONE
    },
    Program {
        names: &["scp", "sftp"],
        short: "oSFDP",
        ..NONE
    },
    Program {
        names: &["wget"],
        long: &["--use-askpass", "--execute", "--config"],
        short: "e",
        ..NONE
    },
    Program {
        names: &["curl"],
        long: &["--config", "--engine"],
        short: "K",
        ..NONE
    },
    Program {
        names: &["go"],
        whole: &[
            "-exec",
            "-toolexec",
            "--exec",
            "--toolexec",
            "-vettool",
            "--vettool",
        ],
        ..NONE
    },
    Program {
        names: &["cargo"],
        long: &["--config"],
        ..NONE
    },
    Program {
        names: &["npm", "pnpm", "yarn"],
        long: &[
            "--script-shell",
            "--node-options",
            "--shell",
            "--globalconfig",
            "--userconfig",
        ],
        ..NONE
    },
    Program {
        names: &["gcc", "g++", "cc", "clang"],
        whole: &["-wrapper", "-fplugin", "-specs", "--specs"],
        ..NONE
    },
    Program {
        names: &["gh"],
        verbs: &["alias", "extension", "ext", "config"],
        ..NONE
    },
    Program {
        names: &["test", "["],
        whole: &["-v", "-R"],
        ..NONE
    },
    Program {
        names: &["printf"],
        short: "v",
        ..NONE
    },
];

/// Why the arguments behind the first `named` words are dangerous, if they are.
pub(super) fn danger(words: &[Word], named: usize, world: &dyn Surroundings) -> Option<String> {
    let name = base_name(words.first()?.literal()?);
    if name == "git" {
        return git(words, named, world);
    }
    let program = PROGRAMS.iter().find(|each| each.names.contains(&name))?;
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
        let is_verb = at == 1 && program.verbs.contains(&text);
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

fn is_dangerous(program: &Program, text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    program.whole.contains(&name)
        || is_long(text, program.long)
        || (is_short(text) && has_letter(text, program.short))
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

fn git(words: &[Word], named: usize, world: &dyn Surroundings) -> Option<String> {
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
