//! A strict parser of shell text: which simple commands would run, or why that is unknown.
//!
//! It reads the part of the language that sh, bash and zsh agree on and refuses the rest, because
//! the guard needs proof and not a guess. It finds commands and ignores the structure around
//! them: the guard wants every command to match, whichever of them would run. One pass, no
//! backtracking, bounded size and depth.

mod command;
mod heredoc;
mod parse;
mod word;

pub(crate) use parse::read;

/// How many bytes of shell text are read.
pub(crate) const MAX_BYTES: usize = 10_000;
/// How deep subshells, groups and substitutions may be nested.
pub(crate) const MAX_DEPTH: usize = 24;

/// One command with its words, as it would be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// Names that are assigned before the command.
    pub(crate) assignments: Vec<String>,
    /// The program and its arguments.
    pub(crate) words: Vec<Word>,
    /// Files that are opened for it.
    pub(crate) redirections: Vec<Redirection>,
}

impl SimpleCommand {
    /// The name of the program, when it is known before the command runs.
    pub(crate) fn program(&self) -> Option<&str> {
        self.words.first()?.literal()
    }
}

/// A word after quotes are taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    /// Text that is the same whenever it runs.
    Literal(String),
    /// Text that is only known when it runs.
    Open {
        /// How it surely begins.
        prefix: String,
        /// Whether it may fall apart into words that begin in other ways.
        splits: Splits,
    },
}

/// Whether an open word stays one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Splits {
    /// Every word that it becomes begins with the prefix.
    Never,
    /// It may become words that begin in any way.
    Maybe,
}

impl Word {
    /// The text, when it is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Open { .. } => None,
        }
    }

    /// Whether the program may take it, or a word it becomes, for a hidden option.
    pub(crate) fn may_hide_an_option(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Open { prefix, splits } => {
                *splits == Splits::Maybe || prefix.is_empty() || prefix.starts_with('-')
            }
        }
    }

    /// A word of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self::Open {
            prefix: String::new(),
            splits: Splits::Maybe,
        }
    }
}

/// A file that a command reads from or writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirection {
    /// What is done with the file.
    pub(crate) access: FileAccess,
    /// The file.
    pub(crate) target: Word,
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// It is read.
    Read,
    /// It is written, appended to or replaced.
    Write,
}

/// Why shell text is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ShellProblem(String);

impl ShellProblem {
    fn unterminated(what: &str) -> Self {
        Self(format!("the command ends inside {what}"))
    }

    fn unsupported(what: &str) -> Self {
        Self(format!(
            "the command has {what}, which the guard does not read"
        ))
    }

    fn unexpected(text: impl std::fmt::Display) -> Self {
        Self(format!(
            "the command has `{text}` where a command should begin"
        ))
    }

    fn character(c: char) -> Self {
        Self(format!(
            "the command has the character {c:?}, which may not be what it looks like"
        ))
    }
}
