//! Questions in the terminal. They are answered with words: a stray key moves no choice, and what
//! is no answer is asked for again. Where styles are not wanted, or the terminal has none, they are
//! plain lines.

mod choice;
pub(crate) mod hidden;
mod text;

use cliclack::{Theme, ThemeState, set_theme};

use std::io;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::printer::Printer;
use crate::terminal::keys::{CTRL_C, typed};

use self::text::{answer, with_keys};

pub(crate) use crate::question::text::AnswerHint;
pub(crate) use choice::{Item, one, several};
pub(crate) use text::{text, warning};

/// What is recorded of a question that was left with Ctrl-C.
pub(crate) const UNANSWERED: &str = "the user stopped it at the question";

/// Asks, and fails unless the answer is yes: whoever just presses Enter says no, and whoever stops
/// the program says nothing.
pub(crate) fn agreed(printer: &Printer, question: &str) -> Result<(), CommandError> {
    match word(printer, question, &[("yes", true), ("no", false)]) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::Declined),
        Err(error) => Err(CommandError::unanswered(error)),
    }
}

/// What was said to something that can be wanted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Yes, and ask again.
    Once,
    /// Yes, and do not ask again.
    Always,
    /// No.
    No,
}

/// Asks for a yes that may hold for ever.
pub(crate) fn consent(printer: &Printer, question: &str) -> io::Result<Consent> {
    let words = [
        ("yes", Consent::Once),
        ("once", Consent::Once),
        ("always", Consent::Always),
        ("no", Consent::No),
    ];
    word(printer, question, &words)
}

/// Asks for a yes that cannot hold for ever.
pub(crate) fn consent_once(printer: &Printer, question: &str) -> io::Result<Consent> {
    let words = [
        ("yes", Consent::Once),
        ("once", Consent::Once),
        ("no", Consent::No),
    ];
    word(printer, question, &words)
}

/// Asks for one of these words, or for as much of one as tells it from the others, until it is
/// said. Of words that mean the same, the first is offered. The last is the harmless one:
/// whoever just presses Enter means it.
pub(crate) fn word<T: Copy + PartialEq + Send + Sync>(
    printer: &Printer,
    question: &str,
    words: &[(&'static str, T)],
) -> io::Result<T> {
    let offered = offered(words);
    let question = format!("{question} ({offered})");
    let otherwise = words.last().map_or("", |(word, _)| word);
    with_keys(printer, || {
        loop {
            let shown = AnswerHint::Otherwise(otherwise);
            let said = answer(printer, &question, shown, |_| Ok(()))?;
            if let Some(meant) = meant(&said, words) {
                return Ok(meant);
            }
            warning(printer, &format!("the answer is {offered}"))?;
        }
    })
}

/// The words that are offered, as people list them.
fn offered<T: PartialEq>(words: &[(&'static str, T)]) -> String {
    let is_first = |at: &usize| words[..*at].iter().all(|(_, each)| *each != words[*at].1);
    let firsts = (0..words.len()).filter(is_first);
    let mut firsts: Vec<&str> = firsts.map(|at| words[at].0).collect();
    let last = firsts.pop().unwrap_or_default();
    match firsts.as_slice() {
        [] => last.to_owned(),
        firsts => format!("{} or {last}", firsts.join(", ")),
    }
}

/// What a text means; `None` if it is no word, or the beginning of several.
fn meant<T: Copy + PartialEq>(text: &str, words: &[(&'static str, T)]) -> Option<T> {
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() {
        return None;
    }
    let fitting = words.iter().filter(|(word, _)| word.starts_with(&*text));
    let mut meanings: Vec<T> = fitting.map(|(_, meaning)| *meaning).collect();
    meanings.dedup();
    match meanings.as_slice() {
        [meaning] => Some(*meaning),
        _ => None,
    }
}

/// Asks before files are changed, and fails unless the answer is yes.
pub(crate) fn must_agree(context: &Context, question: &str) -> Result<(), CommandError> {
    if !context.printer.can_ask() {
        return Err(InstallFailure::NotAsked.into());
    }
    agreed(&context.printer, question)
}

/// Lets questions look so that one which is left says nothing of its own: whoever asked tells what
/// becomes of it.
fn choose() {
    set_theme(Brief);
}

struct Brief;

impl Theme for Brief {
    fn format_footer_with_message(&self, state: &ThemeState, message: &str) -> String {
        match state {
            ThemeState::Cancel => format!("{}\n", self.bar_color(state).apply_to('└')),
            _ => Usual.format_footer_with_message(state, message),
        }
    }
}

/// All else is as ever.
struct Usual;

impl Theme for Usual {}

/// Longest answer that is read; a terminal gives no line that is longer.
const MAX_ANSWER_BYTES: usize = 1 << 13;

/// Asks whoever has the keys of the terminal, and reads what is typed until Enter.
fn plain_line(printer: &Printer, question: &str) -> io::Result<String> {
    printer.people_lines(&format!("{question}: "));
    let mut keys = [0; MAX_ANSWER_BYTES];
    let line = typed(&mut keys).and_then(|count| said(&keys[..count]));
    if line.is_err() {
        printer.people_lines("\n");
    }
    line
}

/// What a line of the terminal says; Ctrl-C and Ctrl-D leave the question. A terminal hands over a
/// line as a whole: one without an end was left with Ctrl-D.
fn said(line: &[u8]) -> io::Result<String> {
    match line {
        [said @ .., b'\r' | b'\n'] => Ok(String::from_utf8_lossy(said).trim().to_owned()),
        [.., CTRL_C] => Err(io::ErrorKind::Interrupted.into()),
        _ if line.len() == MAX_ANSWER_BYTES => Err(io::Error::other("the line is too long")),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [(&str, u8); 5] = [
        ("once", 1),
        ("yes", 1),
        ("session", 2),
        ("always", 3),
        ("no", 0),
    ];

    #[test]
    fn words_and_their_beginnings_are_answers_and_nothing_else_is() {
        for (said, expected) in [
            ("once", Some(1)),
            (" O ", Some(1)),
            ("y", Some(1)),
            ("Sess", Some(2)),
            ("a", Some(3)),
            ("n", Some(0)),
            ("NO", Some(0)),
            ("ok", None),
            ("nah", None),
            ("no thanks", None),
            ("", None),
        ] {
            assert_eq!(meant(said, &WORDS), expected, "{said:?}");
        }
        let ways = [("rename", 1), ("replace", 2), ("skip", 3)];
        assert_eq!(meant("re", &ways), None);
        assert_eq!(meant("rep", &ways), Some(2));
    }

    #[test]
    fn words_that_mean_the_same_are_offered_once() {
        assert_eq!(offered(&WORDS), "once, session, always or no");
        assert_eq!(offered(&[("yes", true), ("no", false)]), "yes or no");
    }
}

#[cfg(test)]
mod plain_tests {
    use super::*;

    #[test]
    fn a_line_ends_with_enter_and_the_question_with_ctrl_c_or_the_end() {
        assert_eq!(said(b" yes \n").unwrap(), "yes");
        assert_eq!(said(b"\n").unwrap(), "");
        let kind = |line: &[u8]| said(line).unwrap_err().kind();
        assert_eq!(kind(b"ye\x03"), io::ErrorKind::Interrupted);
        assert_eq!(kind(b"ye"), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(b""), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[b'x'; MAX_ANSWER_BYTES]), io::ErrorKind::Other);
    }
}
