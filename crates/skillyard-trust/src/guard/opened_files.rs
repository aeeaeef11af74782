//! The files that a shell text opens by redirections, for patterns that deny files.
//!
//! Shells in the text are parsed too. If the opened files are unknown, the answer
//! is the reason, and a denying pattern treats it as a match.

use crate::guard::pattern::Cwd;
use crate::guard::request::GuardInput;
use crate::guard::shell::{self, FileAccess, SimpleCommand, Word};
use crate::guard::wrapper::{self, Inner};
use crate::guard::{command, deferred_exec};

/// How many commands may stand inside one another.
const MAX_DEPTH: usize = 4;

/// The files that are opened in this way, without those that are none.
pub(super) fn opened_by(input: &GuardInput, access: FileAccess) -> Result<Vec<String>, String> {
    let commands = command::commands(input)?;
    let cwd = if command::runs_elsewhere(input) {
        Cwd::Unknown
    } else {
        Cwd::Workspace
    };
    let mut opened = OpenedFiles::new(access, cwd);
    opened.commands(&commands, 0)?;
    opened.files()
}

struct OpenedFiles {
    access: FileAccess,
    cwd: Cwd,
    targets: Vec<Word>,
}

impl OpenedFiles {
    fn new(access: FileAccess, cwd: Cwd) -> Self {
        Self {
            access,
            cwd,
            targets: Vec::new(),
        }
    }

    /// Where the files lie, which is only known when everything was looked at: a `cd` may stand
    /// behind a redirection and still come before it, as in a loop.
    fn files(self) -> Result<Vec<String>, String> {
        let mut files = Vec::new();
        for target in &self.targets {
            let Some(target) = target.literal() else {
                return Err("the file of a redirection is only known when it runs".into());
            };
            if command::is_device(target) {
                continue;
            }
            if self.cwd == Cwd::Unknown && !target.starts_with('/') {
                return Err(format!("where `{target}` lies is unknown after `cd`"));
            }
            files.push(target.to_owned());
        }
        Ok(files)
    }

    fn commands(&mut self, commands: &[SimpleCommand], depth: usize) -> Result<(), String> {
        for command in commands {
            let opens = command.redirections.iter();
            let opens = opens.filter(|redirection| redirection.access == self.access);
            self.targets
                .extend(opens.map(|redirection| redirection.target.clone()));
            self.words(&command.words, depth)?;
        }
        Ok(())
    }

    fn words(&mut self, words: &[Word], depth: usize) -> Result<(), String> {
        let Some((program, arguments)) = words.split_first() else {
            return Ok(());
        };
        let Some(program) = program.literal() else {
            return Err("which program it starts is only known when it runs".into());
        };
        if depth > MAX_DEPTH {
            return Err("too many programs start one another".into());
        }
        if wrapper::moves(program) {
            self.cwd = Cwd::Unknown;
            return Ok(());
        }
        match program {
            "eval" | "trap" => {
                let words: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
                let words = words.ok_or_else(|| hidden(program))?;
                return self.text(&words.join(" "), depth);
            }
            "command" | "builtin" | "exec" | "noglob" => {
                let is_option = |word: &&Word| word.literal().is_some_and(|w| w.starts_with('-'));
                let options = arguments.iter().take_while(is_option).count();
                let (options, inner) = arguments.split_at(options);
                // `command -v` only asks where a program is.
                let asks = |word: &Word| word.literal().is_some_and(|w| w.contains(['v', 'V']));
                if program == "command" && options.iter().any(asks) {
                    return Ok(());
                }
                self.words(inner, depth + 1)?;
            }
            _ if wrapper::runs_text(program) || deferred_exec::reads_commands(words) => {
                return Err(hidden(program));
            }
            _ => {}
        }
        if !wrapper::starts_others(program) {
            return Ok(());
        }
        match wrapper::inner(words, 1) {
            Inner::Shell(text) => self.text(&text, depth),
            Inner::Words(words) if wrapper::fills_in(program) => self.filled_in(&words, depth),
            Inner::Words(words) => self.words(&words, depth + 1),
            Inner::Hidden(reason) if wrapper::is_shell(program) => Err(reason),
            Inner::Hidden(reason) if deferred_exec::reads_commands_behind(program, arguments) => {
                Err(reason)
            }
            Inner::Hidden(reason) => {
                // Options may name another folder.
                self.cwd = Cwd::Unknown;
                for argument in arguments {
                    let text = argument.literal().ok_or_else(|| reason.clone())?;
                    if text.contains(['<', '>']) {
                        self.text(text, depth)?;
                    }
                }
                self.shells(program, arguments, depth)
            }
            Inner::None if wrapper::is_shell(program) => Ok(()),
            Inner::None => self.shells(program, arguments, depth),
        }
    }

    /// The first shell among arguments, with the words after it.
    fn shells(&mut self, program: &str, arguments: &[Word], depth: usize) -> Result<(), String> {
        let is_shell = |word: &Word| word.literal().is_some_and(wrapper::is_shell);
        match arguments.iter().position(is_shell) {
            None => Ok(()),
            Some(at) if wrapper::fills_in(program) => self.filled_in(&arguments[at..], depth),
            Some(at) => self.words(&arguments[at..], depth + 1),
        }
    }

    /// A command in which names are put when it runs: it may open any file, or none.
    fn filled_in(&mut self, words: &[Word], depth: usize) -> Result<(), String> {
        let mut inner = Self::new(self.access, self.cwd);
        inner.words(words, depth + 1)?;
        match inner.files()?.first() {
            None => Ok(()),
            Some(file) => Err(format!("the file `{file}` may be another when it runs")),
        }
    }

    fn text(&mut self, text: &str, depth: usize) -> Result<(), String> {
        let commands = shell::read(text).map_err(|problem| problem.to_string())?;
        self.commands(&commands, depth + 1)
    }
}

fn hidden(program: &str) -> String {
    format!("what `{program}` runs cannot be seen")
}
