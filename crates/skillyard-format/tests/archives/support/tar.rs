//! A tar writer in which every field can lie.

use super::SKILL;

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) prefix: Vec<u8>,
    pub(crate) kind: u8,
    pub(crate) mode: Vec<u8>,
    pub(crate) size: Vec<u8>,
    pub(crate) link: Vec<u8>,
    pub(crate) magic: [u8; 8],
    pub(crate) content: Vec<u8>,
    pub(crate) checksum: Checksum,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Checksum {
    Right,
    Wrong,
}

pub(crate) fn entry(kind: u8, name: impl AsRef<[u8]>, content: &[u8]) -> Entry {
    Entry {
        name: name.as_ref().to_vec(),
        prefix: Vec::new(),
        kind,
        mode: b"0000644\0".to_vec(),
        size: format!("{:011o}\0", content.len()).into_bytes(),
        link: Vec::new(),
        magic: *b"ustar\x0000",
        content: content.to_vec(),
        checksum: Checksum::Right,
    }
}

pub(crate) fn file(name: impl AsRef<[u8]>, content: &[u8]) -> Entry {
    entry(b'0', name, content)
}

pub(crate) fn skill() -> Entry {
    file("SKILL.md", SKILL)
}

pub(crate) fn link(kind: u8, name: &str, target: &str) -> Entry {
    Entry {
        link: target.as_bytes().to_vec(),
        ..entry(kind, name, b"")
    }
}

/// An extended header with these records.
pub(crate) fn pax(records: &[(&str, &[u8])]) -> Entry {
    entry(b'x', "pax", &pax_records(records))
}

pub(crate) fn pax_records(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let mut length = rest + 1;
        while rest + length.to_string().len() != length {
            length = rest + length.to_string().len();
        }
        payload.extend(format!("{length} {key}=").bytes());
        payload.extend(*value);
        payload.push(b'\n');
    }
    payload
}

/// A name in GNU's form.
pub(crate) fn long_name(name: &[u8]) -> Entry {
    let mut content = name.to_vec();
    content.push(0);
    Entry {
        magic: *b"ustar  \0",
        ..entry(b'L', "././@LongLink", &content)
    }
}

pub(crate) fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut out = unended(entries);
    out.extend([0; 1024]);
    out
}

pub(crate) fn unended(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        out.extend(entry.header());
        out.extend(&entry.content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out
}

impl Entry {
    pub(crate) fn header(&self) -> [u8; 512] {
        let mut block = [0; 512];
        for (place, room, field) in [
            (0, 100, &self.name),
            (100, 8, &self.mode),
            (108, 8, &b"0000000".to_vec()),
            (116, 8, &b"0000000".to_vec()),
            (124, 12, &self.size),
            (136, 12, &b"00000000000".to_vec()),
            (157, 100, &self.link),
            (257, 8, &self.magic.to_vec()),
            (345, 155, &self.prefix),
        ] {
            assert!(field.len() <= room);
            block[place..place + field.len()].copy_from_slice(field);
        }
        block[148..156].fill(b' ');
        block[156] = self.kind;
        let mut sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        if self.checksum == Checksum::Wrong {
            sum += 1;
        }
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }
}
