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
        let found = command.split('|').any(|command| self.is_here(command));
        self.known.insert(command.to_owned(), found);
        found
    }
}

impl Commands {
    fn is_here(&self, command: &str) -> bool {
        if command.starts_with('/') {
            return is_executable(Path::new(command));
        }
        // A command is a name: no other path in a skill's frontmatter is looked at.
        let is_name = !command.contains(['/', '\\', '\0']) && !command.is_empty();
        let mut folders = self.folders.iter();
        is_name && folders.any(|folder| is_executable(&folder.join(command)))
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
        let required = [
            "sh",
            "none|sh",
            "/bin/sh",
            "no-such-command",
            "none|nothing",
            "../bin/sh",
            "/bin/none",
        ];
        assert_eq!(
            commands.missing(&required.map(str::to_owned)),
            &required[3..]
        );
    }
}
