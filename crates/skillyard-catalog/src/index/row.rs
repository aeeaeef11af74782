//! The numbers that an index keeps of one `SKILL.md`, little-endian, always as many bytes.

use crate::walk::Stamp;

/// How many bytes a row has.
pub(super) const SIZE: usize = 56;

/// The numbers of one `SKILL.md`; lengths are those of its texts, which follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) stamp: Stamp,
    pub(super) kind: Kind,
    /// Where the path below the source's root ends; it begins where that of the row before ends.
    pub(super) path_end: u32,
    /// The name of the file, which is the end of the path.
    pub(super) file_name: u32,
    pub(super) name: u32,
    /// The description, or why it is not a skill.
    pub(super) description: u32,
    pub(super) fields: u32,
    pub(super) model_invocable: bool,
    pub(super) user_invocable: bool,
}

/// What became of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Skill,
    Unloadable,
}

impl Row {
    /// Reads a row; `None` where the last bytes have another meaning than they can.
    pub(super) fn read(bytes: &[u8; SIZE]) -> Option<Self> {
        let (longs, rest) = bytes.as_chunks::<8>().0.split_first_chunk::<4>()?;
        let [modified, changed, size, inode] = longs.map(u64::from_le_bytes);
        let (words, []) = rest.as_flattened().as_chunks::<4>() else {
            return None;
        };
        let words: [[u8; 4]; 6] = words.try_into().ok()?;
        let [path_end, file_name, name, description, fields, flags] = words.map(u32::from_le_bytes);
        let kind = match flags >> 2 {
            0 => Kind::Skill,
            1 => Kind::Unloadable,
            _ => return None,
        };
        Some(Self {
            stamp: Stamp {
                modified: modified.cast_signed(),
                changed: changed.cast_signed(),
                size,
                inode,
            },
            kind,
            path_end,
            file_name,
            name,
            description,
            fields,
            model_invocable: flags & 1 != 0,
            user_invocable: flags & 2 != 0,
        })
    }

    /// The row as it is stored.
    pub(super) fn to_bytes(self) -> [u8; SIZE] {
        let kind = match self.kind {
            Kind::Skill => 0,
            Kind::Unloadable => 1,
        };
        let flags =
            kind << 2 | u32::from(self.user_invocable) << 1 | u32::from(self.model_invocable);
        let longs = [
            self.stamp.modified.cast_unsigned(),
            self.stamp.changed.cast_unsigned(),
            self.stamp.size,
            self.stamp.inode,
        ];
        let words = [
            self.path_end,
            self.file_name,
            self.name,
            self.description,
            self.fields,
            flags,
        ];
        let mut bytes = [0; SIZE];
        bytes[..32].copy_from_slice(longs.map(u64::to_le_bytes).as_flattened());
        bytes[32..].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for (kind, model_invocable, user_invocable) in [
            (Kind::Skill, false, true),
            (Kind::Skill, true, false),
            (Kind::Unloadable, false, false),
        ] {
            let row = Row {
                stamp: Stamp {
                    modified: -1,
                    changed: i64::MIN,
                    size: u64::MAX,
                    inode: 7,
                },
                kind,
                path_end: 1,
                file_name: 2,
                name: 3,
                description: 4,
                fields: u32::MAX,
                model_invocable,
                user_invocable,
            };
            assert_eq!(Row::read(&row.to_bytes()), Some(row));
        }
    }

    #[test]
    fn flags_of_another_version_are_refused() {
        let mut bytes = [0; SIZE];
        bytes[SIZE - 1] = 1;
        assert_eq!(Row::read(&bytes), None);
    }
}
