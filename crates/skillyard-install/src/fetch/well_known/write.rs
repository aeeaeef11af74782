//! Fetching what an index lists, into the quarantine folder.

use std::fs;
use std::path::Path;

use skillyard_format::Digest;
use url::Url;

use super::error::WellKnownError;
use super::index::{Artifact, FileEntry, Index, IndexEntry};
use crate::fetch::http::{DownloadTarget, Header, Request};
use crate::fetch::{ArchiveShape, Fetched, FetchedContent, Transfer};
use crate::origin::{Origin, OriginKind};
use crate::reference::shown::shown_url;

pub(super) fn fetch(
    transfer: &Transfer<'_>,
    index: &Index,
    entry: &IndexEntry,
    secrets: &Secrets<'_>,
) -> Result<Fetched, WellKnownError> {
    let origin = Origin {
        kind: OriginKind::WellKnown,
        url: format!("{}#{}", shown_url(&index.url), entry.name),
        commit: None,
        version: None,
    };
    let folder = transfer.folder.join(entry.name.as_str());
    match &entry.artifact {
        Artifact::Archive { url, digest } => {
            let request = secrets.request(url);
            let download = transfer.archive(&request, Some(*digest))?;
            Ok(Fetched {
                content: FetchedContent::Archive {
                    file: download.file,
                    kind: download.kind,
                    shape: ArchiveShape::SkillAtRoot,
                },
                origin,
            })
        }
        Artifact::SkillFile { url, digest } => {
            let mut files = FolderFiles::new(transfer, secrets, &folder)?;
            files.add("SKILL.md", url, Some(*digest))?;
            files.keep();
            Ok(Fetched {
                content: FetchedContent::Folder { path: folder },
                origin,
            })
        }
        Artifact::Files(list) => {
            let mut files = FolderFiles::new(transfer, secrets, &folder)?;
            for FileEntry { path, url, digest } in list {
                files.add(path.as_str(), url, *digest)?;
            }
            files.keep();
            Ok(Fetched {
                content: FetchedContent::Folder { path: folder },
                origin,
            })
        }
    }
}

/// What proves to a site who we are, and to nobody else: neither to the host that
/// serves a skill for it, nor to the one that its index was moved to.
pub(super) struct Secrets<'a> {
    pub(super) site: &'a Url,
    pub(super) headers: Vec<Header>,
}

impl Secrets<'_> {
    fn request(&self, url: &Url) -> Request {
        let request = Request::new(url.clone());
        if url.origin() == self.site.origin() {
            request.headers(self.headers.iter().cloned())
        } else {
            request
        }
    }
}

/// Files that become a folder, or nothing.
struct FolderFiles<'a> {
    transfer: &'a Transfer<'a>,
    secrets: &'a Secrets<'a>,
    folder: &'a Path,
    /// How many bytes may still come.
    left: u64,
    kept: bool,
}

impl<'a> FolderFiles<'a> {
    fn new(
        transfer: &'a Transfer<'a>,
        secrets: &'a Secrets<'a>,
        folder: &'a Path,
    ) -> Result<Self, WellKnownError> {
        fs::create_dir(folder).map_err(|source| WellKnownError::Write {
            path: folder.to_owned(),
            source,
        })?;
        Ok(Self {
            transfer,
            secrets,
            folder,
            left: transfer.limit,
            kept: false,
        })
    }

    fn add(&mut self, path: &str, url: &Url, digest: Option<Digest>) -> Result<(), WellKnownError> {
        let file = self.folder.join(path);
        let parent = file.parent().unwrap_or(self.folder);
        fs::create_dir_all(parent).map_err(|source| WellKnownError::Write {
            path: parent.to_owned(),
            source,
        })?;
        let target = DownloadTarget {
            file: &file,
            limit: self.left,
            digest,
        };
        let transfer = self.transfer;
        let download =
            transfer
                .http
                .download(&self.secrets.request(url), &target, transfer.progress)?;
        self.left -= download.size;
        Ok(())
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for FolderFiles<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // The folder is a quarantine: what is left is removed with it.
            let _ = fs::remove_dir_all(self.folder);
        }
    }
}
