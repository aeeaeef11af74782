//! The machine as the tool guard sees it: where paths lead and where programs lie.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use skillyard_trust::guard::GuardEnvironment;

/// Permission for anybody to execute.
const EXECUTABLE: u32 = 0o111;

/// A folder that tools work in.
#[derive(Debug, Clone)]
pub struct Workspace {
    folder: PathBuf,
    home: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Workspace {
    /// The folder, which must exist. `path` are the folders that programs are looked for in.
    pub fn new(folder: &Path, home: Option<PathBuf>, path: Vec<PathBuf>) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        if !folder.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { folder, home, path })
    }
}

impl GuardEnvironment for Workspace {
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
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
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
