//! A question in the terminal that is answered with yes or no.

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
