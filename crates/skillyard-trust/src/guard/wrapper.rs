//! Programs that start other programs.

use crate::guard::deferred_exec;
use crate::guard::options::socat::program_of_address;
use crate::guard::pattern::base_name;
use crate::guard::programs::{is_interpreter, unversioned};
use crate::guard::shell::Word;

/// What a program starts besides itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inner {
    /// Nothing that the guard knows of.
    None,
    /// A command.
    Words(Vec<Word>),
    /// Shell text.
    Shell(String),
    /// Unknown, and why.
    Hidden(String),
}

/// Builtins after which words mean something else, or which run text.
pub(super) fn changes_the_shell(program: &str) -> bool {
    matches!(
        program,
        "." | "alias"
            | "autoload"
            | "bind"
            | "builtin"
            | "command"
            | "compgen"
            | "complete"
            | "coproc"
            | "declare"
            | "emulate"
            | "enable"
            | "eval"
            | "exec"
            | "export"
            | "fc"
            | "getopts"
            | "hash"
            | "history"
            | "integer"
            | "let"
            | "local"
            | "mapfile"
            | "noglob"
            | "read"
            | "readarray"
            | "readonly"
            | "select"
            | "set"
            | "setopt"
            | "shopt"
            | "source"
            | "trap"
            | "typeset"
            | "unalias"
            | "unset"
            | "unsetopt"
            | "vared"
            | "zle"
            | "zmodload"
    )
}

/// Builtins that run their arguments as shell text, or the text of a file.
pub(super) fn runs_text(program: &str) -> bool {
    matches!(
        program,
        "." | "alias" | "emulate" | "eval" | "source" | "trap"
    )
}

/// Builtins after which relative paths lead somewhere else.
pub(super) fn moves(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "popd" | "chdir")
}

/// Programs that put names into the commands that they start.
pub(super) fn fills_in(program: &str) -> bool {
    matches!(
        base_name(program),
        "xargs" | "find" | "fd" | "parallel" | "entr"
    )
}

/// Whether an argument makes a shell read commands from its input.
pub(super) fn is_input(argument: &str) -> bool {
    let options = argument.strip_prefix('-');
    options.is_some_and(|options| !options.starts_with('-') && options.contains('s'))
        || ["/dev/", "/proc/"]
            .iter()
            .any(|folder| argument.starts_with(folder))
}

/// Programs that read shell text.
pub(super) fn is_shell(program: &str) -> bool {
    matches!(
        unversioned(base_name(program)),
        "sh" | "bash"
            | "dash"
            | "ash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "lksh"
            | "yash"
            | "posh"
            | "fish"
            | "rbash"
            | "csh"
            | "tcsh"
    )
}

/// Programs that start what their arguments say, whose options the guard does not read.
#[rustfmt::skip]
const LAUNCHERS: &[&str] = &[
    "busybox", "bwrap", "capsh", "catchsegv", "cgexec", "choom", "chpst", "chroot", "chrt",
    "dbus-launch", "dbus-run-session", "doas", "dumb-init", "eatmydata", "entr", "env",
    "fakeroot", "faketime", "firejail", "flock", "gdb", "gosu", "i386", "i486", "i586", "i686",
    "ionice", "linux32", "linux64", "ltrace", "nsenter", "numactl", "parallel", "pkexec",
    "prlimit", "proot", "proxychains", "proxychains4", "rlwrap", "runuser", "script", "setarch",
    "setpriv", "setsid", "setuidgid", "sg", "ssh", "sshpass", "stdbuf", "strace", "su", "su-exec",
    "sudo", "systemd-run", "taskset", "tini", "torify", "torsocks", "toybox", "tsocks",
    "uclampset", "uname26", "unbuffer", "unshare", "valgrind", "watch", "x86_64", "xvfb-run",
];

/// Whether a program only starts others. So does the loader of the system, by whatever name.
fn is_launcher(name: &str) -> bool {
    let loaders = ["ld-linux", "ld-musl", "ld.so", "ld64.so", "ld-2."];
    LAUNCHERS.contains(&name)
        || LAUNCHERS.contains(&unversioned(name))
        || loaders.iter().any(|loader| name.starts_with(loader))
}

/// Whether a program or a builtin may start what its arguments say.
pub(super) fn starts_others(program: &str) -> bool {
    changes_the_shell(program) || is_program_that_starts_others(program)
}

