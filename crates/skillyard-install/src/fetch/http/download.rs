//! Reading bodies, into a file or into memory, never more than allowed.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use reqwest::blocking::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use skillyard_format::Digest;
use skillyard_format::package::ContentDigest;
use url::Url;

use super::client::{Http, HttpResponse};
use super::error::HttpError;
use super::pace::TransferPace;
use super::progress::DownloadProgress;
use super::request::Request;
use crate::reference::ArchiveKind;
use crate::reference::shown::{shown, shown_url};

/// Where a download goes, and what it may be.
#[derive(Debug, Clone)]
pub struct DownloadTarget<'a> {
    /// The file, which must not exist.
    pub file: &'a Path,
    /// The most bytes it may have.
    pub limit: u64,
    /// The digest it must have, if one was promised.
    pub digest: Option<Digest>,
}

/// A file that was downloaded.
#[derive(Debug, Clone)]
pub struct Download {
    /// The file.
    pub file: PathBuf,
    /// Its length.
    pub size: u64,
    /// The digest of its bytes.
    pub digest: Digest,
    /// What the server says it is, or else its name.
    pub kind: Option<ArchiveKind>,
}

/// A body that was read into memory.
#[derive(Clone)]
pub struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The address that it came from in the end.
    pub url: Url,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), shown_url(&self.url))
    }
}

impl Body {
    /// Reads the body as JSON.
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, HttpError> {
        // Editors of Windows put a mark before the text.
        let text = self.bytes.strip_prefix(b"\xef\xbb\xbf");
        let text = text.unwrap_or(&self.bytes);
        serde_json::from_slice(text).map_err(|error| HttpError::Unreadable {
            url: shown_url(&self.url),
            // The message may quote the text.
            problem: shown(&error.to_string()),
        })
    }
}

impl Http {
    /// Downloads into a file; after an error there is none.
    pub fn download(
        &self,
        request: &Request,
        target: &DownloadTarget<'_>,
        progress: &dyn DownloadProgress,
    ) -> Result<Download, HttpError> {
        let result = self.persist(&request.url, || {
            let mut answer = self.open(request)?;
            let kind =
                kind(&answer.response, &answer.url).or_else(|| ArchiveKind::of(request.url.path()));
            let kind = unencoded(kind, &answer)?;
            let mut partial = PartialFile::create(target.file)?;
            progress.started(&shown_url(&request.url), answer.response.content_length());
            let mut digest = ContentDigest::default();
            let size = self.read(&mut answer, target.limit, |piece, size| {
                digest.add(piece);
                partial.write(piece)?;
                progress.received(size);
                Ok(())
            })?;
            let digest = digest.finish();
            check_digest(&answer.url, target.digest, digest)?;
            partial.keep()?;
            Ok(Download {
                file: target.file.to_owned(),
                size,
                digest,
                kind,
            })
        });
        progress.finished();
        result
    }

    /// Reads a body into memory.
    pub fn get(&self, request: &Request, limit: u64) -> Result<Body, HttpError> {
        self.persist(&request.url, || {
            let mut answer = self.open(request)?;
            if encoding(&answer).is_some() {
                return Err(compressed(&answer));
            }
            let mut bytes = Vec::new();
            self.read(&mut answer, limit, |piece, _| {
                bytes.extend_from_slice(piece);
                Ok(())
            })?;
            Ok(Body {
                bytes,
                url: answer.url,
            })
        })
    }

