//! Reading what the user says: edited lines with history and completion on a terminal, plain
//! lines from a pipe.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Behavior, CompletionType, Config, Editor, Helper};

/// Longest line that is read from a pipe, and longest prompt.
pub(crate) const MAX_LINE_BYTES: u64 = 1 << 20;
/// Most lines that are remembered.
const REMEMBERED: usize = 1000;

/// What the user did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// They said something.
    Said(String),
    /// They took it back with Ctrl-C.
    TakenBack,
    /// They said more than one turn can hold.
    TooLong,
    /// They are done.
    End,
}

/// Where lines come from.
pub(crate) enum Lines {
    /// A terminal.
    Terminal {
        /// What edits them.
        editor: Box<Editor<CompletionNames, FileHistory>>,
        /// Where they are remembered.
        history: PathBuf,
    },
    /// A pipe or a file.
    Pipe,
}

impl Lines {
    /// Lines from wherever stdin is; what is said at a terminal is remembered in `history`. Without
    /// `styles` nothing is proposed there: it would look like what was typed.
    ///
    /// The editor takes Ctrl-C for itself, so whoever wants to hear of it must ask for it later.
    pub(crate) fn open(history: &Path, styles: bool) -> io::Result<Self> {
        if !io::stdin().is_terminal() {
            return Ok(Self::Pipe);
        }
        let config = Config::builder()
            // What is written to stdout is data, also when only that is a pipe.
            .behavior(Behavior::PreferTerm)
            .completion_type(CompletionType::List)
            .max_history_size(REMEMBERED)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(failed)?
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(CompletionNames {
            all: Vec::new(),
            proposes: styles,
        }));
        // Nobody else reads what was said; without the file nothing is remembered.
        let made = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(history);
        if made.is_ok() {
            let _ = editor.load_history(history);
        }
        Ok(Self::Terminal {
            editor: Box::new(editor),
            history: history.to_owned(),
        })
    }

    /// Whether nobody is there who would see how a turn ended.
    pub(crate) fn is_piped(&self) -> bool {
        matches!(self, Self::Pipe)
    }

    /// From now on these names can be completed.
    pub(crate) fn complete(&mut self, names: Vec<(String, String)>) {
        if let Self::Terminal { editor, .. } = self
            && let Some(known) = editor.helper_mut()
        {
            known.all = names;
        }
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> io::Result<InputLine> {
        match self {
            Self::Terminal { editor, history } => match editor.readline("> ") {
                Ok(line) => {
                    let is_new = editor.add_history_entry(&line).unwrap_or(false);
                    if is_new {
                        let _ = editor.append_history(history);
                    }
                    Ok(InputLine::Said(line))
                }
                Err(ReadlineError::Interrupted) => Ok(InputLine::TakenBack),
                Err(ReadlineError::Eof) => Ok(InputLine::End),
                Err(error) => Err(failed(error)),
            },
            Self::Pipe => match piped(&mut io::stdin().lock()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    Ok(InputLine::TakenBack)
                }
                read => read,
            },
        }
    }
}

/// A line from a pipe; bytes that are no text are shown as such.
fn piped(input: &mut impl io::BufRead) -> io::Result<InputLine> {
    let mut line = Vec::new();
    let read = input.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(InputLine::End);
    }
    if read as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(InputLine::TooLong);
    }
    Ok(InputLine::Said(String::from_utf8_lossy(&line).into_owned()))
}

