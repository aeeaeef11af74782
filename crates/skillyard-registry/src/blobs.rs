//! Archives, each under its digest, in a folder or in an S3-compatible store.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetResult, ObjectStore, ObjectStoreExt as _, PutPayload};
use secrecy::{ExposeSecret as _, SecretString};
use skillyard_format::Digest;

/// Why an archive could not be stored or found.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// An address that leads to no store.
    #[error("`{0}` is no address of a store: use a folder or `s3://BUCKET/PREFIX`")]
    Address(String),
    /// The store has no such archive.
    #[error("the archive {0} is missing in the store")]
    Missing(Digest),
    /// The store refused.
    #[error("the store of archives refused")]
    Refused(#[source] object_store::Error),
}

/// Where archives are kept.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
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
            .with_allow_http(access.endpoint.is_some());
        for (key, value) in settings {
            if let Some(value) = value {
                builder = builder.with_config(key, value);
            }
        }
        Ok(Self {
            store: Arc::new(builder.build().map_err(BlobError::Refused)?),
            prefix: Path::parse(prefix).map_err(|_| wrong())?,
        })
    }

    /// Stores an archive; one that is there already is the same.
    pub(crate) async fn put(&self, digest: Digest, bytes: Bytes) -> Result<(), BlobError> {
        let path = self.path(digest);
        let stored = self.store.put(&path, PutPayload::from_bytes(bytes)).await;
        stored.map(|_| ()).map_err(BlobError::Refused)
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
        let found = self.get(digest).await?;
        found.bytes().await.map_err(BlobError::Refused)
    }

    fn path(&self, digest: Digest) -> Path {
        let hex = digest.to_hex();
        let parts = ["sha256", &hex[..2], &hex[2..]];
        parts
            .into_iter()
            .fold(self.prefix.clone(), |path, part| path.join(part))
    }
}
