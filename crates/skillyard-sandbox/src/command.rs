//! What is to be run.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// A program, its arguments, and where its input and output go.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program's file as it is seen inside the sandbox.
    pub program: PathBuf,
    /// What the program is told, without its own name.
    pub arguments: Vec<OsString>,
    /// The working directory, as it is seen inside the sandbox.
    pub directory: PathBuf,
    /// Where its input comes from.
    pub stdin: Stdin,
}

impl Command {
    /// A program without arguments or input, in `/`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: PathBuf::from("/"),
            stdin: Stdin::Empty,
        }
    }

    /// The same with further arguments.
    #[must_use]
    pub fn arguments(mut self, words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(words.into_iter().map(Into::into));
        self
    }
}

/// Where a program's input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// There is none.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// The input of our own process.
    Inherited,
}

/// What happens while the program runs.
#[derive(Default)]
pub struct Live<'a> {
    /// Ends the program as soon as it is true.
    pub cancel: Option<&'a AtomicBool>,
    /// Gets stdout, as far as the limit allows.
    pub stdout: Option<&'a mut dyn Write>,
    /// Gets stderr, as far as the limit allows.
    pub stderr: Option<&'a mut dyn Write>,
}