fn failed(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Names that can be completed, such as `/pdf`, and what each is for.
pub(crate) struct CompletionNames {
    all: Vec<(String, String)>,
    /// Whether the rest of a name is shown behind the cursor.
    proposes: bool,
}

impl CompletionNames {
    fn matching<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (String, &'a str)> {
        let (mark, typed) = word.split_at(1);
        self.all.iter().filter_map(move |(name, about)| {
            let fits = name.starts_with(typed);
            fits.then(|| (format!("{mark}{name}"), about.as_str()))
        })
    }
}

/// The word at the cursor, if it can be the beginning of a name, and where it begins.
fn word(line: &str, cursor: usize) -> Option<(usize, &str)> {
    let before = line.get(..cursor)?;
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = &before[start..];
    // `/` stands for a skill only in front; `$` anywhere.
    let leads = before[..start]
        .split_whitespace()
        .all(|each| each.starts_with('/'));
    let fits = word.starts_with('$') || (word.starts_with('/') && leads);
    fits.then_some((start, word))
}

impl Completer for CompletionNames {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let Some((start, typed)) = word(line, cursor) else {
            return Ok((cursor, Vec::new()));
        };
        let found = self.matching(typed).map(|(name, _)| Pair {
            display: name.clone(),
            replacement: format!("{name} "),
        });
        Ok((start, found.collect()))
    }
}

impl Hinter for CompletionNames {
    type Hint = String;

    /// The rest of the only name that fits, and what it is for.
    fn hint(&self, line: &str, cursor: usize, _: &rustyline::Context<'_>) -> Option<String> {
        let (_, typed) = word(line, cursor).filter(|_| cursor == line.len())?;
        if typed.len() < 2 || !self.proposes {
            return None;
        }
        let mut found = self.matching(typed);
        match (found.next(), found.next()) {
            (Some((name, about)), None) => {
                let about: String = about.chars().take(60).collect();
                Some(format!("{}  {about}", &name[typed.len()..]))
            }
            _ => None,
        }
    }
}

impl Highlighter for CompletionNames {
    fn highlight_hint<'h>(&self, hint: &'h str) -> std::borrow::Cow<'h, str> {
        format!("\x1b[2m{hint}\x1b[0m").into()
    }
}

impl Validator for CompletionNames {}

impl Helper for CompletionNames {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_pipe_are_text_and_have_a_limit() {
        let long = "x".repeat(usize::try_from(MAX_LINE_BYTES).unwrap() + 1);
        let input = [b"one\n\xff\n", long.as_bytes(), b"\nlast"].concat();
        let mut input = &*input;
        let mut next = || piped(&mut input).unwrap();
        assert_eq!(next(), InputLine::Said("one\n".into()));
        assert_eq!(next(), InputLine::Said("\u{fffd}\n".into()));
        assert_eq!(next(), InputLine::TooLong);
        assert_eq!(next(), InputLine::Said("last".into()));
        assert_eq!(next(), InputLine::End);
    }

    #[test]
    fn names_are_completed_where_they_stand_for_skills() {
        let names = CompletionNames {
            all: vec![
                ("pdf-forms".into(), "Fills forms.".into()),
                ("pdf-merge".into(), "Merges.".into()),
                ("skills".into(), "Lists skills.".into()),
            ],
            proposes: true,
        };
        let history = FileHistory::new();
        let context = rustyline::Context::new(&history);
        let check = |line: &str, expected: &[&str]| {
            let (_, found) = names.complete(line, line.len(), &context).unwrap();
            let found: Vec<&str> = found.iter().map(|each| &*each.replacement).collect();
            assert_eq!(found, expected, "{line}");
        };
        check("/pdf", &["/pdf-forms ", "/pdf-merge "]);
        check("/skills /pdf-f", &["/pdf-forms "]);
        check("look at $pdf-m", &["$pdf-merge "]);
        check("look at /pdf", &[]);
        check("pdf", &[]);
        check("/none", &[]);
        assert_eq!(
            names.hint("/pdf-f", 6, &context).as_deref(),
            Some("orms  Fills forms.")
        );
        assert_eq!(names.hint("/pdf-", 5, &context), None);
        assert_eq!(names.hint("/", 1, &context), None);
        let plain = CompletionNames {
            proposes: false,
            ..names
        };
        assert_eq!(plain.hint("/pdf-f", 6, &context), None);
    }
}
