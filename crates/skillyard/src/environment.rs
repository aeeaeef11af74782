//! Every environment variable that Skillyard reads.

use std::ffi::OsString;

/// What the environment says, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `NO_COLOR`: no colours, whatever its value, unless `--color always` is given.
    pub(crate) no_color: bool,
    /// `TERM=dumb`: no colours.
    pub(crate) dumb_terminal: bool,
    /// `VISUAL`, else `EDITOR`: the program that `new --edit` starts.
    pub(crate) editor: Option<OsString>,
    /// `COLUMNS`: the width of the terminal, where it cannot be asked.
    pub(crate) columns: Option<usize>,
}

impl Environment {
    /// Reads the variables.
    pub(crate) fn read() -> Self {
        Self {
            no_color: variable("NO_COLOR").is_some_and(|value| !value.is_empty()),
            dumb_terminal: variable("TERM").is_some_and(|value| value == "dumb"),
            editor: variable("VISUAL").or_else(|| variable("EDITOR")),
            columns: variable("COLUMNS").and_then(|value| value.to_str()?.parse().ok()),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the file that reads the environment"
)]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