/// Whether a program (not a builtin) starts others; only programs can be started by another program.
pub(super) fn is_program_that_starts_others(program: &str) -> bool {
    let name = base_name(program);
    is_shell(program)
        || is_launcher(name)
        || matches!(
            name,
            "nice" | "nohup" | "time" | "timeout" | "xargs" | "find" | "fd" | "jobs" | "socat"
        )
        || is_interpreter(program)
}

/// The command that stands in the same word as the option for it, such as `-Srm` of `env`.
pub(super) fn command_in_option<'a>(program: &str, argument: &'a str) -> Option<&'a str> {
    let option = match base_name(program) {
        "env" => 'S',
        "flock" | "runuser" | "script" | "su" => 'c',
        _ => return None,
    };
    let options = argument.strip_prefix('-')?;
    let (_, command) = options
        .split_once(option)
        .filter(|_| !options.starts_with('-'))?;
    Some(command)
}

/// What `words` start. A pattern that names more than the program has named what it starts.
pub(super) fn inner(words: &[Word], named: usize) -> Inner {
    let Some(program) = words.first().and_then(Word::literal) else {
        return Inner::None;
    };
    if named > 1 {
        return Inner::None;
    }
    let arguments = &words[1..];
    if is_shell(program) {
        return shell(program, arguments);
    }
    match base_name(program) {
        "nohup" | "time" => behind(program, arguments, &["-p"], &[], 0),
        "nice" => behind(program, arguments, &[], &["-n"], 0),
        "timeout" => behind(
            program,
            arguments,
            &["--foreground", "--preserve-status", "-v"],
            &["-k", "-s"],
            1,
        ),
        "xargs" => match behind(
            program,
            arguments,
            &["-0", "-r", "-t"],
            &["-n", "-P", "-L"],
            0,
        ) {
            Inner::Words(mut words) => {
                words.push(Word::unknown());
                Inner::Words(words)
            }
            other => other,
        },
        "socat" => {
            let mut told = arguments.iter().filter_map(Word::literal);
            if told.any(|text| program_of_address(text).is_some()) {
                hidden(program)
            } else {
                Inner::None
            }
        }
        name if is_launcher(name) => hidden(program),
        _ if deferred_exec::reads_commands(words) => {
            Inner::Hidden(format!("what `{program}` runs later cannot be seen"))
        }
        _ => Inner::None,
    }
}

fn hidden(program: &str) -> Inner {
    Inner::Hidden(format!(
        "`{program}` starts another program, which the list must name too"
    ))
}

/// The command behind the options that are known and `operands` further words.
fn behind(
    program: &str,
    arguments: &[Word],
    flags: &[&str],
    with_value: &[&str],
    operands: usize,
) -> Inner {
    let mut rest = arguments;
    while let Some(word) = rest.first().and_then(Word::literal) {
        if !word.starts_with('-') {
            break;
        }
        let skipped = if flags.contains(&word) {
            1
        } else if with_value.contains(&word)
            && rest.get(1).is_some_and(|word| word.literal().is_some())
        {
            2
        } else {
            return hidden(program);
        };
        rest = &rest[skipped..];
    }
    let operand_is_plain = |word: &Word| word.literal().is_some_and(|word| !word.starts_with('-'));
    let (before, inner) = rest.split_at(operands.min(rest.len()));
    if inner.is_empty() || !before.iter().all(operand_is_plain) {
        return hidden(program);
    }
    Inner::Words(inner.to_vec())
}

/// `sh -c TEXT` runs the text; `sh FILE` is the shell itself, which the list names.
fn shell(program: &str, arguments: &[Word]) -> Inner {
    let mut takes_text = false;
    for word in arguments {
        let Some(text) = word.literal() else {
            return hidden(program);
        };
        match text.strip_prefix('-') {
            Some(options)
                if !options.is_empty() && options.chars().all(|c| "celux".contains(c)) =>
            {
                takes_text |= options.contains('c');
            }
            Some(_) => return hidden(program),
            None if text.starts_with('+') => return hidden(program),
            None if takes_text => return Inner::Shell(text.to_owned()),
            None if is_input(text) => return hidden(program),
            // The script itself is what was granted; it sees the further arguments.
            None => return Inner::None,
        }
    }
    // Without a script it reads commands from its input.
    hidden(program)
}
