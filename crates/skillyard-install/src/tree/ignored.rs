//! Which files of a skill's folder git ignores.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files and folders of a skill that git ignores and does not track.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    /// Paths below the skill's folder; those of folders end in `/`.
    pub(crate) paths: BTreeSet<String>,
    pub(crate) unasked: Option<Arc<Unasked>>,
}

/// Git could not say what it ignores.
#[derive(Debug, thiserror::Error)]
#[error("git could not be asked what it ignores in `{}`", repository.display())]
pub struct Unasked {
    /// The root of the repository.
    pub repository: PathBuf,
    /// The cause.
    #[source]
    pub reason: Box<dyn Error + Send + Sync>,
}

impl Ignored {
    /// Whether the file or folder at a path below the skill's is ignored. The caller has asked for the
    /// folders above it before.
    pub fn has(&self, path: &str) -> bool {
        self.paths.contains(path) || self.paths.contains(&format!("{path}/"))
    }

    /// All that is ignored, sorted; folders end in `/`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Why git could not be asked, if so.
    pub fn unasked(&self) -> Option<&Arc<Unasked>> {
        self.unasked.as_ref()
    }

    pub(crate) fn fail(&mut self, repository: &Path, reason: impl Error + Send + Sync + 'static) {
        self.unasked = Some(Arc::new(Unasked {
            repository: repository.to_owned(),
            reason: Box::new(reason),
        }));
    }
}