    /// Hands the body on piece by piece, with its length so far, and returns its length.
    fn read(
        &self,
        answer: &mut HttpResponse,
        limit: u64,
        mut take: impl FnMut(&[u8], u64) -> Result<(), HttpError>,
    ) -> Result<u64, HttpError> {
        let url = || shown_url(&answer.url);
        let promised = answer.response.content_length();
        if promised.is_some_and(|promised| promised > limit) {
            return Err(HttpError::TooLarge { url: url(), limit });
        }
        let mut pace = TransferPace::begin();
        let mut buffer = vec![0; 64 * 1024];
        let mut size = 0;
        loop {
            let count = match answer.response.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => return Err(HttpError::Timeout { url: url() }),
                Err(error) => {
                    return Err(HttpError::Interrupted {
                        url: url(),
                        received: size,
                        source: Some(error),
                    });
                }
            };
            size += count as u64;
            if size > limit {
                return Err(HttpError::TooLarge { url: url(), limit });
            }
            if let Some(after) = pace.too_long(size, &self.settings) {
                return Err(HttpError::Slow {
                    url: url(),
                    received: size,
                    after,
                });
            }
            take(&buffer[..count], size)?;
        }
        if promised.is_some_and(|promised| promised != size) {
            return Err(HttpError::Interrupted {
                url: url(),
                received: size,
                source: None,
            });
        }
        Ok(size)
    }
}

/// How a body was compressed for its way, which nobody asked for.
fn encoding(answer: &HttpResponse) -> Option<&HeaderValue> {
    let encoding = answer.response.headers().get(CONTENT_ENCODING);
    encoding.filter(|encoding| *encoding != "identity")
}

fn compressed(answer: &HttpResponse) -> HttpError {
    HttpError::Unreadable {
        url: shown_url(&answer.url),
        problem: "it is compressed, which was not asked for".to_owned(),
    }
}

/// What an archive is, if it was compressed for its way. Many servers call that the way of a tar that
/// is compressed itself.
fn unencoded(
    kind: Option<ArchiveKind>,
    answer: &HttpResponse,
) -> Result<Option<ArchiveKind>, HttpError> {
    let Some(encoding) = encoding(answer) else {
        return Ok(kind);
    };
    let is_gzip = encoding == "gzip" || encoding == "x-gzip";
    match kind {
        None => Ok(None),
        Some(ArchiveKind::Tar | ArchiveKind::TarGz) if is_gzip => Ok(Some(ArchiveKind::TarGz)),
        Some(_) => Err(compressed(answer)),
    }
}

fn check_digest(url: &Url, expected: Option<Digest>, found: Digest) -> Result<(), HttpError> {
    match expected {
        Some(expected) if expected != found => Err(HttpError::Digest {
            url: shown_url(url),
            expected,
            found,
        }),
        _ => Ok(()),
    }
}

fn is_timeout(error: &io::Error) -> bool {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<reqwest::Error>());
    error.kind() == io::ErrorKind::TimedOut || inner.is_some_and(reqwest::Error::is_timeout)
}

fn kind(response: &Response, url: &Url) -> Option<ArchiveKind> {
    let declared = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let declared = declared
        .and_then(|value| value.split(';').next())
        .unwrap_or_default();
    match declared.trim().to_ascii_lowercase().as_str() {
        "application/zip" | "application/x-zip-compressed" => Some(ArchiveKind::Zip),
        "application/gzip" | "application/x-gzip" | "application/x-gtar" => {
            Some(ArchiveKind::TarGz)
        }
        "application/zstd" => Some(ArchiveKind::TarZst),
        "application/x-tar" => Some(ArchiveKind::Tar),
        _ => ArchiveKind::of(url.path()),
    }
}

/// A file that is removed unless it is kept.
struct PartialFile<'a> {
    path: &'a Path,
    file: Option<File>,
}

impl<'a> PartialFile<'a> {
    fn create(path: &'a Path) -> Result<Self, HttpError> {
        // What exists is not ours: it is neither written through nor removed.
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|source| write_error(path, source))?;
        Ok(Self {
            path,
            file: Some(file),
        })
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), HttpError> {
        let written = self
            .file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(piece));
        written.map_err(|source| write_error(self.path, source))
    }

    fn keep(&mut self) -> Result<(), HttpError> {
        let flushed = self.file.as_mut().map_or(Ok(()), File::flush);
        flushed.map_err(|source| write_error(self.path, source))?;
        self.file = None;
        Ok(())
    }
}

impl Drop for PartialFile<'_> {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // The folder is a quarantine: what is left is removed with it.
            let _ = fs::remove_file(self.path);
        }
    }
}

fn write_error(path: &Path, source: io::Error) -> HttpError {
    HttpError::Write {
        path: path.to_owned(),
        source,
    }
}
