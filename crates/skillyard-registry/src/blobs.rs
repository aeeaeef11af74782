//! Archives, each under its digest, in a folder or in an S3-compatible store.

mod connector;

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetResult, ObjectStore, ObjectStoreExt as _, PutPayload};
use secrecy::{ExposeSecret as _, SecretString};
use skillyard_format::Digest;

use self::connector::Connector;
pub use self::connector::Ways;

/// Why an archive could not be stored or found.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// An address that leads to no store.
    #[error("`{0}` is no address of a store: use a folder or `s3://BUCKET/PREFIX`")]
    Address(String),
    /// The store has no such archive.
    #[error("the archive {0} is missing in the store")]
    Missing(Digest),
    /// The archive cannot be read.
    #[error("the archive {0} cannot be read")]
    Broken(Digest, #[source] std::io::Error),
    /// The store refused.
    #[error("the store of archives refused")]
    Refused(#[source] object_store::Error),
}

/// Where archives are kept.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The folder, where it is one.
    folder: Option<PathBuf>,
}

/// An archive in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob {
    /// Its digest, as its name says.
    pub digest: Digest,
    /// When it was last stored.
    pub stored: Timestamp,
}

/// How to reach an S3-compatible store.
#[derive(Debug, Clone, Default)]
pub struct S3Access {
    /// The key's name.
    pub key: Option<String>,
    /// The key itself.
    pub secret: Option<SecretString>,
    /// The region.
    pub region: Option<String>,
    /// The server, where it is not Amazon's.
    pub endpoint: Option<String>,
    /// The proxies that lead to it; what the environment names is not looked at.
    pub ways: Ways,
}

impl Blobs {
    /// Archives in a folder, which is made.
    pub fn in_folder(folder: &FilePath) -> Result<Self, BlobError> {
        let failed = |_| BlobError::Address(folder.to_string_lossy().into_owned());
        std::fs::create_dir_all(folder).map_err(failed)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(BlobError::Refused)?;
        Ok(Self {
            // What was acknowledged survives a power failure.
            store: Arc::new(store.with_fsync(true)),
            prefix: Path::default(),
            folder: Some(folder.to_owned()),
        })
    }

    /// Archives in a bucket, `s3://BUCKET/PREFIX`.
    pub fn in_bucket(address: &str, access: &S3Access) -> Result<Self, BlobError> {
        let wrong = || BlobError::Address(address.to_owned());
        let rest = address.strip_prefix("s3://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(wrong());
        }
        // The client below looks for a provider of the whole process; whoever set one before is
        // not overruled.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = [
            (AmazonS3ConfigKey::AccessKeyId, access.key.clone()),
            (
                AmazonS3ConfigKey::SecretAccessKey,
                access
                    .secret
                    .as_ref()
                    .map(|each| each.expose_secret().to_owned()),
            ),
            (AmazonS3ConfigKey::Region, access.region.clone()),
            (AmazonS3ConfigKey::Endpoint, access.endpoint.clone()),
        ];
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_allow_http(access.endpoint.is_some())
            .with_http_connector(Connector {
                ways: access.ways.clone(),
            });
        for (key, value) in settings {
            if let Some(value) = value {
                builder = builder.with_config(key, value);
            }
        }
        Ok(Self {
            store: Arc::new(builder.build().map_err(BlobError::Refused)?),
            prefix: Path::parse(prefix).map_err(|_| wrong())?,
            folder: None,
        })
    }

    /// Stores an archive; one that is there already is the same.
    pub(crate) async fn put(&self, digest: Digest, bytes: Bytes) -> Result<(), BlobError> {
        let path = self.path(digest);
        let stored = self.store.put(&path, PutPayload::from_bytes(bytes)).await;
        stored.map(|_| ()).map_err(BlobError::Refused)
    }

    /// Stores something that is no archive and takes it out again, which fails where nothing can be
    /// written.
    pub(crate) async fn touch(&self) -> Result<(), BlobError> {
        let path = self.prefix.clone().join("readiness");
        // As much as takes a place of its own on a disk.
        let bytes = Bytes::from_static(&[0; 4096]);
        let stored = self.store.put(&path, PutPayload::from_bytes(bytes)).await;
        stored.map_err(BlobError::Refused)?;
        // What stays is in nobody's way, and is written over.
        let _ = self.store.delete(&path).await;
        Ok(())
    }

    /// An archive, to be read piece by piece.
    pub(crate) async fn get(&self, digest: Digest) -> Result<GetResult, BlobError> {
        match self.store.get(&self.path(digest)).await {
            Ok(found) => Ok(found),
            Err(object_store::Error::NotFound { .. }) => Err(BlobError::Missing(digest)),
            Err(error) => Err(BlobError::Refused(error)),
        }
    }

    /// An archive, whole.
    pub(crate) async fn read(&self, digest: Digest) -> Result<Bytes, BlobError> {
        let Some(folder) = &self.folder else {
            let found = self.get(digest).await?;
            return found.bytes().await.map_err(BlobError::Refused);
        };
        // In one piece by one thread, where the store would use three of them in turn.
        let file = folder.join(self.path(digest).as_ref());
        let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
        let read = read.map_err(|error| BlobError::Broken(digest, error.into()))?;
        match read {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(BlobError::Missing(digest))
            }
            Err(error) => Err(BlobError::Broken(digest, error)),
        }
    }

    /// Whether an archive is there.
    pub(crate) async fn has(&self, digest: Digest) -> Result<bool, BlobError> {
        match self.store.head(&self.path(digest)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(BlobError::Refused(error)),
        }
    }

    /// Every archive there is.
    pub(crate) async fn list(&self) -> Result<Vec<Blob>, BlobError> {
        let found = self.store.list(Some(&self.prefix)).try_collect::<Vec<_>>();
        let found = found.await.map_err(BlobError::Refused)?;
        let read = |each: object_store::ObjectMeta| {
            let parts: Vec<_> = each.location.parts().collect();
            let [.., kind, first, rest] = parts.as_slice() else {
                return None;
            };
            let digest = format!("{}:{}{}", kind.as_ref(), first.as_ref(), rest.as_ref());
            Some(Blob {
                digest: digest.parse().ok()?,
                stored: Timestamp::from_second(each.last_modified.timestamp()).ok()?,
            })
        };
        Ok(found.into_iter().filter_map(read).collect())
    }

    /// Removes an archive.
    pub(crate) async fn remove(&self, digest: Digest) -> Result<(), BlobError> {
        match self.store.delete(&self.path(digest)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(BlobError::Refused(error)),
        }
    }

    /// Removes what a crash left half written in a folder before `time`; says how many files.
    pub(crate) fn remove_pieces(&self, time: Timestamp) -> std::io::Result<usize> {
        let Some(folder) = &self.folder else {
            return Ok(0);
        };
        let mut removed = 0;
        let kinds = folder.join("sha256");
        if !kinds.is_dir() {
            return Ok(0);
        }
        for part in std::fs::read_dir(kinds)? {
            for file in std::fs::read_dir(part?.path())? {
                let file = file?;
                let is_piece = file.file_name().to_string_lossy().contains('#');
                let changed = Timestamp::try_from(file.metadata()?.modified()?);
                if is_piece && changed.is_ok_and(|changed| changed <= time) {
                    std::fs::remove_file(file.path())?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    fn path(&self, digest: Digest) -> Path {
        let hex = digest.to_hex();
        let parts = ["sha256", &hex[..2], &hex[2..]];
        parts.into_iter().fold(self.prefix.clone(), Path::join)
    }
}
