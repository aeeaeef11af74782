//! Every environment variable that Skillyard reads.

use std::ffi::OsString;
use std::path::PathBuf;

/// The variable with which the scripts of `skillyard completions` ask. Its value is the name of
/// the shell; what else they say stands in variables that `clap_complete` reads: `_CLAP_…`.
pub(crate) const COMPLETE: &str = "SKILLYARD_COMPLETE";

/// What the environment says, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `NO_COLOR`: no colours, unless `--color always` is given.
    pub(crate) no_color: bool,
    /// `TERM=dumb`: no colours.
    pub(crate) dumb_terminal: bool,
    /// `VISUAL`, else `EDITOR`: the program that `new --edit` starts.
    pub(crate) editor: Option<OsString>,
    /// `COLUMNS`: the width of the terminal, where it cannot be asked.
    pub(crate) columns: Option<usize>,
    /// `HOME`: the user's home directory; without it what the system knows.
    pub(crate) home: Option<PathBuf>,
    /// `SKILLYARD_HOME`: Skillyard's own folder; `~/.skillyard` without it.
    pub(crate) skillyard_home: PathBuf,
    /// `PATH`: where the commands that skills need are looked for.
    pub(crate) path: Vec<PathBuf>,
    /// `SKILLYARD_COMPLETE`: the shell that asks what could stand at the cursor.
    pub(crate) completing: Option<String>,
    /// The directory the command was started in.
    pub(crate) current_dir: PathBuf,
    /// `TMPDIR`: where temporary files are made; `/tmp` for root, whose own others cannot reach.
    pub(crate) temporary: PathBuf,
}

impl Environment {
    /// Reads the variables.
    pub(crate) fn read() -> Self {
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        Self {
            no_color: given("NO_COLOR").is_some(),
            dumb_terminal: given("TERM").is_some_and(|value| value == "dumb"),
            editor: given("VISUAL").or_else(|| given("EDITOR")),
            columns: given("COLUMNS").and_then(|value| value.to_str()?.parse().ok()),
            skillyard_home: given("SKILLYARD_HOME").map_or_else(
                // Never the current folder: what lies there is a stranger's.
                || {
                    home.clone()
                        .unwrap_or_else(|| "/nonexistent".into())
                        .join(".skillyard")
                },
                PathBuf::from,
            ),
            home,
            path: given("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
            completing: given(COMPLETE).and_then(|shell| shell.into_string().ok()),
            temporary: temporary(),
            current_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        }
    }

    /// A variable that the user named, for `run --env`.
    #[expect(clippy::unused_self, reason = "who reads the environment holds it")]
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        // The system refuses names like these.
        let readable = !name.is_empty() && !name.contains(['=', '\0']);
        readable.then(|| given(name)).flatten()
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

fn temporary() -> PathBuf {
    if skillyard_sandbox::survey::is_root() {
        return PathBuf::from("/tmp");
    }
    std::env::temp_dir()
}

/// The value of a variable; an empty one counts as none.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the file that reads the environment"
)]
fn given(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
