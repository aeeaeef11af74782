//! Archives at an address.

use super::http::{Header, HttpError, Request};
use super::{Content, Fetched, Shape, Transfer};
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
        content: Content::Archive {
            file: download.file,
            kind: download.kind,
            shape: Shape::Skill,
        },
        origin: Origin {
            kind: OriginKind::Archive,
            url: address.to_string(),
            commit: None,
            version: None,
        },
    })
}
