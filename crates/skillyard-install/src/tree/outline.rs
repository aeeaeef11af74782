//! Whether a folder could be delivered, found out without reading a file.

use std::borrow::Cow;
use std::path::Path;

use skillyard_catalog::resource::{SeenFile, SeenKind};

use super::paths::{self, is_inside};
use super::{Ignored, TreeError, TreeLimits, Undelivered, is_left_out};

/// What lies in a skill's folder, as far as it is seen without reading it.
#[derive(Debug, Default)]
pub struct Outline {
    /// Files with their sizes, and what is none, sorted as it is seen: by paths.
    entries: Vec<(String, SeenKind)>,
    /// What has a name that is no text, as it can be shown.
    nameless: Vec<String>,
}

impl Outline {
    /// Notes something.
    pub fn add(&mut self, seen: SeenFile<'_>) {
        match String::from_utf8_lossy(seen.path) {
            Cow::Borrowed(path) => self.entries.push((path.to_owned(), seen.kind)),
            Cow::Owned(path) => self.nameless.push(path),
        }
    }

    /// Why the folder cannot be delivered without what git ignores in it, if it cannot.
    pub fn check(
        &self,
        folder: &Path,
        limits: &TreeLimits,
        ignored: Ignored,
    ) -> Result<(), TreeError> {
        let undelivered = Undelivered::of(folder, ignored);
        let mut nameless = self.nameless.iter();
        if let Some(path) = nameless.find(|path| !is_out(path, &undelivered)) {
            return Err(TreeError::Name(path.clone()));
        }
        let (mut paths, mut bytes) = (Vec::with_capacity(self.entries.len()), 0);
        for (path, kind) in &self.entries {
            if is_out(path, &undelivered) {
                continue;
            }
            if !is_inside(path) {
                return Err(TreeError::Name(path.clone()));
            }
            let kind = match kind {
                SeenKind::File(size) => {
                    bytes += size;
                    paths.push(path.as_str());
                    continue;
                }
                SeenKind::Link => "a symbolic link",
                SeenKind::Other => "not a file",
            };
            let path = path.clone();
            return Err(TreeError::NotAFile { path, kind });
        }
        let is_deep = |path: &&&str| path.matches('/').count() > limits.depth;
        if paths.len() > limits.files {
            return Err(TreeError::Files(limits.files));
        }
        if bytes > limits.bytes {
            return Err(TreeError::Bytes(limits.bytes));
        }
        if let Some(path) = paths.iter().find(is_deep) {
            return Err(TreeError::Depth((*path).to_owned()));
        }
        paths::same_names(&paths)?;
        paths::check(&paths)
    }
}

/// Whether a path or a folder above it is left out.
fn is_out(path: &str, undelivered: &Undelivered<'_>) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at);
    let mut parts = ends.chain([path.len()]).map(|end| &path[..end]);
    path.split('/').any(is_left_out) || parts.any(|part| undelivered.has(part))
}
