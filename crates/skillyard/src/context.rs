//! What the commands share.

use crate::cli::Global;
use crate::environment::Environment;
use crate::printer::Printer;

/// The surroundings of a command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The way to the user.
    pub(crate) printer: Printer,
    /// What the environment says.
    pub(crate) environment: Environment,
}

impl Context {
    /// Resolves the global flags.
    pub(crate) fn new(global: &Global, environment: Environment) -> Self {
        Self {
            printer: Printer::new(global, &environment),
            environment,
        }
    }
}
