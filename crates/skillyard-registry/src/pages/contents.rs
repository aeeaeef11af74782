//! The files of a version, out of its archive, a few archives at a time.

use std::sync::Arc;

use crate::error::RegistryError;
use crate::package::{self, Unpacked};
use crate::server::Server;
use crate::store::versions::VersionRow;

/// Opens the archives of versions and makes something of the files that are wanted.
pub(super) async fn opened<T: Send + 'static, const N: usize>(
    server: &Server,
    versions: [&VersionRow; N],
    wanted: impl Fn(&str) -> bool + Send + 'static,
    make: impl FnOnce([Vec<Unpacked>; N]) -> T + Send + 'static,
) -> Result<T, RegistryError> {
    let permit = Arc::clone(&server.opened).acquire_owned().await;
    let mut archives = Vec::with_capacity(N);
    for version in versions {
        archives.push(server.registry.blobs.read(version.digest).await?);
    }
    // Unpacking is work for milliseconds, not for the reactor.
    let work = tokio::task::spawn_blocking(move || {
        // Held until the work is done, whether or not somebody still waits for the page.
        let _permit = permit.map_err(RegistryError::internal)?;
        let mut all: [Vec<Unpacked>; N] = std::array::from_fn(|_| Vec::new());
        for (files, archive) in all.iter_mut().zip(&archives) {
            *files = package::unpacked(archive, &wanted).map_err(RegistryError::internal)?;
        }
        Ok(make(all))
    });
    work.await.map_err(RegistryError::internal)?
}
