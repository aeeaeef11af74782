//! What lies in the folders of a scope now.

use std::io;
use std::path::Path;

use crate::plan::Occupant;
use crate::tree::{Tree, TreeLimits};

/// Looks at one place.
pub(crate) fn look(path: &Path) -> Occupant {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Occupant::Nothing,
        Err(error) => return Occupant::Other(error.to_string()),
    };
    if metadata.is_symlink() {
        return match std::fs::read_link(path) {
            Ok(path) => Occupant::Link(path),
            Err(error) => Occupant::Other(error.to_string()),
        };
    }
    if !metadata.is_dir() {
        return Occupant::Other("it is a file".into());
    }
    let limits = TreeLimits {
        files: 100_000,
        bytes: 1 << 30,
        depth: 64,
    };
    match Tree::read(path, &limits) {
        Ok(tree) => Occupant::Folder(tree.digest()),
        Err(error) => Occupant::Other(error.to_string()),
    }
}
