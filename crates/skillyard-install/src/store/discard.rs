//! The end of what is filed under a digest.

use std::io;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use super::{Store, StoreError, compared, pack};
use crate::flock::Hold;
use skillyard_catalog::own_folder;

impl Store {
    /// Hashes everything again and removes what is damaged, while nobody else uses the store;
    /// returns how many are sound and what was wrong with the others.
    pub fn mend(&self) -> Result<(usize, Vec<(Digest, StoreError)>), StoreError> {
        let _lock = self.locked(Hold::Alone)?;
        let (sound, bad) = self.verify()?;
        let damaged: Vec<Digest> = bad.iter().map(|(digest, _)| *digest).collect();
        self.discard_damaged(&damaged)?;
        Ok((sound, bad))
    }

    /// Removes what is damaged of what is filed under digests. Folders stay: links may lead to them,
    /// and what is not as it was in one is somebody's work.
    pub fn discard_damaged(&self, digests: &[Digest]) -> Result<(), StoreError> {
        let bundles = self.bundles()?;
        let is_damaged = |digest: &Digest| {
            let found = bundles.read(*digest);
            found.is_some_and(|found| compared(found, *digest).is_err())
        };
        let gone: Vec<Digest> = digests.iter().copied().filter(is_damaged).collect();
        self.thin_out(&gone)?;
        let broken = gone.iter().map(|digest| self.bundle(*digest));
        let packs = digests.iter().filter_map(|digest| {
            let pack = self.pack(*digest);
            compared(pack::read(&pack), *digest)
                .is_err()
                .then_some(pack)
        });
        let mut paths = broken.chain(packs);
        paths.try_for_each(|path| remove(&path).map_err(|source| self.failed(source)))
    }

    /// Removes everything that is filed under digests.
    pub(super) fn discard(&self, digests: &[Digest]) -> Result<(), StoreError> {
        self.thin_out(digests)?;
        for digest in digests {
            for path in [
                self.pack(*digest),
                self.folder(*digest),
                self.bundle(*digest),
            ] {
                remove(&path).map_err(|source| self.failed(source))?;
            }
        }
        Ok(())
    }

    /// A bundle that cannot be read is known by its own name.
    fn bundle(&self, digest: Digest) -> PathBuf {
        self.root.join("bundles").join(digest.to_hex())
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
        Ok(metadata) if metadata.is_dir() => own_folder::remove(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
