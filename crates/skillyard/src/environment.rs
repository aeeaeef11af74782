//! Every environment variable that Skillyard reads.

use std::ffi::OsString;
use std::path::PathBuf;

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
    /// `HOME`: the user's home directory.
    pub(crate) home: Option<PathBuf>,
    /// `SKILLYARD_HOME`: Skillyard's own folder; `~/.skillyard` without it.
    pub(crate) skillyard_home: PathBuf,
    /// `PATH`: where the commands that skills need are looked for.
    pub(crate) path: Vec<PathBuf>,
    /// The directory the command was started in.
    pub(crate) current_dir: PathBuf,
}

impl Environment {
    /// Reads the variables.
    pub(crate) fn read() -> Self {
        let home = variable("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        let skillyard_home = variable("SKILLYARD_HOME").filter(|folder| !folder.is_empty());
        Self {
            no_color: variable("NO_COLOR").is_some_and(|value| !value.is_empty()),
            dumb_terminal: variable("TERM").is_some_and(|value| value == "dumb"),
            editor: variable("VISUAL").or_else(|| variable("EDITOR")),
            columns: variable("COLUMNS").and_then(|value| value.to_str()?.parse().ok()),
            skillyard_home: skillyard_home.map_or_else(
                || home.clone().unwrap_or_default().join(".skillyard"),
                PathBuf::from,
            ),
            home,
            path: variable("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
            current_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        }
    }

    /// The user's configuration.
    pub(crate) fn config_file(&self) -> PathBuf {
        self.skillyard_home.join("config.toml")
    }

    /// What the user has approved.
    pub(crate) fn approvals_file(&self) -> PathBuf {
        self.skillyard_home.join("approvals.toml")
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the file that reads the environment"
)]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
