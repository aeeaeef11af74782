//! A zip writer in which every field can lie.

use super::{SKILL, deflate};

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) host: u8,
    pub(crate) attributes: u32,
    pub(crate) extra: Vec<u8>,
    pub(crate) local_extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) disk: u16,
    pub(crate) crc: u32,
    pub(crate) size: u32,
    pub(crate) compressed: u32,
    pub(crate) local: Local,
    /// Bytes after the content, such as a descriptor.
    pub(crate) after: Vec<u8>,
    /// In place of the entry's true offset.
    pub(crate) offset: Option<u32>,
}

/// What the local header says where it differs.
#[derive(Clone, Default)]
pub(crate) struct Local {
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) method: Option<u16>,
    pub(crate) flags: Option<u16>,
    pub(crate) crc: Option<u32>,
    pub(crate) size: Option<u32>,
    pub(crate) compressed: Option<u32>,
    pub(crate) absent: bool,
}

pub(crate) fn file(name: impl AsRef<[u8]>, content: &[u8]) -> Entry {
    with_method(name.as_ref(), content, 0)
}

pub(crate) fn deflated(name: impl AsRef<[u8]>, content: &[u8]) -> Entry {
    with_method(name.as_ref(), content, 8)
}

pub(crate) fn skill() -> Entry {
    deflated("SKILL.md", SKILL)
}

fn with_method(name: &[u8], content: &[u8], method: u16) -> Entry {
    let data = if method == 8 {
        deflate(content)
    } else {
        content.to_vec()
    };
    Entry {
        name: name.to_vec(),
        method,
        flags: if name.is_ascii() { 0 } else { 1 << 11 },
        host: 3,
        attributes: 0o100_644 << 16,
        extra: Vec::new(),
        local_extra: Vec::new(),
        comment: Vec::new(),
        disk: 0,
        crc: crc32fast::hash(content),
        size: u32::try_from(content.len()).unwrap(),
        compressed: u32::try_from(data.len()).unwrap(),
        data,
        local: Local::default(),
        after: Vec::new(),
        offset: None,
    }
}

#[derive(Clone, Default)]
pub(crate) struct Zip {
    pub(crate) prefix: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) before_directory: Vec<u8>,
    pub(crate) after_directory: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) count: Option<u16>,
    pub(crate) count_here: Option<u16>,
    pub(crate) disk: u16,
    pub(crate) directory_size: Option<u32>,
    pub(crate) directory_offset: Option<u32>,
    /// Whether offsets count the prefix.
    pub(crate) shifted: bool,
}

pub(crate) fn zip(entries: Vec<Entry>) -> Zip {
    Zip {
        entries,
        shifted: true,
        ..Zip::default()
    }
}

impl Zip {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = self.prefix.clone();
        let base = if self.shifted { 0 } else { self.prefix.len() };
        let mut offsets = Vec::new();
        for entry in &self.entries {
            offsets.push(
                entry
                    .offset
                    .unwrap_or(u32::try_from(out.len() - base).unwrap()),
            );
            entry.write_local(&mut out);
        }
        out.extend(&self.before_directory);
        let start = out.len();
        for (entry, offset) in self.entries.iter().zip(offsets) {
            entry.write_central(&mut out, offset);
        }
        let size = u32::try_from(out.len() - start).unwrap();
        out.extend(&self.after_directory);
        let count = u16::try_from(self.entries.len()).unwrap();
        out.extend(b"PK\x05\x06");
        out.extend(self.disk.to_le_bytes());
        out.extend(self.disk.to_le_bytes());
        out.extend(self.count_here.unwrap_or(count).to_le_bytes());
        out.extend(self.count.unwrap_or(count).to_le_bytes());
        out.extend(self.directory_size.unwrap_or(size).to_le_bytes());
        let offset = u32::try_from(start - base).unwrap();
        out.extend(self.directory_offset.unwrap_or(offset).to_le_bytes());
        out.extend(u16::try_from(self.comment.len()).unwrap().to_le_bytes());
        out.extend(&self.comment);
        out
    }
}

impl Entry {
    fn write_local(&self, out: &mut Vec<u8>) {
        let local = &self.local;
        if local.absent {
            return;
        }
        let name = local.name.as_ref().unwrap_or(&self.name);
        out.extend(b"PK\x03\x04\x14\0");
        out.extend(local.flags.unwrap_or(self.flags).to_le_bytes());
        out.extend(local.method.unwrap_or(self.method).to_le_bytes());
        out.extend([0, 0, 0x21, 0]);
        out.extend(local.crc.unwrap_or(self.crc).to_le_bytes());
        out.extend(local.compressed.unwrap_or(self.compressed).to_le_bytes());
        out.extend(local.size.unwrap_or(self.size).to_le_bytes());
        out.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        out.extend(u16::try_from(self.local_extra.len()).unwrap().to_le_bytes());
        out.extend(name);
        out.extend(&self.local_extra);
        out.extend(&self.data);
        out.extend(&self.after);
    }

    fn write_central(&self, out: &mut Vec<u8>, offset: u32) {
        out.extend(b"PK\x01\x02");
        out.extend([0x14, self.host, 0x14, 0]);
        out.extend(self.flags.to_le_bytes());
        out.extend(self.method.to_le_bytes());
        out.extend([0, 0, 0x21, 0]);
        out.extend(self.crc.to_le_bytes());
        out.extend(self.compressed.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        for part in [&self.name, &self.extra, &self.comment] {
            out.extend(u16::try_from(part.len()).unwrap().to_le_bytes());
        }
        out.extend(self.disk.to_le_bytes());
        out.extend([0, 0]);
        out.extend(self.attributes.to_le_bytes());
        out.extend(offset.to_le_bytes());
        for part in [&self.name, &self.extra, &self.comment] {
            out.extend(part);
        }
    }
}
