//! Fetchers: each brings the content of one kind of reference into a quarantine folder.
//!
//! Nothing is unpacked, loaded or trusted here. A fetcher writes only below the
//! folder it is given, which must be fresh, and leaves no file there when it fails.

pub mod archive_url;
pub mod forge;
pub mod github;
pub mod gitlab;
pub mod http;
pub mod registry;
pub mod well_known;

use std::fmt;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;
use url::Url;

use crate::origin::Origin;
use crate::reference::{ArchiveKind, SubPath};
use http::{Download, DownloadProgress, DownloadTarget, Http, HttpError, Request};

/// The most bytes that the archive of a version may have which is copied from another registry.
pub const DOWNLOAD_LIMIT: u64 = 256 * 1024 * 1024;

/// What every fetcher over the network needs.
#[derive(Clone, Copy)]
pub struct Transfer<'a> {
    /// The client.
    pub http: &'a Http,
    /// A fresh folder that everything is written below.
    pub folder: &'a Path,
    /// The most bytes that may come.
    pub limit: u64,
    /// Who wants to know how far it is.
    pub progress: &'a dyn DownloadProgress,
}

impl fmt::Debug for Transfer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Transfer");
        debug
            .field("folder", &self.folder)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl Transfer<'_> {
    /// Downloads the one archive of a source.
    fn archive(&self, request: &Request, digest: Option<Digest>) -> Result<Download, HttpError> {
        let target = DownloadTarget {
            file: &self.folder.join("archive"),
            limit: self.limit,
            digest,
        };
        self.http.download(request, &target, self.progress)
    }
}

/// The address of `segments` below `base`, each segment escaped.
fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// What a fetcher brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The content, in the quarantine folder.
    pub content: FetchedContent,
    /// Where it came from, without any secret.
    pub origin: Origin,
}

/// Content in a quarantine folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchedContent {
    /// An archive that was not looked into.
    Archive {
        /// The file.
        file: PathBuf,
        /// What the source says it is; only the bytes can tell.
        kind: Option<ArchiveKind>,
        /// What the source says about its folders.
        shape: ArchiveShape,
    },
    /// A folder of regular files.
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

/// How an archive is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveShape {
    /// A skill's folder, or SKILL.md at the root.
    Skill,
    /// SKILL.md is at the root.
    SkillAtRoot,
    /// One folder, of any name, around a whole repository of which a part is wanted.
    Repository {
        /// The part; without one, all of it.
        path: Option<SubPath>,
    },
}
