//! Questions in the terminal that are answered with yes or no, or with yes for ever.

use std::io;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::sanitize::visible;

/// Asks; whoever stops the program instead of answering says no, as does whoever just presses Enter.
pub(crate) fn agreed(question: &str) -> Result<bool, CommandError> {
    let answer = cliclack::confirm(visible(question))
        .initial_value(false)
        .interact();
    match answer {
        Ok(answer) => Ok(answer),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(error) => Err(error.into()),
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

impl Consent {
    /// What a word means; `None` if it is no answer.
    fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "o" | "once" => Some(Self::Once),
            "a" | "always" => Some(Self::Always),
            "n" | "no" | "" => Some(Self::No),
            _ => None,
        }
    }
}

/// Asks for a word: whoever types one means it, and whoever just presses Enter says no.
pub(crate) fn consent(question: &str) -> io::Result<Consent> {
    let words = "yes, always or no";
    let answer: String = cliclack::input(format!("{} ({words})", visible(question)))
        .default_input("no")
        .validate(move |text: &String| match Consent::read(text) {
            Some(_) => Ok(()),
            None => Err(format!("the answer is {words}")),
        })
        .interact()?;
    Ok(Consent::read(&answer).unwrap_or(Consent::No))
}

/// Asks before files are changed, and fails unless the answer is yes.
pub(crate) fn must_agree(context: &Context, question: &str) -> Result<(), CommandError> {
    if !context.printer.can_ask() {
        return Err(InstallFailure::NotAsked.into());
    }
    if agreed(question)? {
        Ok(())
    } else {
        Err(CommandError::Stopped)
    }
}
