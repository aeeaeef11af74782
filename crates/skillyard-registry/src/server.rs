//! The server: a registry with what HTTP needs around it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use semver::Version;
use skillyard_format::{Digest, QualifiedName};
pub use skillyard_http::Proxy;
use skillyard_trust::signature::SigningKey;
use tokio::sync::Semaphore;
use url::Url;

use crate::cache::VersionedCache;
use crate::counter::Counter;
use crate::documents::CachedDocument;
use crate::error::RegistryError;
use crate::in_flight::{InFlight, UploadLimiter};
use crate::rate::{Gate, Rates};
use crate::readiness::Readiness;
use crate::registry::{Registry, no_version};
use crate::skill_index::{Release, SkillIndexEntry};

/// How long what was `in_flight` may take once the server is to stop.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// How many bytes of skills' `index_entries` are kept in memory.
const MAX_INDEX_BYTES: usize = 16 * 1024 * 1024;
/// How many bytes of archives are kept in memory.
const MAX_ARCHIVE_BYTES: usize = 16 * 1024 * 1024;
/// How many bytes of documents over all skills are kept in memory.
const MAX_DOCUMENT_BYTES: usize = 4 * 1024 * 1024;

/// The largest archive that is sent whole and cached; others are streamed.
const MAX_CACHED_ARCHIVE: u64 = 256 * 1024;
/// The most archives that are opened for pages at once; others wait.
const MAX_OPENED_ARCHIVES: usize = 4;

/// What may be asked of a server, and how much.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it is reached from outside, without a slash at the end.
    pub url: String,
    /// The longest upload.
    pub upload_bytes: usize,
    /// How long an upload may take.
    pub upload_time: Duration,
    /// How long a client may take to say what it wants.
    pub header_time: Duration,
    /// How long any answer may take to begin.
    pub answer_time: Duration,
    /// How often somebody may ask.
    pub rates: Rates,
    /// Who may read.
    pub access: ReadAccess,
    /// Whose word counts about where a request comes from.
    pub proxy: Proxy,
    /// Under which names it answers.
    pub names: Names,
}

/// Under which names a registry answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Under any that leads to it.
    Any,
    /// Under those of this machine: a name of another site that was made to lead here is none.
    Loopback,
}

/// Who may read a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAccess {
    /// Everybody who reaches it.
    Open,
    /// Whoever has a token.
    Private,
}

impl Settings {
    /// The usual limits, for a server that is reached at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into().trim_end_matches('/').to_owned(),
            upload_bytes: 32 * 1024 * 1024,
            upload_time: Duration::from_mins(1),
            header_time: Duration::from_secs(15),
            answer_time: Duration::from_mins(2),
            rates: Rates::default(),
            access: ReadAccess::Open,
            proxy: Proxy::None,
            names: Names::Any,
        }
    }
}

/// Who hears what was being done when something broke inside, and what it was.
pub type Report = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What every endpoint is handed; each request gets several of it, so it is one pointer.
#[derive(Clone)]
pub struct Server(Arc<Parts>);

/// What a server consists of.
#[derive(Clone)]
pub struct Parts {
    pub(crate) registry: Registry,
    pub(crate) settings: Arc<Settings>,
    /// What stands before each path from outside; nothing at a root.
    pub(crate) base_path: Arc<str>,
    pub(crate) counter: Counter,
    pub(crate) gate: Arc<Gate>,
    pub(crate) uploads: Arc<UploadLimiter>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) index_entries: Arc<VersionedCache<String, Arc<SkillIndexEntry>>>,
    pub(crate) archives: Arc<VersionedCache<Digest, Bytes>>,
    pub(crate) documents: Arc<VersionedCache<CachedDocument, Bytes>>,
    pub(crate) opened: Arc<Semaphore>,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) log_key: Option<Arc<SigningKey>>,
    pub(crate) report: Option<Report>,
}

