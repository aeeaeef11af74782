//! Archives at an address.

use std::fs::{self, File};

use skillyard_format::package::archive::{ArchiveError, ArchiveFormat};

use super::http::{Header, HttpError, Request};
use super::{ArchiveShape, Fetched, FetchedContent, Transfer};
use crate::origin::{Origin, OriginKind};
use crate::reference::Address;

/// Fetches the archive at an address; the headers go to its host only.
pub fn fetch(
    transfer: &Transfer<'_>,
    address: &Address,
    headers: &[Header],
) -> Result<Fetched, HttpError> {
    let request = Request::to(address)?.headers(headers.iter().cloned());
    let download = transfer.archive(&request, None)?;
    Ok(Fetched {
        content: FetchedContent::Archive {
            file: download.file,
            kind: download.kind,
            shape: ArchiveShape::Skill,
        },
        origin: Origin {
            kind: OriginKind::Archive,
            url: address.to_string(),
            commit: None,
            version: None,
        },
    })
}

/// The same where the address does not say that there is an archive: nothing, if there is none.
pub fn fetch_unnamed(
    transfer: &Transfer<'_>,
    address: &Address,
    headers: &[Header],
) -> Result<Option<Fetched>, HttpError> {
    let fetched = fetch(transfer, address, headers)?;
    let FetchedContent::Archive { file, .. } = &fetched.content else {
        return Ok(Some(fetched));
    };
    let format = File::open(file)
        .map_err(ArchiveError::from)
        .and_then(|mut file| ArchiveFormat::detect(&mut file));
    if matches!(format, Err(ArchiveError::UnknownFormat)) {
        // The folder is a quarantine: what is left is removed with it.
        let _ = fs::remove_file(file);
        return Ok(None);
    }
    // What is wrong with an archive is told by who opens it.
    Ok(Some(fetched))
}
