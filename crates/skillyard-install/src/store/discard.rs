//! The end of what is filed under a digest.

use std::io;
use std::path::Path;

use skillyard_format::Digest;

use super::{Store, StoreError};

impl Store {
    /// Removes what is filed under digests.
    pub fn discard(&self, digests: &[Digest]) -> Result<(), StoreError> {
        self.thin_out(digests)?;
        for digest in digests {
            let hex = digest.to_hex();
            // A bundle that cannot be read is known by its own name.
            let bundle = self.root.join("bundles").join(hex);
            for path in [self.pack(*digest), self.folder(*digest), bundle] {
                remove(&path).map_err(|source| self.failed(source))?;
            }
        }
        Ok(())
    }

    /// Puts bundles without these in the place of those that hold them.
    fn thin_out(&self, gone: &[Digest]) -> Result<(), StoreError> {
        for (path, packs) in self.bundles()?.without(gone) {
            if !packs.is_empty() {
                let staging = self.staging()?;
                let put = self.put_bundle(&packs, &staging);
                put.map_err(|source| self.failed(source))?;
            }
            remove(&path).map_err(|source| self.failed(source))?;
        }
        Ok(())
    }
}

/// Removes a file or a folder that may be gone already.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
