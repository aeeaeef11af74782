//! Stamps: how a change is noticed without reading.

use rustix::fs::Stat;

/// When and how large a file or folder was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// Time of the last change of anything, permissions too; nobody can set it back.
    pub changed: i64,
    /// Size in bytes.
    pub size: u64,
    /// The file's number on its device.
    pub inode: u64,
}

impl Stamp {
    #[expect(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        reason = "the types of a stat differ by platform; equality is all that counts"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        Self {
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            size: stat.st_size as u64,
            inode: stat.st_ino as u64,
        }
    }
}
