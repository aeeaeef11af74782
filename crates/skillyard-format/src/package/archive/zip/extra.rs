//! Extra fields: 64-bit sizes, and names that must not differ from the name.

use super::fields::Fields;
use crate::package::archive::error::{ArchiveError, ZipProblem};
use crate::package::archive::problem::EntryProblem;

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;
const ENCRYPTION: [u16; 3] = [0x0017, 0x9901, 0x0014];
/// Old Unix fields that can say "this is a link" a second time.
const UNIX_WITH_LINK: [u16; 2] = [0x000d, 0x756e];

/// Sizes and place of an entry; a header that has not room for one points to the extra field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) size: u64,
    pub(super) compressed: u64,
    /// Only the directory has it.
    pub(super) offset: Option<u64>,
}

/// Checks all extra fields of an entry and fills in the sizes that lie there.
pub(super) fn resolve(extra: &[u8], name: &[u8], sizes: Sizes) -> Result<Sizes, ArchiveError> {
    let mut fields = Fields(extra);
    let mut seen = Vec::new();
    let mut wide = None;
    while !fields.is_empty() {
        let (id, data) = split(&mut fields).ok_or(ZipProblem::ExtraField)?;
        // A field twice is one that tools disagree on.
        if seen.contains(&id) {
            return Err(ZipProblem::ExtraField.into());
        }
        seen.push(id);
        match id {
            ZIP64 => wide = Some(data),
            UNICODE_PATH if !repeats(data, name) => {
                return Err(ArchiveError::entry(name, EntryProblem::TwoNames));
            }
            _ if ENCRYPTION.contains(&id) => {
                return Err(ArchiveError::entry(name, EntryProblem::Encrypted));
            }
            _ if UNIX_WITH_LINK.contains(&id) => {
                return Err(ArchiveError::entry(
                    name,
                    EntryProblem::Unsupported("an old Unix extra field"),
                ));
            }
            _ => {}
        }
    }
    Ok(widen(wide, sizes).ok_or(ZipProblem::Zip64)?)
}

fn split<'a>(fields: &mut Fields<'a>) -> Option<(u16, &'a [u8])> {
    let id = fields.u16()?;
    let length = fields.u16()?;
    Some((id, fields.bytes(length.into())?))
}

/// Whether a Unicode path field says the name once more.
fn repeats(data: &[u8], name: &[u8]) -> bool {
    let mut fields = Fields(data);
    let (version, checksum) = (fields.bytes(1), fields.u32());
    version == Some(&[1]) && checksum == Some(crc32fast::hash(name)) && fields.0 == name
}

/// Replaces exactly the values that say "see the extra field".
fn widen(wide: Option<&[u8]>, sizes: Sizes) -> Option<Sizes> {
    const SEE_EXTRA: u64 = u32::MAX as u64;
    let mut fields = Fields(wide.unwrap_or_default());
    let mut take = |narrow: u64| {
        if narrow == SEE_EXTRA {
            fields.u64()
        } else {
            Some(narrow)
        }
    };
    let resolved = Sizes {
        size: take(sizes.size)?,
        compressed: take(sizes.compressed)?,
        offset: match sizes.offset {
            Some(offset) => Some(take(offset)?),
            None => None,
        },
    };
    // Some writers keep room for sizes that turn out small; what is there must then be the same or nothing.
    let rest = fields.0;
    let same = [resolved.size, resolved.compressed]
        .map(u64::to_le_bytes)
        .concat();
    (rest.is_empty() || rest == same || rest.iter().all(|byte| *byte == 0)).then_some(resolved)
}
