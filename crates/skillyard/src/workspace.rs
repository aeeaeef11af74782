//! The machine as the tool guard sees it: where paths lead and where programs lie.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use skillyard_trust::guard::Surroundings;

use crate::environment::Environment;
use crate::error::CommandError;

/// Permission for anybody to execute.
const EXECUTABLE: u32 = 0o111;

/// A folder that tools work in.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    folder: PathBuf,
    home: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Workspace {
    /// The folder, which must exist; the current one without a name.
    pub(crate) fn new(
        environment: &Environment,
        folder: Option<&Path>,
    ) -> Result<Self, CommandError> {
        let folder = folder.unwrap_or(&environment.current_dir);
        let found = folder
            .canonicalize()
            .map_err(|_| CommandError::NoSuchPath(folder.to_owned()))?;
        if !found.is_dir() {
            return Err(CommandError::NotAFolder(found));
        }
        Ok(Self {
            folder: found,
            home: environment.home.clone(),
            path: environment.path.clone(),
        })
    }
}

impl Surroundings for Workspace {
    fn workspace(&self) -> &Path {
        &self.folder
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The nearest parent that exists is resolved; what a program would create below it may not
    /// go up again.
    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        let mut missing = Vec::new();
        let mut existing = path;
        loop {
            match fs::symlink_metadata(existing) {
                // A link that leads nowhere can be made to lead anywhere.
                Ok(_) => break,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) => return None,
            }
            missing.push(existing.file_name()?);
            existing = existing.parent()?;
        }
        let mut real = existing.canonicalize().ok()?;
        real.extend(missing.into_iter().rev());
        Some(real)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let candidates = self.path.iter().filter(|folder| folder.is_absolute());
        candidates.map(|folder| folder.join(name)).find_map(|file| {
            let metadata = fs::metadata(&file).ok()?;
            let runs = metadata.is_file() && metadata.mode() & EXECUTABLE != 0;
            runs.then(|| file.canonicalize().ok())?
        })
    }
}
