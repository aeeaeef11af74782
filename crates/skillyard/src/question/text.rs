//! Questions that are answered with a text, and what is said between them.

use std::io;

use crate::printer::Printer;
use crate::question;
use crate::terminal::keys::Keys;
use crate::text::sanitize::visible;

/// What is shown where the answer is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnswerHint<'a> {
    /// What Enter alone means.
    Otherwise(&'a str),
    /// What an answer looks like.
    Example(&'a str),
}

/// Asks with the keys of the terminal, for one question and as often as it is asked again: what is
/// typed between is an answer too. Signals that end programs leave it.
pub(super) fn with_keys<T: Send>(
    printer: &Printer,
    ask: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    printer.heard().asked(|| {
        let _keys = if printer.asks_plainly() {
            Keys::lines()
        } else {
            question::choose();
            Keys::take()
        }?;
        ask()
    })
}

/// Asks until the answer passes the judge, who says what is wrong with it.
pub(crate) fn text(
    printer: &Printer,
    question: &str,
    shown: AnswerHint<'_>,
    judge: impl Fn(&String) -> Result<(), String> + Send + 'static,
) -> io::Result<String> {
    with_keys(printer, || answer(printer, question, shown, judge))
}

/// The same for who has the keys.
pub(super) fn answer(
    printer: &Printer,
    question: &str,
    shown: AnswerHint<'_>,
    judge: impl Fn(&String) -> Result<(), String> + 'static,
) -> io::Result<String> {
    let question = visible(question);
    if printer.asks_plainly() {
        return plain_text(printer, &question, shown, judge);
    }
    let input = cliclack::input(question).validate(judge);
    let mut input = match shown {
        AnswerHint::Otherwise(text) => input.default_input(text),
        AnswerHint::Example(text) => input.placeholder(text),
    };
    input.interact()
}

fn plain_text(
    printer: &Printer,
    question: &str,
    shown: AnswerHint<'_>,
    judge: impl Fn(&String) -> Result<(), String>,
) -> io::Result<String> {
    let (question, otherwise) = match shown {
        AnswerHint::Otherwise(text) => (format!("{question} [{text}]"), text),
        AnswerHint::Example(text) => (format!("{question}\n  such as: {text}\n"), ""),
    };
    loop {
        let said = question::plain_line(printer, &question)?;
        let said = if said.is_empty() {
            otherwise.to_owned()
        } else {
            said
        };
        match judge(&said) {
            Ok(()) => return Ok(said),
            Err(reason) => printer.people(&visible(&reason)),
        }
    }
}

/// Says something before a question, or before it is asked again.
pub(crate) fn warning(printer: &Printer, text: &str) -> io::Result<()> {
    if printer.asks_plainly() {
        printer.people(&visible(text));
        return Ok(());
    }
    cliclack::log::warning(visible(text))
}
