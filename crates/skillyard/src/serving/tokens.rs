//! The file of tokens, which only its owner may read.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use skillyard_server::Tokens;

use crate::error::CommandError;
use crate::error::serve::ServeFailure;

/// Permissions for the group and for others.
const OTHERS: u32 = 0o077;

/// Reads the tokens and their roles.
pub(crate) fn tokens(file: &Path) -> Result<Tokens, CommandError> {
    let unread = |source| CommandError::Read {
        path: file.to_owned(),
        source,
    };
    let mode = fs::metadata(file).map_err(unread)?.mode() & 0o777;
    if mode & OTHERS != 0 {
        let path = file.to_owned();
        return Err(ServeFailure::Readable { path, mode }.into());
    }
    let text = fs::read_to_string(file).map_err(unread)?;
    let unusable = |source| ServeFailure::Tokens {
        path: file.to_owned(),
        source,
    };
    Ok(Tokens::parse(&text).map_err(unusable)?)
}
