//! File systems that keep no executable bits.
//!
//! On FAT, NTFS and shares of Windows every file looks alike: all are executable, or none is. There a
//! bit says nothing about a file, and no program can set it.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{StatFs, fstatfs, statfs};

/// The kinds that keep none, or only where they are mounted so.
#[cfg(target_os = "linux")]
const ALIKE: [u32; 12] = [
    0x4d44,      // FAT
    0x2011_bab0, // exFAT
    0x5346_544e, // NTFS
    0x7366_746e, // NTFS, the newer driver
    0x6573_5546, // FUSE, as NTFS and many others are reached by
    0x517b,      // shares of Windows, three drivers
    0xff53_4d42,
    0xfe53_4d42,
    0x0102_1997, // 9p, as WSL reaches the disks of Windows
    0x786f_4256, // folders that virtual machines share: VirtualBox, VMware, Parallels
    0xbacb_acbc,
    0x7c7c_6673,
];

/// Whether executable bits are surely kept where a folder lies.
pub fn are_kept(folder: &Path) -> bool {
    statfs(folder).is_ok_and(|found| keeps(&found))
}

/// Whether executable bits are kept in an open folder.
pub fn are_kept_in(folder: impl AsFd) -> bool {
    fstatfs(folder).is_ok_and(|found| keeps(&found))
}

#[cfg(target_os = "linux")]
fn keeps(found: &StatFs) -> bool {
    u32::try_from(found.f_type).is_ok_and(|kind| !ALIKE.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn keeps(_: &StatFs) -> bool {
    true
}