impl Deref for Server {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Server {
    /// A server for a registry; downloads are counted as long as it lives.
    pub fn new(registry: Registry, settings: Settings) -> Self {
        Self(Arc::new(Parts {
            counter: Counter::start(registry.database.clone()),
            gate: Arc::new(Gate::new(settings.rates)),
            uploads: Arc::default(),
            in_flight: Arc::default(),
            index_entries: Arc::new(VersionedCache::new(MAX_INDEX_BYTES)),
            archives: Arc::new(VersionedCache::new(MAX_ARCHIVE_BYTES)),
            documents: Arc::new(VersionedCache::new(MAX_DOCUMENT_BYTES)),
            opened: Arc::new(Semaphore::new(MAX_OPENED_ARCHIVES)),
            readiness: Arc::default(),
            log_key: None,
            report: None,
            registry,
            base_path: base_path(&settings.url).into(),
            settings: Arc::new(settings),
        }))
    }

    /// Signs the log of all versions with a key, the same on every node.
    #[must_use]
    pub fn with_log_key(mut self, key: SigningKey) -> Self {
        Arc::make_mut(&mut self.0).log_key = Some(Arc::new(key));
        self
    }

    /// Tells whoever runs it what clients are not told: why something broke inside.
    #[must_use]
    pub fn with_report(mut self, report: Report) -> Self {
        Arc::make_mut(&mut self.0).report = Some(report);
        self
    }

    /// Waits until what was `in_flight` is done and the downloads so far are counted.
    pub async fn settle(&self) {
        self.in_flight.done(SHUTDOWN_TIMEOUT).await;
        self.counter.finish().await;
    }
}

impl Server {
    /// The index entry of a skill, as new as the request.
    pub(crate) async fn index_entry(
        &self,
        name: &QualifiedName,
    ) -> Result<Arc<SkillIndexEntry>, RegistryError> {
        let database = &self.registry.database;
        let sequence = self.registry.change_sequence.current(database).await?;
        if let Some(entry) = self.index_entries.get(sequence, name.as_str()) {
            return Ok(entry);
        }
        let entry = Arc::new(SkillIndexEntry::load(database, name).await?);
        let (key, bytes) = (name.to_string(), entry.bytes());
        self.index_entries
            .put(sequence, key, Arc::clone(&entry), bytes);
        Ok(entry)
    }

    /// A version of a skill to be fetched: the one that is named, or the latest.
    pub(crate) async fn release(
        &self,
        name: &QualifiedName,
        version: Option<&Version>,
    ) -> Result<Release, RegistryError> {
        let entry = match (self.index_entry(name).await, version) {
            (Err(RegistryError::NoSkill(_)), Some(version)) => {
                return Err(no_version(name, version));
            }
            (entry, _) => entry?,
        };
        match (entry.release(version), version) {
            (Some(release), _) => Ok(release.clone()),
            (None, Some(version)) => Err(no_version(name, version)),
            // Nothing new chooses a version that was withdrawn.
            (None, None) => Err(RegistryError::Withdrawn(name.to_string())),
        }
    }

    /// The archive of a version, if it is short enough to be held in memory.
    pub(crate) async fn short_archive(
        &self,
        release: &Release,
    ) -> Result<Option<Bytes>, RegistryError> {
        // A digest belongs to its bytes for good, whatever changes.
        const IMMUTABLE: i64 = 0;
        if release.size > MAX_CACHED_ARCHIVE {
            return Ok(None);
        }
        if let Some(bytes) = self.archives.get(IMMUTABLE, &release.digest) {
            return Ok(Some(bytes));
        }
        let bytes = self.registry.blobs.read(release.digest).await?;
        if bytes.len() as u64 != release.size {
            let reason = format!("the archive {} has another length", release.digest);
            return Err(RegistryError::internal(reason));
        }
        let (kept, length) = (bytes.clone(), bytes.len());
        self.archives.put(IMMUTABLE, release.digest, kept, length);
        Ok(Some(bytes))
    }
}

/// The path of a public URL, without a slash at the end; empty at a root.
pub(crate) fn base_path(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let path = parsed.as_ref().map_or("", Url::path);
    path.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_that_of_the_url() {
        for (url, expected) in [
            ("https://skills.example", ""),
            ("https://skills.example/", ""),
            ("http://127.0.0.1:7878/registry", "/registry"),
            ("https://skills.example/a/b/", "/a/b"),
            ("banana", ""),
        ] {
            assert_eq!(base_path(url), expected, "{url}");
        }
    }
}
