//! Commands that a skill needs, looked up in `PATH` without starting anything.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The folders of `PATH`, and what was found in them so far.
#[derive(Debug, Default)]
pub struct Commands {
    folders: Vec<PathBuf>,
    known: HashMap<String, bool>,
}

impl Commands {
    /// Commands in these folders.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            known: HashMap::new(),
        }
    }

    /// Those of `required` that cannot be run.
    pub fn missing(&mut self, required: &[String]) -> Vec<String> {
        required
            .iter()
            .filter(|command| !self.has(command))
            .cloned()
            .collect()
    }

    fn has(&mut self, command: &str) -> bool {
        if let Some(known) = self.known.get(command) {
            return *known;
        }
        // A command is a name: a path in a skill's frontmatter must not be looked at.
        let is_name = !command.contains(['/', '\\', '\0']) && !command.is_empty();
        let found = is_name
            && self
                .folders
                .iter()
                .any(|folder| is_executable(&folder.join(command)));
        self.known.insert(command.to_owned(), found);
        found
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_executable_files_of_the_folders_count() {
        let mut commands = Commands::new(vec![PathBuf::from("/bin"), PathBuf::from("/usr/bin")]);
        let required = ["sh", "no-such-command", "../bin/sh", "/bin/sh"].map(str::to_owned);
        assert_eq!(
            commands.missing(&required),
            ["no-such-command", "../bin/sh", "/bin/sh"]
        );
    }
}
